//! `cargo xtask dist`: what a release consists of besides the crates, in `target/dist`: the archive of the C library, the
//! Python wheel, and their checksums. Both are tried: a sample in C is compiled and run with what the archive contains, and the
//! wheel is installed in a new virtual environment and ticks a world.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::programs::{cargo, output, root, target, works};

/// maturin, which builds the wheel.
const MATURIN: &str = "maturin==1.16.0";

/// Files of the archive besides the libraries, as paths in the repository.
const FILES: [&str; 10] = [
    "crates/throng-capi/README.md",
    "crates/throng-capi/include/throng.h",
    "crates/throng-capi/include/throng.hpp",
    "crates/throng-capi/csharp/Native.cs",
    "crates/throng-capi/csharp/Throng.cs",
    "crates/throng-capi/samples/escort.c",
    "crates/throng-capi/samples/escort.cpp",
    "crates/throng-capi/samples/Escort.cs",
    "LICENSE-APACHE",
    "LICENSE-MIT",
];

/// The libraries that cargo builds, by platform: the static and the dynamic one, and on Windows the import library of the latter.
const LIBRARIES: [&str; 6] = [
    "libthrong_capi.a",
    "libthrong_capi.so",
    "libthrong_capi.dylib",
    "throng_capi.lib",
    "throng_capi.dll",
    "throng_capi.dll.lib",
];

/// What the wheel has to do after its installation.
const TICKS: &str = "
import importlib.metadata, throng
world = throng.World(throng.Map.builtin('rooms'), 'surge')
problem = throng.Problem.generate(world.map, agents=50, seed=1)
world.send_many(world.spawn_many(problem.starts), problem.goals)
assert world.run(500, units=20_000) < 500 and world.arrived().all()
names = {file.name for file in importlib.metadata.files('throng')}
assert {'LICENSE-APACHE', 'LICENSE-MIT', 'py.typed', '_throng.pyi'} <= names, names
print('wheel: installed, and a world of 50 agents ticks under throng', throng.__version__)
";

/// Builds everything.
pub(crate) fn run() -> Result<()> {
    let folder = target().join("dist");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let archive = c_library(&folder)?;
    try_archive(&folder, &archive)?;
    let mut files = vec![archive];
    match wheel(&folder)? {
        Some(wheel) => {
            try_wheel(&folder.join(&wheel))?;
            files.push(wheel);
        }
        None => {
            println!("wheel: skipped, because this Python has no module venv, or pip cannot install maturin");
        }
    }
    let sums = checksums(&folder, &files)?;
    std::fs::write(folder.join("SHA256SUMS"), &sums)?;
    print!("{sums}");
    println!("the files are in {}", folder.display());
    Ok(())
}

/// Returns the name of the archive, without its ending: version and target.
fn archive_name() -> Result<String> {
    let version = output(Command::new("rustc").arg("-vV")).context("rustc cannot be started")?;
    let host =
        version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names its host")?;
    Ok(format!("throng-capi-{}-{host}", env!("CARGO_PKG_VERSION")))
}

/// Builds the C library and packs it with its headers. Returns the name of the archive.
fn c_library(folder: &Path) -> Result<String> {
    let status = cargo().args(["build", "--release", "--package", "throng-capi"]).status()?;
    ensure!(status.success(), "the C library cannot be built");
    let name = archive_name()?;
    let content = folder.join(&name);
    for file in FILES {
        let place = Path::new(file.trim_start_matches("crates/throng-capi/"));
        copy(&root().join(file), &content.join(place))?;
    }
    let mut libraries = 0;
    for library in LIBRARIES {
        let built = target().join("release").join(library);
        if built.exists() {
            copy(&built, &content.join("lib").join(library))?;
            libraries += 1;
        }
    }
    ensure!(libraries >= 2, "a static and a shared library are built");
    let archive = format!("{name}.tar.gz");
    let mut tar = Command::new("tar");
    tar.current_dir(folder);
    // GNU tar makes the same archive of the same files. That of other systems does not know these options.
    if cfg!(target_os = "linux") {
        tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"]);
    }
    ensure!(tar.args(["-czf", &archive, &name]).status()?.success(), "tar cannot pack {archive}");
    std::fs::remove_dir_all(content)?;
    Ok(archive)
}

/// Unpacks the archive elsewhere, and compiles and runs a sample with the static and with the dynamic library.
fn try_archive(folder: &Path, archive: &str) -> Result<()> {
    if cfg!(windows) || !works("cc", "--version") {
        println!("archive: not tried, because there is no C compiler with the name cc");
        return Ok(());
    }
    let place = tempfile::tempdir()?;
    let mut tar = Command::new("tar");
    let unpacked = tar.current_dir(place.path()).arg("-xzf").arg(folder.join(archive)).status()?;
    ensure!(unpacked.success(), "tar cannot unpack {archive}");
    let content = place.path().join(archive.trim_end_matches(".tar.gz"));
    let system = ["-lpthread", "-ldl", "-lm"];
    let mut ends = Vec::new();
    for (program, library) in
        [("static", &["lib/libthrong_capi.a"][..]), ("dynamic", &["-Llib", "-lthrong_capi"])]
    {
        let mut compile = Command::new("cc");
        compile.current_dir(&content).args(["samples/escort.c", "-Iinclude", "-o", program]);
        ensure!(
            compile.args(library).args(system).status()?.success(),
            "the sample cannot be compiled: {program}"
        );
        let mut run = Command::new(content.join(program));
        run.envs([("LD_LIBRARY_PATH", "lib"), ("DYLD_LIBRARY_PATH", "lib")]).current_dir(&content);
        ends.push(output(&mut run).with_context(|| format!("the sample fails with the {program} library"))?);
    }
    ensure!(ends[0] == ends[1], "the sample ends differently: {ends:#?}");
    println!("archive: the sample runs with both libraries: {}", ends[0].lines().last().unwrap_or_default());
    Ok(())
}

/// Installs the wheel in a new virtual environment and ticks a world.
fn try_wheel(wheel: &Path) -> Result<()> {
    let place = tempfile::tempdir()?;
    let python = place.path().join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let made = Command::new("python3").args(["-m", "venv"]).arg(place.path()).status()?;
    ensure!(made.success(), "python3 cannot make a virtual environment");
    let pip = Command::new(&python).args(["-m", "pip", "install", "--quiet"]).arg(wheel).status()?;
    ensure!(pip.success(), "pip cannot install the wheel");
    // Not in the folder of the repository, whose Python files would be found first.
    let ticks = Command::new(&python).current_dir(place.path()).args(["-c", TICKS]).status()?;
    ensure!(ticks.success(), "the wheel does not work");
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to.parent().context("a file is in a folder")?)?;
    std::fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

/// Builds the wheel in a virtual environment of its own and returns its name; `None` if that cannot be made.
fn wheel(folder: &Path) -> Result<Option<String>> {
    let package = root().join("crates/throng-python");
    ensure!(package.exists(), "there is no crates/throng-python");
    let environment = target().join("tools/maturin");
    let program = environment.join(if cfg!(windows) { "Scripts/maturin.exe" } else { "bin/maturin" });
    if !program.exists() && !install_maturin(&environment) {
        return Ok(None);
    }
    let out = folder.join("wheel");
    let status = Command::new(program)
        .current_dir(package)
        .args(["build", "--release", "--locked", "--out"])
        .arg(&out)
        .env("CARGO_TARGET_DIR", target())
        .status()?;
    ensure!(status.success(), "maturin cannot build the wheel");
    let built: Vec<PathBuf> =
        std::fs::read_dir(&out)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    let [wheel] = built.as_slice() else { anyhow::bail!("maturin has built {} files", built.len()) };
    let name = wheel.file_name().and_then(|name| name.to_str()).context("a wheel has a name")?.to_owned();
    std::fs::rename(wheel, folder.join(&name))?;
    std::fs::remove_dir(out)?;
    Ok(Some(name))
}

/// Makes a virtual environment with maturin, and returns true if that works.
fn install_maturin(environment: &Path) -> bool {
    let succeeds = |command: &mut Command| command.status().is_ok_and(|status| status.success());
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    println!("installing {MATURIN} with pip in {}", environment.display());
    succeeds(Command::new("python3").args(["-m", "venv"]).arg(environment))
        && succeeds(Command::new(python).args(["-m", "pip", "install", "--quiet", MATURIN]))
}

/// Returns the checksums of files in the format of `sha256sum --check`.
fn checksums(folder: &Path, files: &[String]) -> Result<String> {
    let mut sums = String::new();
    for file in files {
        let program =
            if cfg!(target_os = "macos") { ("shasum", vec!["-a", "256"]) } else { ("sha256sum", vec![]) };
        let mut command = Command::new(program.0);
        command.current_dir(folder).args(program.1).arg(file);
        sums += &output(&mut command).with_context(|| format!("{} cannot be started", program.0))?;
        sums.push('\n');
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_the_archive_contains_exists() {
        let missing: Vec<_> = FILES.iter().filter(|file| !root().join(file).exists()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(archive_name().unwrap().starts_with(concat!("throng-capi-", env!("CARGO_PKG_VERSION"), "-")));
    }

    #[test]
    fn checksums_are_those_of_the_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("empty"), "").unwrap();
        let sums = checksums(folder.path(), &["empty".to_owned()]).unwrap();
        assert_eq!(sums, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  empty\n");
    }
}
