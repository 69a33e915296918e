//! Running the binary, and what must be true of its output.

use std::process::{Command, Output};

use serde_json::Value;

/// `throng …`, with no set of maps fetched.
pub(crate) fn throng(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.args(arguments).env("THRONG_DATA", "/nowhere").output().unwrap()
}

/// Standard output of a command that must work.
pub(crate) fn good(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Standard error of a command that must fail with this exit code.
pub(crate) fn bad(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The one JSON document on standard output, whatever the exit code.
pub(crate) fn document(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text:?}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// The one JSON document of a command that must work.
pub(crate) fn json(arguments: &[&str]) -> Value {
    let output = throng(&[arguments, &["--json"]].concat());
    good(&output);
    document(&output)
}
