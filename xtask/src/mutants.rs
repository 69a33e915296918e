//! `cargo xtask mutants [PART [SHARD]] [--jobs N]`: mutation testing of the parts that everything else relies on.
//!
//! cargo-mutants changes one function at a time and runs the tests of its own crate: a change that no test notices is
//! reported. Few tests of whole crowds say which rule they rely on; this does. One shard takes some minutes, all of them hours.

use anyhow::{Context, Result, bail, ensure};

use crate::programs::{MUTANTS, target};

/// A part of a crate whose functions are changed.
struct Part {
    name: &'static str,
    package: &'static str,
    /// The files, as patterns.
    files: &'static [&'static str],
    /// Arguments of `cargo test`: the tests of the crate that can concern the files.
    tests: &'static [&'static str],
}

const PARTS: &[Part] = &[
    Part {
        name: "referee",
        package: "throng-crowd",
        files: &["crates/throng-crowd/src/world/referee.rs"],
        tests: &["--lib", "--test", "it"],
    },
    Part {
        name: "checker",
        package: "throng-crowd",
        files: &["crates/throng-crowd/src/check/*.rs"],
        tests: &["--lib", "--test", "it"],
    },
    Part {
        name: "assignment",
        package: "throng-crowd",
        files: &["crates/throng-crowd/src/goals/*.rs"],
        tests: &["--lib", "--test", "it"],
    },
    Part {
        name: "snapshot",
        package: "throng-crowd",
        files: &["crates/throng-crowd/src/snapshot/*.rs", "crates/throng-crowd/src/state.rs"],
        tests: &["--lib", "--test", "it"],
    },
    Part {
        name: "journal",
        package: "throng-lab",
        files: &["crates/throng-lab/src/store/*.rs"],
        tests: &["--lib"],
    },
];

/// Tests all parts, or one: `PART`, or a shard of it: `PART 3/8`. With `--jobs 4`, four changes are tested at the same time.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (words, jobs) = match words {
        [words @ .., "--jobs", jobs] => (words, jobs.parse().with_context(|| format!("--jobs {jobs}"))?),
        words => (words, 1_usize),
    };
    let (part, shard) = match words {
        [] => (None, None),
        [part] => (Some(*part), None),
        [part, shard] => (Some(*part), Some(*shard)),
        [_, _, extra, ..] => bail!("unexpected argument {extra:?}"),
    };
    let parts: Vec<&Part> = PARTS.iter().filter(|known| part.is_none_or(|part| part == known.name)).collect();
    let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
    ensure!(
        !parts.is_empty(),
        "unknown part {:?}; known parts: {}",
        part.unwrap_or_default(),
        names.join(", ")
    );
    for part in parts {
        part.test(shard, jobs)?;
    }
    Ok(())
}

impl Part {
    fn test(&self, shard: Option<&str>, jobs: usize) -> Result<()> {
        let output = target().join("mutants").join(self.name);
        std::fs::create_dir_all(&output)?;
        let mut command = MUTANTS.command()?;
        command.args(["--package", self.package, "--test-package", self.package, "--no-shuffle", "--output"]);
        command.arg(&output).args(["--jobs", &jobs.to_string()]);
        // Debug information would double the time of each build.
        command.args(["--cap-lints", "true", "--minimum-test-timeout", "60"]);
        command.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_PROFILE_TEST_DEBUG", "0");
        for file in self.files {
            command.args(["--file", file]);
        }
        if let Some(shard) = shard {
            command.args(["--shard", shard]);
        }
        command.arg("--").args(self.tests);
        let status = command.status()?;
        // 2: a mutant was missed; 3: one timed out. Both are results.
        ensure!(matches!(status.code(), Some(0 | 2 | 3)), "cargo-mutants failed on {}", self.name);
        println!("{}: results in {}", self.name, output.join("mutants.out").display());
        Ok(())
    }
}
