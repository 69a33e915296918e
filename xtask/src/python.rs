//! `cargo xtask python`: the tests of the Python package. Builds the extension module with the artefacts of the other tests, puts the
//! package together in the target folder, makes a virtual environment with what the tests need, and starts pytest.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::programs::{BUILD_LIBRARIES, cargo, root, target};

/// Tests and what they need.
pub(crate) struct Suite {
    /// The folder of the virtual environment in the target folder.
    folder: &'static str,
    /// The packages. pip takes the newest versions that the Python here supports.
    packages: &'static [&'static str],
    /// What pytest runs.
    tests: &'static str,
}

/// The tests of the package.
pub(crate) const TESTS: Suite = Suite {
    folder: "python",
    packages: &["numpy", "pytest", "pandas", "pyarrow", "gymnasium", "pettingzoo", "mypy"],
    tests: "tests",
};

/// The tests with a Ray cluster, which is large to install.
pub(crate) const RAY: Suite =
    Suite { folder: "python-ray", packages: &["numpy", "pytest", "ray[client]"], tests: "tests/test_ray.py" };

/// Programs that may be a Python, the preferred ones first.
const PYTHONS: [&str; 6] = ["python3", "python3.13", "python3.12", "python3.11", "python3.10", "python"];

/// The oldest Python that the package supports, as in `crates/throng-python/pyproject.toml`.
const OLDEST: &str = "import sys; sys.exit(sys.version_info < (3, 10))";

/// Runs the tests, or says why they are skipped.
pub(crate) fn run(suite: &Suite) -> Result<()> {
    let (root, target) = (root(), target());
    let folder = target.join(suite.folder);
    let python = match environment(&folder, suite.packages) {
        Ok(python) => python,
        Err(reason) => {
            println!("skipped: {reason:#}");
            return Ok(());
        }
    };
    let package = package(root, &target, &folder)?;
    let tests = Command::new(python)
        .current_dir(root.join("crates/throng-python"))
        .env("PYTHONPATH", package)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["-m", "pytest", "-p", "no:cacheprovider", suite.tests])
        .status()?;
    ensure!(tests.success(), "a test of the Python package failed");
    Ok(())
}

/// Makes a virtual environment with some packages, unless it is there, and returns its Python.
fn environment(folder: &Path, packages: &[&str]) -> Result<PathBuf> {
    let programs = if cfg!(windows) { "venv/Scripts/python.exe" } else { "venv/bin/python" };
    let (python, stamp) = (folder.join(programs), folder.join("packages"));
    let wanted = packages.join(" ");
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let base = PYTHONS.into_iter().find(|python| succeeds(Command::new(python).args(["-c", OLDEST])));
    let base = base.context("no Python from 3.10 on is installed")?;
    std::fs::create_dir_all(folder)?;
    println!("installing {wanted} with pip in {}", folder.display());
    let made = Command::new(base).args(["-m", "venv"]).arg(folder.join("venv")).status()?;
    ensure!(made.success(), "{base} cannot make a virtual environment: its module venv is missing");
    let pip = Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages).status()?;
    ensure!(pip.success(), "pip cannot install {wanted}");
    std::fs::write(stamp, wanted)?;
    Ok(python)
}

/// Builds the package in a folder and returns the folder for `PYTHONPATH`.
pub(crate) fn package(root: &Path, target: &Path, folder: &Path) -> Result<PathBuf> {
    let built = cargo().args(BUILD_LIBRARIES).status()?;
    ensure!(built.success(), "the Python package cannot be built");
    let (library, module) = if cfg!(windows) {
        ("_throng.dll", "_throng.pyd")
    } else if cfg!(target_os = "macos") {
        ("lib_throng.dylib", "_throng.abi3.so")
    } else {
        ("lib_throng.so", "_throng.abi3.so")
    };
    let (site, source) = (folder.join("site"), root.join("crates/throng-python/python/throng"));
    if site.exists() {
        std::fs::remove_dir_all(&site)?;
    }
    let package = site.join("throng");
    std::fs::create_dir_all(&package)?;
    for entry in std::fs::read_dir(&source)? {
        let file = entry?.path();
        if file.is_file() {
            std::fs::copy(&file, package.join(file.file_name().context("a file has a name")?))?;
        }
    }
    std::fs::copy(target.join("debug").join(library), package.join(module))?;
    Ok(site)
}

/// Returns true if a command can be started and succeeds.
fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
