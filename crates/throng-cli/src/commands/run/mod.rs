//! `throng run`: runs one planner on one instance, prints the result, and writes the requested pictures, animation,
//! recording and direction maps.

mod lifelong;
mod patrol;

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng::grid::render::{Colour, Picture};
use throng::{Event, Grid};
use throng_lab::files::{Files, Replacement};
use throng_lab::{FinishedRun, Patrol, RecordingSink, RunResult, Setup, Shortest, Stopped, learn_moves};
use throng_toolkit::DirectionMap;

use super::cpd;
use super::crowd::{CrowdArguments, Extras, Orders, run_with_progress};
use super::run_result::describe;
use crate::interrupt;
use crate::output::{Interrupted, bad_input, print_either};
use crate::picture::AnimationRecorder;
use crate::{picture, source};
use lifelong::LifelongSummary;
use patrol::PatrolSummary;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng run builtin:town --agents 200 --planner surge --animation town.png
  throng run dao/lak307d.map --agents 500 --type swap-sides --planner far --wall-limit 30
  throng run builtin:patrol-field --agents 60 --loops 5 --planner dm --arrows lanes.svg
  throng run builtin:warehouse --agents 100 --lifelong --max-ticks 1000 --planner surge";

/// The arguments of `throng run`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The instance and its limits.
    #[command(flatten)]
    crowd: CrowdArguments,
    /// The planner with optional parameters
    #[arg(long, value_name = "NAME[:KEY=VALUE,..]")]
    planner: String,
    /// Draw how often each cell was entered, the final positions and, with --fog, what nobody has seen
    #[arg(short = 'o', long = "out", value_name = "FILE.png")]
    picture: Option<PathBuf>,
    /// Write an animation of the run as an animated PNG, which every browser plays
    #[arg(long, value_name = "FILE.png")]
    animation: Option<PathBuf>,
    /// Record the run, to be played back and checked with `throng replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Patrol: each agent walks N times to its goal and back, between endpoints on a checkerboard (types random, swap-sides)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(3..), conflicts_with = "scen")]
    loops: Option<u64>,
    /// Lifelong: an agent that arrives gets the next goal at once, and the throughput is reported: goals reached per tick
    #[arg(long, conflicts_with = "loops")]
    lifelong: bool,
    /// With --lifelong: ticks before the throughput is counted
    #[arg(long, value_name = "T", default_value_t = 200, requires = "lifelong")]
    warm_up: u64,
    /// Draw the direction in which agents crossed each cell, as a direction map learns it
    #[arg(long, value_name = "FILE.png|FILE.svg")]
    arrows: Option<PathBuf>,
    /// Start with a direction map learned before, for planners that follow one (also as parameter map=FILE)
    #[arg(long, value_name = "FILE")]
    directions: Option<PathBuf>,
    /// The path database of the map, for planners that can look up distances in one (pibt)
    #[arg(long, value_name = "FILE")]
    cpd: Option<String>,
    /// A model made by `throng select train`, for planners that pick other planners (auto)
    #[arg(long, value_name = "FILE")]
    model: Option<String>,
    /// Save the direction map that the planner learned, for --directions and for games
    #[arg(long, value_name = "FILE")]
    save_directions: Option<PathBuf>,
}

/// `throng run`.
pub(crate) fn run(arguments: &Arguments, json: bool, files: &Files) -> Result<()> {
    let crowd = &arguments.crowd;
    let grid = crowd.problem.grid()?;
    arguments.check_picture_names()?;
    let mut patrol = arguments.loops.map(|loops| crowd.patrol(&grid, loops)).transpose()?;
    let instance = match &patrol {
        Some(patrol) => patrol.instance(),
        None => crowd.problem.instance(&grid)?,
    };
    let lifelong = arguments.lifelong.then(|| crowd.lifelong(&grid, &instance, arguments.warm_up));
    let mut lifelong = lifelong.transpose()?;
    let (planner, directions) = arguments.planner_and_directions()?;
    let directions = directions.as_deref().map(source::open_directions).transpose()?;
    let cpd = arguments.cpd.as_ref().map(|file| cpd::open(file, grid.ground()).map(Arc::new)).transpose()?;
    let model = arguments.model.as_deref().map(source::read_model).transpose()?;
    // An unwritable file is reported before a long run instead of after it.
    let recording = arguments.record.as_ref().map(|file| RecordingSink::file(files, file)).transpose()?;
    let saved_directions =
        arguments.save_directions.as_ref().map(|file| files.replacement(file)).transpose()?;
    let mut animation = arguments.animation.as_ref().map(|_| AnimationRecorder::new(&grid, &instance));
    // Maps of counts and directions are as large as the map, so they are made only to be drawn.
    let mut observed = arguments.arrows.as_ref().map(|_| DirectionMap::new(grid.size()));
    let extras = Extras {
        record: recording.as_ref(),
        directions: directions.as_ref(),
        cpd: cpd.as_ref(),
        model: model.as_ref(),
    };
    let stop = interrupt::flag();
    let mut outcome = crowd.run(&grid, &instance, &planner, extras, |setup| {
        let setup = Setup { heat: arguments.picture.is_some(), ..setup };
        let observe = |events: &[Event]| {
            if let Some(observed) = &mut observed {
                learn_moves(observed, events);
            }
        };
        let (setup, orders) = match (&mut patrol, &mut lifelong) {
            (Some(patrol), _) => (setup, Orders::Patrol(patrol)),
            // Agents walk to more goals than their first, so the length of the first path is no reference.
            (None, Some(goals)) => (Setup { shortest: Shortest::Unwanted, ..setup }, Orders::Lifelong(goals)),
            (None, None) => (setup, Orders::Once),
        };
        run_with_progress(setup, orders, animation.as_mut(), &stop, observe)
    })?;
    if let Some(recording) = recording {
        recording.finish()?;
    }
    if let Some(patrol) = &patrol {
        patrol.count_all_loops(&mut outcome.result);
    }
    if let (Some(animation), Some(file)) = (animation, &arguments.animation) {
        animation.write(file)?;
    }
    arguments.write_pictures(&grid, patrol.as_ref().map(Patrol::lanes).or(observed.as_ref()), &outcome)?;
    if let Some(file) = saved_directions {
        arguments.save_directions(&outcome, file)?;
    }
    let loops = patrol.as_ref().map(|patrol| PatrolSummary::of(patrol, outcome.result.ticks));
    let tasks = lifelong.map(|goals| LifelongSummary::of(&goals, outcome.result.ticks, arguments.warm_up));
    print_either(json, &RunOutput { result: &outcome.result, loops, tasks }, || {
        let loops = loops.map_or_else(String::new, PatrolSummary::describe);
        let tasks = tasks.map_or_else(String::new, LifelongSummary::describe);
        describe(&outcome.result) + &loops + &tasks + &arguments.written_files()
    })?;
    if outcome.result.stopped == Stopped::Interrupted { Err(Interrupted.into()) } else { Ok(()) }
}

/// The JSON document of `throng run`.
#[derive(Debug, Serialize)]
struct RunOutput<'a> {
    #[serde(flatten)]
    result: &'a RunResult,
    /// Present for patrols only.
    #[serde(flatten)]
    loops: Option<PatrolSummary>,
    /// Present for lifelong runs only.
    #[serde(flatten)]
    tasks: Option<LifelongSummary>,
}

impl Arguments {
    /// Refuses names of pictures with a wrong extension before a long run.
    fn check_picture_names(&self) -> Result<()> {
        for file in self.picture.iter().chain(&self.animation) {
            picture::check_name(file)?;
        }
        self.arrows.as_deref().map_or(Ok(()), picture::check_arrows_name)
    }

    /// Returns the planner without the parameter `map=FILE`, and the direction map's file from there or from
    /// `--directions`.
    fn planner_and_directions(&self) -> Result<(String, Option<PathBuf>)> {
        let (name, given) = throng_search::spec::split(&self.planner);
        let (files, others): (Vec<&str>, Vec<&str>) =
            given.split(',').filter(|_| !given.is_empty()).partition(|entry| entry.starts_with("map="));
        let mut files: Vec<PathBuf> =
            files.iter().map(|entry| PathBuf::from(&entry["map=".len()..])).collect();
        files.extend(self.directions.clone());
        if files.len() > 1 {
            return Err(bad_input(
                "several direction maps are given; use one of map=FILE and --directions FILE",
            ));
        }
        let planner =
            if others.is_empty() { name.to_owned() } else { format!("{name}:{}", others.join(",")) };
        Ok((planner, files.pop()))
    }

    /// Draws the requested pictures. `observed` is the direction map learned from all moves.
    fn write_pictures(
        &self,
        grid: &Grid,
        observed: Option<&DirectionMap>,
        outcome: &FinishedRun,
    ) -> Result<()> {
        if let Some((file, observed)) = self.arrows.as_ref().zip(observed) {
            picture::write_arrows(grid, observed, None, file)?;
        }
        if let Some(file) = &self.picture {
            let agents = outcome.positions.iter().enumerate().map(|(i, &cell)| (cell, Colour::nth(i)));
            let picture = Picture::of_grid(grid).unseen(&outcome.unseen).heat(&outcome.heat).agents(agents);
            picture::write(&picture, file)?;
        }
        Ok(())
    }

    /// Saves the direction map that the planner has learned.
    fn save_directions(&self, outcome: &FinishedRun, mut file: Replacement) -> Result<()> {
        let Some(map) = &outcome.directions else {
            return Err(bad_input(format_args!(
                "the planner `{}` learns no direction map, so --save-directions has nothing to save",
                self.planner
            )));
        };
        file.write(&map.to_bytes())?;
        Ok(file.commit()?)
    }

    /// Lists the files that were written, one per line.
    fn written_files(&self) -> String {
        let mut text = String::new();
        let written = [
            ("picture", &self.picture),
            ("animation", &self.animation),
            ("recording", &self.record),
            ("arrows", &self.arrows),
            ("directions", &self.save_directions),
        ];
        for (what, file) in written {
            if let Some(file) = file {
                let _ = writeln!(text, "{what:12}  {}", file.display());
            }
        }
        text
    }
}
