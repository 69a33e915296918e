//! What `throng run` and `throng compare` have in common: the options that define an instance and its limits, and a
//! run with a progress bar.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use throng::{AgentId, Crossings, Event, Fog, Grid, MapKnowledge, StepTime, World};
use throng_cpd::Cpd;
use throng_lab::{
    FinishedRun, Instance, Lifelong, Patrol, PatrolPlan, PlaceArea, ProblemError, ProblemType, RecordingSink,
    RunError, RunLimits, Setup, TickBudget, run_script,
};
use throng_toolkit::DirectionMap;

use crate::output::{bad_input, progress};
use crate::picture::AnimationRecorder;
use crate::rules::{Rules, crossings, step_time};
use crate::source;

/// An instance.
#[derive(Clone, Debug, Args)]
pub(super) struct InstanceArguments {
    /// A map file, or builtin:NAME
    pub(super) map: String,
    /// Number of agents, at least 1
    #[arg(long, value_name = "N", value_parser = agent_count)]
    pub(super) agents: usize,
    /// Problem type, which chooses starts and goals; `throng list problem-types` shows all
    #[arg(long = "type", value_name = "TYPE", default_value = "random", value_parser = problem_type)]
    kind: ProblemType,
    /// Seed of the instance and of the random decisions of planners
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(super) seed: u64,
    /// Take the agents from the first N lines of a scenario file instead of a problem type
    #[arg(long, value_name = "FILE", conflicts_with = "kind")]
    scen: Option<String>,
    /// Terrain costs and legal moves.
    #[command(flatten)]
    pub(super) rules: Rules,
}

/// The instance and the limits of a run.
#[derive(Clone, Debug, Args)]
pub(super) struct CrowdArguments {
    /// The instance.
    #[command(flatten)]
    pub(super) problem: InstanceArguments,
    /// Stop after T ticks
    #[arg(long, value_name = "T", default_value_t = 2_000)]
    max_ticks: u64,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    wall_limit: Option<Duration>,
    /// Stop after N node expansions in total
    #[arg(long, value_name = "N")]
    max_expansions: Option<u64>,
    /// Stop after T consecutive ticks in which no agent moved
    #[arg(long, value_name = "T")]
    still: Option<u64>,
    /// Work budget per tick: units of 50 ns at the planner's price per expansion, or microseconds such as 2000us
    #[arg(long, value_name = "UNITS|Nus", value_parser = budget)]
    budget: Option<TickBudget>,
    /// Unknown map: agents know only the cells that they have seen, up to R cells away; with :shared they share one map
    #[arg(long, value_name = "R[:shared]")]
    fog: Option<Fog>,
    /// Whether two agents may cross diagonally within a tick
    #[arg(long, default_value_t, value_parser = crossings())]
    crossings: Crossings,
    /// Whether the time of a step follows its cost
    #[arg(long, default_value_t, value_parser = step_time())]
    step_time: StepTime,
    /// Threads for independent searches; results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

/// Optional inputs and outputs of a run.
#[derive(Clone, Copy, Default)]
pub(super) struct Extras<'a> {
    /// Where the recording goes.
    pub(super) record: Option<&'a RecordingSink>,
    /// The direction map that the planner starts with.
    pub(super) directions: Option<&'a DirectionMap>,
    /// The path database of the map.
    pub(super) cpd: Option<&'a Arc<Cpd>>,
    /// The content of a model file.
    pub(super) model: Option<&'a Arc<[u8]>>,
}

impl InstanceArguments {
    /// Opens the map under the chosen rules.
    pub(super) fn grid(&self) -> Result<Grid> {
        Ok(self.rules.grid(source::open_map(&self.map)?))
    }

    /// Generates the instance, or reads it from the scenario file.
    pub(super) fn instance(&self, grid: &Grid) -> Result<Instance> {
        let instance = match &self.scen {
            Some(file) => Instance::from_scenario(grid.ground(), &source::open_scenario(file)?, self.agents),
            None => Instance::generate(grid.ground(), self.kind, self.agents, self.seed),
        };
        instance.map_err(|error| match (&self.scen, &error) {
            (Some(file), ProblemError::Line { .. }) => bad_input(format_args!("{file}:{error}")),
            _ => bad_input(error),
        })
    }
}

impl CrowdArguments {
    /// Returns the same arguments with another seed.
    pub(super) fn with_seed(&self, seed: u64) -> Self {
        Self { problem: InstanceArguments { seed, ..self.problem.clone() }, ..self.clone() }
    }

    /// Returns how much of the map planners know.
    pub(super) fn known_map(&self) -> MapKnowledge {
        Fog::grants(self.fog)
    }

    /// Returns the goals of a lifelong run that starts with an instance.
    pub(super) fn lifelong(&self, grid: &Grid, instance: &Instance, warm_up: u64) -> Result<Lifelong> {
        if warm_up >= self.max_ticks {
            return Err(bad_input(format_args!(
                "a warm-up of {warm_up} ticks leaves none of {} to count tasks in; raise --max-ticks or lower --warm-up",
                self.max_ticks
            )));
        }
        Ok(Lifelong::new(grid.ground(), instance, self.problem.seed, warm_up))
    }

    /// Creates a patrol whose endpoints are chosen by the problem type.
    pub(super) fn patrol(&self, grid: &Grid, loops: u64) -> Result<Patrol> {
        let plan = PatrolPlan {
            agents: self.problem.agents,
            loops,
            places_move: false,
            door: None,
            area: PlaceArea::default(),
        };
        Patrol::new(grid.ground(), self.problem.kind, plan, self.problem.seed).map_err(bad_input)
    }

    /// Runs a planner on the instance by calling `execute`, and completes the result with the names of map and problem
    /// type.
    pub(super) fn run(
        &self,
        grid: &Grid,
        instance: &Instance,
        planner: &str,
        extras: Extras<'_>,
        execute: impl FnOnce(Setup<'_>) -> Result<FinishedRun, RunError>,
    ) -> Result<FinishedRun> {
        let limits = RunLimits {
            wall: self.wall_limit,
            expansions: self.max_expansions,
            still: self.still,
            budget: self.budget.unwrap_or_default(),
            ..RunLimits::ticks(self.max_ticks)
        };
        let setup = Setup {
            seed: self.problem.seed,
            threads: self.threads.into(),
            limits,
            fog: self.fog,
            crossings: self.crossings,
            step_time: self.step_time,
            record_to: extras.record,
            directions: extras.directions,
            cpd: extras.cpd,
            model: extras.model,
            ..Setup::new(grid, instance, planner, self.max_ticks)
        };
        let mut outcome = execute(setup).map_err(|error| match error {
            RunError::Planner(_)
            | RunError::Setup(_)
            | RunError::UnknownMap { .. }
            | RunError::World(_)
            | RunError::NoDirections(_) => bad_input(error),
            error => error.into(),
        })?;
        outcome.result.map.clone_from(&self.problem.map);
        let kind = if self.problem.scen.is_some() { "scenario" } else { self.problem.kind.name() };
        kind.clone_into(&mut outcome.result.r#type);
        Ok(outcome)
    }
}

/// The goals of the agents in a run.
pub(super) enum Orders<'a> {
    /// One goal each.
    Once,
    /// There and back several times.
    Patrol(&'a mut Patrol),
    /// One after the other without end.
    Lifelong(&'a mut Lifelong),
}

/// Runs a planner with a progress bar, until `stop` is set. Adds each tick to the animation, if one is given. Without a patrol it calls `observe`
/// with the events of each tick.
pub(super) fn run_with_progress(
    setup: Setup<'_>,
    orders: Orders<'_>,
    mut animation: Option<&mut AnimationRecorder<'_>>,
    stop: &AtomicBool,
    mut observe: impl FnMut(&[Event]),
) -> Result<FinishedRun, RunError> {
    let agents = setup.instance.starts.len();
    let (unit, count) = match orders {
        Orders::Once => ("arrived", agents as u64),
        Orders::Patrol(_) => ("finished", agents as u64),
        Orders::Lifelong(_) => ("ticks", setup.limits.ticks),
    };
    let (leaves, is_lifelong) = (matches!(orders, Orders::Patrol(_)), matches!(orders, Orders::Lifelong(_)));
    let template = format!("{{msg}} {{bar:30}} {{pos}} of {{len}} {unit}");
    let bar = progress(Some(count), &template, setup.planner.to_owned());
    let mut watch = |world: &World| {
        if world.ticks().is_multiple_of(64) {
            // An agent that has finished its patrol leaves the world.
            let going = |agent: &&AgentId| leaves || world.has_arrived(**agent) == Ok(false);
            let arrived = || (agents - world.agents().iter().filter(going).count()) as u64;
            bar.set_position(if is_lifelong { world.ticks() } else { arrived() });
        }
        if let Some(animation) = &mut animation {
            animation.add_frame(world);
        }
        !stop.load(Ordering::Relaxed)
    };
    let outcome = match orders {
        Orders::Patrol(patrol) => run_script(setup, &mut patrol.watched(watch)),
        Orders::Lifelong(lifelong) => {
            let watch_both = |world: &World, events: &[Event]| {
                observe(events);
                watch(world)
            };
            run_script(setup, &mut lifelong.watched(watch_both))
        }
        Orders::Once => throng_lab::run(setup, |world, events| {
            observe(events);
            watch(world)
        }),
    };
    bar.finish_and_clear();
    outcome
}

/// Parses a number of agents. An empty crowd has no completion rate, so it is refused.
pub(super) fn agent_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|&count| count > 0);
    count.ok_or_else(|| "the number of agents must be a whole number of at least 1".to_owned())
}

/// Parses the name of a problem type.
pub(super) fn problem_type(text: &str) -> Result<ProblemType, String> {
    ProblemType::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
        let names = ProblemType::ALL.map(ProblemType::name);
        let nearest = throng_search::spec::nearest(text, names);
        nearest.map_or_else(
            || format!("expected one of {}", names.join(", ")),
            |name| format!("did you mean {name}?"),
        )
    })
}

/// Parses a positive number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a positive number of seconds, for example 30".to_owned())
}

/// Parses a work budget per tick: units, or microseconds with the suffix `us`.
fn budget(text: &str) -> Result<TickBudget, String> {
    let number = |digits: &str| digits.parse().ok().filter(|&number: &u64| number > 0);
    let budget = match text.strip_suffix("us") {
        Some(digits) => number(digits).map(TickBudget::Microseconds),
        None => number(text).map(TickBudget::Units),
    };
    budget.ok_or_else(|| {
        "expected a positive number of units such as 20000, or of microseconds such as 2000us".to_owned()
    })
}
