//! Problems for crowds, and runs with the measures of the laboratory.

use std::sync::Arc;
use std::time::Duration;

use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use throng::grid::movingai::read_scenario;
use throng::grid::render::{Colour, Picture};
use throng::{Cell, Crossings, Fog, Grid, StepTime};
use throng_lab::{FinishedRun, Instance, RunLimits, Setup, TickBudget};

use crate::array::{position_array, positions};
use crate::database::Database;
use crate::error::bad_value;
use crate::map::Map;
use crate::rules::named;

/// A problem for a crowd: a map with one start and one goal per agent.
///
/// >>> import throng
/// >>> problem = throng.Problem.generate(throng.Map.builtin("rooms"), "swap-sides", agents=40, seed=1)
/// >>> problem.starts.shape
/// (40, 2)
/// >>> result = problem.run("surge", max_ticks=500)
/// >>> result["completion_rate"], result["collisions"]
/// (1.0, 0)
#[pyclass(module = "throng", frozen)]
pub(crate) struct Problem {
    grid: Arc<Grid>,
    instance: Instance,
    kind: String,
    seed: u64,
}

#[pymethods]
impl Problem {
    /// Creates the problem of starts and goals, arrays of shape `(n, 2)`.
    #[new]
    fn new(map: &Map, starts: &Bound<'_, PyAny>, goals: &Bound<'_, PyAny>) -> PyResult<Self> {
        let cells = |given: &Bound<'_, PyAny>| -> PyResult<Vec<Cell>> {
            positions(given)?.into_iter().map(|pos| map.cell((pos.x, pos.y))).collect()
        };
        let instance = Instance { starts: cells(starts)?, goals: cells(goals)? };
        if instance.starts.len() != instance.goals.len() {
            let (starts, goals) = (instance.starts.len(), instance.goals.len());
            return Err(bad_value(format!("there are {starts} starts and {goals} goals")));
        }
        Ok(Self { grid: map.grid.clone(), instance, kind: "given".to_owned(), seed: 0 })
    }

    /// Draws a problem of one of `throng.problem_types()`. The same seed gives the same problem on every machine.
    #[staticmethod]
    #[pyo3(signature = (map, kind="random", *, agents, seed=1))]
    fn generate(py: Python<'_>, map: &Map, kind: &str, agents: usize, seed: u64) -> PyResult<Self> {
        let problem = named(kind)?;
        let drawn = py.detach(|| Instance::generate(map.grid.ground(), problem, agents, seed));
        Ok(Self { grid: map.grid.clone(), instance: drawn.map_err(bad_value)?, kind: kind.to_owned(), seed })
    }

    /// Takes the first problems of a scenario file, one per agent.
    #[staticmethod]
    fn load(map: &Map, path: std::path::PathBuf, agents: usize) -> PyResult<Self> {
        let name = path.display().to_string();
        let scenario = read_scenario(&std::fs::read(&path)?);
        let scenario = scenario.map_err(|error| bad_value(format!("{name}:{error}")))?;
        let instance = Instance::from_scenario(map.grid.ground(), &scenario, agents);
        let instance = instance.map_err(|error| bad_value(format!("{name}:{error}")))?;
        Ok(Self { grid: map.grid.clone(), instance, kind: "scen".to_owned(), seed: 0 })
    }

    /// The starts, an array of shape `(n, 2)`.
    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        let size = self.grid.size();
        position_array(py, self.instance.starts.iter().map(|&cell| size.pos(cell)))
    }

    /// The goals, an array of shape `(n, 2)`.
    #[getter]
    fn goals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        let size = self.grid.size();
        position_array(py, self.instance.goals.iter().map(|&cell| size.pos(cell)))
    }

    /// The map.
    #[getter]
    fn map(&self) -> Map {
        Map { grid: self.grid.clone() }
    }

    /// Runs a planner until all agents have arrived or a limit is reached, and returns the measures. The independent checker verifies
    /// the run unless `check` is false. `record` keeps the recording.
    #[pyo3(signature = (
        planner="surge", *, max_ticks=1000, seed=1, threads=1, units=None, expansions=None, seconds=None,
        wall_limit=None, fog=None, crossings="forbid", step_time="uniform", check=true, record=false, database=None
    ))]
    fn run(
        &self,
        py: Python<'_>,
        planner: &str,
        max_ticks: u64,
        seed: u64,
        threads: usize,
        units: Option<u64>,
        expansions: Option<u64>,
        seconds: Option<f64>,
        wall_limit: Option<f64>,
        fog: Option<u16>,
        crossings: &str,
        step_time: &str,
        check: bool,
        record: bool,
        database: Option<&Database>,
    ) -> PyResult<RunResult> {
        let mut limits = RunLimits::ticks(max_ticks);
        limits.budget = match (units, expansions, seconds) {
            (None, None, None) => TickBudget::Unlimited,
            (Some(units), None, None) => TickBudget::Units(units),
            (None, Some(expansions), None) => TickBudget::Expansions(expansions),
            (None, None, Some(seconds)) => TickBudget::Microseconds((seconds * 1e6) as u64),
            _ => return Err(bad_value("a tick has one limit: units, expansions or seconds")),
        };
        limits.wall = match wall_limit.map(Duration::try_from_secs_f64) {
            Some(Err(_)) => return Err(bad_value("wall_limit is a time in seconds")),
            limit => limit.and_then(Result::ok),
        };
        let (crossings, step_time): (Crossings, StepTime) = (named(crossings)?, named(step_time)?);
        let setup = Setup {
            seed,
            threads: threads.max(1),
            limits,
            record,
            check,
            series: true,
            fog: fog.map(Fog::radius),
            crossings,
            step_time,
            cpd: database.map(|database| &database.cpd),
            ..Setup::new(&self.grid, &self.instance, planner, max_ticks)
        };
        let mut interrupted = None;
        let mut ticks = 0_u64;
        let run = py.detach(|| {
            throng_lab::run(setup, |_, _| {
                ticks += 1;
                if ticks.is_multiple_of(16) {
                    interrupted = Python::attach(|py| py.check_signals().map(drop)).err();
                }
                interrupted.is_none()
            })
        });
        if let Some(interrupt) = interrupted {
            return Err(interrupt);
        }
        let mut run = run.map_err(bad_value)?;
        run.result.map = format!("{}×{}", self.grid.size().width(), self.grid.size().height());
        run.result.r#type.clone_from(&self.kind);
        if self.seed > 0 {
            run.result.seed = self.seed;
        }
        Ok(RunResult { run, grid: self.grid.clone() })
    }

    /// Returns a picture as the bytes of a PNG file: the starts of the agents, and in muted colours their goals.
    #[pyo3(signature = (*, scale=None))]
    fn png<'py>(&self, py: Python<'py>, scale: Option<u32>) -> PyResult<Bound<'py, PyBytes>> {
        let goals = self.instance.goals.iter().enumerate().map(|(i, &goal)| (goal, Colour::nth(i).muted()));
        let starts = self.instance.starts.iter().enumerate().map(|(i, &start)| (start, Colour::nth(i)));
        // A start is drawn over the goal of another agent.
        let mut picture = Picture::of_grid(&self.grid).agents(goals.chain(starts));
        if let Some(scale) = scale {
            picture = picture.scale(scale);
        }
        Ok(PyBytes::new(py, &py.detach(|| picture.png()).map_err(bad_value)?))
    }

    /// Draws the problem in a notebook.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.png(py, None)
    }

    fn __len__(&self) -> usize {
        self.instance.starts.len()
    }

    fn __repr__(&self) -> String {
        let (kind, agents, size) = (&self.kind, self.instance.starts.len(), self.grid.size());
        format!(
            "<throng.Problem of type {kind}: {agents} agents on {}×{} cells>",
            size.width(),
            size.height()
        )
    }
}

/// The measures of a run, by name as a mapping, and arrays about it.
#[pyclass(module = "throng", frozen)]
pub(crate) struct RunResult {
    run: FinishedRun,
    grid: Arc<Grid>,
}

#[pymethods]
impl RunResult {
    /// The measures by name: those that `throng run --json` prints.
    #[getter]
    fn measures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let text = serde_json::to_string(&self.run.result).map_err(bad_value)?;
        Ok(py.import("json")?.call_method1("loads", (text,))?.cast_into()?)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.measures(py)?.get_item(name)?;
        found.ok_or_else(|| pyo3::exceptions::PyKeyError::new_err(name.to_owned()))
    }

    /// The names of the measures.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.measures(py)?.call_method0("keys")
    }

    /// The number of agents that had arrived after each tick.
    #[getter]
    fn arrived<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.run.series.iter().map(|sample| sample.arrived).collect::<Vec<_>>().to_pyarray(py)
    }

    /// The time of each tick in microseconds.
    #[getter]
    fn tick_us<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.run.series.iter().map(|sample| sample.tick_us).collect::<Vec<_>>().to_pyarray(py)
    }

    /// How often each cell was entered, an array of shape `(height, width)`.
    #[getter]
    fn heat<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        Map { grid: self.grid.clone() }.per_cell(py, self.run.heat.clone())
    }

    /// The positions at the end, an array of shape `(n, 2)`.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        let size = self.grid.size();
        position_array(py, self.run.positions.iter().map(|&cell| size.pos(cell)))
    }

    /// The recording, empty unless the run was told to record.
    #[getter]
    fn recording<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.run.recording)
    }

    /// Draws how often each cell was entered, in a notebook.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let picture = Picture::of_grid(&self.grid).heat(&self.run.heat);
        Ok(PyBytes::new(py, &picture.png().map_err(bad_value)?))
    }

    fn __repr__(&self) -> String {
        let result = &self.run.result;
        format!(
            "<throng.RunResult of {}: {:.1} % of {} agents arrived in {} ticks>",
            result.planner,
            result.completion_rate * 100.0,
            result.agents,
            result.ticks
        )
    }
}
