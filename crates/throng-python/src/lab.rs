//! The laboratory: plans of experiments, sweeps, stored results. `python/throng/lab.py` is what users call.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use throng_lab::columns::{COLUMNS, ColumnKind, Role};
use throng_lab::files::Files;
use throng_lab::store::{ResultFolder, decode_runs, encode_runs, stored_runs};
use throng_lab::{
    Experiment, Maps, Provenance, Resume, RunPlan, RunRow, StoreError, Sweep, SweepError, SweepProgress,
    SweepTotals, Value,
};

use crate::error::bad_value;

/// The time between two looks at signals while a sweep runs.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

fn sweep_error(error: SweepError) -> PyErr {
    if error.is_bad_input() { bad_value(error) } else { PyOSError::new_err(error.to_string()) }
}

fn store_error(error: StoreError) -> PyErr {
    match error {
        StoreError::Files(_) | StoreError::Write { .. } => PyOSError::new_err(error.to_string()),
        error => bad_value(error),
    }
}

/// Returns which results a folder may have: none, those of this program (`"same"`), or those of any program (`"any"`).
fn resume_rule(name: Option<&str>) -> PyResult<Resume> {
    match name {
        None => Ok(Resume::No),
        Some("same") => Ok(Resume::SameProgram),
        Some("any") => Ok(Resume::AnyProgram),
        Some(other) => Err(bad_value(format!("unknown rule of resuming {other:?}: same or any"))),
    }
}

fn python_value<'py>(py: Python<'py>, value: Option<&Value>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        None => py.None().into_bound(py),
        Some(Value::Text(text)) => text.into_pyobject(py)?.into_any(),
        Some(Value::Integer(number)) => number.into_pyobject(py)?.into_any(),
        Some(Value::Float(number)) => number.into_pyobject(py)?.into_any(),
        Some(Value::Flag(is)) => is.into_pyobject(py)?.to_owned().into_any(),
    })
}

/// The runs of an experiment at a scale. The experiment is one of `throng.lab.experiments()`, or the path of an experiment file.
/// `maps` are the folders of maps.
///
/// >>> plan = throng.lab.Plan("churn", "smoke")
/// >>> len(plan) > 0
/// True
#[pyclass(module = "throng.lab", frozen)]
pub(crate) struct Plan {
    /// What the experiment was opened by.
    source: String,
    experiment: Experiment,
    inner: RunPlan,
    folders: Vec<PathBuf>,
}

impl Plan {
    fn maps(&self) -> Maps {
        Maps::new(self.experiment.folder.iter().chain(&self.folders).cloned().collect())
    }

    fn with(&self, change: impl FnOnce(&mut RunPlan)) -> Self {
        let mut inner = self.inner.clone();
        change(&mut inner);
        Self {
            source: self.source.clone(),
            experiment: self.experiment.clone(),
            inner,
            folders: self.folders.clone(),
        }
    }

    /// Runs the sweep on a thread of its own, while this one looks at signals.
    fn sweep(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        resume: Resume,
        jobs: Option<usize>,
        shares_machine: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<SweepTotals> {
        let stop = Arc::new(AtomicBool::new(false));
        let (plan, maps) = (self.inner.clone(), self.maps());
        let sweep = Sweep {
            plan,
            folder,
            maps,
            resume,
            jobs,
            shares_machine,
            stop: Arc::clone(&stop),
            files: Files::default(),
        };
        let failed = std::sync::Mutex::new(None);
        let fail = |error: PyErr| {
            stop.store(true, Ordering::Relaxed);
            failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
        };
        let watch = |SweepProgress { finished, total, left, .. }: SweepProgress| {
            if let Some(progress) = &progress {
                let left = left.map(|left| left.as_secs_f64());
                let called = Python::attach(|py| progress.call1(py, (finished, total, left)).map(drop));
                called.unwrap_or_else(fail);
            }
        };
        let made = py.detach(|| {
            std::thread::scope(|scope| {
                let sweep = scope.spawn(|| sweep.run(&watch));
                while !sweep.is_finished() {
                    std::thread::sleep(SIGNAL_INTERVAL);
                    Python::attach(|py| py.check_signals().map(drop)).unwrap_or_else(fail);
                }
                sweep.join()
            })
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            return Err(error);
        }
        let made =
            made.map_err(|_| pyo3::panic::PanicException::new_err("a run panicked: a bug of throng"))?;
        made.map_err(sweep_error)
    }
}

#[pymethods]
impl Plan {
    /// Plans the runs of an experiment.
    #[new]
    #[pyo3(signature = (experiment, scale="quick", *, maps=None))]
    fn new(experiment: &str, scale: &str, maps: Option<Vec<PathBuf>>) -> PyResult<Self> {
        let source = experiment.to_owned();
        let experiment = Experiment::open(experiment).map_err(bad_value)?;
        let inner = experiment.plan(scale).map_err(bad_value)?;
        Ok(Self { source, experiment, inner, folders: maps.unwrap_or_default() })
    }

    /// The name of the experiment.
    #[getter]
    fn experiment(&self) -> &str {
        &self.inner.experiment
    }

    /// What the experiment was opened by: its name, or the path of its file.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    /// The scale.
    #[getter]
    fn scale(&self) -> &str {
        &self.inner.scale
    }

    /// The task of all runs.
    #[getter]
    fn task(&self) -> &str {
        self.inner.task.name
    }

    /// Returns the places of the runs with these keys, counted from 0.
    fn places(&self, keys: BTreeSet<String>) -> BTreeSet<usize> {
        let runs = self.keys().into_iter().enumerate();
        runs.filter(|(_, key)| keys.contains(key)).map(|(place, _)| place).collect()
    }

    /// The keys of the runs: hashes of their settings and of the program. After `prepare` they include the maps.
    #[getter]
    fn keys(&self) -> Vec<String> {
        self.inner.runs().map(|run| run.text("run").unwrap_or_default().to_owned()).collect()
    }

    /// Rough estimates of the time of each run on one core, in seconds.
    #[getter]
    fn estimates<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let estimates = self.inner.runs().map(|run| (self.inner.task.estimated_seconds)(&run));
        estimates.collect::<Vec<_>>().to_pyarray(py)
    }

    /// The settings of the runs, a mapping per run.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let row = |run: RunRow| {
            let settings = PyDict::new(py);
            for (column, value) in run.columns().filter(|(_, value)| value.is_some()) {
                settings.set_item(column.name, python_value(py, value)?)?;
            }
            Ok(settings)
        };
        self.inner.runs().map(row).collect()
    }

    /// Returns the plan after the checks before the first run: maps exist, agents find room, planners support the settings. The keys
    /// of the runs include the content of maps and scenarios then.
    fn prepare(&self, py: Python<'_>) -> PyResult<Self> {
        let maps = self.maps();
        let mut prepared = self.with(|_| ());
        py.detach(|| prepared.inner.prepare(&maps)).map_err(sweep_error)?;
        Ok(prepared)
    }

    /// Returns the plan with the runs at some places, counted from 0; `places` finds them.
    fn keep(&self, places: BTreeSet<usize>) -> Self {
        self.with(|plan| plan.keep(&places))
    }

    /// Returns part `index` of `count`, counted from 1: as `throng lab run --shard`.
    fn shard(&self, index: usize, count: usize) -> PyResult<Self> {
        if !(1..=count).contains(&index) {
            return Err(bad_value(format!("there is no part {index} of {count}: parts are counted from 1")));
        }
        Ok(self.with(|plan| plan.shard(index, count)))
    }

    /// Returns the runs of the instances from `first` up to `end`, not included.
    fn instances(&self, first: u64, end: u64) -> Self {
        self.with(|plan| plan.keep_instances(&(first..end)))
    }

    /// Returns the files that the runs read, by the names that the experiment has for them.
    fn files(&self) -> PyResult<BTreeMap<String, PathBuf>> {
        self.inner.files(&self.maps()).map_err(bad_value)
    }

    /// Executes the runs and stores them in a folder. `progress` is called after each run with the number of finished runs, the
    /// number of all, and the estimated time that is left. Returns a summary. Ctrl-C stops the sweep; finished runs are kept.
    #[pyo3(signature = (folder, *, resume=None, jobs=None, progress=None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        folder: PathBuf,
        resume: Option<&str>,
        jobs: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let totals = self.sweep(py, folder, resume_rule(resume)?, jobs, false, progress)?;
        let summary = PyDict::new(py);
        summary.set_item("planned", totals.planned)?;
        summary.set_item("earlier", totals.earlier)?;
        summary.set_item("made", totals.made)?;
        summary.set_item("rows", totals.rows)?;
        summary.set_item("jobs", totals.jobs)?;
        summary.set_item("seconds", totals.seconds)?;
        summary.set_item("planner_seconds", totals.planner_seconds)?;
        summary.set_item("lab_seconds", totals.lab_seconds)?;
        Ok(summary)
    }

    /// Executes the runs one after the other on one thread, in an empty folder, and returns them as bytes for `ResultStore.add`.
    fn run_to_bytes<'py>(&self, py: Python<'py>, folder: PathBuf) -> PyResult<Bound<'py, PyBytes>> {
        self.sweep(py, folder.clone(), Resume::No, Some(1), true, None)?;
        let runs = py.detach(|| stored_runs(&folder)).map_err(store_error)?;
        Ok(PyBytes::new(py, &encode_runs(&runs)))
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<throng.lab.Plan of {} at scale {}: {} runs>",
            self.experiment(),
            self.scale(),
            self.inner.len()
        )
    }
}

/// A folder of results that is open for writing: the same that `throng lab run` writes, with its lock and its journal.
#[pyclass(module = "throng.lab")]
pub(crate) struct ResultStore {
    folder: Option<ResultFolder>,
    finished: BTreeSet<String>,
}

#[pymethods]
impl ResultStore {
    /// Opens a folder, and creates it if it does not exist.
    #[new]
    #[pyo3(signature = (folder, resume=None))]
    fn new(folder: PathBuf, resume: Option<&str>) -> PyResult<Self> {
        let here = Provenance::here(1);
        let folder = ResultFolder::open(&Files::default(), &folder, resume_rule(resume)?, here.program())
            .map_err(store_error)?;
        let finished = folder.finished_runs(here.program());
        Ok(Self { folder: Some(folder), finished })
    }

    /// The keys of the finished runs.
    #[getter]
    fn finished(&self) -> BTreeSet<String> {
        self.finished.clone()
    }

    /// Returns true if the run with a key is finished.
    fn has(&self, key: &str) -> bool {
        self.finished.contains(key)
    }

    /// Adds runs that `Plan.run_to_bytes` returned. A run that is there already is left out. Returns the number of new runs, which are on
    /// their way to the disk.
    fn add(&mut self, py: Python<'_>, runs: &[u8]) -> PyResult<usize> {
        let folder = self.folder.as_mut().ok_or_else(|| bad_value("the folder is closed"))?;
        let runs = decode_runs(runs).map_err(bad_value)?;
        let mut added = 0;
        for run in runs {
            let key = run.row.text("run").unwrap_or_default().to_owned();
            if self.finished.contains(&key) {
                continue;
            }
            py.detach(|| folder.append(&run)).map_err(store_error)?;
            self.finished.insert(key);
            added += 1;
        }
        Ok(added)
    }

    /// Writes the results as one Parquet file, and returns the number of rows. The store is closed then.
    fn close(&mut self, py: Python<'_>) -> PyResult<usize> {
        let folder = self.folder.take().ok_or_else(|| bad_value("the folder is closed"))?;
        py.detach(|| folder.compact()).map_err(store_error)
    }
}

/// Returns the rows of result folders as columns: lists of equal length, by name. Runs with equal settings are there once.
#[pyfunction]
fn read_columns(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<Bound<'_, PyDict>> {
    let results = py.detach(|| throng_lab::Results::open(&folders)).map_err(store_error)?;
    let columns = PyDict::new(py);
    for (place, column) in COLUMNS.iter().enumerate() {
        let values = results.rows.iter().map(|row| python_value(py, row.at(place)));
        columns.set_item(column.name, values.collect::<PyResult<Vec<_>>>()?)?;
    }
    Ok(columns)
}

/// Returns the columns of results: name, kind (`text`, `integer`, `float`, `flag`), role (`setting`, `measure`, `timing`, `provenance`)
/// and meaning of each. Measures are equal on every machine unless a time limit ended the run.
///
/// >>> "completion_rate" in [column["name"] for column in throng.lab.columns()]
/// True
#[pyfunction]
fn columns(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entry = |column: &throng_lab::columns::Column| {
        let entry = PyDict::new(py);
        entry.set_item("name", column.name)?;
        let kind = match column.kind {
            ColumnKind::Text => "text",
            ColumnKind::Integer => "integer",
            ColumnKind::Float => "float",
            ColumnKind::Flag => "flag",
        };
        entry.set_item("kind", kind)?;
        let role = match column.role {
            Role::Setting => "setting",
            Role::Measure => "measure",
            Role::Timing => "timing",
            Role::Provenance => "provenance",
        };
        entry.set_item("role", role)?;
        entry.set_item("about", column.about)?;
        Ok(entry)
    };
    COLUMNS.iter().map(entry).collect()
}

/// Returns the experiments that are part of the package: name, title and scales of each.
///
/// >>> "churn" in [experiment["name"] for experiment in throng.lab.experiments()]
/// True
#[pyfunction]
fn experiments(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entry = |name| {
        let experiment = Experiment::open(name).map_err(bad_value)?;
        let entry = PyDict::new(py);
        entry.set_item("name", &experiment.name)?;
        entry.set_item("title", &experiment.title)?;
        entry.set_item("scales", experiment.scales().collect::<Vec<_>>())?;
        Ok(entry)
    };
    Experiment::names().map(entry).collect()
}

/// Returns the text that stands for this program in the keys of runs: its commit, or its version.
#[pyfunction]
fn program() -> String {
    Provenance::here(1).program().to_owned()
}

/// Adds the classes and functions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // A build with a commit has other keys of runs than other builds of the version.
    if let Some(commit) = option_env!("THRONG_COMMIT") {
        Provenance::set_commit(commit);
    }
    module.add_class::<Plan>()?;
    module.add_class::<ResultStore>()?;
    module.add_function(wrap_pyfunction!(columns, module)?)?;
    module.add_function(wrap_pyfunction!(experiments, module)?)?;
    module.add_function(wrap_pyfunction!(program, module)?)?;
    module.add_function(wrap_pyfunction!(read_columns, module)?)
}
