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

/// Crates with `unsafe` code, whose lints are those of the workspace and some more.
const OWN_LINTS: &[&str] = &["crates/throng-capi", "crates/throng-python"];

/// Returns the lines of a table of a manifest.
fn table(manifest: &str, name: &str) -> Vec<String> {
    let text = read(manifest);
    let (_, rest) =
        text.split_once(&format!("\n[{name}]\n")).unwrap_or_else(|| panic!("{manifest} has [{name}]"));
    let lines = rest.lines().take_while(|line| !line.starts_with('['));
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn crates_with_their_own_lints_have_those_of_the_workspace() {
    for folder in OWN_LINTS {
        let manifest = format!("{folder}/Cargo.toml");
        for kind in ["rust", "clippy"] {
            let own = table(&manifest, &format!("lints.{kind}"));
            let shared = table("Cargo.toml", &format!("workspace.lints.{kind}"));
            let missing: Vec<_> = shared
                .iter()
                .filter(|lint| !lint.starts_with("unsafe_code") && !own.contains(lint))
                .collect();
            assert!(missing.is_empty(), "{manifest} has no {missing:?}");
        }
    }
}

#[test]
fn every_crate_inherits_lints_version_and_licence() {
    let manifests = files().into_iter().filter(|path| {
        path.ends_with("Cargo.toml") && (path.starts_with("crates") || path.starts_with("xtask"))
    });
    let mut count = 0;
    for path in manifests {
        let text = read(&path);
        let packaged =
            ["description = ", "readme = \"README.md\"", "keywords.workspace", "categories.workspace"];
        let lints = if OWN_LINTS.iter().any(|name| path.starts_with(name)) {
            "undocumented_unsafe_blocks = \"deny\""
        } else {
            "[lints]\nworkspace = true"
        };
        let needed = [lints, "version.workspace", "rust-version.workspace", "license.workspace"];
        let needed = needed.iter().chain(packaged.iter().filter(|_| path.starts_with("crates")));
        for line in needed {
            assert!(text.contains(line), "{} has {line:?}", path.display());
        }
        if path.starts_with("crates") {
            let readme = read(path.with_file_name("README.md"));
            assert!(readme.contains("Apache 2.0"), "the README beside {} names the licence", path.display());
            // Copies, because not every checkout has links.
            for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
                let own = read(path.with_file_name(licence));
                assert_eq!(own, read(licence), "{licence} beside {}", path.display());
            }
            let is_published = !text.contains("publish = false");
            let documentation = text.contains("documentation = \"https://docs.rs/");
            assert_eq!(is_published, documentation, "{}: where is the documentation?", path.display());
        }
        count += 1;
    }
    assert!(count >= 5, "too few manifests: {count}");
}

/// What the crates store is written by one module, so that a full disk or a crash leaves the older file or the new one.
#[test]
fn files_are_written_by_the_module_for_storage_only() {
    let writes = [concat!("fs::", "write("), concat!("File::", "create(")];
    let mut found = Vec::new();
    for path in files() {
        let is_source = path.starts_with("crates")
            && path.components().nth(2).is_some_and(|part| part.as_os_str() == "src");
        let is_test = path.ends_with("tests.rs") || path.ends_with("files.rs");
        if !is_source || is_test || path.extension().is_none_or(|end| end != "rs") {
            continue;
        }
        let text = read(&path);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        found.extend(
            writes
                .iter()
                .filter(|call| code.contains(**call))
                .map(|call| format!("{}: {call}", path.display())),
        );
    }
    assert!(found.is_empty(), "use `throng_lab::files::Files`: {found:#?}");
}

/// Overflows are bugs, also in games: they must not go on silently.
#[test]
fn overflow_checks_are_on_in_releases() {
    for manifest in ["Cargo.toml", "bench/Cargo.toml", "train/Cargo.toml", "fuzz/Cargo.toml"] {
        let profile = table(manifest, "profile.release");
        assert!(profile.iter().any(|line| line == "overflow-checks = true"), "{manifest}: {profile:?}");
    }
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

/// Everything below the facade runs on platforms without threads and clocks.
#[test]
fn libraries_below_the_facade_have_no_threads_and_no_clocks() {
    let names = ["grid", "search", "cpd", "crowd", "toolkit", "select", "planners"];
    let sources = names.map(|name| PathBuf::from(format!("crates/throng-{name}/src")));
    let mut count = 0;
    for path in files().into_iter().filter(|path| sources.iter().any(|source| path.starts_with(source))) {
        let text = read(&path);
        // Tests come last and may use both.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        for (line, word) in code.flat_map(|line| {
            ["std::thread", "rayon", "Instant", "SystemTime", "std::env"].map(|word| (line, word))
        }) {
            assert!(!line.contains(word), "{}: {line:?} has {word}", path.display());
        }
        count += 1;
    }
    assert!(count > 100, "too few files: {count}");
}
