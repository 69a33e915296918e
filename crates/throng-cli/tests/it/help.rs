//! Help, usage errors and exit codes of all commands.

use std::process::{Command, Stdio};

use crate::support::{failure, success, throng};

/// All commands and subcommands.
const COMMANDS: &[&[&str]] = &[
    &[],
    &["demo"],
    &["list"],
    &["explain"],
    &["map"],
    &["map", "info"],
    &["map", "generate"],
    &["map", "render"],
    &["maps"],
    &["maps", "fetch"],
    &["cpd"],
    &["cpd", "build"],
    &["cpd", "info"],
    &["path"],
    &["dynamic"],
    &["run"],
    &["compare"],
    &["advise"],
    &["replay"],
    &["view"],
    &["lab"],
    &["lab", "run"],
    &["lab", "report"],
    &["lab", "list"],
    &["lab", "show"],
    &["select"],
    &["select", "eval"],
    &["select", "portfolio"],
    &["select", "gather"],
    &["select", "features"],
    &["select", "predict"],
    &["select", "train"],
    &["select", "picture"],
    &["select", "curve"],
    &["select", "problems"],
];

#[test]
fn every_help_ends_with_an_example() {
    for command in COMMANDS {
        for flag in ["--help", "-h"] {
            let text = success(&throng(&[*command, &[flag]].concat()));
            let last = text.trim_end().lines().last().unwrap();
            assert!(text.contains("\nExample"), "{command:?}:\n{text}");
            assert!(last.trim_start().trim_start_matches("Example: ").starts_with("throng "), "{last}");
            assert!(text.contains("--json"), "{command:?}:\n{text}");
        }
    }
}

#[test]
fn the_list_of_commands_is_complete() {
    for group in COMMANDS.iter().filter(|command| command.is_empty() || matches!(command, [_])) {
        let text = success(&throng(&[*group, &["--help"]].concat()));
        let Some((_, commands)) = text.split_once("Commands:\n") else { continue };
        for line in commands.lines().take_while(|line| !line.is_empty()) {
            let name = line.split_whitespace().next().unwrap();
            let command = [*group, &[name]].concat();
            assert!(name == "help" || COMMANDS.contains(&command.as_slice()), "{command:?}");
        }
    }
}

#[test]
fn bad_usage_exits_with_two() {
    for arguments in [&[][..], &["lits"], &["list", "planers"], &["path", "builtin:arena"], &["map"]] {
        assert!(!failure(&throng(arguments), 2).is_empty(), "{arguments:?}");
    }
    let text = failure(&throng(&["lits"]), 2);
    assert!(text.contains("'list'"), "{text}");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    for arguments in
        [&["list"][..], &["list", "--json"], &["explain", "jps"], &["map", "info", "builtin:arena"]]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_throng"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
