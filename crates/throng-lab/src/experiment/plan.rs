//! A plan: the runs of an experiment at a scale, each with all its settings, its seed and its id.

use throng::crowd::bytes::checksum;

use super::keys::KEYS;
use super::sheet::{Place, Places, Sheet};
use crate::columns::Role;
use crate::{Row, Value};

/// What is to be run.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The experiment's name.
    pub experiment: String,
    /// The scale.
    pub scale: String,
    /// The axes with more than one value, or all of them, by key.
    pub axes: Vec<(&'static str, Vec<Option<Value>>)>,
    /// The runs: rows with their settings.
    pub runs: Vec<Row>,
    /// Whether the independent checker follows every run.
    pub check: bool,
    /// Whether what each tick did is kept.
    pub series: bool,
    /// Runs at a time, if the experiment says.
    pub jobs: Option<usize>,
    places: Places,
}

impl Plan {
    pub(super) fn new(experiment: &str, scale: &str, sheet: &Sheet) -> Self {
        let mut first = Row::new();
        first.set("experiment", experiment);
        first.set("scale", scale);
        let (mut runs, mut axes) = (vec![first], Vec::new());
        for key in KEYS {
            let (Some(column), Some(values)) = (key.column, sheet.values.get(key.name)) else { continue };
            axes.push((key.name, values.clone()));
            let with = |run: &Row, value: &Option<Value>| {
                let mut run = run.clone();
                run.set_some(column, value.clone());
                run
            };
            runs = runs.iter().flat_map(|run| values.iter().map(move |value| with(run, value))).collect();
        }
        for run in &mut runs {
            run.set("seed", seed(run));
            identify(run);
        }
        let jobs = sheet.integer("jobs").map(|jobs| jobs as usize);
        Self {
            experiment: experiment.to_owned(),
            scale: scale.to_owned(),
            axes,
            runs,
            check: sheet.flag("check"),
            series: sheet.flag("series"),
            jobs,
            places: sheet.places.clone(),
        }
    }

    /// Where a value of a key stands.
    pub(crate) fn place(&self, key: &'static str, value: &Value) -> Option<&Place> {
        self.places.get(&(key, value.to_string()))
    }

    /// Whether a run may be stopped by the clock, so that others at the same time would disturb it.
    pub fn is_by_the_clock(&self) -> bool {
        self.runs.iter().any(|run| run.number("wall_limit").is_some())
    }

    /// The part of the plan that is shard `index` of `count`, counted from 1.
    pub fn shard(&mut self, index: usize, count: usize) {
        let mut place = 0;
        self.runs.retain(|_| {
            place += 1;
            (place - 1) % count == index - 1
        });
    }

    /// Seconds that the runs may take on one core, by a rough model: for the impression, not for decisions.
    pub fn estimate(&self) -> f64 {
        self.runs.iter().map(cost).sum()
    }
}

/// The columns that decide which problem is drawn. Planners and limits are not among them, so that all planners meet
/// the same problems, under all limits; nor are experiment and scale, so that experiments share their problems.
const PROBLEM: [&str; 9] =
    ["map", "corners", "terrain", "type", "agents", "instance", "retask_percent", "foreign_percent", "walls"];

/// The seed of a run's problem: 53 bits, which every reader of numbers keeps.
fn seed(run: &Row) -> i64 {
    (hash(PROBLEM.iter().map(|&name| (name, run.value(name)))) >> 11) as i64
}

/// Gives a run its id: the hash of all its settings that have a value.
pub(crate) fn identify(run: &mut Row) {
    let settings = run.columns().filter(|(column, _)| column.role == Role::Setting && column.name != "run");
    let id = format!("{:016x}", hash(settings.map(|(column, value)| (column.name, value))));
    run.set("run", id);
}

/// The hash of named values; those without a value do not count, so that columns may be added.
fn hash<'a>(values: impl Iterator<Item = (&'a str, Option<&'a Value>)>) -> u64 {
    let mut text = String::new();
    for (name, value) in values {
        if let Some(value) = value {
            text.extend([name, "=", &value.to_string(), "\n"]);
        }
    }
    checksum(0, text.as_bytes())
}

/// Microseconds an agent and tick, by planner: the first whose name begins so.
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

/// Seconds that a run may take: agents times ticks of its limit, at the planner's pace as it was measured on game maps with
/// 50 to 2,000 agents. Crowds that come home soon cost less, dense ones several times as much, and those that never do
/// because they are sent elsewhere three times as much.
pub(crate) fn cost(run: &Row) -> f64 {
    let name = run.text("planner").unwrap_or_default();
    let microseconds =
        PACE.iter().find(|(family, _)| name.starts_with(family)).map_or(1.0, |&(_, pace)| pace);
    let agents = run.number("agents").unwrap_or(1.0).max(1.0);
    let ticks = run.number("max_ticks").unwrap_or(1_000.0).min(4_000.0);
    let restless = if run.text("task") == Some("churn") { 3.0 } else { 1.0 };
    let seconds = 0.002 + restless * agents * ticks * microseconds / 1e6;
    seconds.min(run.number("wall_limit").unwrap_or(f64::MAX))
}
