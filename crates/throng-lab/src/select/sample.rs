//! Small data that are drawn instead of measured: for tests, and for the scale `smoke` of the experiments on selection.
//!
//! The first feature decides which algorithm is best, with some luck; the second is noise. Numbers that a report shows for these data say
//! nothing about algorithms.

use std::collections::BTreeMap;

use throng::grid::SeededRng;

use super::crowd::{CrowdRun, CrowdRuns, Prices, ProblemKey, THESIS_PORTFOLIO};
use super::single_agent::{Granularity, PROBLEM_MAP, SelectError};
use super::{CrowdData, Dataset, Group, Measure, configurations, specification};
use crate::{Course, CourseMark};

/// The names of the features.
const FEATURES: [&str; 2] = ["decides", "noise"];

/// The maps of a sample of crowds: game and number of maps.
const CROWD_MAPS: [(&str, usize); 2] = [("bg", 4), ("dao", 2)];

/// The types of the problems of crowds.
const TYPES: [&str; 7] =
    ["random", "cross-sides", "swap-sides", "inside-out", "outside-in", "tight-to-tight", "tight-to-wide"];

/// Instances per map and type.
const INSTANCES: u64 = 3;

/// Number of agents of a crowd.
const AGENTS: usize = 100;

/// The limits of expansions of the runs: every third run is short.
const LIMITS: [u64; 3] = [5_000_000, 5_000_000, 2_000_000];

/// Returns problems for crowds with the thesis's planners.
///
/// # Errors
/// None with these data; a type error would be one.
pub(crate) fn crowd_sample() -> Result<CrowdData, SelectError> {
    let mut rng = SeededRng::new(7);
    let (mut runs, mut rows) = (CrowdRuns::default(), BTreeMap::new());
    let maps = CROWD_MAPS.iter().flat_map(|&(game, count)| (0..count).map(move |map| (game, map)));
    let problems = maps.flat_map(|map| TYPES.map(|kind| (map, kind)));
    for (((game, map), kind), instance) in problems.flat_map(|it| (0..INSTANCES).map(move |at| (it, at))) {
        let key = ProblemKey {
            game: game.to_owned(),
            map: format!("{game}/{map}"),
            kind: kind.to_owned(),
            instance,
            agents: AGENTS,
            seed: instance,
        };
        let best = rng.below(3) as usize;
        for (planner, name) in THESIS_PORTFOLIO.into_iter().enumerate() {
            let agents_per_million = if planner == best { 80 } else { 40 } + rng.below(40);
            runs.runs.push(crowd_run(&key, name, agents_per_million, LIMITS[runs.runs.len() / 3 % 3])?);
        }
        rows.insert(key, vec![best as i32, rng.between(0, 100)]);
    }
    let price = THESIS_PORTFOLIO.map(|planner| format!("{planner:?} = 1.0\n")).concat();
    let prices: Prices =
        toml::from_str(&format!("measured = \"drawn\"\n[price]\n{price}[nanoseconds]\n{price}"))
            .map_err(|error| SelectError::Runs(error.to_string()))?;
    let names = FEATURES.map(str::to_owned).to_vec();
    CrowdData::new(&runs, &prices, (names, &rows), &THESIS_PORTFOLIO)
}

/// Returns a run in which agents arrive at a constant rate until the limit cuts it off.
fn crowd_run(
    key: &ProblemKey,
    planner: &str,
    agents_per_million: u32,
    limit: u64,
) -> Result<CrowdRun, SelectError> {
    let mark = |expansions: u64| {
        let done = expansions as f64 / 1e6;
        CourseMark {
            expansions,
            arrived: (f64::from(agents_per_million) * done).min(AGENTS as f64).floor(),
            travel: 20.0 * done,
            ticks: (100.0 * done).round(),
        }
    };
    let marks: Vec<CourseMark> = crate::course_marks(limit).into_iter().map(mark).collect();
    let course =
        Course::new(marks).ok_or_else(|| SelectError::Runs("the sample has no course".to_owned()))?;
    Ok(CrowdRun {
        key: key.clone(),
        planner: planner.to_owned(),
        limit,
        is_cut: true,
        expansions: limit,
        course,
        provenance: ["sample", "sample", "sample"].map(str::to_owned),
    })
}

/// Returns instances of a granularity: 160 maps of four games, or 240 problems of one map, and six configurations. The best
/// configuration depends on the game, or on the problem.
pub(crate) fn single_agent_sample(granularity: Granularity) -> Dataset {
    let games = ["bg512", "dao", "sc1", "wc3"];
    let mut rng = SeededRng::new(8);
    let is_problem = granularity == Granularity::Problem;
    let mut data = Dataset {
        measure: Measure::Suboptimality,
        features: FEATURES.map(str::to_owned).to_vec(),
        rows: Vec::new(),
        groups: Vec::new(),
        algorithms: configurations(6).iter().map(specification).collect(),
        utilities: Vec::new(),
        ids: Vec::new(),
        labels: None,
        travel: None,
    };
    for at in 0..if is_problem { 240 } else { 160 } {
        let decides = if is_problem { rng.below(2) as usize } else { at % games.len() };
        let (game, map) = if is_problem {
            ("dao", PROBLEM_MAP.to_owned())
        } else {
            (games[decides], format!("{}/{at}", games[decides]))
        };
        let best = if is_problem { decides } else { decides.saturating_sub(1) };
        let cost = |algorithm: usize, luck: u32| {
            let own = [450, 200][usize::from(algorithm == best)];
            -f64::from(if algorithm == 3 { 300 } else { own } + luck) / 100.0
        };
        data.rows.push(vec![decides as i32, rng.between(0, 100)]);
        data.groups.push(Group { game: game.to_owned(), map, kind: String::new() });
        data.utilities.push((0..6).map(|algorithm| cost(algorithm, rng.below(100))).collect());
    }
    data
}
