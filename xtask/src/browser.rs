//! `cargo xtask browser`: the tests of the live page. Checks the types of its scripts, and plays the scenes in
//! `crates/throng-view/tests/browser` in Chromium. Installs what is missing: Chromium with apt-get, the rest with npm.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::programs::{cargo, install, root, target, works};

/// The npm packages, with their versions.
const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "typescript@7.0.2"];

/// Runs the tests, or says why they are skipped.
pub(crate) fn run() -> Result<()> {
    if !works("node", "--version") || !works("npm", "--version") {
        println!("skipped: node and npm are not installed");
        return Ok(());
    }
    let (root, target) = (root(), target());
    let folder = target.join("browser");
    std::fs::create_dir_all(&folder)?;
    if let Err(reason) = install_packages(&folder) {
        println!("skipped: {reason:#}");
        return Ok(());
    }
    let types = root.join("crates/throng-view/assets/jsconfig.json");
    let mut compiler = Command::new(folder.join("node_modules/.bin/tsc"));
    compiler.arg("--project").arg(types);
    ensure!(compiler.status()?.success(), "the scripts of the page have type errors");
    let Some(chromium) = find_chromium() else {
        println!("skipped: Chromium is not installed, and apt-get cannot install it");
        return Ok(());
    };
    let built = cargo().args(["build", "--package", "throng-cli"]).status()?;
    ensure!(built.success(), "throng-cli cannot be built");
    let pictures = folder.join("screenshots");
    let scenes = Command::new("node")
        .arg(root.join("crates/throng-view/tests/browser/run.mjs"))
        .env("THRONG", target.join("debug/throng"))
        .env("PLAYWRIGHT", &folder)
        .env("CHROMIUM", chromium)
        .env("SCREENSHOTS", &pictures)
        .status()?;
    println!("screenshots: {}", pictures.display());
    ensure!(scenes.success(), "a scene failed");
    Ok(())
}

/// Installs the npm packages, unless they are there.
fn install_packages(folder: &Path) -> Result<()> {
    let stamp = folder.join("packages");
    let wanted = PACKAGES.join(" ");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    std::fs::write(folder.join("package.json"), "{ \"private\": true }\n")?;
    let npm = Command::new("npm")
        .current_dir(folder)
        .args(["install", "--no-audit", "--no-fund"])
        .args(PACKAGES)
        .status()?;
    ensure!(npm.success(), "npm cannot install {wanted}");
    std::fs::write(stamp, wanted)?;
    Ok(())
}

/// Returns the program of Chromium, which is installed if it is missing and this is Debian as root.
fn find_chromium() -> Option<&'static str> {
    const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
    let installed = || NAMES.into_iter().find(|name| works(name, "--version"));
    if installed().is_none() {
        install(&["chromium", "fonts-dejavu-core"]);
    }
    let name = installed()?;
    Some(match name {
        "chromium" => "/usr/bin/chromium",
        "chromium-browser" => "/usr/bin/chromium-browser",
        _ => "/usr/bin/google-chrome",
    })
}
