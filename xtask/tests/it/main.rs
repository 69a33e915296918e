//! Tests of the documents and the repository: what documents name exists, commands work, rules about files hold.

mod automation;
mod capi;
mod commands;
mod documents;
mod examples;
mod findings;
mod generated;
mod ignored;
mod models;
mod repository;
mod results;
mod terms;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the root folder of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the text of a file, given by its path from the root.
fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns all tracked and untracked files that are not ignored, as paths from the root.
fn files() -> Vec<PathBuf> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git lists the files of the repository");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list = String::from_utf8(output.stdout).unwrap();
    let files: Vec<PathBuf> = list.split_terminator('\0').map(PathBuf::from).collect();
    assert!(!files.is_empty());
    // The index still lists files that were removed without `git rm`.
    files.into_iter().filter(|path| root().join(path).is_file()).collect()
}

/// Returns the Markdown files of the repository.
fn markdown() -> Vec<PathBuf> {
    files().into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// Returns the value of `key = "value"` in the workspace's manifest.
fn manifest_value(key: &str) -> String {
    let text = read("Cargo.toml");
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{key} = \""))).unwrap();
    line.trim_end_matches('"').to_owned()
}

/// Returns the text without HTML comments.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        shown.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    shown + rest
}

/// Returns the lines of the fenced blocks of a language, and the text outside of all fenced blocks.
fn split_fences(text: &str, language: &str) -> (Vec<String>, String) {
    let (mut blocks, mut outside) = (Vec::new(), String::new());
    let mut fence: Option<String> = None;
    for line in text.lines() {
        match (&fence, line.trim_start().strip_prefix("```")) {
            (None, Some(opened)) => fence = Some(opened.trim().to_owned()),
            (Some(_), Some(_)) => fence = None,
            (Some(opened), None) if opened == language => blocks.push(line.to_owned()),
            (Some(_), None) => {}
            (None, None) => {
                outside.push_str(line);
                outside.push('\n');
            }
        }
    }
    (blocks, outside)
}

/// Returns the text between backticks, given text outside of fenced blocks.
fn quoted(outside: &str) -> Vec<String> {
    outside.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn helpers_split_documents() {
    assert_eq!(shown("a<!-- b -->c<!-- d"), "ac");
    let (blocks, outside) = split_fences("x `y`\n```sh\ncargo z\n```\n```text\nno\n```\n`w` v\n", "sh");
    assert_eq!(blocks, ["cargo z"]);
    assert_eq!(quoted(&outside), ["y", "w"]);
}
