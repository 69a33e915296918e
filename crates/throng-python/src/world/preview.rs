//! The path that an agent has before it, and what it does after its goal.

use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::prelude::*;
use throng::{AgentId, Certainty, Orders, Pos};

use super::World;
use super::queries::{UnitName, pair, unit_name};
use crate::array::position_array;
use crate::error::refused;

/// The names of the degrees of certainty, by number.
pub(crate) const CERTAINTIES: [&str; 3] = ["planned", "guide", "unknown"];

fn certainty_number(certainty: Certainty) -> u8 {
    match certainty {
        Certainty::Planned => 0,
        Certainty::Guide => 1,
        Certainty::Unknown => 2,
    }
}

/// How far and how long an agent has to go: `World.remaining`.
#[pyclass(module = "throng", frozen, get_all)]
pub(crate) struct Remaining {
    /// The length of the remaining path; a straight step on plain ground is 1.
    length: f64,
    /// The ticks until the agent is in place if it never waits.
    ticks: u64,
    /// The least certainty of the path: `"planned"`, `"guide"`, or `"unknown"`; then length and ticks are bounds from below.
    certainty: &'static str,
}

#[pymethods]
impl Remaining {
    fn __repr__(&self) -> String {
        let Self { length, ticks, certainty } = self;
        format!("Remaining(length={length}, ticks={ticks}, certainty={certainty:?})")
    }
}

/// What an agent does after its present goal: `World.orders`.
#[pyclass(module = "throng", frozen, get_all)]
pub(crate) struct AgentOrders {
    /// `"none"`, `"queue"`, `"patrol"` or `"follow"`.
    kind: &'static str,
    /// The waypoints of a queue that are left, or all points of a patrol.
    points: Vec<(i32, i32)>,
    /// The place in `points` of the one to which a patrol goes, otherwise `None`.
    next: Option<usize>,
    /// The unit that it follows, `("agent", number)` or `("foreign", number)`, otherwise `None`.
    unit: Option<UnitName>,
    /// The distance in cells to that unit, otherwise `None`.
    distance: Option<u16>,
}

#[pymethods]
impl AgentOrders {
    fn __repr__(&self) -> String {
        format!("<throng.AgentOrders: {}, {} points>", self.kind, self.points.len())
    }
}

#[pymethods]
impl World {
    /// Returns the remaining path of an agent, without its own cell, as far as the planner knows it: an array of shape `(n, 2)`.
    /// If the planner does not know all of it, the last cell is the target; `path_certainty` tells.
    #[pyo3(signature = (agent, limit=4096))]
    fn path<'py>(&self, py: Python<'py>, agent: u64, limit: usize) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let path = self.world.path(AgentId::from_bits(agent), limit).map_err(refused)?;
        Ok(position_array(py, path.into_iter().map(|cell| cell.at)))
    }

    /// Returns how certain each cell of `path` is, a place in `throng.CERTAINTIES` per cell: the step is planned; it follows the
    /// distances that guide the agent; or the planner does not know yet how the agent comes there.
    ///
    /// >>> world = throng.World(throng.Map.picture("....."))
    /// >>> agent = world.spawn(0, 0)
    /// >>> world.send(agent, 4, 0)
    /// ('goal', (4, 0))
    /// >>> report = world.tick()
    /// >>> world.path(agent).tolist(), len(world.path_certainty(agent))
    /// ([[2, 0], [3, 0], [4, 0]], 3)
    #[pyo3(signature = (agent, limit=4096))]
    fn path_certainty<'py>(
        &self,
        py: Python<'py>,
        agent: u64,
        limit: usize,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let path = self.world.path(AgentId::from_bits(agent), limit).map_err(refused)?;
        let numbers: Vec<u8> = path.into_iter().map(|cell| certainty_number(cell.certainty)).collect();
        Ok(numbers.to_pyarray(py))
    }

    /// Returns the cell that an agent enters next if nobody is in its way, `None` if it is at its target or has none, or the
    /// planner does not know its next step yet.
    ///
    /// >>> world.next_cell(agent)
    /// (2, 0)
    fn next_cell(&self, agent: u64) -> PyResult<Option<(i32, i32)>> {
        self.world.next_cell(AgentId::from_bits(agent)).map(|next| next.map(pair)).map_err(refused)
    }

    /// Returns the next cell of every agent, an array of shape `(n, 2)` in the order of `agents`; (-1, -1) where it is not known.
    fn next_cells<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        let next = self.per_agent(|agent| self.world.next_cell(agent));
        position_array(py, next.map(|next| next.unwrap_or(Pos::new(-1, -1))))
    }

    /// Returns how far and how long an agent has to go to its target, `None` if it has none.
    ///
    /// >>> world.remaining(agent).ticks
    /// 3
    fn remaining(&self, agent: u64) -> PyResult<Option<Remaining>> {
        let remaining = self.world.remaining(AgentId::from_bits(agent)).map_err(refused)?;
        let unit = f64::from(throng::grid::moves::STRAIGHT);
        Ok(remaining.map(|remaining| Remaining {
            length: f64::from(remaining.cost) / unit,
            ticks: remaining.ticks,
            certainty: CERTAINTIES[usize::from(certainty_number(remaining.certainty))],
        }))
    }

    /// Returns what an agent does after its present goal: its waypoints, its patrol, or whom it follows.
    ///
    /// >>> world.queue(agent, 0, 0)
    /// >>> world.orders(agent).kind, world.orders(agent).points
    /// ('queue', [(0, 0)])
    fn orders(&self, agent: u64) -> PyResult<AgentOrders> {
        let none = AgentOrders { kind: "none", points: Vec::new(), next: None, unit: None, distance: None };
        Ok(match self.world.orders(AgentId::from_bits(agent)).map_err(refused)? {
            Orders::Queue(list) => {
                AgentOrders { kind: "queue", points: list.iter().map(pair).collect(), ..none }
            }
            Orders::Patrol { points, next } => AgentOrders {
                kind: "patrol",
                points: points.iter().map(pair).collect(),
                next: Some(next),
                ..none
            },
            Orders::Follow { unit, distance } => {
                AgentOrders { kind: "follow", unit: Some(unit_name(unit)), distance: Some(distance), ..none }
            }
            _ => none,
        })
    }
}
