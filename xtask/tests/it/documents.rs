//! The documents name paths, links, versions and crates that exist.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{manifest_value, markdown, quoted, read, root, shown, split_fences};

/// Returns true if quoted text is a path.
fn is_path(word: &str) -> bool {
    let known =
        Path::new(word).extension().is_some_and(|end| ["rs", "toml", "md"].iter().any(|ext| end == *ext));
    (known || word.contains('/')) && !word.contains([' ', '*', '<', '(', ':']) && !word.contains("NAME")
}

#[test]
fn every_path_in_the_developer_documents_exists() {
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let (_, outside) = split_fences(&shown(&read(document)), "");
        let paths: Vec<String> = quoted(&outside).into_iter().filter(|word| is_path(word)).collect();
        assert!(paths.len() > 3, "too few paths: {paths:?}");
        let missing: Vec<_> = paths.iter().filter(|path| !root().join(path).exists()).collect();
        assert!(missing.is_empty(), "{document} names paths that do not exist: {missing:?}");
    }
}

#[test]
fn the_architecture_lists_all_crates() {
    let listed = first_column("ARCHITECTURE.md");
    let missing: Vec<_> = crate_folders().difference(&listed).cloned().collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md does not list {missing:?}");
}

#[test]
fn the_architecture_is_short() {
    let words = read("ARCHITECTURE.md").split_whitespace().count();
    assert!(words <= 1_400, "ARCHITECTURE.md has {words} words; details belong into the files");
}

#[test]
fn every_relative_link_exists() {
    let mut missing = Vec::new();
    for file in markdown() {
        let (_, outside) = split_fences(&shown(&read(&file)), "");
        for link in links(&outside) {
            let target = link.split('#').next().unwrap_or_default();
            let folder = file.parent().unwrap();
            if !link.contains("://") && !target.is_empty() && !root().join(folder).join(target).exists() {
                missing.push(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(missing.is_empty(), "broken links: {missing:#?}");
}

/// The targets of `[text](target)` and `![text](target)`.
fn links(text: &str) -> Vec<&str> {
    let starts = text.match_indices("](").map(|(at, found)| &text[at + found.len()..]);
    starts.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.trim()).collect()
}

#[test]
fn versions_are_those_of_the_manifest() {
    let rust = manifest_value("rust-version");
    for file in markdown() {
        let text = read(&file);
        let named = text.match_indices("Rust 1.").map(|(at, _)| &text[at + "Rust ".len()..]);
        for rest in named {
            let version = rest.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap();
            assert_eq!(version.trim_end_matches('.'), rust, "the Rust version in {}", file.display());
        }
        let version = manifest_value("version");
        for (at, found) in text.match_indices("throng = \"") {
            let named = text[at + found.len()..].split('"').next().unwrap();
            assert!(version.starts_with(named), "{} names version {named}, not {version}", file.display());
        }
    }
    assert!(read("README.md").contains(&format!("Rust {rust}")), "the README names the minimum Rust version");
}

/// The folders in `crates`.
fn crate_folders() -> BTreeSet<String> {
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap());
    let crates = folders.filter(|entry| entry.path().join("Cargo.toml").is_file());
    crates.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// The code in the first column of a document's tables.
fn first_column(document: &str) -> BTreeSet<String> {
    let text = read(document);
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    rows.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn the_readme_lists_all_crates() {
    assert_eq!(first_column("README.md"), crate_folders());
}

/// The programs of the page are compiled and run as an example, which its crate can package.
#[test]
fn the_page_on_bevy_shows_its_example() {
    let example = read("crates/bevy_throng/examples/first_steps.rs");
    let page = read("docs/bevy.md");
    let blocks: Vec<&str> =
        page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 2, "the page has {} programs", blocks.len());
    for block in blocks {
        assert!(example.contains(block), "not in the example:\n{block}");
    }
}
