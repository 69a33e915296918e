//! `throng replay`: a recording played again, and checked without the planner.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng::crowd::plan_file::Plan;
use throng::crowd::{Recording, check};

use crate::output::{bad_input, fields, print_either, thousands};
use crate::picture::write_file;
use crate::source;

/// What closes the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng run builtin:arena --agents 50 --planner far --record arena.throng
  throng replay arena.throng --check";

/// The arguments of `throng replay`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A recording made with `throng run --record`
    file: String,
    /// Verify every move and every tick's hash, independently of the planner and the engine
    #[arg(long)]
    check: bool,
    /// Write the moves as a plan file that mapf-visualizer reads
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
}

/// What a recording tells.
#[derive(Debug, Serialize)]
struct Replay<'a> {
    file: &'a str,
    planner: &'a str,
    ticks: u64,
    agents: usize,
    home: usize,
    /// The world's hash at the end, as hexadecimal digits.
    state_hash: String,
    /// Decisions checked; absent without `--check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_steps: Option<u64>,
    /// Broken rules found; absent without `--check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<u64>,
}

/// `throng replay`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let file = arguments.file.as_str();
    let recording =
        Recording::read(&source::read(file)?).map_err(|error| bad_input(format_args!("{file}: {error}")))?;
    let report = arguments.check.then(|| check(&recording));
    if let Some(report) = &report
        && let Some(first) = report.findings.first()
    {
        let found = report.found;
        anyhow::bail!("{file}: {found} findings; the first, at tick {}: {:?}", first.tick, first.fault);
    }
    let mut playback = recording.play().map_err(|error| bad_input(format_args!("{file}: {error}")))?;
    while playback.step()? {}
    if let Some(out) = &arguments.plan {
        let plan = Plan::of(&recording).map_err(bad_input)?;
        write_file(out, plan.write().as_bytes())?;
    }
    let world = playback.world();
    let replay = Replay {
        file,
        planner: recording.planner_name(),
        ticks: world.ticks(),
        agents: world.agents().len(),
        home: world.agents().iter().filter(|&&agent| world.is_home(agent)).count(),
        state_hash: format!("{:016x}", world.state_hash()),
        agent_steps: report.as_ref().map(|report| report.agent_steps),
        findings: report.as_ref().map(|report| report.found),
    };
    print_either(json, &replay, || replay.text())
}

impl Replay<'_> {
    /// For people.
    fn text(&self) -> String {
        let mut lines = vec![
            ("planner", self.planner.to_owned()),
            ("ticks", thousands(self.ticks)),
            ("agents", thousands(self.agents as u64)),
            ("home at the end", thousands(self.home as u64)),
            ("state hash", self.state_hash.clone()),
        ];
        if let Some(steps) = self.agent_steps {
            let clean =
                format!("{} decisions and {} hashes, nothing wrong", thousands(steps), thousands(self.ticks));
            lines.push(("checked", clean));
        }
        fields(&lines)
    }
}
