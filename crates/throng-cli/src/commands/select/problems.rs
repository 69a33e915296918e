//! `throng select problems`: turns recordings of gameplay into problems that experiments can run.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use throng::grid::movingai::{write_map, write_scenario};
use throng_crowd::Recording;
use throng_crowd::limits::RECORDING_FILE;
use throng_lab::files;
use throng_lab::select::{Situation, situations};

use crate::output::{bad_input, print_either, table};
use crate::picture::write_file;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Each situation becomes a map NAME-TICK.map and its scenario NAME-TICK.map.scen, which an experiment file names with
maps = \"DIR/NAME-TICK\" and types = \"scen\".
Examples:
  throng run builtin:town --agents 200 --planner far --record town.throng
  throng select problems town.throng -o problems --ordered 50";

/// The arguments of `throng select problems`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Recordings made with `throng run --record` or by a game
    #[arg(required = true, value_name = "RECORDING")]
    recordings: Vec<PathBuf>,
    /// The folder for the problems
    #[arg(short = 'o', long = "out", value_name = "DIR")]
    out: PathBuf,
    /// A situation is one in which at least N agents got new orders
    #[arg(long, value_name = "N", default_value_t = 20)]
    ordered: usize,
}

/// A problem that was written.
#[derive(Debug, Serialize)]
struct WrittenProblem {
    scenario: PathBuf,
    tick: u64,
    ordered: usize,
    agents: usize,
}

/// `throng select problems`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let Arguments { recordings, out, ordered } = arguments;
    let mut written = Vec::new();
    for file in recordings {
        let shown = file.display();
        let bytes = files::read(file, RECORDING_FILE).map_err(bad_input)?;
        let recording =
            Recording::read(&bytes).map_err(|error| bad_input(format_args!("{shown}: {error}")))?;
        let found =
            situations(&recording, *ordered).map_err(|error| bad_input(format_args!("{shown}: {error}")))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for situation in &found {
            written.push(write(situation, out, &name)?);
        }
    }
    if written.is_empty() {
        let reason =
            format!("in no tick at least {ordered} agents got new orders; --ordered sets the number");
        return Err(bad_input(reason));
    }
    print_either(json, &written, || {
        let row = |problem: &WrittenProblem| {
            let scenario = problem.scenario.display().to_string();
            [scenario, problem.tick.to_string(), problem.ordered.to_string(), problem.agents.to_string()]
        };
        table(&["scenario", ">tick", ">ordered", ">agents"], written.iter().map(row))
    })
}

/// Writes the map and the scenario of a situation.
fn write(situation: &Situation, folder: &PathBuf, name: &str) -> Result<WrittenProblem> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let map = format!("{name}-{}.map", situation.tick);
    let store = |file: PathBuf, content: &[u8]| write_file(&file, content);
    store(folder.join(&map), &write_map(&situation.tiles))?;
    let scenario = folder.join(format!("{map}.scen"));
    store(scenario.clone(), write_scenario(&situation.scenario(&map)).as_bytes())?;
    let Situation { tick, ordered, agents, .. } = situation;
    Ok(WrittenProblem { scenario, tick: *tick, ordered: *ordered, agents: agents.len() })
}
