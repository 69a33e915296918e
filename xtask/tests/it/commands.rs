//! Commands in the documents are commands that there are.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::{files, markdown, quoted, read, root, shown, split_fences};

/// Every command line in the README and in `docs`: lines of `sh` blocks, and what is quoted in text.
fn command_lines() -> BTreeSet<String> {
    let documents =
        markdown().into_iter().filter(|path| path.starts_with("docs") || path.ends_with("README.md"));
    let mut lines = BTreeSet::new();
    for document in documents {
        let (blocks, outside) = split_fences(&shown(&read(document)), "sh");
        let candidates = blocks.into_iter().chain(quoted(&outside));
        let without_comment =
            candidates.map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned());
        lines.extend(without_comment.filter(|line| !line.is_empty()));
    }
    lines
}

/// The words of a command of `throng`, up to the first that is a placeholder, an option or a file.
fn subcommand(words: &str) -> Vec<&str> {
    let is_name =
        |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    words.split_whitespace().take_while(|word| is_name(word) && !word.starts_with('-')).collect()
}

/// The command line: the binary beside this test when it is current, as it is after the tests of the whole
/// workspace were built; otherwise by way of cargo, which builds it with other features and so from the ground.
fn throng() -> Command {
    let test = std::env::current_exe().unwrap();
    let binary = test.parent().unwrap().with_file_name(format!("throng{}", std::env::consts::EXE_SUFFIX));
    let changed = |path: &Path| path.metadata().and_then(|data| data.modified());
    let sources =
        files().into_iter().filter(|path| path.starts_with("crates") || path.ends_with("Cargo.lock"));
    let newest = sources.map(|path| changed(&root().join(path)).unwrap()).max().unwrap();
    if changed(&binary).is_ok_and(|built| built > newest) {
        return Command::new(binary);
    }
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", "throng-cli", "--"]);
    command
}

#[test]
fn cargo_commands_are_known() {
    let help = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (blocks, _) = split_fences(&shown(&read("README.md")), "sh");
    assert!(!blocks.is_empty(), "the README shows commands");
    for line in blocks.iter().filter(|line| line.starts_with("cargo ")) {
        let mut words = line.split_whitespace().skip(1);
        match words.next() {
            Some("xtask") => {
                let name = words.next().unwrap_or_default();
                assert!(help.contains(&format!("\n  {name} ")), "cargo xtask knows {name:?}");
            }
            Some("run") => assert!(line.starts_with("cargo run --release -- "), "{line}"),
            Some("doc" | "add") => {}
            _ => panic!("the README shows an unknown command: {line}"),
        }
    }
}

#[test]
fn commands_of_throng_are_accepted() {
    let lines = command_lines();
    let words = lines.iter().filter_map(|line| {
        line.strip_prefix("throng ").or_else(|| line.strip_prefix("cargo run --release -- "))
    });
    let commands: BTreeSet<Vec<&str>> = words.map(subcommand).filter(|words| !words.is_empty()).collect();
    for command in commands {
        let output = throng().args(&command).arg("--help").current_dir(root()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "throng {} --help: {error}", command.join(" "));
    }
}

#[test]
fn subcommands_end_at_arguments() {
    assert_eq!(subcommand("maps fetch SET --from URL"), ["maps", "fetch"]);
    assert_eq!(subcommand("path builtin:room --json"), ["path"]);
    assert_eq!(subcommand("--help"), Vec::<&str>::new());
}
