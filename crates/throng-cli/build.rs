//! Finds the commit of the build, which identifies the program in stored results.
//!
//! Changes that are not committed add `+` and a hash of them, so that two different builds of one commit differ. The
//! libraries do not depend on the commit, so that a commit rebuilds the command line only.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=THRONG_COMMIT={}", commit());
}

/// Returns the commit of the repository that the package is built in; `unknown` outside of one.
fn commit() -> String {
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    if let Some(log) = log.filter(|log| Path::new(log).exists()) {
        println!("cargo::rerun-if-changed={log}");
        println!("cargo::rerun-if-changed=..");
    }
    // A package that lies inside another repository is not built from its commits.
    let is_tracked = git(&["ls-files", "build.rs"]).is_some_and(|files| !files.is_empty());
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]).filter(|_| is_tracked) else {
        return "unknown".to_owned();
    };
    let changes = git(&["diff", "HEAD", "--", ".."]).unwrap_or_default();
    let untracked = git(&["ls-files", "--others", "--exclude-standard", "--", ".."]).unwrap_or_default();
    if changes.is_empty() && untracked.is_empty() {
        return commit;
    }
    let mut hasher = DefaultHasher::new();
    changes.hash(&mut hasher);
    for file in untracked.lines() {
        (file, fs::read(file).ok()).hash(&mut hasher);
    }
    format!("{commit}+{:08x}", hasher.finish() as u32)
}

/// Returns what a command of git prints, if it succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
