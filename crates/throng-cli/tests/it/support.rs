//! Helpers that run the binary and check its output, and temporary folders.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// The first bytes of a PNG file.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Runs `throng …` without any fetched map set.
pub(crate) fn throng(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.args(arguments).env("THRONG_DATA", "/nowhere").output().unwrap()
}

/// Returns the standard output of a command that must succeed.
pub(crate) fn success(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the standard error of a command that must fail with this exit code.
pub(crate) fn failure(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Returns the one-line reason of a command that must be refused as bad input.
pub(crate) fn refusal(arguments: &[&str]) -> String {
    let text = failure(&throng(arguments), 2);
    let reason = text.lines().next().unwrap().to_owned();
    assert!(reason.starts_with("error: "), "{text}");
    reason
}

/// Returns the JSON document on standard output, whatever the exit code.
pub(crate) fn document(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text:?}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// Returns the JSON document of a command that must succeed.
pub(crate) fn json(arguments: &[&str]) -> Value {
    let output = throng(&[arguments, &["--json"]].concat());
    success(&output);
    document(&output)
}

/// Returns the sorted keys of a JSON object.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Returns true if these are the bytes of an animated PNG.
pub(crate) fn is_animated(bytes: &[u8]) -> bool {
    bytes.starts_with(PNG) && bytes.windows(4).any(|chunk| chunk == b"acTL")
}

/// A temporary folder, removed at the end.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of a file in the folder.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Returns the path of a file in the folder as an argument.
    pub(crate) fn path(&self, name: &str) -> String {
        self.join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file and returns its path as an argument.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        std::fs::write(self.join(name), contents).unwrap();
        self.path(name)
    }

    /// Reads a file.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.join(name)).unwrap()
    }

    /// Reads a text file.
    pub(crate) fn read_text(&self, name: &str) -> String {
        std::fs::read_to_string(self.join(name)).unwrap()
    }

    /// Builds the path database of the map `builtin:arena` and returns its file.
    pub(crate) fn arena_database(&self) -> String {
        let file = self.path("arena.cpd");
        success(&throng(&["cpd", "build", "builtin:arena", "-o", &file]));
        file
    }
}
