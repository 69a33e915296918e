//! `cargo xtask semver [REVISION]`: compares the public interfaces of the published libraries with those of the last tag, with
//! cargo-semver-checks.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::programs::{SEMVER, output, root};

/// Packages without a public Rust interface: a program, and a library whose interface is its C header, which a test of its
/// own compares.
const WITHOUT_INTERFACE: [&str; 2] = ["throng-cli", "throng-capi"];

/// Compares with a revision; without one with the last tag of a version.
pub(crate) fn run(revision: Option<&str>) -> Result<()> {
    let Some(baseline) = revision.map(str::to_owned).or_else(last_tag) else {
        println!("no version has been tagged yet, so there is nothing to compare with;");
        println!("`cargo xtask semver REVISION` compares with any commit");
        return Ok(());
    };
    let mut command = SEMVER.command()?;
    command.args(["--workspace", "--baseline-rev", &baseline]);
    for package in WITHOUT_INTERFACE {
        command.args(["--exclude", package]);
    }
    ensure!(command.status()?.success(), "interfaces have changed more than the version since {baseline}");
    Ok(())
}

/// Returns the last tag of a version that this commit has among its ancestors.
fn last_tag() -> Option<String> {
    output(Command::new("git").current_dir(root()).args([
        "describe",
        "--tags",
        "--abbrev=0",
        "--match",
        "v*",
    ]))
}
