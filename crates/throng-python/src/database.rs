//! Path databases.

use std::sync::Arc;

use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use throng::{Cell, Cpd, CpdBuilder, Executor, Pool};

use crate::array::positions;
use crate::error::{bad_value, write_file};
use crate::map::Map;

/// A compressed path database (CPD): the first move of a shortest path between any two cells of a map.
///
/// >>> import throng
/// >>> map = throng.Map.builtin("rooms")
/// >>> database = throng.Database.build(map)
/// >>> search = throng.Search("cpd", database=database)
#[pyclass(module = "throng", frozen)]
pub(crate) struct Database {
    pub(crate) cpd: Arc<Cpd>,
}

impl Database {
    fn cells(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<Cell>> {
        let size = self.cpd.ground().size();
        let cell = |pos| size.cell(pos).ok_or_else(|| bad_value(format!("{pos} is outside the map")));
        positions(given)?.into_iter().map(cell).collect()
    }
}

#[pymethods]
impl Database {
    /// Builds the database of a map; other Python threads run meanwhile. Ctrl-C interrupts it.
    #[staticmethod]
    #[pyo3(signature = (map, threads=1))]
    fn build(py: Python<'_>, map: &Map, threads: usize) -> PyResult<Self> {
        let pool = Pool::new(threads.max(1)).map_err(bad_value)?;
        let mut builder = CpdBuilder::new(map.grid.ground());
        while py.detach(|| builder.advance(&|count, piece| pool.run(count, piece)).is_some()) {
            py.check_signals()?;
        }
        Ok(Self { cpd: Arc::new(py.detach(|| builder.finish())) })
    }

    /// Opens the database of a map from a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: std::path::PathBuf, map: &Map) -> PyResult<Self> {
        let bytes = std::fs::read(&path)?;
        let opened = py.detach(|| Cpd::open(&bytes, map.grid.ground()));
        let cpd = opened.map_err(|error| bad_value(format!("{}: {error}", path.display())))?;
        Ok(Self { cpd: Arc::new(cpd) })
    }

    /// Opens the database of a map from the content of a file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, content: &[u8], map: &Map) -> PyResult<Self> {
        let cpd = py.detach(|| Cpd::open(content, map.grid.ground())).map_err(bad_value)?;
        Ok(Self { cpd: Arc::new(cpd) })
    }

    /// Returns the content of a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.cpd.to_bytes()))
    }

    /// Writes a file.
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        py.detach(|| write_file(&path, &self.cpd.to_bytes()))
    }

    /// Returns the direction of the first step from each start to each goal, arrays of shape `(n, 2)`: 0 to 7 clockwise from
    /// north as in `throng.DIRECTIONS`, or -1 without a path and at the goal.
    fn first_moves<'py>(
        &self,
        py: Python<'py>,
        starts: &Bound<'py, PyAny>,
        goals: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let pairs = self.pairs(starts, goals)?;
        let moves = |&(from, to)| self.cpd.first_move(from, to).map_or(-1, |direction| direction as i8);
        let found: Vec<i8> = py.detach(|| pairs.iter().map(moves).collect());
        Ok(found.to_pyarray(py))
    }

    /// Returns the length of a shortest path from each start to each goal; infinity without a path.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        starts: &Bound<'py, PyAny>,
        goals: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let pairs = self.pairs(starts, goals)?;
        let unit = f64::from(throng::grid::moves::STRAIGHT);
        let length =
            |&(from, to)| self.cpd.distance(from, to).map_or(f64::INFINITY, |cost| f64::from(cost) / unit);
        let found: Vec<f64> = py.detach(|| pairs.iter().map(length).collect());
        Ok(found.to_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!("<throng.Database of {} cells>", self.cpd.nodes())
    }
}

impl Database {
    fn pairs(&self, starts: &Bound<'_, PyAny>, goals: &Bound<'_, PyAny>) -> PyResult<Vec<(Cell, Cell)>> {
        let (starts, goals) = (self.cells(starts)?, self.cells(goals)?);
        if starts.len() != goals.len() {
            return Err(bad_value(format!("there are {} starts and {} goals", starts.len(), goals.len())));
        }
        Ok(starts.into_iter().zip(goals).collect())
    }
}
