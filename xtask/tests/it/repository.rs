//! Rules about files and manifests: forbidden text, inherited settings, licences, packages.

use std::path::{Component, Path, PathBuf};

use crate::{files, read, root};

/// Text that no file may contain. The literals are split so that this file does not contain it either.
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
fn no_file_contains_forbidden_text() {
    let mut found = Vec::new();
    for path in files() {
        // Skips pictures and other binary files.
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
        let packaged = ["description = ", "readme", "keywords.workspace", "categories.workspace"];
        let needed =
            ["[lints]\nworkspace = true", "version.workspace", "rust-version.workspace", "license.workspace"];
        let needed = needed.iter().chain(packaged.iter().filter(|_| path.starts_with("crates")));
        for line in needed {
            assert!(text.contains(line), "{} has {line:?}", path.display());
        }
        count += 1;
    }
    assert!(count >= 5, "too few manifests: {count}");
}

/// A file outside the crate's folder would be missing in its package.
#[test]
fn no_crate_includes_a_file_from_outside_its_folder() {
    let mut outside = Vec::new();
    for path in files() {
        let folder: PathBuf = path.components().take(2).collect();
        let is_source = path.starts_with("crates") && path.extension().is_some_and(|end| end == "rs");
        if !is_source || path.strip_prefix(&folder).unwrap().starts_with("tests") {
            continue;
        }
        let text = read(&path);
        let calls = ["include_str!(", "include_bytes!(", "include!("].map(|call| text.split(call).skip(1));
        for call in calls.into_iter().flatten() {
            let literal = call.split('"').nth(1).unwrap_or_default();
            let included = path.parent().unwrap().join(literal);
            if !normalised(&included).starts_with(&folder) {
                outside.push(format!("{}: {literal}", path.display()));
            }
        }
    }
    assert!(outside.is_empty(), "files outside of the package are included: {outside:#?}");
}

/// Resolves `..` in a relative path.
fn normalised(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            part => result.push(part),
        }
    }
    result
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
fn both_licences_are_included() {
    assert!(read("LICENSE-MIT").contains("Permission is hereby granted"));
    assert!(read("LICENSE-APACHE").contains("Version 2.0, January 2004"));
    assert_eq!(crate::manifest_value("license"), "MIT OR Apache-2.0");
}
