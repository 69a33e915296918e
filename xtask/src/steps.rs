//! Steps as data: a command of cargo, what it needs, and its environment. Adding a step is adding a line.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// One call of cargo.
pub(crate) struct Step {
    /// How the step is called in the summary and on the command line.
    pub(crate) name: &'static str,
    /// What it is for, in a line.
    pub(crate) about: &'static str,
    /// The words after `cargo`, separated by blanks.
    cargo: &'static str,
    /// Environment variables set for it.
    env: &'static [(&'static str, &'static str)],
}

/// A step, so that each of the tables below has a line a step.
const fn step(
    name: &'static str,
    cargo: &'static str,
    env: &'static [(&'static str, &'static str)],
    about: &'static str,
) -> Step {
    Step { name, about, cargo, env }
}

/// What every change must pass. Cheap steps first, so that a small mistake is told soon.
pub(crate) const TEST: &[Step] = &[
    step("format", "fmt --all --check", &[], "formatting as in rustfmt.toml"),
    step(
        "lint",
        "clippy --workspace --all-targets -- -D warnings",
        &[],
        "no warning of the compiler or clippy",
    ),
    step("test", "test --workspace", &[], "unit tests, integration tests, examples in the documentation"),
    step(
        "doc",
        "doc --workspace --no-deps",
        &[("RUSTDOCFLAGS", "-D warnings")],
        "documentation without warnings",
    ),
];

/// What takes too long for every change, in release mode.
pub(crate) const SOAK: &[Step] = &[
    step(
        "mutations",
        "test --release -p throng-grid --test it mutations -- --nocapture",
        &[("THRONG_MUTATIONS", "5000000")],
        "five million damaged files of each kind: read or refused, in time and within memory",
    ),
    step(
        "scenarios",
        "test --release -p throng-search --test it scenarios -- --nocapture",
        &[("THRONG_SCENARIOS", "all")],
        "every scenario file in THRONG_DATA, each length compared with the file's",
    ),
    step(
        "bounds",
        "test --release -p throng-cpd --test it bounds -- --nocapture",
        &[("THRONG_BOUNDS", "6000000")],
        "six million questions on perturbed maps: every path legal and within its factor, every bound true",
    ),
    step(
        "agent-steps",
        "test --release -p throng-crowd -p throng-planners --test it stress -- --nocapture",
        &[("THRONG_STEPS", "100000000"), ("THRONG_PLANNER_STEPS", "1000000")],
        "a hundred million steps of random crowds and a million of each planner, verified by the independent checker",
    ),
    step(
        "results",
        "test --release -p throng-cli --test it lab::duckdb -- --nocapture",
        &[("THRONG_READERS", "1")],
        "results opened by DuckDB; THRONG_PYTHON names a Python that has it",
    ),
];

/// The benches, a workspace of their own.
pub(crate) const BENCH: &[Step] =
    &[step("bench", "bench --manifest-path bench/Cargo.toml", &[], "the benches, in release mode")];

/// The pages that are made from registries.
pub(crate) const DOCS: &[Step] = &[step(
    "docs",
    "test --package xtask --test it generated",
    &[("THRONG_WRITE_DOCS", "1")],
    "writes the pages anew that tests compare with the registries",
)];

/// Runs the steps in order and stops at the first that fails; either way a summary closes the output. What the
/// steps print is passed on as it comes.
pub(crate) fn run(steps: impl Iterator<Item = &'static Step>) -> Result<()> {
    let mut summary = String::new();
    for step in steps {
        println!("==> {}: cargo {}", step.name, step.cargo);
        let start = Instant::now();
        let outcome = step.run();
        let seconds = seconds(start.elapsed());
        let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
        println!("<== {}: {verdict} in {seconds}\n", step.name);
        let _ = writeln!(summary, "{:<12} {verdict:<8} {seconds:>10}", step.name);
        if let Err(error) = outcome {
            print!("{summary}");
            return Err(error);
        }
    }
    print!("{summary}");
    Ok(())
}

impl Step {
    /// Runs the step at the root of the workspace.
    fn run(&self) -> Result<()> {
        self.require_component()?;
        let status = cargo()
            .args(self.cargo.split_whitespace())
            .envs(self.env.iter().copied())
            .status()
            .context("cannot start cargo")?;
        ensure!(status.success(), "step {} failed: cargo {}", self.name, self.cargo);
        Ok(())
    }

    /// Says how to get a component of the toolchain that this step needs and that is not installed.
    fn require_component(&self) -> Result<()> {
        let subcommand = self.cargo.split_whitespace().next().unwrap_or_default();
        let Some(component) = component(subcommand) else { return Ok(()) };
        let found = cargo()
            .args([subcommand, "--version"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        ensure!(found, "cargo {subcommand} is not installed; get it with: rustup component add {component}");
        Ok(())
    }
}

/// The rustup component that brings a subcommand, if cargo itself does not.
fn component(subcommand: &str) -> Option<&'static str> {
    match subcommand {
        "fmt" => Some("rustfmt"),
        "clippy" => Some("clippy"),
        _ => None,
    }
}

/// The cargo that runs this program, at the root of the workspace.
fn cargo() -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// A duration for the summary.
fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
