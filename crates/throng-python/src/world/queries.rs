//! Questions about single agents and places.

use std::fmt::Write as _;

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use throng::grid::render::{Colour, Picture};
use throng::{AgentId, AgentState, ForeignId, GroupId, Pos, ProfileId, Unit};

use super::World;
use super::events::{STUCK_REASONS, reason_number};
use crate::array::agent_array;
use crate::error::{bad_value, refused};

/// A unit: `("agent", number)` or `("foreign", number)`.
pub(super) type UnitName = (&'static str, u64);

/// Returns the name of a unit.
pub(super) fn unit_name(unit: Unit) -> UnitName {
    match unit {
        Unit::Agent(agent) => ("agent", agent.to_bits()),
        Unit::Foreign(unit) => ("foreign", unit.to_bits()),
    }
}

/// What an agent does, and why: `World.details`.
#[pyclass(module = "throng", frozen, get_all)]
pub(crate) struct AgentDetails {
    /// The state, as `World.state` returns it.
    state: &'static str,
    /// The cell for which a waiting agent waits, otherwise `None`.
    wanted: Option<(i32, i32)>,
    /// The unit in its way, `("agent", number)` or `("foreign", number)`, otherwise `None`.
    by: Option<UnitName>,
    /// Why an agent is stuck, one of `throng.STUCK_REASONS`, otherwise `None`.
    reason: Option<&'static str>,
    /// The number of steps that an agent is short of its goal if it has settled there, otherwise `None`.
    distance: Option<u32>,
}

#[pymethods]
impl AgentDetails {
    fn __repr__(&self) -> String {
        let mut text = format!("<throng.AgentDetails: {}", self.state);
        if let Some(reason) = self.reason {
            let _ = write!(text, ", {reason}");
        }
        if let Some((x, y)) = self.wanted {
            let _ = write!(text, ", wants ({x}, {y})");
        }
        if let Some((kind, number)) = self.by {
            let _ = write!(text, ", behind {kind} {number}");
        }
        if let Some(distance) = self.distance {
            let _ = write!(text, ", {distance} steps from its goal");
        }
        text + ">"
    }
}

/// Returns the name of a state.
fn state_name(state: AgentState) -> &'static str {
    match state {
        AgentState::Idle => "idle",
        AgentState::Uncontrolled => "uncontrolled",
        AgentState::Moving => "moving",
        AgentState::Waiting { .. } => "waiting",
        AgentState::Stuck { .. } => "stuck",
        AgentState::InPlace => "in place",
        AgentState::SettledShort { .. } => "settled short",
        _ => "unknown",
    }
}

pub(super) fn pair(pos: Pos) -> (i32, i32) {
    (pos.x, pos.y)
}

#[pymethods]
impl World {
    /// Returns the position of an agent.
    fn position(&self, agent: u64) -> PyResult<(i32, i32)> {
        self.world.position(AgentId::from_bits(agent)).map(pair).map_err(refused)
    }

    /// Returns the place that an agent was sent to, `None` if it has no goal.
    fn goal(&self, agent: u64) -> PyResult<Option<(i32, i32)>> {
        self.world.goal(AgentId::from_bits(agent)).map(|goal| goal.map(pair)).map_err(refused)
    }

    /// Returns the cell that an agent heads for: its goal or the reachable cell nearest to it.
    fn target(&self, agent: u64) -> PyResult<Option<(i32, i32)>> {
        self.world.target(AgentId::from_bits(agent)).map(|target| target.map(pair)).map_err(refused)
    }

    /// Returns true if an agent is in place: at its goal, or on a cell of its own near it if several were sent there.
    fn has_arrived(&self, agent: u64) -> PyResult<bool> {
        self.world.has_arrived(AgentId::from_bits(agent)).map_err(refused)
    }

    /// Returns what an agent does: `"idle"`, `"uncontrolled"`, `"moving"`, `"waiting"`, `"stuck"`, `"in place"` or
    /// `"settled short"`.
    fn state(&self, agent: u64) -> PyResult<&'static str> {
        self.world.state(AgentId::from_bits(agent)).map(state_name).map_err(refused)
    }

    /// Returns what an agent does, and why: the cell for which it waits, the unit in its way, the reason why it is stuck, the number of
    /// steps by which it is short of its goal.
    ///
    /// >>> world = throng.World(throng.Map.picture("..."), stuck_after=3)
    /// >>> agent, cart = world.spawn(0, 0), world.place_foreign(1, 0)
    /// >>> world.send(agent, 2, 0)
    /// ('goal', (2, 0))
    /// >>> report = world.tick()
    /// >>> world.details(agent)
    /// <throng.AgentDetails: waiting, wants (1, 0), behind foreign 0>
    fn details(&self, agent: u64) -> PyResult<AgentDetails> {
        let state = self.world.state(AgentId::from_bits(agent)).map_err(refused)?;
        let named =
            AgentDetails { state: state_name(state), wanted: None, by: None, reason: None, distance: None };
        Ok(match state {
            AgentState::Waiting { wanted, by } => {
                AgentDetails { wanted: wanted.map(pair), by: by.map(unit_name), ..named }
            }
            AgentState::Stuck { reason, by } => {
                let number = usize::try_from(reason_number(reason)).ok();
                let reason = number.and_then(|number| STUCK_REASONS.get(number).copied());
                AgentDetails { reason, by: by.map(unit_name), ..named }
            }
            AgentState::SettledShort { distance } => AgentDetails { distance: Some(distance), ..named },
            _ => named,
        })
    }

    /// Returns the number of steps from an agent to its goal if it has settled short of it, otherwise `None`.
    fn settled_short(&self, agent: u64) -> PyResult<Option<u32>> {
        self.world.settled_short(AgentId::from_bits(agent)).map_err(refused)
    }

    /// Returns the speed of an agent: the number of steps, and the number of ticks in which it makes them.
    ///
    /// >>> world.set_speed(agent, 1, 2)
    /// >>> world.speed(agent), world.profile(agent), world.priority(agent), world.group(agent)
    /// ((1, 2), 0, 0, None)
    fn speed(&self, agent: u64) -> PyResult<(u16, u16)> {
        let speed = self.world.speed(AgentId::from_bits(agent)).map_err(refused)?;
        Ok((speed.steps(), speed.ticks()))
    }

    /// Returns the profile of an agent.
    fn profile(&self, agent: u64) -> PyResult<u8> {
        self.world.profile(AgentId::from_bits(agent)).map(|profile| profile.0).map_err(refused)
    }

    /// Returns the priority of an agent.
    fn priority(&self, agent: u64) -> PyResult<i8> {
        self.world.priority(AgentId::from_bits(agent)).map_err(refused)
    }

    /// Returns the number of the group to which an agent belongs, `None` without one and after the group has arrived.
    fn group(&self, agent: u64) -> PyResult<Option<u64>> {
        let group = self.world.group(AgentId::from_bits(agent)).map_err(refused)?;
        Ok(group.map(GroupId::to_bits))
    }

    /// Returns the position of a foreign unit.
    fn foreign_position(&self, unit: u64) -> PyResult<(i32, i32)> {
        self.world.foreign_position(ForeignId::from_bits(unit)).map(pair).map_err(refused)
    }

    /// Returns the unit that holds a position, `("agent", number)` or `("foreign", number)`, `None` if there is none.
    ///
    /// >>> world.occupant(0, 0), world.occupant(1, 0), world.occupant(2, 0)
    /// (('agent', 0), ('foreign', 0), None)
    fn occupant(&self, x: i32, y: i32) -> Option<(&'static str, u64)> {
        self.world.occupant(Pos::new(x, y)).map(unit_name)
    }

    /// Returns the agent at a position, `None` if there is none.
    fn agent_at(&self, x: i32, y: i32) -> Option<u64> {
        self.world.occupant(Pos::new(x, y)).and_then(Unit::agent).map(AgentId::to_bits)
    }

    /// Returns the agents up to a distance from a position, the nearest first.
    fn agents_near<'py>(&self, py: Python<'py>, x: i32, y: i32, radius: u16) -> Bound<'py, PyArray1<u64>> {
        agent_array(py, &self.world.agents_near(Pos::new(x, y), radius))
    }

    /// Returns true if an agent of a profile can walk from one position to the other, other agents left aside.
    #[pyo3(signature = (start, goal, profile=0))]
    fn reachable(&self, start: (i32, i32), goal: (i32, i32), profile: u8) -> PyResult<bool> {
        let (start, goal) = (Pos::new(start.0, start.1), Pos::new(goal.0, goal.1));
        self.world.reachable(ProfileId(profile), start, goal).map_err(refused)
    }

    /// Returns true if the straight line between two cells crosses only free cells.
    #[pyo3(signature = (start, goal, profile=0))]
    fn line_of_sight(&self, start: (i32, i32), goal: (i32, i32), profile: u8) -> PyResult<bool> {
        let (start, goal) = (Pos::new(start.0, start.1), Pos::new(goal.0, goal.1));
        self.world.line_of_sight(ProfileId(profile), start, goal).map_err(refused)
    }

    /// Returns the counts since the world was created: expansions, failed moves, overruled moves and crossings.
    fn totals(&self) -> std::collections::BTreeMap<&'static str, u64> {
        let totals = self.world.totals();
        [
            ("expansions", totals.expansions),
            ("failed_moves", totals.failed_moves),
            ("overruled", totals.overruled),
            ("crossings", totals.crossings),
        ]
        .into()
    }

    /// Returns a picture as the bytes of a PNG file. Agents that have arrived have muted colours.
    #[pyo3(signature = (*, scale=None))]
    fn png<'py>(&self, py: Python<'py>, scale: Option<u32>) -> PyResult<Bound<'py, PyBytes>> {
        let size = self.world.grid().size();
        let discs = self.world.agents().iter().filter_map(|&agent| {
            let cell = size.cell(self.world.position(agent).ok()?)?;
            let colour = Colour::nth(agent.index());
            Some((cell, if self.world.has_arrived(agent) == Ok(true) { colour.muted() } else { colour }))
        });
        let mut picture = Picture::of_grid(self.world.grid()).agents(discs);
        if let Some(scale) = scale {
            picture = picture.scale(scale);
        }
        Ok(PyBytes::new(py, &py.detach(|| picture.png()).map_err(bad_value)?))
    }

    /// Draws the world in a notebook.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.png(py, None)
    }
}
