//! `cargo xtask browser`: the tests of the live page. Checks the types of its scripts, and plays the scenes in
//! `crates/throng-view/tests/browser` in Chromium. Installs what is missing: Chromium with apt-get, the rest with npm.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The npm packages, with their versions.
const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "typescript@7.0.2"];

/// Runs the tests, or says why they are skipped.
pub(crate) fn run() -> Result<()> {
    if !works("node", "--version") || !works("npm", "--version") {
        println!("skipped: node and npm are not installed");
        return Ok(());
    }
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask is a folder of the workspace")?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
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
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo).current_dir(root).args(["build", "--package", "throng-cli"]).status()?;
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
    installed().map(|_| ()).or_else(|| {
        println!("installing chromium with apt-get");
        let apt = |arguments: &[&str]| {
            Command::new("apt-get")
                .args(arguments)
                .env("DEBIAN_FRONTEND", "noninteractive")
                .stdout(Stdio::null())
                .status()
        };
        let _ = apt(&["update", "-qq"]);
        apt(&["install", "-y", "-qq", "chromium", "fonts-dejavu-core"])
            .ok()
            .filter(std::process::ExitStatus::success)
            .map(|_| ())
    })?;
    let name = installed()?;
    Some(match name {
        "chromium" => "/usr/bin/chromium",
        "chromium-browser" => "/usr/bin/chromium-browser",
        _ => "/usr/bin/google-chrome",
    })
}

/// Returns true if a program can be started.
fn works(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
