//! Recordings of worlds, and their independent check.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use throng::Recording;

use super::World;
use crate::error::bad_value;

/// The result of checking a recording: `throng.check`.
#[pyclass(module = "throng", frozen, get_all)]
pub(crate) struct CheckReport {
    /// The specification of the planner that made the run.
    planner: String,
    /// The number of ticks that were checked.
    ticks: u64,
    /// The number of decisions that were checked: one per agent and tick.
    agent_steps: u64,
    /// The number of violations of the rules; 0 if the recording is clean.
    violations: u64,
}

#[pymethods]
impl CheckReport {
    fn __repr__(&self) -> String {
        let Self { planner, ticks, agent_steps, violations } = self;
        format!(
            "CheckReport(planner={planner:?}, ticks={ticks}, agent_steps={agent_steps}, violations={violations})"
        )
    }
}

/// Checks a recording with an implementation of the rules of its own, and returns what it found. A recording that is cut short or
/// altered raises `ValueError`.
///
/// >>> world = throng.World(throng.Map.picture("...."))
/// >>> agent = world.spawn(0, 0)
/// >>> world.start_recording()
/// >>> destination, report = world.send(agent, 3, 0), world.tick(5)
/// >>> throng.check(world.finish_recording()).violations
/// 0
#[pyfunction]
pub(crate) fn check(py: Python<'_>, recording: &[u8]) -> PyResult<CheckReport> {
    py.detach(|| {
        let recording = Recording::read(recording).map_err(bad_value)?;
        recording.within_limits().map_err(bad_value)?;
        let report = throng::check(&recording);
        Ok(CheckReport {
            planner: recording.planner_name().to_owned(),
            ticks: report.ticks,
            agent_steps: report.agent_steps,
            violations: report.violation_count,
        })
    })
}

#[pymethods]
impl World {
    /// Records every order and every move from now on, with a snapshot of the present state at the beginning.
    fn start_recording(&mut self, py: Python<'_>) {
        py.detach(|| self.world.start_recording());
    }

    /// Returns what has been recorded since the last call, for a file that is written while the run goes on.
    fn drain_recording<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.world.drain_recording().ok_or_else(not_recording)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Ends the recording after the last tick, and returns what was not drained. `throng.check` and `throng replay` read the whole.
    fn finish_recording<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.world.finish_recording().ok_or_else(not_recording)?;
        Ok(PyBytes::new(py, &bytes))
    }
}

fn not_recording() -> PyErr {
    bad_value("the world is not being recorded: call start_recording")
}
