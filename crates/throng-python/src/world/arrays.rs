//! Arrays about all agents, in the order of `World.agents`.

use numpy::{PyArray1, PyArray2, PyArray4, PyArrayMethods, PyReadwriteArray2, ToPyArray};
use pyo3::prelude::*;
use throng::{AgentId, ForeignId, Pos};

use super::World;
use crate::array::position_array;
use crate::crowd::window::{Windows, new_array, read_write};
use crate::error::bad_value;

impl World {
    pub(super) fn per_agent<'a, T>(
        &'a self,
        value: impl Fn(AgentId) -> Result<T, throng::WorldError> + 'a,
    ) -> impl ExactSizeIterator<Item = T> + 'a {
        self.world.agents().iter().map(move |&agent| value(agent).expect("a listed agent exists"))
    }
}

#[pymethods]
impl World {
    /// Returns the position of every agent, an array of shape `(n, 2)` in the order of `agents`. With `out`, an array of that
    /// shape and of type `int32`, the positions are written there and no memory is allocated.
    ///
    /// >>> world = throng.World(throng.Map.picture("...."))
    /// >>> agents = world.spawn_many([(0, 0), (3, 0)])
    /// >>> world.positions().tolist()
    /// [[0, 0], [3, 0]]
    #[pyo3(signature = (out=None))]
    fn positions<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyArray2<i32>>>,
    ) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let positions = self.per_agent(|agent| self.world.position(agent));
        let Some(out) = out else { return Ok(position_array(py, positions)) };
        let mut values: PyReadwriteArray2<'_, i32> = out.try_readwrite().map_err(bad_value)?;
        let count = positions.len();
        let shape = values.as_array().dim();
        if shape != (count, 2) {
            return Err(bad_value(format!("out has the shape {shape:?} instead of ({count}, 2)")));
        }
        let values = values.as_slice_mut().map_err(|_| bad_value("out is not contiguous"))?;
        for (pair, pos) in values.chunks_exact_mut(2).zip(positions) {
            pair.copy_from_slice(&[pos.x, pos.y]);
        }
        Ok(out)
    }

    /// Returns the goal of every agent, an array of shape `(n, 2)` in the order of `agents`; (-1, -1) without a goal.
    fn goals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        let goals = self.per_agent(|agent| self.world.goal(agent));
        position_array(py, goals.map(|goal| goal.unwrap_or(Pos::new(-1, -1))))
    }

    /// Returns whether each agent has arrived, in the order of `agents`.
    fn arrived<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.per_agent(|agent| self.world.has_arrived(agent)).collect::<Vec<_>>().to_pyarray(py)
    }

    /// Returns the target of every agent, an array of shape `(n, 2)` in the order of `agents`; (-1, -1) without a target.
    fn targets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        let targets = self.per_agent(|agent| self.world.target(agent));
        position_array(py, targets.map(|target| target.unwrap_or(Pos::new(-1, -1))))
    }

    /// Returns the step of every agent, for drawing: an array of shape `(n, 6)` in the order of `agents` with x and y before, x and y
    /// after, the tick in which the step began, and the number of ticks that it lasts. An agent at rest has the same cell twice.
    ///
    /// >>> world = throng.World(throng.Map.picture("...."))
    /// >>> agent = world.spawn(0, 0, ticks=2)
    /// >>> destination, report = world.send(agent, 3, 0), world.tick()
    /// >>> world.motions().tolist()
    /// [[0, 0, 1, 0, 1, 2]]
    fn motions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i64>> {
        let motions = self.per_agent(|agent| self.world.motion(agent));
        let count = motions.len();
        let row = |motion: throng::Motion| {
            let [from, to] = [motion.from, motion.to].map(|pos| [i64::from(pos.x), i64::from(pos.y)]);
            [from[0], from[1], to[0], to[1], motion.start as i64, motion.ticks.into()]
        };
        let values: Vec<i64> = motions.flat_map(row).collect();
        PyArray1::from_vec(py, values).reshape([count, 6]).expect("six numbers per agent")
    }

    /// Returns where the middle of every agent is at a fraction of the last tick, an array of shape `(n, 2)` and type `float32` in the
    /// order of `agents`: 0 is the beginning of the tick, 1 its end.
    ///
    /// >>> world.positions_at(0.5).tolist()
    /// [[0.25, 0.0]]
    fn positions_at<'py>(&self, py: Python<'py>, fraction: f32) -> Bound<'py, PyArray2<f32>> {
        let motions = self.per_agent(|agent| self.world.motion(agent));
        let count = motions.len();
        let values: Vec<f32> = motions.map(|motion| motion.at(fraction)).flat_map(|(x, y)| [x, y]).collect();
        PyArray1::from_vec(py, values).reshape([count, 2]).expect("two numbers per agent")
    }

    /// The foreign units, in the order of their rows.
    #[getter]
    fn foreign_units<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.world.foreign_units().map(ForeignId::to_bits).collect::<Vec<_>>().to_pyarray(py)
    }

    /// Returns the position of every foreign unit, an array of shape `(n, 2)` in the order of `foreign_units`.
    ///
    /// >>> cart = world.place_foreign(3, 0)
    /// >>> world.foreign_units.tolist(), world.foreign_positions().tolist()
    /// ([0], [[3, 0]])
    fn foreign_positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        let place = |unit| self.world.foreign_position(unit).expect("a listed unit exists");
        position_array(py, self.world.foreign_units().map(place).collect::<Vec<_>>().into_iter())
    }

    /// Returns what agents see around them: an array of shape `(n, 3, 2r+1, 2r+1)` and type
    /// `float32`, in the order of `agents`. The layers are obstacles (1 is a wall or outside of the map), agents, and the goal,
    /// which is projected to the border if it is farther away. An agent without a goal has its own cell there.
    ///
    /// >>> world = throng.World(throng.Map.picture("...."))
    /// >>> agent = world.spawn(0, 0)
    /// >>> world.observe(radius=1)[0, 0].tolist()
    /// [[1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    #[pyo3(signature = (radius=5, out=None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        radius: u16,
        out: Option<Bound<'py, PyArray4<f32>>>,
    ) -> PyResult<Bound<'py, PyArray4<f32>>> {
        let count = self.world.agents().len();
        let out = out.map_or_else(|| new_array(py, count, radius), Ok)?;
        let mut values = read_write(&out, count, radius)?;
        let values = values.as_slice_mut().map_err(|_| bad_value("out is not contiguous"))?;
        py.detach(|| {
            let mut windows = Windows::new(self.world.grid(), radius);
            self.per_agent(|agent| self.world.position(agent)).for_each(|pos| windows.enter(pos));
            let places = self.per_agent(|agent| {
                let at = self.world.position(agent)?;
                Ok((at, self.world.goal(agent)?.unwrap_or(at)))
            });
            windows.write(places, values);
        });
        Ok(out)
    }
}
