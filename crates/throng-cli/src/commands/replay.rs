//! `throng replay`: a recording played again, and checked without the planner; or a plan file on its map.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng::crowd::plan_file::Plan;
use throng::crowd::{Recording, RecordingError, check};
use throng::{Corners, Grid, MoveRules, Pos, ProfileId};

use crate::output::{bad_input, fields, print_either, thousands};
use crate::picture::write_file;
use crate::rules::corners;
use crate::source;

/// What closes the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng run builtin:arena --agents 50 --planner far --record arena.throng
  throng replay arena.throng --check
  throng replay arena.throng --plan arena.txt
  throng replay arena.txt --map builtin:arena --check";

/// The arguments of `throng replay`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A recording made with `throng run --record`, or with --map a plan file
    file: String,
    /// The map of a plan file, as mapf-visualizer reads them: a map file, or builtin:NAME
    #[arg(long, value_name = "MAP", conflicts_with = "plan")]
    map: Option<String>,
    /// What a diagonal step of a plan needs
    #[arg(long, value_parser = corners(), requires = "map")]
    corners: Option<Corners>,
    /// A plan has only straight steps
    #[arg(long, requires = "map", conflicts_with = "corners")]
    four_way: bool,
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

/// What a plan file tells.
#[derive(Debug, Serialize)]
struct Played<'a> {
    file: &'a str,
    map: &'a str,
    ticks: usize,
    agents: usize,
    /// Steps of all agents.
    steps: usize,
    /// Broken rules found; absent without `--check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<usize>,
}

/// `throng replay`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let file = arguments.file.as_str();
    let bytes = source::read(file)?;
    match &arguments.map {
        Some(map) => play_plan(arguments, map, &bytes, json),
        None => play_recording(arguments, &bytes, json),
    }
}

/// A plan on its map.
fn play_plan(arguments: &Arguments, map: &str, bytes: &[u8], json: bool) -> Result<()> {
    let file = arguments.file.as_str();
    let text = std::str::from_utf8(bytes).map_err(|_| {
        bad_input(format_args!("{file}: not a plan file; a recording is played without --map"))
    })?;
    let plan = Plan::read(text).map_err(|error| bad_input(format_args!("{file}: {error}")))?;
    let corners = arguments.corners.unwrap_or_default();
    let rules = if arguments.four_way { MoveRules::FOUR_WAY } else { MoveRules::eight_way(corners) };
    let grid = Grid::new(source::open_map(map)?, rules);
    let findings = arguments.check.then(|| plan.check(&grid, ProfileId(0)));
    if let Some(first) = findings.as_ref().and_then(|findings| findings.first()) {
        let found = findings.as_ref().map_or(0, Vec::len);
        let who = first.agent.map_or(0, |agent| agent.0);
        anyhow::bail!(
            "{file}: {found} findings; the first, at tick {}, agent {who}: {:?}",
            first.tick,
            first.fault
        );
    }
    let moved = |pair: &[Vec<Pos>]| pair[0].iter().zip(&pair[1]).filter(|(from, to)| from != to).count();
    let played = Played {
        file,
        map,
        ticks: plan.ticks.len() - 1,
        agents: plan.ticks[0].len(),
        steps: plan.ticks.windows(2).map(moved).sum(),
        findings: findings.map(|findings| findings.len()),
    };
    print_either(json, &played, || {
        let mut lines = vec![
            ("ticks", thousands(played.ticks as u64)),
            ("agents", thousands(played.agents as u64)),
            ("steps", thousands(played.steps as u64)),
        ];
        if played.findings.is_some() {
            lines.push(("checked", "every step legal, nobody collides".to_owned()));
        }
        fields(&lines)
    })
}

/// A recording, as it was.
fn play_recording(arguments: &Arguments, bytes: &[u8], json: bool) -> Result<()> {
    let file = arguments.file.as_str();
    let recording = Recording::read(bytes).map_err(|error| {
        let plan =
            matches!(error, RecordingError::NotARecording) && bytes.contains(&b':') && bytes.contains(&b'(');
        let hint = if plan { "; a plan file is played on its map: --map MAP" } else { "" };
        bad_input(format_args!("{file}: {error}{hint}"))
    })?;
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
