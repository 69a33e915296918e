//! Orders to single agents, and foreign units.

use pyo3::prelude::*;
use throng::{AgentId, AgentSpec, Destination, ForeignId, Pos, ProfileId, Unit};

use super::World;
use super::batches::{DESTINATIONS, destination_number};
use crate::array::{agents, positions};
use crate::error::refused;
use crate::rules::speed;

#[pymethods]
impl World {
    /// Puts a new agent on the map and returns its number. It makes `steps` steps in `ticks` ticks.
    #[pyo3(signature = (x, y, *, profile=0, steps=1, ticks=1))]
    fn spawn(&mut self, x: i32, y: i32, profile: u8, steps: u16, ticks: u16) -> PyResult<u64> {
        let spec = AgentSpec::at(x, y).profile(ProfileId(profile)).at_speed(speed(steps, ticks)?);
        self.world.spawn(spec).map(AgentId::to_bits).map_err(refused)
    }

    /// Removes an agent. Its number is not used again.
    fn despawn(&mut self, agent: u64) -> PyResult<()> {
        self.world.despawn(AgentId::from_bits(agent)).map_err(refused)
    }

    /// Moves an agent to any free position at once.
    fn teleport(&mut self, agent: u64, x: i32, y: i32) -> PyResult<()> {
        self.world.teleport(AgentId::from_bits(agent), Pos::new(x, y)).map_err(refused)
    }

    /// Sends an agent to a goal, replacing the goal and the orders it had. Several agents may be sent to one goal: they fill
    /// the ground around it. Returns where it will go, one of `throng.DESTINATIONS` and the cell: `("goal", goal)`; `("unreachable",
    /// cell)` near a goal that cannot be reached; `("taken", cell)` near a goal that another unit holds or was sent to;
    /// `("nowhere", None)` if it cannot reach any cell.
    ///
    /// >>> world = throng.World(throng.Map.picture("..#."))
    /// >>> world.send(world.spawn(0, 0), 3, 0)
    /// ('unreachable', (1, 0))
    fn send(&mut self, agent: u64, x: i32, y: i32) -> PyResult<(&'static str, Option<(i32, i32)>)> {
        let found = self.world.send(AgentId::from_bits(agent), Pos::new(x, y)).map_err(refused)?;
        let cell = match found {
            Destination::Goal => Some((x, y)),
            Destination::Unreachable(cell) | Destination::Taken(cell) => Some((cell.x, cell.y)),
            _ => None,
        };
        let name =
            usize::try_from(destination_number(found)).ok().and_then(|number| DESTINATIONS.get(number));
        Ok((name.copied().unwrap_or("unknown"), cell))
    }

    /// Sends agents to one goal as a group: an event reports when all of them have arrived. Returns the number of the group.
    fn send_group(&mut self, agents: &Bound<'_, PyAny>, x: i32, y: i32) -> PyResult<u64> {
        let agents = self::agents(agents)?;
        let sent = self.world.send_group(&agents, Pos::new(x, y));
        sent.map(|(group, _)| group.to_bits()).map_err(refused)
    }

    /// Takes the goal and the orders from an agent.
    fn halt(&mut self, agent: u64) -> PyResult<()> {
        self.world.halt(AgentId::from_bits(agent)).map_err(refused)
    }

    /// Sets whether an agent holds its position: nobody moves it while it has no goal or stands at its target.
    fn hold(&mut self, agent: u64, holds: bool) -> PyResult<()> {
        self.world.hold(AgentId::from_bits(agent), holds).map_err(refused)
    }

    /// Sets whether the planner controls an agent. One that it does not control is an obstacle and moves only by `teleport`.
    fn control(&mut self, agent: u64, controlled: bool) -> PyResult<()> {
        self.world.control(AgentId::from_bits(agent), controlled).map_err(refused)
    }

    /// Sets the priority of an agent from -128 to 127: the higher acts first.
    fn set_priority(&mut self, agent: u64, priority: i8) -> PyResult<()> {
        self.world.set_priority(AgentId::from_bits(agent), priority).map_err(refused)
    }

    /// Sets the speed of an agent: `steps` steps in `ticks` ticks.
    fn set_speed(&mut self, agent: u64, steps: u16, ticks: u16) -> PyResult<()> {
        self.world.set_speed(AgentId::from_bits(agent), speed(steps, ticks)?).map_err(refused)
    }

    /// Sets the profile of an agent.
    fn set_profile(&mut self, agent: u64, profile: u8) -> PyResult<()> {
        self.world.set_profile(AgentId::from_bits(agent), ProfileId(profile)).map_err(refused)
    }

    /// Adds a waypoint after the goal of an agent and the waypoints that it has already.
    fn queue(&mut self, agent: u64, x: i32, y: i32) -> PyResult<()> {
        self.world.queue(AgentId::from_bits(agent), Pos::new(x, y)).map_err(refused)
    }

    /// Lets an agent go round some points for ever, an array of shape `(n, 2)`.
    fn patrol(&mut self, agent: u64, points: &Bound<'_, PyAny>) -> PyResult<()> {
        self.world.patrol(AgentId::from_bits(agent), &positions(points)?).map_err(refused)
    }

    /// Adds a point to the end of an agent's patrol.
    fn extend_patrol(&mut self, agent: u64, x: i32, y: i32) -> PyResult<()> {
        self.world.extend_patrol(AgentId::from_bits(agent), Pos::new(x, y)).map_err(refused)
    }

    /// Lets an agent follow another one up to a distance in cells.
    #[pyo3(signature = (agent, other, distance=1))]
    fn follow(&mut self, agent: u64, other: u64, distance: u16) -> PyResult<()> {
        let other = Unit::Agent(AgentId::from_bits(other));
        self.world.follow(AgentId::from_bits(agent), other, distance).map_err(refused)
    }

    /// Lets an agent follow a foreign unit up to a distance in cells.
    #[pyo3(signature = (agent, unit, distance=1))]
    fn follow_foreign(&mut self, agent: u64, unit: u64, distance: u16) -> PyResult<()> {
        let unit = Unit::Foreign(ForeignId::from_bits(unit));
        self.world.follow(AgentId::from_bits(agent), unit, distance).map_err(refused)
    }

    /// Puts a foreign unit on the map, an obstacle of one cell that only the caller moves, and returns its number.
    fn place_foreign(&mut self, x: i32, y: i32) -> PyResult<u64> {
        self.world.place_foreign(Pos::new(x, y)).map(ForeignId::to_bits).map_err(refused)
    }

    /// Moves a foreign unit by any distance.
    fn move_foreign(&mut self, unit: u64, x: i32, y: i32) -> PyResult<()> {
        self.world.move_foreign(ForeignId::from_bits(unit), Pos::new(x, y)).map_err(refused)
    }

    /// Removes a foreign unit.
    fn remove_foreign(&mut self, unit: u64) -> PyResult<()> {
        self.world.remove_foreign(ForeignId::from_bits(unit)).map_err(refused)
    }
}
