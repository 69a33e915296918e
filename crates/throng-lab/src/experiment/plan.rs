//! A plan: the runs of an experiment at a scale, each with its settings, its seed and its key.
//!
//! A run is made from its number when it is asked for, so that a plan of millions of runs needs four bytes for each.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use super::document::{Places, Section};
use super::keys::axes;
use crate::hash::checksum;
use crate::precheck::precheck;
use crate::strict::Place;
use crate::task::{Task, scenario_file};
use crate::{MapError, MapName, Maps, ProblemSource, Provenance, RunRow, SweepError, Value};

/// The number of runs from which the time of a longer plan is estimated.
const ESTIMATED_RUNS: usize = 10_000;

/// The runs of an experiment at a scale.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The experiment's name.
    pub experiment: String,
    /// The scale.
    pub scale: String,
    /// The task of all runs.
    pub task: &'static Task,
    /// The values of each axis that the experiment sets, by key. The last axis varies fastest.
    pub axes: Vec<(&'static str, Vec<Option<Value>>)>,
    /// Whether the independent checker verifies every run.
    pub check: bool,
    /// Whether a row per tick is stored too.
    pub series: bool,
    /// Number of runs at a time, if the experiment sets it.
    pub jobs: Option<usize>,
    /// The column of each axis.
    columns: Vec<&'static str>,
    /// The numbers of the runs among all combinations of the axes' values, in order.
    numbers: Vec<u32>,
    /// The settings that all runs share.
    common: RunRow,
    /// The hash of the content of map and scenario, by their names, once the files have been read.
    contents: BTreeMap<ProblemFiles, String>,
    /// The program that makes the runs.
    program: String,
    places: Places,
}

/// The names of a run's map and problem source.
pub(crate) type ProblemFiles = (Option<String>, Option<String>);

impl RunPlan {
    pub(super) fn new(experiment: &str, scale: &str, task: &'static Task, section: &Section) -> Self {
        let mut common = RunRow::new();
        common.set("experiment", experiment);
        common.set("scale", scale);
        common.set("task", task.name);
        let (mut columns, mut values_by_key) = (Vec::new(), Vec::new());
        for key in axes(task) {
            let (Some(column), Some(values)) = (key.column, section.values.get(key.name)) else { continue };
            values_by_key.push((key.name, values.clone()));
            columns.push(column);
        }
        let runs: usize = values_by_key.iter().map(|(_, values)| values.len()).product();
        Self {
            experiment: experiment.to_owned(),
            scale: scale.to_owned(),
            task,
            axes: values_by_key,
            check: section.flag("check"),
            series: section.flag("series"),
            jobs: section.integer("jobs").map(|jobs| jobs as usize),
            columns,
            numbers: (0..runs as u32).collect(),
            common,
            contents: BTreeMap::new(),
            program: Provenance::here(1).program().to_owned(),
            places: section.places.clone(),
        }
    }

    /// Returns the number of runs.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns true if the plan has no run.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the runs: rows that hold their settings.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = RunRow> {
        (0..self.len()).map(|place| self.run(place))
    }

    /// Returns the settings of a run, given by its place in the plan.
    ///
    /// # Panics
    /// If there is no such run.
    pub fn run(&self, place: usize) -> RunRow {
        let mut run = self.common.clone();
        for (&column, value) in self.columns.iter().zip(self.values(self.numbers[place])) {
            run.set_some(column, value.cloned());
        }
        let seed = seed(self.task, &run);
        run.set("seed", seed);
        (self.task.derive_settings)(&mut run);
        if let Some(content) = self.contents.get(&problem_files(&run)) {
            run.set("map_hash", content.as_str());
        }
        let key = run_key(&run, &self.program);
        run.set("run", key);
        run
    }

    /// Returns the value of each axis in a run, given by its number.
    fn values(&self, number: u32) -> Vec<Option<&Value>> {
        let (mut rest, mut values) = (number as usize, vec![None; self.axes.len()]);
        for (value, (_, of_axis)) in values.iter_mut().zip(&self.axes).rev() {
            *value = of_axis[rest % of_axis.len()].as_ref();
            rest /= of_axis.len();
        }
        values
    }

    /// Notes the hashes of the contents of maps and scenarios, which are part of the runs' keys.
    pub(crate) fn set_contents(&mut self, contents: BTreeMap<ProblemFiles, String>) {
        self.contents = contents;
    }

    /// Returns where a value of a key stands.
    pub(crate) fn place(&self, key: &'static str, value: &Value) -> Option<&Place> {
        self.places.get(&(key, value.to_string()))
    }

    /// Returns true if a time limit may end a run, so that runs at the same time would disturb each other.
    pub fn has_time_limit(&self) -> bool {
        let mut values = self.columns.iter().zip(&self.axes).filter(|(column, _)| **column == "wall_limit");
        values.any(|(_, (_, values))| values.iter().any(Option::is_some))
    }

    /// Keeps shard `index` of `count`, counted from 1.
    pub fn shard(&mut self, index: usize, count: usize) {
        let mut place = 0;
        self.numbers.retain(|_| {
            place += 1;
            (place - 1) % count == index - 1
        });
    }

    /// Keeps the runs at some places of the plan, counted from 0. Places without a run are ignored.
    pub fn keep(&mut self, places: &BTreeSet<usize>) {
        let mut place = 0;
        self.numbers.retain(|_| {
            place += 1;
            places.contains(&(place - 1))
        });
    }

    /// Checks the plan as a sweep does before the first run, and completes the settings and keys of the runs: they include the
    /// content of maps and scenarios. A sweep of the plan finds nothing more to complete.
    ///
    /// # Errors
    /// If a run cannot succeed; the error names the place in the experiment file.
    pub fn prepare(&mut self, maps: &Maps) -> Result<(), SweepError> {
        precheck(self, maps)
    }

    /// Returns the files that the runs read, by the names that experiments have for them: maps, scenarios, and path databases
    /// beside the maps.
    ///
    /// # Errors
    /// If a map or scenario is missing.
    pub fn files(&self, maps: &Maps) -> Result<BTreeMap<String, PathBuf>, MapError> {
        let mut files = BTreeMap::new();
        for run in self.runs() {
            let map = run.text("map").unwrap_or_default();
            if let MapName::File(file) | MapName::Cut { file, .. } = MapName::read(map)? {
                let plain = file.trim_end_matches(".map");
                if let Entry::Vacant(entry) = files.entry(format!("{plain}.map")) {
                    entry.insert(maps.find(&file)?);
                }
                let database = format!("{plain}.cpd");
                if let Ok(path) = maps.find(&database) {
                    files.insert(database, path);
                }
            }
            if let Some(Ok(ProblemSource::Scenario(named))) = run.text("type").map(str::parse) {
                let file = scenario_file(named, map);
                let path = maps.scenario(&file)?.path.clone();
                files.insert(file, path);
            }
        }
        Ok(files)
    }

    /// Keeps the runs of some instances, counted from 0.
    pub fn keep_instances(&mut self, instances: &Range<u64>) {
        let axis = self.columns.iter().position(|&column| column == "instance");
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.retain(|&number| {
            let instance = axis.and_then(|axis| self.values(number)[axis]?.integer());
            instance.is_some_and(|instance| instances.contains(&(instance as u64)))
        });
        self.numbers = numbers;
    }

    /// Returns a rough estimate of the time of all runs on one core, in seconds: that of some of them if there are many.
    pub fn estimate(&self) -> f64 {
        self.estimate_of(&(0..self.len()).collect::<Vec<_>>())
    }

    /// Returns the estimate of the time of some runs, given by their places.
    pub(crate) fn estimate_of(&self, places: &[usize]) -> f64 {
        let step = places.len().div_ceil(ESTIMATED_RUNS).max(1);
        let sample = places.iter().step_by(step);
        let count = sample.len().max(1);
        let seconds: f64 = sample.map(|&place| (self.task.estimated_seconds)(&self.run(place))).sum();
        seconds * places.len() as f64 / count as f64
    }
}

/// Returns the names of the map and the problem source of a run.
pub(crate) fn problem_files(run: &RunRow) -> ProblemFiles {
    (run.text("map").map(str::to_owned), run.text("type").map(str::to_owned))
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
