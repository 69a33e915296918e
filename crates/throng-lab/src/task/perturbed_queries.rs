//! The task `dynamic`: path queries on maps that have changed since their path database was built, as in the experiments
//! of E. Shi, *Dynamic Pathfinding in Video Games*, Monash University, FIT5128.
//!
//! A run is one search and a set of queries on one map. The database of a map is built once for all searches. A file
//! `MAP.cpd` beside the map is used instead if it is the database of this map.

use std::sync::Arc;
use std::time::Instant;

use throng::Grid;
use throng_cpd::{Cpd, Perturbation};

use super::context::{Cache, joined};
use super::query_pairs::{draws_own, query_pairs};
use super::{RunContext, Task, TaskError, crowd_run};
use crate::RunRow;
use crate::columns::{RowPart, SharedSettings, columns};
use crate::experiment::{INSTANCES, Key, KeyKind, PROBLEM_KEYS};
use crate::queries::{QueryResults, QuerySearch, QuerySet, build};
use crate::store::StoredRun;

/// The perturbations by name.
const PERTURBATIONS: [(&str, Perturbation); 2] = [("exp1", Perturbation::Exp1), ("exp2", Perturbation::Exp2)];

/// The suboptimality factor of searches that take one and are not given another: that of the report.
const EPSILON: &str = "1.1";

/// Estimated time per query and search in seconds, all passes included: the mean of 412,254 queries of the stored runs,
/// whose databases had been built before.
const SECONDS_PER_QUERY: f64 = 0.0035;

columns! { Setting:
    /// The settings of the task `dynamic`.
    pub(super) struct QuerySettings {
        /// maximum number of queries
        max_queries: usize,
        /// search with its parameters
        search: String,
        /// one in this number of a map's queries was used; none: all
        one_in: Option<usize>,
        /// perturbation of the map before each query: exp1, exp2
        perturb: Option<String>,
        /// set of the map: the folder of its file, or the text before the colon
        map_set: String,
    }
}

columns! { Measure:
    /// The measures of the task `dynamic`.
    struct QueryMeasures {
        /// number of queries that have a path on the perturbed map
        queries: usize,
        /// number of queries without a path on the perturbed map, which are not counted in `queries`
        dropped: usize,
        /// share of the queries that the search answered with a valid path within its bound
        solved_rate: Option<f64>,
        /// number of answers that are no valid path, exceed the search's suboptimality bound, or have a wrong lower bound
        bound_violations: Option<usize>,
        /// path cost over optimal cost: the mean
        cost_over_optimal_mean: Option<f64>,
        /// path cost over optimal cost: the maximum
        cost_over_optimal_max: Option<f64>,
        /// nodes expanded per query: the lower quartile
        expanded_p25: Option<f64>,
        /// nodes expanded per query: the median
        expanded_p50: Option<f64>,
        /// nodes expanded per query: the upper quartile
        expanded_p75: Option<f64>,
        /// nodes expanded per query: the mean
        expanded_mean: Option<f64>,
        /// nodes expanded per query: the 1st to the 99th percentile, nearest ranks separated by spaces
        expanded_percentiles: Option<String>,
        /// repeated expansions of the same node per query: the mean
        re_expanded_mean: Option<f64>,
    }
}

columns! { Timing:
    /// The timings of the task `dynamic`.
    struct QueryTimings {
        /// time per query in microseconds, the least of three passes: the lower quartile
        query_us_p25: Option<f64>,
        /// time per query in microseconds, the least of three passes: the median
        query_us_p50: Option<f64>,
        /// time per query in microseconds, the least of three passes: the upper quartile
        query_us_p75: Option<f64>,
        /// time per query in microseconds, the least of three passes: the mean
        query_us_mean: Option<f64>,
        /// time per query in microseconds: the 1st to the 99th percentile, nearest ranks separated by spaces
        query_us_percentiles: Option<String>,
        /// time per query in microseconds, first pass only: the median
        query_us_first: Option<f64>,
        /// time to open or build the path database and to draw the queries, in seconds; almost 0 if an earlier run did it
        database_seconds: f64,
    }
}

const KEYS: &[Key] = &[
    Key::axis("max_queries", KeyKind::Integer(0), "maximum numbers of queries").required(),
    Key::axis(
        "perturb",
        KeyKind::Name("perturbation", || PERTURBATIONS.map(|(name, _)| name).into()),
        "`exp1`: new walls until no path of the old cost is left; `exp2`: until the optimal cost is 15 % higher",
    ),
    Key::axis(
        "one_in",
        KeyKind::Integer(1),
        "one in this number of a map's queries is used, but at least 20 if the map has as many; 1 by default",
    ),
    INSTANCES,
    Key::axis("search", KeyKind::Parsed(check_search), "searches with their parameters")
        .named("searches")
        .required(),
];

/// Refuses a text that is not a search with its parameters.
fn check_search(text: &str) -> Result<(), String> {
    throng_cpd::any_search(text, None).map(drop).map_err(|error| error.to_string())
}

/// The task `dynamic`.
pub(super) const TASK: Task = Task {
    name: "dynamic",
    about: "searches answer path queries on maps that have changed since their path database was built",
    keys: &[PROBLEM_KEYS, KEYS],
    columns: &[QuerySettings::COLUMNS, QueryMeasures::COLUMNS, QueryTimings::COLUMNS],
    solver_column: "search",
    completion_column: "solved_rate",
    moves_agents: false,
    seed_columns: &[
        ("map", "map"),
        ("corners", "corners"),
        ("terrain", "terrain"),
        ("type", "type"),
        ("agents", "max_queries"),
        ("instance", "instance"),
    ],
    derive_settings: |settings| {
        let set = map_set(settings.text("map").unwrap_or_default()).to_owned();
        settings.set("map_set", set);
    },
    content_hash: |settings, maps| {
        let SharedSettings { map, r#type, .. } = SharedSettings::load(settings);
        let draws = r#type.parse().is_ok_and(|source| draws_own(map.parse().ok().as_ref(), &source));
        crowd_run::content_hash(settings, maps, !draws)
    },
    check: |_, _| Ok(()),
    check_solver: |_| Ok(()),
    estimated_seconds: |settings| {
        let QuerySettings { max_queries, one_in, .. } = QuerySettings::load(settings);
        // Scenario files of game maps have about 1,000 problems.
        let queries = max_queries.min(1_000) / one_in.unwrap_or(1).max(1);
        0.002 + queries as f64 * SECONDS_PER_QUERY
    },
    run,
    solver_seconds: |row| {
        let (measures, timings) = (QueryMeasures::load(row), QueryTimings::load(row));
        let query_seconds = timings.query_us_mean.unwrap_or(0.0) / 1e6;
        timings.database_seconds + query_seconds * measures.queries as f64
    },
};

fn run(context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError> {
    let start = Instant::now();
    let Some(prepared) = prepared(context, settings)? else { return Ok(None) };
    let database_seconds = start.elapsed().as_secs_f64();
    let search = QuerySettings::load(settings).search;
    let mut search = QuerySearch::new(&search, EPSILON, &prepared.cpd).map_err(TaskError::other)?;
    let mut grid = prepared.grid.clone();
    let results = search.answer(&mut grid, &prepared.queries.solvable, || !context.is_stopped());
    Ok(results.map_err(TaskError::other)?.map(|results| {
        let mut row = settings.clone();
        let (measures, timings) = record(&prepared.queries, &results);
        measures.store(&mut row);
        QueryTimings { database_seconds, ..timings }.store(&mut row);
        StoredRun { row, series: Vec::new(), recording: Vec::new() }
    }))
}

/// What the runs on one map share.
#[derive(Debug)]
struct PreparedMap {
    grid: Grid,
    cpd: Arc<Cpd>,
    queries: QuerySet,
}

/// The databases and queries that were used last: searches use them one after the other.
#[derive(Debug, Default)]
struct QueryCache {
    databases: Cache<Cpd, 2>,
    maps: Cache<PreparedMap, 4>,
}

/// Returns the map, database and queries of some settings, which are made once; none if the context was stopped.
fn prepared(context: &RunContext, settings: &RunRow) -> Result<Option<Arc<PreparedMap>>, TaskError> {
    const COLUMNS: [&str; 8] =
        ["map", "corners", "terrain", "type", "max_queries", "one_in", "seed", "perturb"];
    let cache = context.shared::<QueryCache>();
    let made = cache.maps.get_or_make(&joined(settings, COLUMNS), || {
        let shared = SharedSettings::load(settings);
        let mut grid = context.grid(&shared)?.as_ref().clone();
        let pairs = query_pairs(context, settings, grid.ground())?;
        let fingerprint = grid.ground().fingerprint().to_string();
        let cpd = cache.databases.get_or_make(&fingerprint, || database(context, &shared.map, &grid))?;
        let name = QuerySettings::load(settings).perturb;
        let perturbation = PERTURBATIONS.iter().find(|(known, _)| Some(*known) == name.as_deref());
        let perturbation = perturbation.map_or(Perturbation::Exp1, |&(_, perturbation)| perturbation);
        let queries = QuerySet::new(&mut grid, &pairs, perturbation, || !context.is_stopped());
        Ok(PreparedMap { queries: queries.map_err(TaskError::other)?, grid, cpd })
    });
    if context.is_stopped() { Ok(None) } else { made.map(Some) }
}

/// Returns the database of a map: read from the file beside it, or built.
fn database(context: &RunContext, map: &str, grid: &Grid) -> Result<Cpd, TaskError> {
    let file = context.maps.find(&format!("{}.cpd", map.trim_end_matches(".map"))).ok();
    let bytes = file.and_then(|file| std::fs::read(file).ok());
    if let Some(cpd) = bytes.and_then(|bytes| Cpd::open(&bytes, grid.ground()).ok()) {
        return Ok(cpd);
    }
    let built = build(grid.ground(), |_| !context.is_stopped()).map_err(TaskError::other)?;
    built.ok_or_else(|| TaskError::Other("the run was interrupted".to_owned()))
}

/// Returns the measures and timings of a run; without queries only their numbers.
fn record(queries: &QuerySet, results: &QueryResults) -> (QueryMeasures, QueryTimings) {
    let count = queries.solvable.len();
    let counts = QueryMeasures { queries: count, dropped: queries.dropped, ..QueryMeasures::default() };
    if count == 0 {
        return (counts, QueryTimings::default());
    }
    let (expanded, us) = (results.expansions, results.us_per_query);
    let (cost_mean, cost_max) = results.cost_over_optimal;
    let measures = QueryMeasures {
        solved_rate: Some(results.solved as f64 / count as f64),
        bound_violations: Some(results.violations),
        cost_over_optimal_mean: Some(cost_mean),
        cost_over_optimal_max: Some(cost_max),
        expanded_p25: Some(expanded.p25),
        expanded_p50: Some(expanded.p50),
        expanded_p75: Some(expanded.p75),
        expanded_mean: Some(expanded.mean),
        expanded_percentiles: results.expansion_percentiles.map(|all| all.to_string()),
        re_expanded_mean: Some(results.re_expansions),
        ..counts
    };
    let timings = QueryTimings {
        query_us_p25: Some(us.p25),
        query_us_p50: Some(us.p50),
        query_us_p75: Some(us.p75),
        query_us_mean: Some(us.mean),
        query_us_percentiles: results.us_percentiles.map(|all| all.to_string()),
        query_us_first: Some(results.us_first),
        ..QueryTimings::default()
    };
    (measures, timings)
}

/// Returns the set of a map: the folder of its file, or the text before the colon.
fn map_set(map: &str) -> &str {
    let name = map.split_once(':').or_else(|| map.rsplit_once('/'));
    name.map_or(map, |(set, _)| set.rsplit('/').next().unwrap_or(set))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    /// Runs are planned so that all searches use a map one after the other.
    #[test]
    fn a_database_is_built_once_for_all_searches() {
        let context = RunContext::new(crate::Maps::default(), false, false, Arc::default());
        let mut databases: Vec<Arc<Cpd>> = Vec::new();
        let plan = Experiment::open("dynamic-exp1").unwrap().plan("smoke").unwrap();
        for run in &plan.runs().collect::<Vec<_>>() {
            let prepared = prepared(&context, run).unwrap().unwrap();
            if databases.last().is_none_or(|last| !Arc::ptr_eq(last, &prepared.cpd)) {
                databases.push(Arc::clone(&prepared.cpd));
            }
        }
        let searches = plan.axes.iter().find(|(key, _)| *key == "searches").unwrap().1.len();
        assert_eq!(databases.len() * searches, plan.len());
        // Another perturbation has other queries with the same database.
        let mut other = plan.runs().last().unwrap();
        other.set("perturb", "exp2");
        assert!(Arc::ptr_eq(&prepared(&context, &other).unwrap().unwrap().cpd, databases.last().unwrap()));
    }
}
