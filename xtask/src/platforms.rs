//! `cargo xtask platforms`: type-checks the libraries for the platforms on which no test of ours runs.
//!
//! That finds code that does not compile there. It runs nothing, so it says nothing about how a library behaves.

use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::programs::{cargo, target};

const TARGETS: [&str; 2] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];

/// The libraries that a game links. The command line is missing: its TLS library needs a C compiler for the platform.
const PACKAGES: [&str; 3] = ["throng", "throng-capi", "bevy_throng"];

/// Checks every target whose standard library rustup can install.
pub(crate) fn run() -> Result<()> {
    for platform in TARGETS {
        let rustup = Command::new("rustup").args(["target", "add", platform]).stderr(Stdio::null()).status();
        if !rustup.is_ok_and(|status| status.success()) {
            println!("{platform}: skipped, because rustup cannot install its standard library");
            continue;
        }
        let mut check = cargo();
        check
            .args(["check", "--quiet", "--target", platform, "--target-dir"])
            .arg(target().join("platforms"));
        for package in PACKAGES {
            check.args(["--package", package]);
        }
        ensure!(check.status()?.success(), "{} do not compile for {platform}", PACKAGES.join(", "));
        println!("{platform}: {} compile", PACKAGES.join(", "));
    }
    Ok(())
}
