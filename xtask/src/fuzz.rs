//! `cargo xtask fuzz`: each fuzz target for some seconds, beginning with the kept inputs, and a canary, a bug on purpose that
//! the fuzzer must find. The targets are those of `cargo fuzz`; here they are built without it, with the same coverage
//! counters and without a sanitizer, so that the compiler of the project suffices.
//!
//! The kept inputs are tried without a fuzzer first, also where there is no C++ compiler. What was tried is summed in `soak/fuzz.txt`
//! below the target folder; with `THRONG_FUZZ_RUNS`, a target stops at that number of inputs in all.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::programs::{cargo, target};

/// The coverage counters of libFuzzer.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                     -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Seconds per target, unless `THRONG_FUZZ_SECONDS` sets another number.
const SECONDS: u64 = 10;

/// The message of the bug on purpose.
const CANARY: &str = "the canary was found";

/// Runs all targets, or the one with this name.
pub(crate) fn run(only: Option<&str>) -> Result<()> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask is a folder of the workspace")?;
    let fuzz = root.join("fuzz");
    if only.is_none() {
        let mut command = cargo();
        command.args(["test", "--locked", "--no-default-features", "--target-dir"]).arg(target());
        ensure!(command.current_dir(&fuzz).status()?.success(), "a kept input fails");
    }
    if !works("c++") {
        println!(
            "skipped: a C++ compiler is not installed (apt-get install g++); libFuzzer is written in C++"
        );
        return Ok(());
    }
    let folder = target().join("fuzz");
    let host = host()?;
    let build = |arguments: &[&str]| -> Result<()> {
        let mut command = cargo();
        // With `--target`, the flags are not those of build scripts and macros.
        command.args(["build", "--release", "--locked", "--target", &host, "--target-dir"]).arg(&folder);
        command.args(arguments).current_dir(&fuzz).env("RUSTFLAGS", FLAGS);
        ensure!(command.status()?.success(), "the fuzz targets cannot be built");
        Ok(())
    };
    let programs = folder.join(&host).join("release");
    if only.is_none() {
        build(&["--features", "canary", "--bin", "map"])?;
        let canary = fuzz_target(&programs, &fuzz, &folder.join("canary"), "map", Amount::of_seconds(60))?;
        ensure!(
            !canary.passed && canary.log.contains(CANARY),
            "the fuzzer has not found the canary: a panic at maps that begin with `type octa`"
        );
        println!("the canary was found");
    }
    let mut names = targets(&fuzz)?;
    names.retain(|name| only.is_none_or(|only| name == only));
    ensure!(!names.is_empty(), "there is no such fuzz target; fuzz/fuzz_targets has all");
    build(&[])?;
    let artifacts = folder.join("failures");
    let mut sums = Sums::open()?;
    // Two at a time: a target has one thread.
    for pair in names.chunks(2) {
        let run = |name: &str| {
            let amount = Amount {
                seconds: number("THRONG_FUZZ_SECONDS").unwrap_or(SECONDS),
                runs: number("THRONG_FUZZ_RUNS").map(|runs| runs.saturating_sub(sums.of(name))),
            };
            (amount.runs != Some(0)).then(|| fuzz_target(&programs, &fuzz, &artifacts, name, amount))
        };
        let ended: Vec<Option<Result<Ended>>> = std::thread::scope(|scope| {
            let workers: Vec<_> = pair.iter().map(|name| scope.spawn(|| run(name))).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
                worker.join().expect("a thread that waits for a target does not panic")
            };
            workers.into_iter().map(join).collect()
        });
        for (name, ended) in pair.iter().zip(ended) {
            let Some(ended) = ended else {
                println!("{name:<14} {} inputs in all: done", sums.of(name));
                continue;
            };
            let ended = ended?;
            ended.report();
            sums.add(name, ended.inputs)?;
            println!("{name:<14} {} inputs, {} in all", ended.inputs, sums.of(name));
            ensure!(
                ended.passed,
                "the target {name} failed; the input is in {}: mend the cause, and keep the input in fuzz/failures/{name}",
                artifacts.display()
            );
        }
    }
    Ok(())
}

/// Returns the value of an environment variable.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// How much is tried: seconds, and at most a number of inputs.
#[derive(Clone, Copy)]
struct Amount {
    seconds: u64,
    runs: Option<u64>,
}

impl Amount {
    const fn of_seconds(seconds: u64) -> Self {
        Self { seconds, runs: None }
    }
}

/// What a target did.
struct Ended {
    /// False if an input made it fail.
    passed: bool,
    inputs: u64,
    log: String,
}

impl Ended {
    /// Shows the end of the log of a target that failed.
    fn report(&self) {
        let last: Vec<&str> = self.log.lines().rev().take(if self.passed { 0 } else { 40 }).collect();
        last.iter().rev().for_each(|line| println!("    {line}"));
    }
}

/// The numbers of inputs that were tried, by target.
struct Sums {
    path: PathBuf,
    sums: BTreeMap<String, u64>,
}

impl Sums {
    fn open() -> Result<Self> {
        let folder = target().join("soak");
        std::fs::create_dir_all(&folder)?;
        let path = folder.join("fuzz.txt");
        let mut sums = BTreeMap::new();
        for line in std::fs::read_to_string(&path).unwrap_or_default().lines() {
            let Some((name, inputs)) = line.split_once(' ') else { continue };
            *sums.entry(name.to_owned()).or_insert(0) += inputs.parse::<u64>().unwrap_or(0);
        }
        Ok(Self { path, sums })
    }

    fn of(&self, name: &str) -> u64 {
        self.sums.get(name).copied().unwrap_or(0)
    }

    fn add(&mut self, name: &str, inputs: u64) -> Result<()> {
        *self.sums.entry(name.to_owned()).or_insert(0) += inputs;
        let mut file = std::fs::File::options().append(true).create(true).open(&self.path)?;
        Ok(writeln!(file, "{name} {inputs}")?)
    }
}

/// Runs a target.
fn fuzz_target(programs: &Path, fuzz: &Path, artifacts: &Path, name: &str, amount: Amount) -> Result<Ended> {
    let corpus = artifacts.join("corpus").join(name);
    std::fs::create_dir_all(&corpus)?;
    let mut command = Command::new(programs.join(name));
    command.arg(&corpus);
    // Inputs that once failed come first: a target fails at once if a cause is back.
    let kept = ["failures", "corpus"].map(|kind| fuzz.join(kind).join(name));
    command.args(kept.iter().filter(|folder| folder.is_dir()));
    command.args(["-timeout=10", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1"]);
    command.arg(format!("-max_total_time={}", amount.seconds));
    command.args(amount.runs.map(|runs| format!("-runs={runs}")));
    command.arg(format!("-artifact_prefix={}/{name}-", artifacts.display()));
    let output = command.stderr(Stdio::piped()).output().with_context(|| format!("cannot start {name}"))?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let executed = log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let inputs = executed.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let passed = output.status.success();
    Ok(Ended { passed, inputs, log })
}

/// Returns the names of the targets, in order.
fn targets(fuzz: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(fuzz.join("fuzz_targets"))? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// Returns the platform that the compiler builds for.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it builds for")?.to_owned())
}

/// Returns true if a program can be started.
fn works(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
