//! Automation steps as data: each step is one cargo command with its environment. A new step is one table entry.

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::programs::cargo;

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
        "clippy --workspace --all-targets --features bevy_throng/gizmos,bevy_throng/multi_threaded -- -D warnings",
        &[],
        "no warning of the compiler or clippy, with all features",
    ),
    // With Bevy's threads, which have tests of their own. All steps have them, so that nothing is built twice.
    step(
        "test",
        "test --workspace --features bevy_throng/multi_threaded",
        &[],
        "unit tests, integration tests, examples in the documentation",
    ),
    step(
        "no-threads",
        "check --package throng --package throng-capi --package bevy_throng --no-default-features",
        &[],
        "the libraries for games build without threads",
    ),
    // Soak tests are ignored as well; their names start with `soak_`.
    Step {
        needs: Some("THRONG_DATA"),
        ..step(
            "real-maps",
            "test --workspace --features bevy_throng/multi_threaded --tests -- --ignored --skip soak_",
            &[],
            "the tests that read published maps; skipped unless THRONG_DATA is set",
        )
    },
    step(
        "doc",
        "doc --workspace --no-deps --features bevy_throng/gizmos,bevy_throng/multi_threaded",
        &[("RUSTDOCFLAGS", "-D warnings")],
        "documentation without warnings",
    ),
    step(
        "links",
        "run --quiet --package xtask -- links",
        &[],
        "the links in the documentation of the crate throng, also those of items of other crates",
    ),
    step(
        "browser",
        "run --quiet --package xtask -- browser",
        &[],
        "the live page in Chromium; skipped where node, npm or Chromium cannot be had",
    ),
    step(
        "python",
        "run --quiet --package xtask -- python",
        &[],
        "the Python package, by pytest in a virtual environment; skipped where Python or its packages cannot be had",
    ),
    step(
        "instructions",
        "run --quiet --package xtask -- instructions",
        &[],
        "the instructions of the main benchmarks, counted by callgrind: a change beyond 5 % is shown; skipped where valgrind \
         cannot be had",
    ),
    step(
        "capi",
        "run --quiet --package xtask -- capi",
        &[],
        "the C ABI: samples and conformance scenes in C, C++ and C#, and bad arguments under AddressSanitizer; a language is \
         skipped where its compiler cannot be had",
    ),
    step(
        "fuzz",
        "run --quiet --package xtask -- fuzz",
        &[],
        "two minutes of fuzzing, and a bug on purpose that must be found; skipped without a C++ compiler",
    ),
    // `cargo package` without `--no-verify` also builds the packages, which takes as long as a fresh build.
    step(
        "package",
        "package --workspace --exclude xtask --exclude throng-python --allow-dirty --no-verify --quiet",
        &[],
        "every crate can be packaged",
    ),
];

/// The slow suites, in release mode.
pub(crate) const SOAK: &[Step] = &[
    step(
        "mutations",
        "test --release -p throng-grid --test it mutations -- --nocapture",
        &[("THRONG_MUTATIONS", "20000000")],
        "20 million damaged files of each format: read or refused, in time and within memory",
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
        "steps",
        "test --release -p throng-planners --test it soak_checked -- --ignored --nocapture",
        &[],
        "10^10 steps of crowds with edits, new goals and foreign units, 10^8 of each planner, verified by the independent checker; \
         THRONG_SOAK_SECONDS limits a piece, the next call continues",
    ),
    step(
        "threads",
        "test --release -p throng-planners --test it soak_threads -- --ignored --nocapture",
        &[],
        "10^8 steps of such crowds with 1, 2, 3 and 8 threads: equal state hashes in every tick; in pieces as `steps`",
    ),
    step(
        "saves",
        "test --release -p throng-planners --test it soak_saves -- --ignored --nocapture",
        &[],
        "10^8 steps of such crowds that are saved and restored at random ticks: equal state hashes; in pieces as `steps`",
    ),
    step(
        "resealed",
        "test --release -p throng-planners --test it resealed -- --nocapture",
        &[("THRONG_RESEALED", "20000000")],
        "20 million altered snapshots with fitting checksums and state hashes under every planner: refused, or 50 ticks \
         without a panic and without a long tick",
    ),
    step(
        "kills",
        "test --release -p throng-cli --test it kills_lose -- --nocapture",
        &[("THRONG_KILLS", "1000")],
        "an experiment that is killed a thousand times: no finished run is lost, repeated or counted twice",
    ),
    step(
        "large-map",
        "test --release -p throng-cli --test it soak_large_map -- --ignored --nocapture",
        &[],
        "two agents on a map of 4096×4096 cells under every planner, within 3 GB of address space",
    ),
    step(
        "clients",
        "test --release -p throng-view --test it soak_clients -- --ignored --nocapture",
        &[],
        "a hundred browsers that order at random, upload and leave, for THRONG_CLIENT_SECONDS, an hour without it: a crowd that \
         another browser steps has the same hashes as alone, and memory stays",
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
        "shared-goals",
        "run --release -p throng --example shared_goal -- --check surge 150,500,2000 3 ten",
        &[],
        "150, 500 and 2,000 agents sent to one place on ten maps of THRONG_DATA, three seeds: all in place on the nearest cells, \
         which an agent leaves at most twice in the mean",
    ),
    step(
        "gate",
        "run --release -p throng --example gate -- all",
        &[],
        "2,000 agents under every planner when a gate closes or opens, goals cannot be reached, and large areas change: no tick \
         takes more than 3 ms beyond its budget; on an idle machine",
    ),
    step(
        "results",
        "test --release -p throng-cli --test it soak_duckdb -- --ignored --nocapture",
        &[],
        "results read by DuckDB; THRONG_PYTHON names a Python that has it",
    ),
    step(
        "ray",
        "run --quiet --package xtask -- python ray",
        &[],
        "a sweep of the Python package on a Ray cluster of two nodes here, one of which is killed; installs Ray with pip",
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
