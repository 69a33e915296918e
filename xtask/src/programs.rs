//! Programs that commands need. Those of crates.io are installed into the target folder, with the version that is pinned here,
//! when a command needs them for the first time; others come from Debian's packages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// A program of crates.io.
pub(crate) struct Tool {
    /// The crate, and the name of its program.
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

/// Builds all libraries, with the features of the tests, so that nothing is built twice.
pub(crate) const BUILD_LIBRARIES: [&str; 5] =
    ["build", "--workspace", "--lib", "--features", "bevy_throng/multi_threaded"];

/// Licences, bans and sources of dependencies.
pub(crate) const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };
/// Mutation testing.
pub(crate) const MUTANTS: Tool = Tool { name: "cargo-mutants", version: "27.1.0" };
/// Changes of public interfaces.
pub(crate) const SEMVER: Tool = Tool { name: "cargo-semver-checks", version: "0.51.0" };

impl Tool {
    /// Returns the path of the program, which is installed if it is missing.
    pub(crate) fn installed(&self) -> Result<PathBuf> {
        let folder = target().join("tools").join(format!("{}-{}", self.name, self.version));
        let program = folder.join("bin").join(format!("{}{}", self.name, std::env::consts::EXE_SUFFIX));
        if program.exists() {
            return Ok(program);
        }
        println!("installing {} {} into {}", self.name, self.version, folder.display());
        // Without optimization and debug information: these programs wait for others most of the time.
        let status = cargo()
            .args([
                "install",
                "--quiet",
                "--locked",
                "--debug",
                self.name,
                "--version",
                self.version,
                "--root",
            ])
            .arg(&folder)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_TARGET_DIR", target().join("tools/build"))
            .status()
            .context("cannot start cargo")?;
        ensure!(status.success(), "cargo cannot install {} {}", self.name, self.version);
        Ok(program)
    }

    /// Returns a command that starts the program in the root folder of the workspace, as cargo would: with the name of
    /// the subcommand as its first argument.
    pub(crate) fn command(&self) -> Result<Command> {
        let mut command = Command::new(self.installed()?);
        command.current_dir(root()).arg(self.name.trim_start_matches("cargo-"));
        Ok(command)
    }
}

/// Returns the root folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace")
}

/// Returns the folder of build results.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// Returns a command that starts the cargo that runs this program, in the root folder of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Returns what a command prints, without the line feed at its end; `None` if it fails or cannot be started.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim_end().to_owned())
}

/// Returns true if a program can be started.
pub(crate) fn works(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Installs packages of Debian, if this is Debian as root. Whether it has worked shows when the programs are started.
pub(crate) fn install(packages: &[&str]) {
    println!("installing {} with apt-get", packages.join(", "));
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    // The list of packages may be current enough if it cannot be updated.
    let _ = apt(&["update", "-qq"]);
    let install = [&["install", "-y", "-qq", "--no-install-recommends"], packages].concat();
    let _ = apt(&install);
}
