//! The commands in the documents work. Commands of `throng` in `sh` blocks are run, document by document, in an empty
//! folder; those in [`NOT_RUN`] and those quoted in the text only have their subcommand and options checked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{files, markdown, quoted, read, root, shown, split_fences};

/// Text of commands that are not run, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("demo", "a test of the command line runs it"),
    ("maps fetch", "needs the network"),
    ("bg512/", "needs published maps"),
    ("--loops", "takes minutes in a debug build"),
    ("--directions lanes.dm", "needs the direction map of a command that is not run"),
];

/// The arguments of a command of `throng`, without the comment behind it; `None` if the line is no such command.
fn arguments(line: &str) -> Option<Vec<String>> {
    let line = line.split(" #").next().unwrap_or_default();
    let rest = line.strip_prefix("throng ").or_else(|| line.strip_prefix("cargo run --release -- "))?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

/// The commands of `throng` in the `sh` blocks of each document.
fn blocks() -> BTreeMap<PathBuf, Vec<Vec<String>>> {
    let mut found = BTreeMap::new();
    for document in markdown() {
        let (lines, _) = split_fences(&shown(&read(&document)), "sh");
        let commands: Vec<_> = lines.iter().filter_map(|line| arguments(line)).collect();
        if !commands.is_empty() {
            found.insert(document, commands);
        }
    }
    found
}

/// The commands of `throng` that are quoted in the text of the documents, except the changelog, which names old options.
fn quotations() -> Vec<Vec<String>> {
    let documents = markdown().into_iter().filter(|document| !document.ends_with("CHANGELOG.md"));
    let outside = |document: PathBuf| split_fences(&shown(&read(document)), "").1.replace('\n', " ");
    let lines = documents.flat_map(|document| quoted(&outside(document)));
    lines.filter_map(|line| arguments(&line)).collect()
}

/// The words of a command up to the first that is a placeholder, an option or a file.
fn subcommand(words: &[String]) -> Vec<&str> {
    let is_name =
        |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    words.iter().map(String::as_str).take_while(|word| is_name(word) && !word.starts_with('-')).collect()
}

/// The options of a command, without values and brackets.
fn options(words: &[String]) -> impl Iterator<Item = &str> {
    let bare = words.iter().map(|word| word.trim_matches(['[', ']']));
    let option = bare.filter(|word| word.starts_with("--") && word.len() > 2 || *word == "-o");
    option.map(|word| word.split(['=', '|']).next().unwrap_or_default())
}

/// The command line: the binary beside this test if it is newer than all sources, as after `cargo test --workspace`;
/// otherwise cargo builds it.
pub(crate) fn throng() -> Command {
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
    let manifest = root().join("Cargo.toml");
    command.args(["run", "--quiet", "--package", "throng-cli", "--manifest-path"]).arg(manifest).arg("--");
    command
}

/// Runs `throng` in a folder and panics with its error if it fails.
fn run(words: &[impl AsRef<str>], folder: &Path) -> Output {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let output = throng().args(&words).current_dir(folder).env("THRONG_DATA", "none").output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "throng {}: {error}", words.join(" "));
    output
}

#[test]
fn cargo_commands_are_known() {
    let help = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for document in markdown() {
        let (lines, outside) = split_fences(&shown(&read(&document)), "sh");
        for line in lines.iter().chain(&quoted(&outside)).filter(|line| line.starts_with("cargo ")) {
            let mut words = line.split_whitespace().skip(1);
            match words.next() {
                Some("xtask") => {
                    let name = words.next().unwrap_or_default();
                    assert!(help.contains(&format!("\n  {name} ")), "{}: {line}", document.display());
                }
                Some(
                    "run" | "build" | "doc" | "add" | "bench" | "deny" | "package" | "publish" | "rustc"
                    | "test",
                ) => {}
                _ => panic!("{}: unknown command: {line}", document.display()),
            }
        }
    }
}

#[test]
fn commands_of_throng_have_known_options() {
    let commands = blocks().into_values().flatten().chain(quotations());
    let mut options_of: BTreeMap<Vec<String>, BTreeSet<String>> = BTreeMap::new();
    for words in commands {
        let name: Vec<String> = subcommand(&words).into_iter().map(str::to_owned).collect();
        options_of.entry(name).or_default().extend(options(&words).map(str::to_owned));
    }
    for (name, options) in options_of {
        let output = run(&[name.clone(), vec!["--help".to_owned()]].concat(), root());
        let help = String::from_utf8(output.stdout).unwrap();
        for option in options.iter().filter(|option| *option != "--help") {
            let known = help.split([' ', ',', '\n', '[', '`']).any(|word| word == option);
            assert!(known, "throng {} has no option {option}", name.join(" "));
        }
    }
}

#[test]
fn commands_in_blocks_succeed() {
    let mut count = 0;
    for (document, commands) in blocks() {
        let folder = tempfile::tempdir().unwrap();
        // The page on the laboratory shows the experiment that its commands use.
        let (experiment, _) = split_fences(&read(&document), "toml");
        std::fs::write(folder.path().join("mine.toml"), experiment.join("\n")).unwrap();
        for words in commands {
            let line = words.join(" ");
            if !NOT_RUN.iter().any(|(text, _)| line.contains(text)) {
                run(&words, folder.path());
                count += 1;
            }
        }
    }
    assert!(count >= 10, "only {count} commands were run");
}

#[test]
fn parts_of_commands_are_found() {
    let words = |line: &str| arguments(line).unwrap();
    assert_eq!(subcommand(&words("throng maps fetch SET --from URL # comment")), ["maps", "fetch"]);
    assert_eq!(subcommand(&words("cargo run --release -- path builtin:room --json")), ["path"]);
    assert_eq!(subcommand(&words("throng --help")), Vec::<&str>::new());
    assert_eq!(options(&words("throng lab report DIR [-o FOLDER] --a=b")).collect::<Vec<_>>(), ["-o", "--a"]);
    assert_eq!(arguments("cargo xtask test"), None);
}
