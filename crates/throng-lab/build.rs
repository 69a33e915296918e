//! Tells the laboratory which commit and compiler it is built from, so that results can say so.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let log = output("git", &["rev-parse", "--git-path", "logs/HEAD"]);
    if let Some(log) = log.filter(|log| std::path::Path::new(log).exists()) {
        println!("cargo::rerun-if-changed={log}");
        println!("cargo::rerun-if-changed=..");
    }
    let changed = output("git", &["status", "--porcelain", "--", ".."]).is_some_and(|text| !text.is_empty());
    let commit = output("git", &["rev-parse", "--short=12", "HEAD"])
        .map_or_else(|| "unknown".to_owned(), |commit| commit + if changed { "+" } else { "" });
    println!("cargo::rustc-env=THRONG_COMMIT={commit}");
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = output(&compiler, &["--version"]).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=THRONG_RUSTC={version}");
}

/// What a command prints, if it succeeds.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
