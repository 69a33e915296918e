//! Commands: what a game does to agents and map between two ticks. Each accepted command is recorded as an [`Input`].

use std::sync::Arc;

use throng_grid::{Area, Cell, Classes, Pos, ProfileId, Terrain};

use super::hash;
use crate::planner::AgentChange;
use crate::{AgentId, AgentRow, AgentSpec, Destination, Input, Occupant, World, WorldError};

impl World {
    /// Carries out a recorded input. Each kind of input is one of the methods of the world.
    ///
    /// # Errors
    /// If the method refuses it; then nothing has changed.
    pub fn apply(&mut self, input: Input) -> Result<(), WorldError> {
        match input {
            Input::Spawn(spec) => _ = self.spawn(spec)?,
            Input::Despawn(agent) => self.despawn(agent)?,
            Input::Teleport(agent, to) => self.teleport(agent, to)?,
            Input::Send(agent, goal) => _ = self.send(agent, goal)?,
            Input::FormGroup => _ = self.form_group(),
            Input::SendInGroup(group, agent, goal) => _ = self.send_in_group(group, agent, goal)?,
            Input::Hold(agent, holds) => self.hold(agent, holds)?,
            Input::Halt(agent) => self.halt(agent)?,
            Input::Queue(agent, waypoint) => self.queue(agent, waypoint)?,
            Input::Patrol(agent, first) => self.patrol(agent, &[first])?,
            Input::PatrolPoint(agent, point) => self.extend_patrol(agent, point)?,
            Input::Follow(agent, unit, distance) => self.follow(agent, unit, distance)?,
            Input::SetPriority(agent, priority) => self.set_priority(agent, priority)?,
            Input::Control(agent, controlled) => self.control(agent, controlled)?,
            Input::PlaceForeign(at) => _ = self.place_foreign(at)?,
            Input::MoveForeign(unit, to) => self.move_foreign(unit, to)?,
            Input::RemoveForeign(unit) => self.remove_foreign(unit)?,
            Input::SetSpeed(agent, speed) => self.set_speed(agent, speed)?,
            Input::SetProfile(agent, profile) => self.set_profile(agent, profile)?,
            Input::Block(area) => _ = self.block(area),
            Input::Unblock(area) => _ = self.unblock(area),
            Input::SetTerrain(area, terrain) => _ = self.set_terrain(area, terrain),
            Input::SetDoor(area, allowed) => _ = self.set_door(area, allowed),
            Input::SetCost(area, classes, extra) => _ = self.set_cost(area, classes, extra)?,
        }
        Ok(())
    }

    /// Puts a new agent on the map.
    ///
    /// # Errors
    /// If the position is outside the map, blocked for the profile or occupied, or the grid has no such profile.
    pub fn spawn(&mut self, spec: AgentSpec) -> Result<AgentId, WorldError> {
        let cell = self.standable(spec.profile, spec.at, None)?;
        let agent = self.agents.push(spec, cell);
        let id = self.agents.id(agent);
        self.occupancy.set(cell, Occupant::Agent(agent));
        self.units_hash ^= hash::agent(id, cell, None);
        self.look_around(agent);
        self.planner.on_change(agent, AgentChange::Spawned);
        self.record(Input::Spawn(spec));
        Ok(id)
    }

    /// Removes an agent from the map. Its id is not used again; a later agent may get its row.
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn despawn(&mut self, id: AgentId) -> Result<(), WorldError> {
        let agent = self.agents.row(id)?;
        self.orders.set(agent, None);
        self.clear_goal(agent);
        let at = self.agents.at[agent.index()];
        self.units_hash ^= hash::agent(id, at, None);
        self.end_step(agent);
        self.occupancy.set(at, Occupant::Nobody);
        self.agents.remove(agent);
        self.pending_reports.retain(|&pending| pending != agent);
        self.forget_map(agent);
        self.planner.on_change(agent, AgentChange::Despawned);
        self.record(Input::Despawn(id));
        Ok(())
    }

    /// Moves an agent to any free position at once. It keeps its goal. A step that it was making ends, so that it may step
    /// in the next tick.
    ///
    /// # Errors
    /// If there is no such agent, or the position is outside the map, blocked for it or occupied.
    pub fn teleport(&mut self, id: AgentId, to: Pos) -> Result<(), WorldError> {
        let agent = self.agents.row(id)?;
        let cell = self.standable(self.agents.profile[agent.index()], to, Some(agent))?;
        self.end_step(agent);
        self.relocate(agent, cell);
        self.review_target(agent);
        self.record(Input::Teleport(id, to));
        Ok(())
    }

    /// Sends an agent to a goal, replacing the goal and the orders it had. Several agents may be sent to one goal: each takes a cell
    /// of its own when it comes near, so that they fill the ground around it from the inside out.
    ///
    /// Every order is answered by one event: [`Event::Arrived`](crate::Event::Arrived) when the agent is in place,
    /// [`Event::SettledShort`](crate::Event::SettledShort) when other units cut it off, or
    /// [`Event::Stuck`](crate::Event::Stuck) with [`StuckReason::NoReachableCell`](crate::StuckReason::NoReachableCell) when no
    /// cell is left for it. An order that is repeated on the way changes nothing. An order to an agent that is there already
    /// is answered in the next tick.
    ///
    /// If the goal cannot be reached, the agent goes to the nearest cell that can, and the next tick emits an
    /// [`Event::Unreachable`](crate::Event::Unreachable). If agents know only what they have seen ([`crate::Fog`]), a cell
    /// that the agent has not seen counts as free; the agent gets another target when it learns that the goal cannot be
    /// reached.
    ///
    /// # Errors
    /// If there is no such agent or the goal is outside the map.
    pub fn send(&mut self, id: AgentId, goal: Pos) -> Result<Destination, WorldError> {
        let agent = self.agents.row(id)?;
        if !self.grid.size().contains(goal) {
            return Err(WorldError::Outside(goal));
        }
        self.orders.set(agent, None);
        self.record(Input::Send(id, goal));
        Ok(self.retask(agent, goal))
    }

    /// Takes the goal and the orders from an agent. It stays where it is, but the planner may move it out of the way of others.
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn halt(&mut self, id: AgentId) -> Result<(), WorldError> {
        let agent = self.agents.row(id)?;
        self.orders.set(agent, None);
        self.clear_goal(agent);
        self.record(Input::Halt(id));
        Ok(())
    }

    /// Sets whether an agent holds its position: nobody moves it while it has no goal or stands at its target. It is an
    /// obstacle then, and others go around it. It still goes where it is sent.
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn hold(&mut self, id: AgentId, holds: bool) -> Result<(), WorldError> {
        let agent = self.agents.row(id)?;
        self.agents.holds[agent.index()] = holds;
        self.record(Input::Hold(id, holds));
        Ok(())
    }

    /// Sets the priority of an agent; 0 is the usual one. In every planner whose agents have goals, agents of a higher priority
    /// act before all agents of a lower one, also before those that have been under way for longer.
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn set_priority(&mut self, id: AgentId, priority: i8) -> Result<(), WorldError> {
        let agent = self.agents.row(id)?;
        self.agents.set_priority(agent, priority);
        self.record(Input::SetPriority(id, priority));
        Ok(())
    }

    /// Sets whether the planner controls an agent. An agent that it does not control is an obstacle and moves only by
    /// [`World::teleport`].
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn control(&mut self, id: AgentId, controlled: bool) -> Result<(), WorldError> {
        let agent = self.agents.row(id)?;
        self.agents.controlled[agent.index()] = controlled;
        self.record(Input::Control(id, controlled));
        Ok(())
    }

    /// Blocks cells and returns how many were not blocked before. The next tick moves an agent that stands on one to
    /// the nearest free cell and emits an [`Event::Displaced`](crate::Event::Displaced). If there is none, the agent
    /// stays inside the wall until a cell is unblocked.
    pub fn block(&mut self, area: impl Into<Area>) -> usize {
        let area = area.into();
        self.record(Input::Block(area));
        Arc::make_mut(&mut self.grid).block(area)
    }

    /// Reverts [`World::block`] and returns how many cells were blocked.
    pub fn unblock(&mut self, area: impl Into<Area>) -> usize {
        let area = area.into();
        self.record(Input::Unblock(area));
        Arc::make_mut(&mut self.grid).unblock(area)
    }

    /// Changes terrain and returns how many cells had another terrain.
    pub fn set_terrain(&mut self, area: impl Into<Area>, terrain: Terrain) -> usize {
        let area = area.into();
        self.record(Input::SetTerrain(area, terrain));
        Arc::make_mut(&mut self.grid).set_terrain(area, terrain)
    }

    /// Makes cells a door that only agents of some passage classes may enter
    /// ([`Profile::class`](throng_grid::Profile::class)), and returns how many cells admitted other classes before. For all
    /// others it is like [`World::block`]: the next tick moves them off it. [`Classes::ALL`] removes the door.
    pub fn set_door(&mut self, area: impl Into<Area>, allowed: Classes) -> usize {
        let area = area.into();
        self.record(Input::SetDoor(area, allowed));
        Arc::make_mut(&mut self.grid).set_door(area, allowed)
    }

    /// Makes cells more expensive for agents of some passage classes, such as cells in danger or in a traffic jam: `extra`
    /// halves are added to the cost multiplier of the terrain until the next call for the same classes; 0 takes it back.
    /// Returns how many cells had another value. See [`Grid::set_cost`](throng_grid::Grid::set_cost).
    ///
    /// Agents take another route if it is cheaper now. Nothing is forbidden, and steps take no longer. Agents that know only what
    /// they have seen learn of it when they see the cells.
    ///
    /// # Errors
    /// If `extra` is too high, or too many sets of classes have an overlay.
    pub fn set_cost(
        &mut self,
        area: impl Into<Area>,
        classes: Classes,
        extra: u8,
    ) -> Result<usize, WorldError> {
        let area = area.into();
        let count = Arc::make_mut(&mut self.grid).set_cost(area, classes, extra)?;
        if self.grid.layers().had_overlay
            && let Some(knowledge) = &mut self.knowledge
        {
            Arc::make_mut(knowledge).expect_overlays();
        }
        self.record(Input::SetCost(area, classes, extra));
        Ok(count)
    }

    /// Returns the cell at a position if an agent of this profile can stand there and no other unit does.
    fn standable(&self, profile: ProfileId, at: Pos, agent: Option<AgentRow>) -> Result<Cell, WorldError> {
        let ground = self.grid.ground_of(profile).ok_or(WorldError::NoSuchProfile(profile))?;
        let cell = ground.cell(at).ok_or(WorldError::Outside(at))?;
        if !ground.is_free(cell) {
            return Err(WorldError::Blocked(at));
        }
        let is_own = agent.is_some() && self.occupancy.agent(cell) == agent;
        if is_own { Ok(cell) } else { self.unoccupied(at) }
    }
}
