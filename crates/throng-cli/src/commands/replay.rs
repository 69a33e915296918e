//! `throng replay`: plays back a recording and checks it without the planner, or checks a plan file on its map.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng::{Corners, Grid, Pos, ProfileId};
use throng_crowd::limits::{PLAN_FILE, RECORDING_FILE};
use throng_crowd::plan_file::{PlanFile, PlanFileError};
use throng_crowd::{Recording, RecordingError, check};

use crate::output::{bad_input, count, fields, note, print_either, thousands};
use crate::picture::write_file;
use crate::rules::{corners, move_rules};
use crate::source;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng run builtin:arena --agents 50 --planner far --record arena.throng
  throng replay arena.throng --check
  throng replay arena.throng --plan arena.txt
  throng replay arena.txt --map builtin:arena --check";

/// The arguments of `throng replay`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A recording made with `throng run --record`; with --map, a plan file
    file: String,
    /// The map of a plan file in the format of mapf-visualizer: a map file, or builtin:NAME
    #[arg(long, value_name = "MAP", conflicts_with = "plan")]
    map: Option<String>,
    /// When a diagonal step of a plan is legal
    #[arg(long, value_parser = corners(), requires = "map")]
    corners: Option<Corners>,
    /// The plan has straight steps only
    #[arg(long, requires = "map", conflicts_with = "corners")]
    four_way: bool,
    /// Verify every move and the hash of every tick, independently of planner and engine
    #[arg(long)]
    check: bool,
    /// Also play a recording whose edits of the map take very long
    #[arg(long, conflicts_with = "map")]
    unlimited: bool,
    /// Write the moves as a plan file for mapf-visualizer
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
}

/// The report on a recording.
#[derive(Debug, Serialize)]
struct RecordingReport<'a> {
    file: &'a str,
    planner: &'a str,
    ticks: u64,
    agents: usize,
    /// Whether the end is missing, because the program that recorded was ended.
    cut_short: bool,
    /// Number of agents that have arrived at the end.
    arrived: usize,
    /// The hash of the final state, in hexadecimal.
    state_hash: String,
    /// Number of checked decisions; absent without `--check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_steps: Option<u64>,
    /// Number of violations found; absent without `--check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<u64>,
}

/// The report on a plan file.
#[derive(Debug, Serialize)]
struct PlanReport<'a> {
    file: &'a str,
    map: &'a str,
    ticks: usize,
    agents: usize,
    /// Total number of steps of all agents.
    steps: usize,
    /// Number of violations found; absent without `--check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<usize>,
}

/// `throng replay`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let file = arguments.file.as_str();
    let limit = if arguments.map.is_some() { PLAN_FILE } else { RECORDING_FILE };
    let bytes = source::read(file, limit)?;
    match &arguments.map {
        Some(map) => play_plan(arguments, map, &bytes, json),
        None => play_recording(arguments, &bytes, json),
    }
}

/// Plays a plan on its map.
fn play_plan(arguments: &Arguments, map: &str, bytes: &[u8], json: bool) -> Result<()> {
    let file = arguments.file.as_str();
    let text = std::str::from_utf8(bytes)
        .map_err(|_| bad_input(format_args!("{file}: not a plan file; omit --map to play a recording")))?;
    let plan = PlanFile::read(text).map_err(|error| match error {
        PlanFileError::Syntax { line, column, expected } => {
            bad_input(format_args!("{file}:{line}:{column}: expected {expected}"))
        }
        error => bad_input(format_args!("{file}: {error}")),
    })?;
    let corners = arguments.corners.unwrap_or_default();
    let rules = move_rules(corners, arguments.four_way);
    let grid = Grid::new(source::open_map(map)?, rules);
    let findings = arguments.check.then(|| plan.check(&grid, ProfileId(0)));
    if let Some(first) = findings.as_ref().and_then(|findings| findings.first()) {
        let found = findings.as_ref().map_or(0, Vec::len);
        let agent = first.agent.map_or(0, throng_crowd::AgentId::row);
        anyhow::bail!(
            "{file}: {} found, the first at tick {}, agent {agent}: {:?}",
            count(found, "violation", "violations"),
            first.tick,
            first.fault
        );
    }
    let moved = |pair: &[Vec<Pos>]| pair[0].iter().zip(&pair[1]).filter(|(from, to)| from != to).count();
    let played = PlanReport {
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
            lines.push(("checked", "all steps are legal, no collisions".to_owned()));
        }
        fields(&lines)
    })
}

/// Plays a recording.
fn play_recording(arguments: &Arguments, bytes: &[u8], json: bool) -> Result<()> {
    let file = arguments.file.as_str();
    let refused = |error: RecordingError| {
        let plan =
            matches!(error, RecordingError::NotARecording) && bytes.contains(&b':') && bytes.contains(&b'(');
        let hint = if plan { "; for a plan file, give its map with --map MAP" } else { "" };
        bad_input(format_args!("{file}: {error}{hint}"))
    };
    let (recording, rest) = Recording::salvage(bytes).map_err(refused)?;
    let cut_short = match rest {
        Some(error @ RecordingError::CutShort { .. }) => {
            note(format_args!("warning: {file}: {error}, and played"));
            true
        }
        Some(error) => return Err(refused(error)),
        None => false,
    };
    if !arguments.unlimited {
        let hint = "--unlimited plays it, which may take very long";
        recording.within_limits().map_err(|error| bad_input(format_args!("{file}: {error}; {hint}")))?;
    }
    let report = arguments.check.then(|| check(&recording));
    if let Some(report) = &report
        && let Some(first) = report.violations.first()
    {
        anyhow::bail!(
            "{file}: {} found, the first at tick {}: {:?}",
            count(report.violation_count as usize, "violation", "violations"),
            first.tick,
            first.fault
        );
    }
    let mut playback = recording.play().map_err(|error| bad_input(format_args!("{file}: {error}")))?;
    while playback.step()? {}
    if let Some(out) = &arguments.plan {
        let plan = PlanFile::of(&recording).map_err(bad_input)?;
        write_file(out, plan.write().as_bytes())?;
    }
    let world = playback.world();
    let replay = RecordingReport {
        file,
        planner: recording.planner_name(),
        ticks: world.ticks(),
        agents: world.agents().len(),
        cut_short,
        arrived: world.agents().iter().filter(|&&agent| world.has_arrived(agent) == Ok(true)).count(),
        state_hash: format!("{:016x}", world.state_hash()),
        agent_steps: report.as_ref().map(|report| report.agent_steps),
        findings: report.as_ref().map(|report| report.violation_count),
    };
    print_either(json, &replay, || replay.text())
}

impl RecordingReport<'_> {
    /// Returns the report as text.
    fn text(&self) -> String {
        let mut lines = vec![
            ("planner", self.planner.to_owned()),
            ("ticks", thousands(self.ticks)),
            ("agents", thousands(self.agents as u64)),
            ("arrived", thousands(self.arrived as u64)),
            ("state hash", self.state_hash.clone()),
        ];
        if let Some(steps) = self.agent_steps {
            let clean =
                format!("{} decisions and {} hashes, no violations", thousands(steps), thousands(self.ticks));
            lines.push(("checked", clean));
        }
        fields(&lines)
    }
}
