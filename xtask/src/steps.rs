//! Automation steps as data: each step is one cargo command with its environment. A new step is one table entry.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

/// One cargo command.
pub(crate) struct Step {
    /// The step's name in the summary and on the command line.
    pub(crate) name: &'static str,
    /// What the step checks or writes, in one line.
    pub(crate) about: &'static str,
    /// The arguments of cargo, separated by blanks.
    cargo: &'static str,
    /// Environment variables set for the command.
    env: &'static [(&'static str, &'static str)],
    /// An environment variable without which the step is skipped.
    needs: Option<&'static str>,
}

/// Builds a step, so that the tables below stay compact.
const fn step(
    name: &'static str,
    cargo: &'static str,
    env: &'static [(&'static str, &'static str)],
    about: &'static str,
) -> Step {
    Step { name, about, cargo, env, needs: None }
}

/// What every change must pass. Cheap steps come first, so that a small mistake is reported early.
pub(crate) const TEST: &[Step] = &[
    step("format", "fmt --all --check", &[], "formatting as in rustfmt.toml"),
    step(
        "lint",
        "clippy --workspace --all-targets -- -D warnings",
        &[],
        "no warning of the compiler or clippy",
    ),
    step("test", "test --workspace", &[], "unit tests, integration tests, examples in the documentation"),
    // Soak tests are ignored as well; their names start with `soak_`.
    Step {
        needs: Some("THRONG_DATA"),
        ..step(
            "real-maps",
            "test --workspace --tests -- --ignored --skip soak_",
            &[],
            "the tests that read published maps; skipped unless THRONG_DATA is set",
        )
    },
    step(
        "doc",
        "doc --workspace --no-deps",
        &[("RUSTDOCFLAGS", "-D warnings")],
        "documentation without warnings",
    ),
    step(
        "browser",
        "run --quiet --package xtask -- browser",
        &[],
        "the live page in Chromium; skipped where node, npm or Chromium cannot be had",
    ),
    // `cargo package` without `--no-verify` also builds the packages, which takes as long as a fresh build.
    step(
        "package",
        "package --workspace --exclude xtask --allow-dirty --no-verify --quiet",
        &[],
        "every crate can be packaged",
    ),
];

/// The slow suites, in release mode.
pub(crate) const SOAK: &[Step] = &[
    step(
        "mutations",
        "test --release -p throng-grid --test it mutations -- --nocapture",
        &[("THRONG_MUTATIONS", "5000000")],
        "five million damaged files of each format: read or refused, in time and within memory",
    ),
    step(
        "scenarios",
        "test --release -p throng-search --test it scenarios -- --include-ignored --nocapture",
        &[("THRONG_SCENARIOS", "all")],
        "every scenario file in THRONG_DATA, each path length compared with the file's",
    ),
    step(
        "bounds",
        "test --release -p throng-cpd --test it bounds -- --nocapture",
        &[("THRONG_BOUNDS", "6000000")],
        "six million queries on perturbed maps: every path legal and within its factor, every bound true",
    ),
    step(
        "agent-steps",
        "test --release -p throng-crowd --test it stress -- --nocapture",
        &[("THRONG_STEPS", "100000000")],
        "100 million steps of random crowds, verified by the independent checker",
    ),
    step(
        "games",
        "test --release -p throng-planners --test it games -- --nocapture",
        &[("THRONG_GAMES", "5000")],
        "5,000 random games with everything that a game can do, under every planner, with rollbacks, verified by the \
         independent checker",
    ),
    step(
        "complete",
        "test --release -p throng-planners --test it soak_complete -- --ignored --nocapture",
        &[],
        "surge solves every solvable instance on 3×3 maps with up to five agents and on 4×4 maps with two, and 100,000 on \
         random 4×4 maps",
    ),
    step(
        "growth",
        "test --release -p throng-planners --test it soak_growth -- --ignored --nocapture",
        &[],
        "200 agents, a million spawned one after the other: memory within 1.01 and the time of a tick within 1.1 of those \
         after a tenth",
    ),
    step(
        "results",
        "test --release -p throng-cli --test it soak_duckdb -- --ignored --nocapture",
        &[],
        "results read by DuckDB; THRONG_PYTHON names a Python that has it",
    ),
];

/// The benchmarks, a workspace of their own.
pub(crate) const BENCH: &[Step] =
    &[step("bench", "bench --manifest-path bench/Cargo.toml", &[], "the benchmarks, in release mode")];

/// The pages that are generated from the registries.
pub(crate) const DOCS: &[Step] = &[step(
    "docs",
    "test --package xtask --test it is_current",
    &[("THRONG_WRITE_DOCS", "1")],
    "writes the pages that tests compare with the registries",
)];

/// Runs the steps in order, stops at the first failure, and prints a summary. The output of the steps is passed on.
pub(crate) fn run(steps: impl Iterator<Item = &'static Step>) -> Result<()> {
    let mut summary = String::new();
    for step in steps {
        println!("==> {}: cargo {}", step.name, step.cargo);
        let start = Instant::now();
        let outcome = step.run();
        let verdict = match &outcome {
            Ok(None) => "ok".to_owned(),
            Ok(Some(variable)) => format!("skipped: {variable} is not set"),
            Err(_) => "FAILED".to_owned(),
        };
        let seconds = format!("{:.1} s", start.elapsed().as_secs_f64());
        println!("<== {}: {verdict} in {seconds}\n", step.name);
        let _ = writeln!(summary, "{:<12} {seconds:>10}  {verdict}", step.name);
        if outcome.is_err() {
            print!("{summary}");
            return outcome.map(drop);
        }
    }
    print!("{summary}");
    Ok(())
}

impl Step {
    /// Runs the step in the root folder of the workspace. Returns the missing environment variable if it is skipped.
    fn run(&self) -> Result<Option<&'static str>> {
        if let Some(variable) = self.needs.filter(|variable| std::env::var_os(variable).is_none()) {
            return Ok(Some(variable));
        }
        self.require_component()?;
        let status = cargo()
            .args(self.cargo.split_whitespace())
            .envs(self.env.iter().copied())
            .status()
            .context("cannot start cargo")?;
        ensure!(status.success(), "step {} failed: cargo {}", self.name, self.cargo);
        Ok(None)
    }

    /// Fails if the step needs a component of the toolchain that is not installed, and says how to install it.
    fn require_component(&self) -> Result<()> {
        let subcommand = self.cargo.split_whitespace().next().unwrap_or_default();
        let component = match subcommand {
            "fmt" => "rustfmt",
            "clippy" => "clippy",
            _ => return Ok(()),
        };
        let found = cargo()
            .args([subcommand, "--version"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        ensure!(
            found,
            "cargo {subcommand} is not installed; install it with: rustup component add {component}"
        );
        Ok(())
    }
}

/// Returns a command that starts the cargo that runs this program, in the root folder of the workspace.
fn cargo() -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}
