//! Paths, links, versions and lists in the documents.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{manifest_value, markdown, quoted, read, root, shown, split_fences};

/// Whether a quoted word of the architecture document means a path.
fn is_path(word: &str) -> bool {
    let known =
        Path::new(word).extension().is_some_and(|end| ["rs", "toml", "md"].iter().any(|ext| end == *ext));
    (known || word.contains('/')) && !word.contains([' ', '*', '<', '(', ':'])
}

#[test]
fn every_path_in_the_architecture_exists() {
    let (_, outside) = split_fences(&shown(&read("ARCHITECTURE.md")), "");
    let paths: Vec<String> = quoted(&outside).into_iter().filter(|word| is_path(word)).collect();
    assert!(paths.len() > 10, "the paths are found: {paths:?}");
    let missing: Vec<_> = paths.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names paths that do not exist: {missing:?}");
}

/// A file or folder directly in a crate's `src` is named, or something in it is.
#[test]
fn every_source_is_named_in_the_architecture() {
    let architecture = read("ARCHITECTURE.md");
    let mut missing = Vec::new();
    for name in crate_folders() {
        let folder = format!("crates/{name}/src");
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap().file_name().into_string().unwrap();
            let stem = entry.trim_end_matches(".rs");
            let helps = ["lib", "testing"].contains(&stem);
            let path = format!("`{folder}/{stem}");
            if !helps && !["`", ".rs`", "/"].iter().any(|end| architecture.contains(&format!("{path}{end}")))
            {
                missing.push(format!("{folder}/{entry}"));
            }
        }
    }
    assert!(missing.is_empty(), "ARCHITECTURE.md does not name {missing:#?}");
}

#[test]
fn every_crate_has_a_section_in_the_architecture() {
    let architecture = read("ARCHITECTURE.md");
    for name in crate_folders() {
        assert!(architecture.contains(&format!("\n### {name}\n")), "ARCHITECTURE.md has a section on {name}");
    }
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
    assert!(missing.is_empty(), "links that lead nowhere: {missing:#?}");
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
    assert!(read("README.md").contains(&format!("Rust {rust}")), "the README names the least Rust version");
}

/// The folders in `crates`.
fn crate_folders() -> BTreeSet<String> {
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap());
    let crates = folders.filter(|entry| entry.path().join("Cargo.toml").is_file());
    crates.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

#[test]
fn the_readme_lists_all_crates() {
    let readme = read("README.md");
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let listed: BTreeSet<String> = rows.map(|(name, _)| name.to_owned()).collect();
    assert_eq!(listed, crate_folders());
}
