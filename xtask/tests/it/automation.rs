//! The command line of `cargo xtask`.

use std::process::{Command, Output};

/// Runs `cargo xtask` with arguments.
fn xtask(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(words).output().unwrap()
}

#[test]
fn help_lists_commands_and_suites() {
    for words in [&["help"] as &[&str], &["--help"], &[]] {
        let output = xtask(words);
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        for name in
            ["test", "soak", "browser", "fuzz", "links", "python", "bench", "docs", "mutations", "scenarios"]
        {
            assert!(text.contains(&format!("\n  {name} ")), "{name} in {text}");
        }
    }
}

#[test]
fn unknown_arguments_are_bad_usage() {
    let cases: [(&[&str], &str); 3] = [
        (&["tset"], "unknown command \"tset\""),
        (&["test", "quickly"], "unexpected argument \"quickly\""),
        (&["soak", "mutation"], "known suites: mutations, scenarios"),
    ];
    for (words, message) in cases {
        let output = xtask(words);
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(message), "{text}");
    }
}
