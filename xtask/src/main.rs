//! The project's automation, started as `cargo xtask`: the checks of continuous integration, the slow suites, the
//! benchmarks and the generated pages. It is Rust instead of shell scripts, so that it runs wherever the project builds.

mod browser;
mod capi;
mod deny;
mod dist;
mod fuzz;
mod gate;
mod links;
mod mutants;
mod platforms;
mod programs;
mod python;
mod semver;
mod steps;

use std::process::ExitCode;

use anyhow::{Result, bail};
use steps::{BENCH, DOCS, SOAK, Step, TEST, run};

/// The output of `cargo xtask help`, without the table of soak suites.
const HELP: &str = "\
The project's automation.

Usage: cargo xtask COMMAND

Commands:
  test         formatting, lints, all tests, documentation: what every change must pass
  soak [NAME]  the slow suites in release mode, all of them or one
  browser      the tests of the live page, in Chromium
  capi         the C ABI in C, C++ and C#, with a sanitizer; capi overhead measures what it costs
  fuzz [NAME]  the fuzz targets, all of them or one
  links        the links in the documentation of the crate throng, after cargo doc
  python       the tests of the Python package
  bench        the benchmarks
  instructions [--write]  the instructions of the main benchmarks, counted by callgrind, beside the kept ones
  deny         licences, sources and advisories of dependencies; installs cargo-deny
  semver [REV] public interfaces compared with those of the last version; installs cargo-semver-checks
  mutants [PART [SHARD]] [--jobs N]  which changes of referee, checker, … no test notices; installs cargo-mutants
  dist         the archive of the C library, the Python wheel and their checksums
  platforms    the libraries type-checked for Windows and macOS
  docs         write the pages that are generated from the registries
  help         this text

Soak suites:
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match command(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            // As in `throng`: 2 is bad usage, 1 a failed step.
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

/// An error in the arguments of `cargo xtask`.
#[derive(Debug)]
struct Usage(String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (see cargo xtask help)", self.0)
    }
}

impl std::error::Error for Usage {}

/// Runs the command given by the arguments of `cargo xtask`.
fn command(words: &[&str]) -> Result<()> {
    match words {
        ["test"] => run(TEST.iter()),
        ["soak"] => run(SOAK.iter()),
        ["soak", name] => run(std::iter::once(suite(name)?)),
        ["browser"] => browser::run(),
        ["capi"] => capi::run(),
        ["capi", "overhead"] => capi::overhead(),
        ["fuzz"] => fuzz::run(None),
        ["fuzz", name] => fuzz::run(Some(name)),
        ["links"] => links::run(),
        ["python"] => python::run(&python::TESTS),
        ["python", "ray"] => python::run(&python::RAY),
        ["bench"] => run(BENCH.iter()),
        ["instructions", words @ ..] => gate::run(words),
        ["deny"] => deny::run(),
        ["semver"] => semver::run(None),
        ["semver", revision] => semver::run(Some(revision)),
        ["mutants", words @ ..] => mutants::run(words),
        ["dist"] => dist::run(),
        ["platforms"] => platforms::run(),
        ["docs"] => run(DOCS.iter()),
        [] | ["help" | "--help" | "-h"] => {
            print!("{}", help());
            Ok(())
        }
        [
            "test" | "soak" | "browser" | "fuzz" | "capi" | "links" | "python" | "bench" | "deny" | "dist"
            | "platforms" | "docs" | "help",
            extra,
            ..,
        ] => {
            bail!(Usage(format!("unexpected argument {extra:?}")))
        }
        [unknown, ..] => bail!(Usage(format!("unknown command {unknown:?}"))),
    }
}

/// Returns the soak suite with that name.
fn suite(name: &str) -> Result<&'static Step, Usage> {
    SOAK.iter().find(|step| step.name == name).ok_or_else(|| {
        let known: Vec<&str> = SOAK.iter().map(|step| step.name).collect();
        Usage(format!("unknown soak suite {name:?}; known suites: {}", known.join(", ")))
    })
}

/// Returns the help text with one line per soak suite.
fn help() -> String {
    let suites = SOAK.iter().map(|step| format!("  {:<11}  {}\n", step.name, step.about));
    std::iter::once(HELP.to_owned()).chain(suites).collect()
}
