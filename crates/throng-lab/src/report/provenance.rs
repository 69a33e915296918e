//! What was run, on which machine, with what, and how to run it again.

use std::collections::BTreeMap;

use super::data::Runs;
use crate::Row;

/// What a report says about where its runs come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Provenance {
    /// What was the same for a number of runs: machine, build, and how many runs.
    pub(crate) machines: Vec<(Machine, usize)>,
    /// A line a scale.
    pub(crate) scales: Vec<ScaleFacts>,
}

/// Where and with what runs were made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) commit: String,
    pub(crate) version: String,
    pub(crate) rustc: String,
    pub(crate) processor: String,
    pub(crate) cores: i64,
    pub(crate) os: String,
    pub(crate) jobs: i64,
}

/// The runs of a scale.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScaleFacts {
    pub(crate) scale: String,
    pub(crate) runs: usize,
    pub(crate) instances: usize,
    pub(crate) maps: usize,
    pub(crate) agents: Vec<String>,
    /// Why the runs ended, and how many of them.
    pub(crate) stopped: Vec<(String, usize)>,
    /// The limits: each that differs from none.
    pub(crate) limits: Vec<String>,
    pub(crate) checked: usize,
    pub(crate) collisions: i64,
    /// Time of all runs, in hours of one core.
    pub(crate) hours: f64,
}

impl Provenance {
    /// Of the runs of each scale, without selectors.
    pub(crate) fn new(sets: &[Runs]) -> Self {
        let mut machines: BTreeMap<Machine, usize> = BTreeMap::new();
        for run in sets.iter().flat_map(|set| &set.runs) {
            *machines.entry(Machine::of(&run.row)).or_default() += 1;
        }
        Self { machines: machines.into_iter().collect(), scales: sets.iter().map(ScaleFacts::new).collect() }
    }
}

impl Machine {
    fn of(row: &Row) -> Self {
        let text = |column| row.text(column).unwrap_or("unknown").to_owned();
        Self {
            commit: text("commit"),
            version: text("version"),
            rustc: text("rustc"),
            processor: text("machine"),
            cores: row.integer("cores").unwrap_or(0),
            os: text("os"),
            jobs: row.integer("jobs").unwrap_or(0),
        }
    }
}

impl ScaleFacts {
    fn new(set: &Runs) -> Self {
        let mut stopped: BTreeMap<String, usize> = BTreeMap::new();
        for run in &set.runs {
            *stopped.entry(run.setting("stopped")).or_default() += 1;
        }
        let rows = || set.runs.iter().map(|run| &run.row);
        Self {
            scale: set.scale.clone(),
            runs: set.runs.len(),
            instances: set.runs.chunk_by(|a, b| a.instance == b.instance).count(),
            maps: set.values_of("map").len(),
            agents: set.values_of("agents"),
            stopped: stopped.into_iter().collect(),
            limits: LIMITS.iter().filter_map(|(column, words)| limit(set, column, words)).collect(),
            checked: rows().filter(|row| row.flag("checked") == Some(true)).count(),
            collisions: rows().filter_map(|row| row.integer("collisions")).sum(),
            hours: rows().filter_map(|row| row.number("run_seconds")).sum::<f64>() / 3600.0,
        }
    }
}

/// The columns that limit a run, and how they are said.
const LIMITS: [(&str, &str); 5] = [
    ("max_ticks", "ticks"),
    ("max_expansions", "expansions in all"),
    ("budget", "expansions a tick"),
    ("wall_limit", "s of ticks"),
    ("still_limit", "ticks without a step"),
];

fn limit(set: &Runs, column: &str, words: &str) -> Option<String> {
    // Questions have no ticks.
    if set.values_of("task").iter().all(|task| task == "dynamic") {
        return None;
    }
    let values: Vec<String> = set.values_of(column).into_iter().filter(|value| value != "–").collect();
    (!values.is_empty()).then(|| format!("{} {words}", values.join(", ")))
}
