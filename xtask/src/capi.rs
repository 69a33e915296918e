//! `cargo xtask capi`: the tests of the C ABI that need other compilers. Compiles the samples and the players of the
//! conformance scenes in C, C++ and C#, runs them, and runs the tests of bad arguments under `AddressSanitizer`. Installs gcc, g++
//! and Mono with apt-get if they are missing; a language whose compiler cannot be had is skipped.
//!
//! `cargo xtask capi overhead` measures what the C ABI and the binding cost per tick.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::programs::{BUILD_LIBRARIES, cargo, install, root, target, works};

/// The target of the build with a sanitizer. With a target, build scripts and macros are built without it.
const SANITIZED: &str = "x86_64-unknown-linux-gnu";
/// What a program that links the static library needs besides.
const SYSTEM: [&str; 3] = ["-lpthread", "-ldl", "-lm"];
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Runs the tests, and says which are skipped.
pub(crate) fn run() -> Result<()> {
    let build = Build::new("debug")?;
    let mut states = vec![build.c("samples/escort.c", &[])?];
    if let Some(scenes) =
        states[0].as_ref().map(|_| build.c("tests/conformance/player.c", &[&build.scenes()]))
    {
        scenes?;
    }
    states.push(build.cpp("samples/escort.cpp", &[])?);
    if states[1].is_some() {
        build.cpp("tests/wrappers/wrappers.cpp", &[])?;
        build.cpp("tests/conformance/player.cpp", &[&build.scenes()])?;
    }
    states.push(build.csharp("samples/Escort.cs", &[])?);
    if states[2].is_some() {
        build.csharp("tests/wrappers/Wrappers.cs", &[])?;
        build.csharp("tests/conformance/Player.cs", &[&build.scenes()])?;
    }
    let states: Vec<String> = states.into_iter().flatten().collect();
    ensure!(states.windows(2).all(|pair| pair[0] == pair[1]), "the samples end differently: {states:#?}");
    println!("{} samples end in the same state", states.len());
    sanitize()
}

/// Measures the time of a tick through the C ABI and through the C# binding against plain Rust: the same game, in turns.
pub(crate) fn overhead() -> Result<()> {
    let build = Build::new("release")?;
    let mut example = cargo();
    example.args(["build", "--release", "--quiet", "--package", "throng-capi", "--example", "overhead"]);
    ensure!(example.status()?.success(), "the example cannot be built");
    let mut players = vec![build.compile_c("examples/overhead/game.c")?];
    players.extend(build.compile_csharp("examples/overhead/Game.cs")?);
    let mut run = Command::new(build.target.join("release/examples/overhead"));
    run.args(players).env("LD_LIBRARY_PATH", build.target.join("release"));
    ensure!(run.status()?.success(), "the measurement failed");
    Ok(())
}

/// The libraries, and where programs that use them are built.
struct Build {
    /// The folder of the crate.
    folder: PathBuf,
    /// The folder of cargo's output.
    target: PathBuf,
    /// The folder of the libraries.
    libraries: PathBuf,
    /// The folder of the programs.
    programs: PathBuf,
}

impl Build {
    /// Builds the libraries with a profile of cargo.
    fn new(profile: &str) -> Result<Self> {
        let mut command = cargo();
        match profile {
            "release" => command.args(["build", "--release", "--package", "throng-capi", "--lib"]),
            _ => command.args(BUILD_LIBRARIES),
        };
        ensure!(command.status()?.success(), "throng-capi cannot be built");
        let target = target();
        let build = Self {
            folder: root().join("crates/throng-capi"),
            libraries: target.join(profile),
            programs: target.join("capi").join(profile),
            target,
        };
        std::fs::create_dir_all(&build.programs)?;
        Ok(build)
    }

    /// The table of conformance scenes.
    fn scenes(&self) -> PathBuf {
        self.folder.join("../throng/conformance/scenes.txt")
    }

    /// Compiles and runs a program in C. Returns what it prints, `None` if there is no compiler.
    fn c(&self, source: &str, arguments: &[&Path]) -> Result<Option<String>> {
        if !has("gcc") {
            println!("skipped: {source}: gcc is not installed, and apt-get cannot install it");
            return Ok(None);
        }
        self.run(Command::new(self.compile_c(source)?).args(arguments)).map(Some)
    }

    /// Compiles a program in C with the static library.
    fn compile_c(&self, source: &str) -> Result<PathBuf> {
        self.link("gcc", &["-std=c11", "-O2"], source)
    }

    /// Compiles and runs a program in C++. The header also has to compile without exceptions.
    fn cpp(&self, source: &str, arguments: &[&Path]) -> Result<Option<String>> {
        if !has("g++") {
            println!("skipped: {source}: g++ is not installed, and apt-get cannot install it");
            return Ok(None);
        }
        let mut header = Command::new("g++");
        header.args(["-std=c++17", "-fno-exceptions", "-fsyntax-only", "-x", "c++"]).args(WARNINGS);
        // As an included file, so that it may say `#pragma once` and the like.
        header.arg("-include").arg(self.folder.join("include/throng.hpp")).arg("/dev/null");
        ensure!(header.status()?.success(), "throng.hpp cannot be compiled without exceptions");
        let program = self.link("g++", &["-std=c++17", "-O2"], source)?;
        self.run(Command::new(program).args(arguments)).map(Some)
    }

    fn link(&self, compiler: &str, options: &[&str], source: &str) -> Result<PathBuf> {
        let program = self.programs.join(source.replace(['/', '.'], "-"));
        let mut command = Command::new(compiler);
        command.args(options).args(WARNINGS).arg("-I").arg(self.folder.join("include"));
        command.arg(self.folder.join(source)).arg("-o").arg(&program);
        command.arg(self.libraries.join("libthrong_capi.a")).args(SYSTEM);
        ensure!(command.status()?.success(), "{compiler} cannot compile {source}");
        Ok(program)
    }

    /// Compiles and runs a program in C#. Returns what it prints, `None` if there is no compiler.
    fn csharp(&self, source: &str, arguments: &[&Path]) -> Result<Option<String>> {
        let Some(program) = self.compile_csharp(source)? else { return Ok(None) };
        let mut command = Command::new("mono");
        command.arg(program).args(arguments).env("LD_LIBRARY_PATH", &self.libraries);
        self.run(&mut command).map(Some)
    }

    /// Compiles a program in C# 7, with the binding. `None` if there is no compiler.
    fn compile_csharp(&self, source: &str) -> Result<Option<PathBuf>> {
        let is_installed = || works("mcs", "--version") && works("mono", "--version");
        if !is_installed() {
            install(&["mono-mcs", "mono-runtime", "libmono-system-core4.0-cil"]);
        }
        if !is_installed() {
            println!("skipped: {source}: Mono is not installed, and apt-get cannot install it");
            return Ok(None);
        }
        let program = self.programs.join(source.replace(['/', '.'], "-")).with_extension("exe");
        let mut command = Command::new("mcs");
        command.args(["-langversion:7", "-warnaserror", "-optimize", "-r:System.Core"]);
        command.arg(format!("-out:{}", program.display())).arg(self.folder.join("csharp/Native.cs"));
        command.arg(self.folder.join("csharp/Throng.cs")).arg(self.folder.join(source));
        ensure!(command.status()?.success(), "mcs cannot compile {source}");
        Ok(Some(program))
    }

    /// Runs a program, shows what it prints and returns it.
    fn run(&self, command: &mut Command) -> Result<String> {
        let output = command.current_dir(&self.programs).output().with_context(|| format!("{command:?}"))?;
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        print!("{text}");
        ensure!(output.status.success(), "{command:?} failed: {errors}");
        Ok(text.into_owned())
    }
}

/// Returns true if a compiler can be started. It is installed from the Debian package of its name if it is missing.
fn has(compiler: &str) -> bool {
    if !works(compiler, "--version") {
        // The headers of the C library are a package of their own.
        install(&[compiler, "libc6-dev"]);
    }
    works(compiler, "--version")
}

/// Runs the tests of bad arguments with the engine under `AddressSanitizer`. It is the one that comes with the compiler: one of
/// a C compiler is never mixed with it.
fn sanitize() -> Result<()> {
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        println!("skipped: AddressSanitizer is used on Linux with x86-64 only");
        return Ok(());
    }
    let mut test = cargo();
    test.args(["test", "--package", "throng-capi", "--test", "arguments", "--target", SANITIZED]);
    test.arg("--target-dir").arg(target().join("sanitizer"));
    // The option is unstable, and the compiler that the project uses is stable.
    test.args(["--", "--nocapture"]).envs([
        ("RUSTC_BOOTSTRAP", "1"),
        ("RUSTFLAGS", "-Zsanitizer=address"),
        ("THRONG_SANITIZER", "address"),
    ]);
    ensure!(test.status()?.success(), "the tests of bad arguments failed under AddressSanitizer");
    Ok(())
}
