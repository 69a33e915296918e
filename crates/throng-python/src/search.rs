//! Searches for single paths.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::prelude::*;
use throng::grid::moves::STRAIGHT;
use throng::{Cell, Pos, RegisteredSearch, any_search};

use crate::array::{position_array, positions};
use crate::database::Database;
use crate::error::bad_value;
use crate::map::Map;

/// A search for single paths, by name: `throng.searches()` lists all, with their parameters.
///
/// >>> import throng
/// >>> map = throng.Map.picture('''
/// ...     ..#..
/// ...     .....
/// ... ''')
/// >>> path = throng.Search("astar").find(map, (0, 0), (4, 0))
/// >>> path.cells.tolist()
/// [[0, 0], [1, 1], [2, 1], [3, 1], [4, 0]]
/// >>> round(path.length, 3)
/// 4.828
#[pyclass(module = "throng", frozen)]
pub(crate) struct Search {
    /// One thread at a time uses its buffers.
    search: Mutex<RegisteredSearch>,
    text: String,
}

/// A path of a search.
#[pyclass(module = "throng", frozen)]
pub(crate) struct Path {
    cells: Vec<Pos>,
    /// The cost, in units of which a straight step on plain ground has 1632.
    #[pyo3(get)]
    cost: u32,
    /// The number of nodes that the search expanded.
    #[pyo3(get)]
    expansions: u64,
}

impl Search {
    fn lock(&self) -> MutexGuard<'_, RegisteredSearch> {
        self.search.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Path {
    /// The positions of the path, both ends included: an array of shape `(n, 2)`.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        position_array(py, self.cells.iter().copied())
    }

    /// The cost in straight steps on plain ground.
    #[getter]
    fn length(&self) -> f64 {
        f64::from(self.cost) / f64::from(STRAIGHT)
    }

    fn __len__(&self) -> usize {
        self.cells.len()
    }

    fn __repr__(&self) -> String {
        format!("<throng.Path of {} cells, length {:.3}>", self.cells.len(), self.length())
    }
}

#[pymethods]
impl Search {
    /// Creates the search of a specification such as `"jps"` or `"wastar:weight=2"`. A search on a path database takes one, or
    /// builds its own for the first map.
    #[new]
    #[pyo3(signature = (name="astar", *, database=None))]
    fn new(name: &str, database: Option<&Database>) -> PyResult<Self> {
        let search = any_search(name, database.map(|database| &database.cpd)).map_err(bad_value)?;
        Ok(Self { search: Mutex::new(search), text: name.to_owned() })
    }

    /// The specification.
    #[getter]
    fn name(&self) -> &str {
        &self.text
    }

    /// Computes what the search stores about a map, so that the first query does not.
    fn prepare(&self, py: Python<'_>, map: &Map) -> PyResult<()> {
        py.detach(|| self.lock().prepare(map.grid.ground())).map_err(bad_value)
    }

    /// Returns a path from one position to another, `None` if there is none.
    fn find(&self, py: Python<'_>, map: &Map, start: (i32, i32), goal: (i32, i32)) -> PyResult<Option<Path>> {
        let (from, to) = (map.cell(start)?, map.cell(goal)?);
        let mut path = Vec::new();
        let found =
            py.detach(|| self.lock().find(map.grid.ground(), from, to, &mut path)).map_err(bad_value)?;
        let size = map.grid.size();
        let cells = path.into_iter().map(|cell| size.pos(cell)).collect();
        Ok(found.cost.map(|cost| Path { cells, cost, expansions: found.expansions }))
    }

    /// Returns the length of a path for each pair of starts and goals, arrays of shape `(n, 2)`, and the number of expansions.
    /// The length is infinite without a path.
    ///
    /// >>> lengths, expansions = throng.Search("jps").find_many(map, [(0, 0), (0, 1)], [(4, 1), (2, 0)])
    /// >>> lengths.round(3).tolist()
    /// [4.414, inf]
    fn find_many<'py>(
        &self,
        py: Python<'py>,
        map: &Map,
        starts: &Bound<'py, PyAny>,
        goals: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>)> {
        let cells = |given: &Bound<'py, PyAny>| -> PyResult<Vec<Cell>> {
            positions(given)?.into_iter().map(|pos| map.cell((pos.x, pos.y))).collect()
        };
        let (starts, goals) = (cells(starts)?, cells(goals)?);
        if starts.len() != goals.len() {
            return Err(bad_value(format!("there are {} starts and {} goals", starts.len(), goals.len())));
        }
        let (mut lengths, mut expansions) = (Vec::new(), Vec::new());
        let ground = map.grid.ground();
        py.detach(|| {
            let (mut path, mut search) = (Vec::new(), self.lock());
            for (&from, &to) in starts.iter().zip(&goals) {
                let found = search.find(ground, from, to, &mut path).map_err(|error| error.to_string())?;
                lengths.push(found.cost.map_or(f64::INFINITY, |cost| f64::from(cost) / f64::from(STRAIGHT)));
                expansions.push(found.expansions);
            }
            Ok::<(), String>(())
        })
        .map_err(bad_value)?;
        Ok((lengths.to_pyarray(py), expansions.to_pyarray(py)))
    }

    fn __repr__(&self) -> String {
        format!("throng.Search({:?})", self.text)
    }
}
