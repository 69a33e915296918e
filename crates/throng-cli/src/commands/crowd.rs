//! `throng run` and `throng compare`: a crowd on a map, under one planner or several.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use throng::Grid;
use throng::grid::render::{Colour, Picture};
use throng_lab::{
    Instance, Limits, Outcome, ProblemError, ProblemType, RunError, RunResult, Setup, TickBudget,
};

use crate::output::{bad_input, count, fields, measure, print_either, progress, table, thousands};
use crate::picture::Recorder;
use crate::rules::Rules;
use crate::{picture, source};

/// What closes the help of `run`.
pub(crate) const RUN_EXAMPLE: &str = "\
Examples:
  throng run builtin:town --agents 200 --planner far --film town.png
  throng run dao/lak307d.map --agents 500 --type swap-sides --planner far --wall-limit 30";

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
    /// Film the run as an animated PNG, which every browser plays
    #[arg(long, value_name = "FILE.png")]
    film: Option<PathBuf>,
    /// Record the run, to be played and checked with `throng replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
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

    fn run(
        &self,
        grid: &Grid,
        instance: &Instance,
        planner: &str,
        film: Option<&mut Recorder<'_>>,
        record: bool,
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
            record,
            ..Setup::new(grid, instance, planner, self.max_ticks)
        };
        let mut outcome = watched(setup, film).map_err(|error| match error {
            RunError::Planner(_) | RunError::Setup(_) | RunError::World(_) => bad_input(error),
            error => error.into(),
        })?;
        outcome.result.map.clone_from(&self.map);
        let kind = if self.scen.is_some() { "scenario" } else { self.kind.name() };
        kind.clone_into(&mut outcome.result.r#type);
        Ok(outcome)
    }
}

/// Runs a crowd with a progress bar, and films it where that is asked for.
pub(crate) fn watched(setup: Setup<'_>, mut film: Option<&mut Recorder<'_>>) -> Result<Outcome, RunError> {
    let agents = setup.instance.starts.len() as u64;
    let bar = progress(Some(agents), "{msg} {bar:30} {pos} of {len} home", setup.planner.to_owned());
    let outcome = throng_lab::run(setup, |world, _| {
        if world.ticks() % 64 == 0 {
            bar.set_position(world.agents().iter().filter(|&&agent| world.is_home(agent)).count() as u64);
        }
        if let Some(film) = &mut film {
            film.take(world);
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
    for file in arguments.picture.iter().chain(&arguments.film) {
        picture::check_name(file)?;
    }
    let instance = crowd.instance(&grid)?;
    if let Some(file) = &arguments.record {
        // Better to know before a long run than after it that nothing can be written there.
        picture::write_file(file, &[])?;
    }
    let mut film = arguments.film.as_ref().map(|_| Recorder::new(&grid, &instance));
    let outcome =
        crowd.run(&grid, &instance, &arguments.planner, film.as_mut(), arguments.record.is_some())?;
    if let Some(file) = &arguments.picture {
        let agents = outcome.positions.iter().enumerate().map(|(i, &cell)| (cell, Colour::nth(i)));
        picture::write(&Picture::of_grid(&grid).heat(&outcome.heat).agents(agents), file)?;
    }
    if let (Some(film), Some(file)) = (film, &arguments.film) {
        film.write(file)?;
    }
    if let Some(file) = &arguments.record {
        picture::write_file(file, &outcome.recording)?;
    }
    print_either(json, &outcome.result, || {
        let mut text = describe(&outcome.result);
        let written =
            [("picture", &arguments.picture), ("film", &arguments.film), ("recording", &arguments.record)];
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
    let runs = arguments.planners.iter().map(|planner| crowd.run(&grid, &instance, planner, None, false));
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

/// Results side by side.
pub(crate) fn comparison(results: &[RunResult]) -> String {
    let header = [
        "planner",
        ">home %",
        ">ticks",
        ">mean arrival",
        ">travel/shortest",
        ">failed moves",
        ">tick µs",
        ">p99 µs",
        ">prepare s",
    ];
    let rows = results.iter().map(|result| {
        [
            result.planner.clone(),
            format!("{:.1}", result.completion_rate * 100.0),
            thousands(result.ticks),
            measure(result.completion_ticks_mean),
            format!("{:.3}", result.travel_over_shortest),
            thousands(result.failed_moves),
            measure(result.tick_us.mean),
            measure(result.tick_us.p99),
            measure(result.prepare_seconds),
        ]
    });
    let stragglers = results.iter().any(|result| result.completion_rate < 1.0);
    table(&header, rows) + if stragglers { STRAGGLERS } else { "" }
}

/// Why a mean may be lower than seems possible.
const STRAGGLERS: &str = "
Who is not home at the end counts with the last tick as its arrival, and with what it has walked so far.
";

/// One result, line by line.
fn describe(result: &RunResult) -> String {
    let tick = &result.tick_us;
    let title = format!(
        "{} under {} on {}, problem {}, seed {}\n\n",
        count(result.agents, "agent", "agents"),
        result.planner,
        result.map,
        result.r#type,
        result.seed
    );
    title
        + &fields(&[
            ("home", format!("{:.2} %", result.completion_rate * 100.0)),
            ("ticks", format!("{} (stopped by {})", thousands(result.ticks), result.stopped)),
            (
                "mean arrival",
                format!(
                    "tick {}, {} s",
                    measure(result.completion_ticks_mean),
                    measure(result.completion_seconds_mean)
                ),
            ),
            (
                "mean travel",
                format!(
                    "{}, {:.3} times the shortest",
                    measure(result.travel_mean),
                    result.travel_over_shortest
                ),
            ),
            ("failed moves", thousands(result.failed_moves)),
            ("expansions", thousands(result.expansions)),
            (
                "a tick",
                format!(
                    "{} µs on average, half below {}, 99 % below {}, at most {}",
                    measure(tick.mean),
                    measure(tick.p50),
                    measure(tick.p99),
                    measure(tick.max)
                ),
            ),
            ("prepared in", format!("{} s", measure(result.prepare_seconds))),
            ("ran for", format!("{} s", measure(result.wall_seconds))),
            (
                "collisions",
                result.collisions.map_or_else(|| "not checked".to_owned(), |found| found.to_string()),
            ),
            ("overruled", result.overruled.to_string()),
            ("memory", format!("{} MiB at most", measure(result.peak_bytes as f64 / 1_048_576.0))),
            ("state hash", format!("{:016x}", result.state_hash)),
        ])
}
