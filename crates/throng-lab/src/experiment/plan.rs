//! A plan: the runs of an experiment at a scale, each with its settings, its seed and its key.

use std::ops::Range;

use super::document::{Places, Section};
use super::keys::axes;
use crate::hash::checksum;
use crate::strict::Place;
use crate::task::Task;
use crate::{Provenance, RunRow, Value};

/// The runs of an experiment at a scale.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The experiment's name.
    pub experiment: String,
    /// The scale.
    pub scale: String,
    /// The task of all runs.
    pub task: &'static Task,
    /// The values of each axis that the experiment sets, by key.
    pub axes: Vec<(&'static str, Vec<Option<Value>>)>,
    /// The runs: rows that hold their settings.
    pub runs: Vec<RunRow>,
    /// Whether the independent checker verifies every run.
    pub check: bool,
    /// Whether a row per tick is stored too.
    pub series: bool,
    /// Number of runs at a time, if the experiment sets it.
    pub jobs: Option<usize>,
    places: Places,
}

impl RunPlan {
    pub(super) fn new(experiment: &str, scale: &str, task: &'static Task, section: &Section) -> Self {
        let mut first = RunRow::new();
        first.set("experiment", experiment);
        first.set("scale", scale);
        first.set("task", task.name);
        let (mut runs, mut values_by_key) = (vec![first], Vec::new());
        for key in axes(task) {
            let (Some(column), Some(values)) = (key.column, section.values.get(key.name)) else { continue };
            values_by_key.push((key.name, values.clone()));
            let with = |run: &RunRow, value: &Option<Value>| {
                let mut run = run.clone();
                run.set_some(column, value.clone());
                run
            };
            runs = runs.iter().flat_map(|run| values.iter().map(move |value| with(run, value))).collect();
        }
        for run in &mut runs {
            let seed = seed(task, run);
            run.set("seed", seed);
            (task.derive_settings)(run);
        }
        let mut plan = Self {
            experiment: experiment.to_owned(),
            scale: scale.to_owned(),
            task,
            axes: values_by_key,
            runs,
            check: section.flag("check"),
            series: section.flag("series"),
            jobs: section.integer("jobs").map(|jobs| jobs as usize),
            places: section.places.clone(),
        };
        plan.identify();
        plan
    }

    /// Sets the keys of all runs from their settings and this program.
    pub(crate) fn identify(&mut self) {
        let here = Provenance::here(1);
        for run in &mut self.runs {
            let key = run_key(run, here.program());
            run.set("run", key);
        }
    }

    /// Returns where a value of a key stands.
    pub(crate) fn place(&self, key: &'static str, value: &Value) -> Option<&Place> {
        self.places.get(&(key, value.to_string()))
    }

    /// Returns true if a time limit may end a run, so that runs at the same time would disturb each other.
    pub fn has_time_limit(&self) -> bool {
        self.runs.iter().any(|run| run.number("wall_limit").is_some())
    }

    /// Keeps shard `index` of `count`, counted from 1.
    pub fn shard(&mut self, index: usize, count: usize) {
        let mut place = 0;
        self.runs.retain(|_| {
            place += 1;
            (place - 1) % count == index - 1
        });
    }

    /// Keeps the runs of some instances, counted from 0.
    pub fn keep_instances(&mut self, instances: &Range<u64>) {
        self.runs.retain(|run| {
            let instance = run.integer("instance").and_then(|number| u64::try_from(number).ok());
            instance.is_some_and(|instance| instances.contains(&instance))
        });
    }

    /// Returns a rough estimate of the time of all runs on one core, in seconds.
    pub fn estimate(&self) -> f64 {
        self.runs.iter().map(|run| (self.task.estimated_seconds)(run)).sum()
    }
}

/// Returns the seed of a run's problem: 53 bits, which readers of floating-point numbers keep.
fn seed(task: &Task, run: &RunRow) -> i64 {
    let settings = task.seed_columns.iter().map(|&(label, column)| (label, run.value(column)));
    (checksum(0, settings_text(settings).as_bytes()) >> 11) as i64
}

/// Returns the key of a run: the hash of its settings and of the program that makes it.
pub(crate) fn run_key(run: &RunRow, program: &str) -> String {
    let text = settings_text(run.settings()) + "program=" + program + "\n";
    format!("{:016x}", checksum(0, text.as_bytes()))
}

/// Returns named values as text. Missing values are left out, so that adding a column changes no hash.
fn settings_text<'n, 'v>(values: impl Iterator<Item = (&'n str, Option<&'v Value>)>) -> String {
    let mut text = String::new();
    for (name, value) in values {
        if let Some(value) = value {
            text.extend([name, "=", &value.to_string(), "\n"]);
        }
    }
    text
}
