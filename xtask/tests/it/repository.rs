//! What no file of the repository may contain, and what every crate must have.

use crate::{files, read, root};

/// Text that has no place in the repository, put together so that this file does not contain it.
const FORBIDDEN: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("dbg", "!("),
    concat!("#[al", "low("),
    concat!("#![al", "low("),
];

#[test]
fn no_file_contains_what_is_forbidden() {
    let mut found = Vec::new();
    for path in files() {
        // Pictures and other binary files are no text.
        let Ok(text) = String::from_utf8(std::fs::read(root().join(&path)).unwrap()) else { continue };
        for (number, line) in text.lines().enumerate() {
            for forbidden in FORBIDDEN.iter().filter(|forbidden| line.contains(**forbidden)) {
                found.push(format!("{}:{}: {forbidden}", path.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_crate_inherits_lints_version_and_licence() {
    let manifests = files().into_iter().filter(|path| {
        path.ends_with("Cargo.toml") && (path.starts_with("crates") || path.starts_with("xtask"))
    });
    let mut count = 0;
    for path in manifests {
        let text = read(&path);
        let needed =
            ["[lints]\nworkspace = true", "version.workspace", "rust-version.workspace", "license.workspace"];
        for line in needed {
            assert!(text.contains(line), "{} has {line:?}", path.display());
        }
        count += 1;
    }
    assert!(count >= 5, "the manifests are found");
}

#[test]
fn continuous_integration_runs_the_tests() {
    assert!(read(".ci/run").lines().any(|line| line == "cargo xtask test"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(root().join(".ci/run")).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, ".ci/run is executable");
    }
}

#[test]
fn both_licences_are_there() {
    assert!(read("LICENSE-MIT").contains("Permission is hereby granted"));
    assert!(read("LICENSE-APACHE").contains("Version 2.0, January 2004"));
    assert_eq!(crate::manifest_value("license"), "MIT OR Apache-2.0");
}
