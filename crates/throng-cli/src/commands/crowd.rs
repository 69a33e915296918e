//! `throng run` and `throng compare`: a crowd on a map, under one planner or several.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use throng::cpd::Cpd;
use throng::crowd::DirectionMap;
use throng::grid::render::{Colour, Picture};
use throng::{Event, Grid};
use throng_lab::{
    Instance, Limits, Outcome, Patrol, PatrolPlan, ProblemError, ProblemType, RunError, RunResult, Setup,
    TickBudget, learn_moves,
};

use super::cpd;
use super::outcome::{comparison, describe};
use super::patrol::{self, Patrolled, Printed};
use crate::output::{bad_input, count, print_either, progress};
use crate::picture::Recorder;
use crate::rules::Rules;
use crate::{picture, source};

/// What closes the help of `run`.
pub(crate) const RUN_EXAMPLE: &str = "\
Examples:
  throng run builtin:town --agents 200 --planner far --animation town.png
  throng run dao/lak307d.map --agents 500 --type swap-sides --planner far --wall-limit 30
  throng run builtin:patrol-field --agents 60 --loops 5 --planner dm --arrows lanes.svg";

/// What closes the help of `compare`.
pub(crate) const COMPARE_EXAMPLE: &str =
    "Example: throng compare builtin:town --agents 200 --planner bmaa --planner far --planner whca";

/// The arguments of `throng run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The problem and its limits.
    #[command(flatten)]
    crowd: CrowdArguments,
    /// The planner, with its parameters if need be
    #[arg(long, value_name = "NAME[:KEY=VALUE,..]")]
    planner: String,
    /// Draw the way the crowd took and where it ended
    #[arg(short = 'o', long = "out", value_name = "FILE.png")]
    picture: Option<PathBuf>,
    /// Write an animation of the run as an animated PNG, which every browser plays
    #[arg(long, value_name = "FILE.png")]
    animation: Option<PathBuf>,
    /// Record the run, to be played and checked with `throng replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Patrol: everyone goes there and back so many times, between places on a checkerboard (types random, swap-sides)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(3..), conflicts_with = "scen")]
    loops: Option<u64>,
    /// Draw which way agents walked over each cell, as an onlooker learns it: lanes show
    #[arg(long, value_name = "FILE.png|FILE.svg")]
    arrows: Option<PathBuf>,
    /// Begin with a direction map that was learned before, for planners that follow one (also as map=FILE)
    #[arg(long, value_name = "FILE")]
    directions: Option<PathBuf>,
    /// The path database of the map, for planners that use one (pibt): distances without searches
    #[arg(long, value_name = "FILE")]
    cpd: Option<String>,
    /// Keep the direction map that was learned, for --directions and for games
    #[arg(long, value_name = "FILE")]
    save_directions: Option<PathBuf>,
}

/// The arguments of `throng compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The problem and its limits.
    #[command(flatten)]
    crowd: CrowdArguments,
    /// A planner, with its parameters if need be; give several
    #[arg(long = "planner", value_name = "NAME[:KEY=VALUE,..]", required = true)]
    planners: Vec<String>,
}

/// What is asked of a crowd.
#[derive(Debug, Args)]
struct CrowdArguments {
    /// A map file, or builtin:NAME
    map: String,
    /// How many agents
    #[arg(long, value_name = "N")]
    agents: usize,
    /// Who starts where and goes where: one of `throng list problem-types`
    #[arg(long = "type", value_name = "TYPE", default_value = "random", value_parser = problem_type)]
    kind: ProblemType,
    /// Draws the problem, and decides where a planner draws lots
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The agents of a scenario file's first lines instead
    #[arg(long, value_name = "FILE", conflicts_with = "kind")]
    scen: Option<String>,
    /// Stop after so many ticks
    #[arg(long, value_name = "T", default_value_t = 2_000)]
    max_ticks: u64,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    wall_limit: Option<Duration>,
    /// Stop after so many expansions in all
    #[arg(long, value_name = "N")]
    max_expansions: Option<u64>,
    /// Stop after so many ticks in which nobody stepped
    #[arg(long, value_name = "T")]
    still: Option<u64>,
    /// What a tick may do: a number of expansions, or microseconds as in 2000us
    #[arg(long, value_name = "EXPANSIONS|Nus", value_parser = budget)]
    budget: Option<TickBudget>,
    /// Threads for independent searches; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Who walks how.
    #[command(flatten)]
    rules: Rules,
}

/// The problem type of a name.
fn problem_type(text: &str) -> Result<ProblemType, String> {
    ProblemType::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
        let names = ProblemType::ALL.map(ProblemType::name);
        let nearest = throng::searches::spec::nearest(text, names);
        nearest.map_or_else(|| format!("one of {}", names.join(", ")), |name| format!("did you mean {name}?"))
    })
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a number of seconds, for example 30".to_owned())
}

/// A number of expansions, or of microseconds.
fn budget(text: &str) -> Result<TickBudget, String> {
    let number = |digits: &str| digits.parse().ok().filter(|&number: &u64| number > 0);
    let budget = match text.strip_suffix("us") {
        Some(digits) => number(digits).map(TickBudget::Microseconds),
        None => number(text).map(TickBudget::Expansions),
    };
    budget.ok_or_else(|| {
        "a number of expansions from 1, such as 20000, or of microseconds, such as 2000us".to_owned()
    })
}

impl CrowdArguments {
    fn instance(&self, grid: &Grid) -> Result<Instance> {
        let instance = match &self.scen {
            Some(file) => Instance::from_scenario(grid.ground(), &source::open_scenario(file)?, self.agents),
            None => Instance::generate(grid.ground(), self.kind, self.agents, self.seed),
        };
        instance.map_err(|error| match (&self.scen, &error) {
            (Some(file), ProblemError::Line { .. }) => bad_input(format_args!("{file}:{error}")),
            _ => bad_input(error),
        })
    }

    /// A patrol between places of the problem's type.
    fn patrol(&self, grid: &Grid, loops: u64) -> Result<Patrol> {
        let plan = PatrolPlan { agents: self.agents, loops, places_move: false, door: None };
        Patrol::new(grid.ground(), self.kind, plan, self.seed).map_err(bad_input)
    }

    fn run(
        &self,
        grid: &Grid,
        instance: &Instance,
        planner: &str,
        extras: Extras<'_>,
        go: impl FnOnce(Setup<'_>) -> Result<Outcome, RunError>,
    ) -> Result<Outcome> {
        let limits = Limits {
            wall: self.wall_limit,
            expansions: self.max_expansions,
            still: self.still,
            budget: self.budget.unwrap_or_default(),
            ..Limits::ticks(self.max_ticks)
        };
        let threads = self.threads.into();
        let setup = Setup {
            seed: self.seed,
            threads,
            limits,
            record: extras.record,
            directions: extras.directions,
            cpd: extras.cpd,
            ..Setup::new(grid, instance, planner, self.max_ticks)
        };
        let mut outcome = go(setup).map_err(|error| match error {
            RunError::Planner(_)
            | RunError::Setup(_)
            | RunError::World(_)
            | RunError::Directions(_)
            | RunError::Database(_)
            | RunError::NoDirections(_) => bad_input(error),
            error => error.into(),
        })?;
        outcome.result.map.clone_from(&self.map);
        let kind = if self.scen.is_some() { "scenario" } else { self.kind.name() };
        kind.clone_into(&mut outcome.result.r#type);
        Ok(outcome)
    }
}

/// What goes with a run besides its problem.
#[derive(Clone, Copy, Default)]
struct Extras<'a> {
    record: bool,
    directions: Option<&'a DirectionMap>,
    cpd: Option<&'a Arc<Cpd>>,
}

/// The planner without the parameter `map=FILE`, and the file, from there or from the arguments.
fn split_map(arguments: &RunArguments) -> Result<(String, Option<PathBuf>)> {
    let (name, given) = throng::searches::spec::split(&arguments.planner);
    let (files, others): (Vec<&str>, Vec<&str>) =
        given.split(',').filter(|_| !given.is_empty()).partition(|entry| entry.starts_with("map="));
    let mut files: Vec<PathBuf> = files.iter().map(|entry| PathBuf::from(&entry["map=".len()..])).collect();
    files.extend(arguments.directions.clone());
    if files.len() > 1 {
        return Err(bad_input("give one direction map, as map=FILE or as --directions FILE"));
    }
    let planner = if others.is_empty() { name.to_owned() } else { format!("{name}:{}", others.join(",")) };
    Ok((planner, files.pop()))
}

/// Runs a crowd with a progress bar, and records its animation where that is asked for.
pub(crate) fn watched(
    setup: Setup<'_>,
    mut animation: Option<&mut Recorder<'_>>,
    mut look: impl FnMut(&[Event]),
) -> Result<Outcome, RunError> {
    let agents = setup.instance.starts.len() as u64;
    let bar = progress(Some(agents), "{msg} {bar:30} {pos} of {len} home", setup.planner.to_owned());
    let outcome = throng_lab::run(setup, |world, events| {
        look(events);
        if world.ticks() % 64 == 0 {
            bar.set_position(world.agents().iter().filter(|&&agent| world.is_home(agent)).count() as u64);
        }
        if let Some(animation) = &mut animation {
            animation.take(world);
        }
        true
    });
    bar.finish_and_clear();
    outcome
}

/// `throng run`.
pub(crate) fn run(arguments: &RunArguments, json: bool) -> Result<()> {
    let crowd = &arguments.crowd;
    let grid = crowd.rules.grid(source::open_map(&crowd.map)?);
    for file in arguments.picture.iter().chain(&arguments.animation) {
        picture::check_name(file)?;
    }
    if let Some(file) = &arguments.arrows {
        picture::check_arrows_name(file)?;
    }
    let mut patrol = arguments.loops.map(|loops| crowd.patrol(&grid, loops)).transpose()?;
    let instance = match &patrol {
        Some(patrol) => patrol.instance(),
        None => crowd.instance(&grid)?,
    };
    let (planner, map) = split_map(arguments)?;
    let map = map.as_deref().map(source::open_directions).transpose()?;
    for file in arguments.record.iter().chain(&arguments.save_directions) {
        // Better to know before a long run than after it that nothing can be written there.
        picture::write_file(file, &[])?;
    }
    let mut animation = arguments.animation.as_ref().map(|_| Recorder::new(&grid, &instance));
    let mut lanes = DirectionMap::new(grid.size());
    let cpd = arguments.cpd.as_ref().map(|file| cpd::open(file, grid.ground()).map(Arc::new)).transpose()?;
    let extras = Extras { record: arguments.record.is_some(), directions: map.as_ref(), cpd: cpd.as_ref() };
    let mut outcome = crowd.run(&grid, &instance, &planner, extras, |setup| match &mut patrol {
        Some(patrol) => patrol::watched(setup, patrol, animation.as_mut()),
        None => watched(setup, animation.as_mut(), |events| learn_moves(&mut lanes, events)),
    })?;
    if let Some(patrol) = &patrol {
        patrol.correct(&mut outcome.result);
    }
    if let Some(file) = &arguments.arrows {
        picture::write_arrows(&grid, patrol.as_ref().map_or(&lanes, Patrol::lanes), None, file)?;
    }
    if let Some(file) = &arguments.picture {
        let agents = outcome.positions.iter().enumerate().map(|(i, &cell)| (cell, Colour::nth(i)));
        picture::write(&Picture::of_grid(&grid).heat(&outcome.heat).agents(agents), file)?;
    }
    if let (Some(animation), Some(file)) = (animation, &arguments.animation) {
        animation.write(file)?;
    }
    if let Some(file) = &arguments.record {
        picture::write_file(file, &outcome.recording)?;
    }
    if let Some(file) = &arguments.save_directions {
        let Some(map) = &outcome.directions else {
            return Err(bad_input(format_args!("`{planner}` learns no direction map")));
        };
        picture::write_file(file, &map.to_bytes())?;
    }
    let loops = patrol.as_ref().map(|patrol| Patrolled::of(patrol, outcome.result.ticks));
    print_either(json, &Printed { result: &outcome.result, loops }, || {
        let mut text = describe(&outcome.result) + &loops.map_or_else(String::new, Patrolled::describe);
        let written = [
            ("picture", &arguments.picture),
            ("animation", &arguments.animation),
            ("recording", &arguments.record),
            ("arrows", &arguments.arrows),
            ("directions", &arguments.save_directions),
        ];
        for (what, file) in written {
            if let Some(file) = file {
                let _ = writeln!(text, "{what:12}  {}", file.display());
            }
        }
        text
    })
}

/// `throng compare`.
pub(crate) fn compare(arguments: &CompareArguments, json: bool) -> Result<()> {
    let crowd = &arguments.crowd;
    let grid = crowd.rules.grid(source::open_map(&crowd.map)?);
    let instance = crowd.instance(&grid)?;
    let runs = arguments.planners.iter().map(|planner| {
        let extras = Extras::default();
        crowd.run(&grid, &instance, planner, extras, |setup| watched(setup, None, |_| ()))
    });
    let results = runs.map(|outcome| Ok(outcome?.result)).collect::<Result<Vec<RunResult>>>()?;
    print_either(json, &results, || {
        let title = format!(
            "{} on {}, problem {}, seed {} ({})\n\n",
            count(crowd.agents, "agent", "agents"),
            crowd.map,
            results.first().map_or("", |result| &result.r#type),
            crowd.seed,
            crowd.rules
        );
        title + &comparison(&results)
    })
}
