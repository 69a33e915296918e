//! The task `walks`: many configurations of the parametrised real-time search walk the same problems of a map, as in chapter
//! 4 of D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, M.Sc. thesis, University of Alberta, 2018.
//!
//! A run is one map, a block of its problems, and all configurations: a row per configuration would be 255,000 rows. The
//! blocks are parts of one sequence of problems. Their number varies slowest, so that a sweep that was cut short has the first
//! block of every map. A walk that costs more than `cap` times the optimum counts as `cap`.

use std::sync::Arc;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use throng::grid::random_queries;
use throng::{Cell, Grid, Ground};
use throng_search::real_time::{Rths, RthsParameters, Walker};

use super::context::scenario_file;
use super::{RunContext, Task, TaskError, crowd_run};
use crate::columns::{RowPart, SharedSettings, columns};
use crate::experiment::{INSTANCES, Key, KeyKind, PROBLEM_KEYS};
use crate::select::configurations;
use crate::source::ProblemSource;
use crate::store::StoredRun;
use crate::{MapError, Maps, RunRow};

/// Estimated time per walk in seconds. The scale `paper` of `rths-maps` took 0.00035 on a core that was shared with other work.
const SECONDS_PER_WALK: f64 = 0.000_27;

columns! { Setting:
    /// The settings of the task `walks`.
    pub(crate) struct WalkSettings {
        /// search with its parameters
        search: String,
        /// number of problems per block of a map
        problems: usize,
        /// number of configurations of the search
        configurations: usize,
        /// a walk that costs more than this multiple of the optimum counts as this multiple
        cap: u64,
    }
}

columns! { Measure:
    /// The measures of the task `walks`.
    pub(crate) struct WalkMeasures {
        /// number of walks: problems times configurations
        walks: usize,
        /// share of the walks that arrived below the cap
        arrived_rate: Option<f64>,
        /// mean cost of the walks over the optimum, at most the cap
        suboptimality_mean: Option<f64>,
        /// steps of all walks
        steps: u64,
        /// cost over optimum of every walk in percent, 32-bit little-endian integers in base64, by problem and then by
        /// configuration; the cap for a walk that did not arrive, and less for one that did
        suboptimalities: Option<String>,
    }
}

columns! { Timing:
    /// The timings of the task `walks`.
    struct WalkTimings {
        /// time of all walks in seconds
        walk_seconds: f64,
    }
}

const KEYS: &[Key] = &[
    Key::axis("problems", KeyKind::Integer(1), "numbers of problems per block of a map").required(),
    Key::axis("configurations", KeyKind::Integer(1), "numbers of configurations of the search").required(),
    Key::axis(
        "cap",
        KeyKind::Integer(1),
        "a walk that costs more than this multiple of the optimum counts as this multiple",
    )
    .required(),
];

/// The task `walks`.
pub(super) const TASK: Task = Task {
    name: "walks",
    about: "configurations of a real-time search walk the same problems of a map",
    keys: &[&[INSTANCES], PROBLEM_KEYS, KEYS],
    columns: &[WalkSettings::COLUMNS, WalkMeasures::COLUMNS, WalkTimings::COLUMNS],
    solver_column: "search",
    completion_column: "arrived_rate",
    moves_agents: false,
    seed_columns: &[("map", "map"), ("corners", "corners"), ("terrain", "terrain"), ("type", "type")],
    derive_settings: |settings| settings.set("search", "rths"),
    content_hash: |settings, maps| crowd_run::content_hash(settings, maps, true),
    check: |_, _| Ok(()),
    check_solver: |_| Ok(()),
    estimated_seconds: |settings| {
        let WalkSettings { problems, configurations, .. } = WalkSettings::load(settings);
        (problems * configurations) as f64 * SECONDS_PER_WALK
    },
    run,
    solver_seconds: |row| WalkTimings::load(row).walk_seconds,
};

fn run(context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError> {
    let shared = SharedSettings::load(settings);
    let WalkSettings { configurations: count, cap, .. } = WalkSettings::load(settings);
    let grid = context.grid(&shared)?;
    let problems = problems(context, settings, &grid)?;
    let begun = Instant::now();
    let Some(walked) =
        walk_all(grid.ground(), &problems, &configurations(count), cap, || context.is_stopped())
    else {
        return Ok(None);
    };
    let walk_seconds = begun.elapsed().as_secs_f64();
    let mut row = settings.clone();
    walked.measures(cap).store(&mut row);
    WalkTimings { walk_seconds }.store(&mut row);
    Ok(Some(StoredRun { row, series: Vec::new(), recording: Vec::new() }))
}

/// A problem and the cost of its shortest path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct WalkProblem {
    ends: (Cell, Cell),
    optimum: u64,
}

/// Returns the problems of a block. Problems of a scenario file whose start is the goal or that have no path are left out.
fn problems(
    context: &RunContext,
    settings: &RunRow,
    grid: &Arc<Grid>,
) -> Result<Vec<WalkProblem>, TaskError> {
    let SharedSettings { map, r#type, seed, instance, .. } = SharedSettings::load(settings);
    let WalkSettings { problems: count, .. } = WalkSettings::load(settings);
    let ground = grid.ground();
    let first = count * instance as usize;
    let ends: Vec<(Cell, Cell)> = match r#type.parse() {
        Ok(ProblemSource::Scenario(file)) => {
            scenario_ends(&context.maps, ground, &scenario_file(file, &map))?
        }
        Ok(ProblemSource::Type(crate::ProblemType::Random)) => random_queries(ground, first + count, seed),
        _ => return Err(TaskError::Other(format!("walks are `random` or from a scenario, not `{type}`"))),
    };
    let mut search = throng::search("astar").map_err(TaskError::other)?;
    let problem = |ends: (Cell, Cell)| {
        let found = search.find(ground, ends.0, ends.1, &mut Vec::new()).map_err(TaskError::other)?;
        let optimum =
            found.cost.ok_or_else(|| TaskError::Other(format!("{map}: a problem without a path")))?;
        Ok(WalkProblem { ends, optimum: u64::from(optimum) })
    };
    ends.into_iter().skip(first).take(count).map(problem).collect()
}

/// Returns the starts and goals of a scenario file. Problems without a path, or whose start is the goal, are left out.
pub(crate) fn scenario_ends(maps: &Maps, ground: &Ground, file: &str) -> Result<Vec<(Cell, Cell)>, MapError> {
    let scenario = maps.scenario(file)?;
    let ends = |problem: &throng::grid::movingai::Problem| {
        let (from, to) = (ground.cell(problem.start)?, ground.cell(problem.goal)?);
        (from != to && ground.reachable(from, to)).then_some((from, to))
    };
    Ok(scenario.scenario.problems.iter().filter_map(ends).collect())
}

/// The result of all walks of a run.
#[derive(Debug, Default)]
struct Walked {
    /// Cost over optimum in percent, by problem and then by configuration.
    percent: Vec<u32>,
    arrived: usize,
    steps: u64,
}

/// Walks every problem with every configuration; none if it was stopped.
fn walk_all(
    ground: &Ground,
    problems: &[WalkProblem],
    configurations: &[RthsParameters],
    cap: u64,
    is_stopped: impl Fn() -> bool,
) -> Option<Walked> {
    let mut walked = Walked::default();
    let mut search = Rths::default();
    for problem in problems {
        for &parameters in configurations {
            if is_stopped() {
                return None;
            }
            search.set_parameters(parameters);
            let walk = search.walk(ground, problem.ends, cap * problem.optimum, |_| {});
            walked.arrived += usize::from(walk.arrived);
            walked.steps += walk.steps;
            walked.percent.push(percent_of_optimum(walk.arrived, walk.cost, problem.optimum, cap));
        }
    }
    Some(walked)
}

/// Returns cost over optimum in percent, rounded.
fn percent_of_optimum(arrived: bool, cost: u64, optimum: u64, cap: u64) -> u32 {
    let most = 100 * cap;
    let ratio = if arrived { ((200 * cost + optimum) / (2 * optimum)).min(most - 1) } else { most };
    u32::try_from(ratio).unwrap_or(u32::MAX)
}

impl Walked {
    fn measures(&self, cap: u64) -> WalkMeasures {
        let count = self.percent.len();
        let sum: f64 =
            self.percent.iter().map(|&value| f64::from(value.min((100 * cap) as u32)) / 100.0).sum();
        WalkMeasures {
            walks: count,
            arrived_rate: (count > 0).then(|| self.arrived as f64 / count as f64),
            suboptimality_mean: (count > 0).then(|| sum / count as f64),
            steps: self.steps,
            suboptimalities: Some(encode(&self.percent)),
        }
    }
}

/// Writes values as text.
fn encode(values: &[u32]) -> String {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    STANDARD.encode(bytes)
}

/// Reads the column `suboptimalities`; none if it is damaged.
pub(crate) fn decode(text: &str) -> Option<Vec<u32>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (words, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| words.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    fn executed(scale: &str) -> Vec<RunRow> {
        let context = RunContext::new(crate::Maps::default(), false, false, Arc::default());
        let plan = Experiment::open("rths-maps").unwrap().plan(scale).unwrap();
        plan.runs().map(|settings| run(&context, &settings).unwrap().unwrap().row).collect()
    }

    /// The registered search computes shortest paths and caps on its own.
    #[test]
    fn walks_are_those_of_the_registered_search() {
        let rows = executed("smoke");
        let context = RunContext::new(crate::Maps::default(), false, false, Arc::default());
        let mut capped = 0;
        for row in &rows {
            let settings = WalkSettings::load(row);
            let grid = context.grid(&SharedSettings::load(row)).unwrap();
            let problems = problems(&context, row, &grid).unwrap();
            let values = decode(row.text("suboptimalities").unwrap()).unwrap();
            assert_eq!(values.len(), problems.len() * settings.configurations);
            for (number, parameters) in configurations(settings.configurations).iter().enumerate() {
                let text = format!("{},cap={}", crate::select::specification(parameters), settings.cap);
                let mut search = throng::search(&text).unwrap();
                for (at, problem) in problems.iter().enumerate() {
                    let found =
                        search.find(grid.ground(), problem.ends.0, problem.ends.1, &mut Vec::new()).unwrap();
                    let value = f64::from(values[at * settings.configurations + number]) / 100.0;
                    let expected = found
                        .cost
                        .map_or(settings.cap as f64, |cost| f64::from(cost) / problem.optimum as f64);
                    assert!((value - expected).abs() < 0.011, "{text}: {value} is not {expected}");
                    capped += usize::from(found.cost.is_none());
                }
            }
        }
        assert!(capped > 0, "some walks of the smoke test reach the cap");
    }

    #[test]
    fn blocks_are_parts_of_one_sequence() {
        let context = RunContext::new(crate::Maps::default(), false, false, Arc::default());
        let mut row = Experiment::open("rths-maps").unwrap().plan("smoke").unwrap().run(0);
        let grid = context.grid(&SharedSettings::load(&row)).unwrap();
        let mut block = |instance: u64, count: usize| {
            row.set("instance", instance as i64);
            row.set("problems", count as i64);
            problems(&context, &row, &grid).unwrap()
        };
        assert_eq!([block(0, 3), block(1, 3)].concat(), block(0, 6));
    }

    #[test]
    fn a_capped_walk_has_the_largest_value() {
        assert_eq!(percent_of_optimum(true, 1000, 1000, 100), 100);
        assert_eq!(percent_of_optimum(true, 1999, 1000, 100), 200);
        assert_eq!(percent_of_optimum(true, 100_000, 1000, 100), 9_999);
        assert_eq!(percent_of_optimum(false, 100_001, 1000, 100), 10_000);
        let values = [100, 10_000, 0, u32::MAX];
        assert_eq!(decode(&encode(&values)).unwrap(), values);
        assert_eq!(decode("AAAA"), None);
    }
}
