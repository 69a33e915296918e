//! What the tasks with crowds share: their settings, keys, checks, seeds and estimated cost.

use std::time::Duration;

use throng::grid::movingai::Scenario;
use throng::{Crossings, Fog, Grid, Ground, MoveRules, Settings, StepTime, Tiles};
use throng_planners::PlannerError;

use super::context::scenario_file;
use super::{CrowdProblem, Refusal, RunContext, TaskError};
use crate::columns::{RowPart, SharedSettings, columns};
use crate::experiment::{Key, KeyKind};
use crate::hash::checksum;
use crate::maps::{MapName, Maps};
use crate::run::empty_world;
use crate::source::ProblemSource;
use crate::store::StoredRun;
use crate::{
    CrowdTimings, FinishedRun, Instance, ProblemError, RunError, RunLimits, RunRow, Setup, Shortest, Stopped,
    TickBudget,
};

columns! { Setting:
    /// The settings of a run with a crowd.
    pub(super) struct CrowdSettings {
        /// number of agents; with `cells_per_agent` the largest number
        agents: usize,
        /// least number of cells of the largest connected component per agent, which limits `agents`; none: `agents` is the
        /// number
        cells_per_agent: Option<usize>,
        /// whether agents move in four directions; none: in eight
        four_way: Option<bool>,
        /// number of threads of the planner; none: one
        threads: Option<usize>,
        /// planner with its parameters
        planner: String,
        /// how far agents see, in cells, and `:shared` if they share one map; none: they know the whole map
        fog: Option<String>,
        /// `forbid` if agents may not cross diagonally within a tick; none: they may
        crossings: Option<String>,
        /// `cost` if a step lasts as long as it costs; none: all steps last equally long
        step_time: Option<String>,
        /// maximum number of expansions per tick; none: unlimited
        budget: Option<u64>,
        /// the run ends after this number of ticks, or more because of `ticks_per_step`
        max_ticks: Option<u64>,
        /// the run ends after this number of expansions; none: unlimited
        max_expansions: Option<u64>,
        /// the run ends after this time of all ticks, in seconds; none: unlimited
        wall_limit: Option<f64>,
        /// the run ends after this number of ticks in which no agent moved; none: never
        still_limit: Option<u64>,
    }
}

const AGENT_COUNT: Key = Key::axis("agents", KeyKind::Integer(0), "numbers of agents").required();

/// The key of the number of agents.
pub(super) const AGENTS: &[Key] = &[AGENT_COUNT];

/// The keys of a crowd whose problem is drawn or read from a scenario file as a whole.
pub(super) const CROWD: &[Key] = &[
    AGENT_COUNT,
    Key::axis(
        "cells_per_agent",
        KeyKind::Integer(1),
        "least number of cells of the largest connected component per agent: small maps and short scenario files have fewer \
         agents than `agents`; or `none`: they are refused",
    )
    .or_none(),
    Key::axis("four_way", KeyKind::Flag, "whether agents move in four directions only"),
];

/// The keys of the limits.
pub(super) const LIMITS: &[Key] = &[
    Key::axis("max_ticks", KeyKind::Integer(1), "a run ends after this number of ticks"),
    Key::axis("max_expansions", KeyKind::Integer(1), "a run ends after this number of expansions, or `none`")
        .or_none(),
    Key::axis(
        "wall_limit",
        KeyKind::Positive(1e6),
        "a run ends after this time of all ticks, in seconds, or `none`",
    )
    .or_none(),
    Key::axis(
        "still_limit",
        KeyKind::Integer(1),
        "a run ends after this number of ticks in which no agent moved, or `none`",
    )
    .or_none(),
    Key::axis(
        "fog",
        KeyKind::Parsed(|text| text.parse::<Fog>().map(drop).map_err(|error| error.to_string())),
        "how far agents see the map, such as `\"8\"`, or `\"8:shared\"` if they share what they know, or `none`",
    )
    .or_none(),
    Key::axis(
        "crossings",
        KeyKind::Name("rule of crossings", || Crossings::ALL.map(Crossings::name).into()),
        "whether two agents may cross diagonally within a tick: `allow` as in the papers, or `forbid`",
    )
    .or_none_as("allow"),
    Key::axis(
        "step_time",
        KeyKind::Name("time of a step", || StepTime::ALL.map(StepTime::name).into()),
        "whether the time of a step follows its cost: `uniform` as in the papers, or `cost`",
    )
    .or_none_as("uniform"),
];

/// The keys of threads, budgets and planners: the last axes of a task with a crowd.
pub(super) const PLANNERS: &[Key] = &[
    Key::axis("threads", KeyKind::Integer(1), "numbers of threads for independent searches of the planner"),
    Key::axis("budget", KeyKind::Integer(1), "maximum number of expansions per tick, or `none`")
        .named("budgets")
        .or_none(),
    Key::axis("planner", KeyKind::Parsed(check_planner), "planners with their parameters")
        .named("planners")
        .required(),
];

/// Refuses a text that is not a planner with its parameters.
fn check_planner(text: &str) -> Result<(), String> {
    let grid = Grid::new(Tiles::picture("."), MoveRules::default());
    throng_planners::planner(text, &grid).map(drop).map_err(|error| error.to_string())
}

/// The settings that determine a crowd's problem, for [`super::Task::seed_columns`].
pub(super) const SEED_COLUMNS: &[(&str, &str)] = &[
    ("map", "map"),
    ("corners", "corners"),
    ("terrain", "terrain"),
    ("type", "type"),
    ("agents", "agents"),
    ("instance", "instance"),
    ("retask_percent", "retask_percent"),
    ("foreign_percent", "foreign_percent"),
    ("walls", "walls"),
    ("cells_per_agent", "cells_per_agent"),
    ("four_way", "four_way"),
];

/// Returns the row of a finished run; none if it was interrupted. If `goals_change`, the shortest paths to the first goals
/// are no reference for the travelled distance, and the row has no values for them.
pub(super) fn record(
    output: FinishedRun,
    settings: &RunRow,
    goals_change: bool,
    measures: &impl RowPart,
) -> Option<StoredRun> {
    if output.result.stopped == Stopped::Interrupted {
        return None;
    }
    let mut row = settings.clone();
    output.result.store(&mut row);
    if goals_change {
        for column in ["shortest_mean", "shortest_steps_mean", "travel_over_shortest", "delay_mean"] {
            row.set_some(column, None::<f64>);
        }
        row.set_some("shortest_agents", None::<usize>);
    }
    measures.store(&mut row);
    Some(StoredRun { row, series: output.series, recording: output.recording })
}

/// Returns the setup of a run.
pub(super) fn setup<'a>(context: &RunContext, problem: &'a CrowdProblem, settings: &'a RunRow) -> Setup<'a> {
    let own = CrowdSettings::load(settings);
    let limits = RunLimits {
        ticks: own.max_ticks.unwrap_or(u64::MAX),
        expansions: own.max_expansions,
        wall: own.wall_limit.map(Duration::from_secs_f64),
        still: own.still_limit,
        completion: None,
        budget: own.budget.map_or(TickBudget::Unlimited, TickBudget::Expansions),
    };
    Setup {
        seed: problem.seed,
        threads: own.threads.unwrap_or(1),
        limits,
        check: context.check,
        series: context.series,
        record: context.record,
        heat: false,
        shortest: Shortest::Shared(&problem.shortest),
        fog: own.fog(),
        crossings: own.crossings(),
        step_time: own.step_time(),
        ..Setup::new(&problem.grid, &problem.instance, settings.text("planner").unwrap_or_default(), 0)
    }
}

/// Returns the hash of a run's map, combined with that of its scenario if `reads_scenario` and the settings name one.
///
/// # Errors
/// If one of them is missing or refused.
pub(super) fn content_hash(settings: &RunRow, maps: &Maps, reads_scenario: bool) -> Result<u64, Refusal> {
    let SharedSettings { map, r#type, .. } = SharedSettings::load(settings);
    let of_map = maps.content(&map).map_err(Refusal::of("maps"))?;
    match r#type.parse() {
        Ok(ProblemSource::Scenario(file)) if reads_scenario => {
            let scenario = maps.scenario(&scenario_file(file, &map)).map_err(Refusal::of("types"))?;
            Ok(checksum(of_map, &scenario.content.to_le_bytes()))
        }
        _ => Ok(of_map),
    }
}

/// Returns the number of agents: as many as the settings name or, with `cells_per_agent`, as many of them as the map and the
/// scenario have room for.
pub(super) fn agent_count(own: &CrowdSettings, ground: &Ground, scenario: Option<&Scenario>) -> usize {
    let Some(cells) = own.cells_per_agent else { return own.agents };
    let lines = scenario.map_or(usize::MAX, |scenario| scenario.problems.len());
    own.agents.min(Instance::room(ground) / cells).min(lines)
}

impl CrowdSettings {
    /// Returns the rules of movement with a corner rule; its name was checked when it was read.
    pub(super) fn move_rules(&self, corners: &str) -> MoveRules {
        MoveRules { corners: corners.parse().unwrap_or_default(), four_way: self.four_way.unwrap_or(false) }
    }

    /// Returns the settings of a world.
    fn world(&self) -> Settings {
        let mut settings = Settings::default().crossings(self.crossings());
        settings.fog = self.fog();
        settings.step_time(self.step_time())
    }

    /// Returns whether the time of a step follows its cost; the name was checked when it was read.
    fn step_time(&self) -> StepTime {
        self.step_time.as_ref().map_or(StepTime::Uniform, |name| name.parse().unwrap_or_default())
    }

    /// Returns whether agents may cross; the name was checked when it was read.
    fn crossings(&self) -> Crossings {
        self.crossings.as_ref().map_or(Crossings::Allow, |name| name.parse().unwrap_or_default())
    }

    /// Returns what agents see; the text was checked when it was read.
    fn fog(&self) -> Option<Fog> {
        self.fog.as_ref().and_then(|text| text.parse().ok())
    }
}

/// Checks that the planner knows enough of the map.
///
/// # Errors
/// If it needs more than agents see.
pub(super) fn check_planner_map(settings: &RunRow) -> Result<(), Refusal> {
    let own = CrowdSettings::load(settings);
    let grid = Grid::new(Tiles::picture("."), MoveRules::default());
    let planner = throng_planners::planner(&own.planner, &grid).map_err(PlannerError::from);
    let world = planner.map_err(RunError::from).and_then(|planner| empty_world(grid, planner, own.world()));
    world.map(drop).map_err(Refusal::of("planners"))
}

/// Checks that the agents find room. Of a map that is generated for each problem only the size is known.
///
/// # Errors
/// If they do not.
pub(super) fn check_room(settings: &RunRow, maps: &Maps) -> Result<(), Refusal> {
    let own = CrowdSettings::load(settings);
    let SharedSettings { map, corners, terrain, r#type, .. } = SharedSettings::load(settings);
    let refuse = |map: String, reason: ProblemError| Refusal {
        key: "agents",
        reason: Box::new(TaskError::Problem { map, reason }),
    };
    if let Some(area) = MapName::fresh(&map).map(throng::Size::area) {
        let reason = ProblemError::MoreThanArea { agents: own.agents, area };
        let fits = own.agents <= area || own.cells_per_agent.is_some();
        return if fits { Ok(()) } else { Err(refuse(map, reason)) };
    }
    let grid = maps.grid_with(&map, own.move_rules(&corners), &terrain, 0).map_err(Refusal::of("maps"))?;
    if let Ok(ProblemSource::Scenario(file)) = r#type.parse() {
        let file = maps.scenario(&scenario_file(file, &map)).map_err(Refusal::of("types"))?;
        let agents = agent_count(&own, grid.ground(), Some(&file.scenario));
        let instance = Instance::from_scenario(grid.ground(), &file.scenario, agents);
        return instance.map(drop).map_err(|reason| refuse(file.path.display().to_string(), reason));
    }
    Instance::check_room(grid.ground(), agent_count(&own, grid.ground(), None))
        .map_err(|reason| refuse(map, reason))
}

/// Microseconds per agent and tick, by the beginning of the planner's name: rounded means of runs on game maps with 50 to
/// 2,000 agents. Planners that are not listed count as 1.
const PACE: &[(&str, f64)] = &[
    ("bmaa", 0.4),
    ("far", 0.9),
    ("astar-replan", 1.4),
    ("whca", 2.0),
    ("hca", 8.0),
    ("ca", 8.0),
    ("lra", 5.0),
    ("rtaa", 0.4),
    ("pibt", 1.3),
    ("surge", 0.7),
];

/// Returns the estimated time of a run: agents times ticks at the planner's pace, times a factor of the task. Crowds that
/// arrive early cost less, dense ones several times as much.
pub(super) fn estimated_seconds(settings: &RunRow, factor: f64) -> f64 {
    let CrowdSettings { agents, planner, max_ticks, wall_limit, .. } = CrowdSettings::load(settings);
    let microseconds =
        PACE.iter().find(|(family, _)| planner.starts_with(family)).map_or(1.0, |&(_, pace)| pace);
    let ticks = max_ticks.unwrap_or(1_000).min(4_000) as f64;
    let seconds = 0.002 + factor * agents.max(1) as f64 * ticks * microseconds / 1e6;
    seconds.min(wall_limit.unwrap_or(f64::MAX))
}

/// Returns the time that the planner took in a finished run: before the first tick, in all ticks, and freeing its memory.
pub(super) fn solver_seconds(row: &RunRow) -> f64 {
    let CrowdTimings { wall_seconds, prepare_seconds, close_seconds, .. } = CrowdTimings::load(row);
    wall_seconds + prepare_seconds + close_seconds
}
