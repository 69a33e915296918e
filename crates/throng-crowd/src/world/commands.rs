//! Commands: what a game does to agents and map between two ticks. Each accepted command is recorded as an [`Input`].

use throng_grid::{Cell, Pos, ProfileId};

use super::hash;
use crate::planner::AgentChange;
use crate::{AgentId, AgentRow, Input, Occupant, World, WorldError};

impl World {
    /// Carries out a recorded input. Each kind of input is one of the methods of the world.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// use throng::Input;
    ///
    /// // Inputs are data, so a game can send them to other players.
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// for input in [Input::Send(agent, Pos::new(4, 0)), Input::SetPriority(agent, 1)] {
    ///     world.apply(input)?;
    /// }
    /// assert_eq!(world.goal(agent)?, Some(Pos::new(4, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Removes an agent from the map. Its id is not used again; a later agent may get its row.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.despawn(agent)?;
    /// assert!(world.agents().is_empty());
    /// assert!(world.position(agent).is_err(), "the id stays that of a removed agent");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("..#.."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.teleport(agent, Pos::new(4, 0))?;
    /// assert_eq!(world.position(agent)?, Pos::new(4, 0));
    /// assert!(world.teleport(agent, Pos::new(2, 0)).is_err(), "a wall");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Takes the goal and the orders from an agent. It stays where it is, but the planner may move it out of the way of others.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// world.halt(agent)?;
    /// assert_eq!(world.goal(agent)?, None);
    /// assert_eq!(world.position(agent)?, Pos::new(1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use throng::prelude::*;
    /// # let map = ".....
    /// #     .###.
    /// #     .....";
    /// # let grid = Grid::new(Tiles::picture(map), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let sentry = world.spawn(AgentSpec::at(2, 0))?;
    /// world.hold(sentry, true)?;
    /// let runner = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(runner, Pos::new(4, 0))?;
    /// for _ in 0..20 {
    ///     world.tick(Budget::Unlimited, &mut Vec::new());
    /// }
    /// assert_eq!(world.position(sentry)?, Pos::new(2, 0)); // the runner did not push it
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let ambulance = world.spawn(AgentSpec::at(0, 0))?;
    /// world.set_priority(ambulance, 1)?;
    /// assert_eq!(world.priority(ambulance)?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// world.control(agent, false)?; // stunned
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// assert_eq!(world.position(agent)?, Pos::new(0, 0));
    /// world.control(agent, true)?;
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// assert_eq!(world.position(agent)?, Pos::new(1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn control(&mut self, id: AgentId, controlled: bool) -> Result<(), WorldError> {
        let agent = self.agents.row(id)?;
        self.agents.controlled[agent.index()] = controlled;
        self.record(Input::Control(id, controlled));
        Ok(())
    }

    /// Returns the cell at a position if an agent of this profile can stand there and no other unit does.
    pub(super) fn standable(
        &self,
        profile: ProfileId,
        at: Pos,
        agent: Option<AgentRow>,
    ) -> Result<Cell, WorldError> {
        let ground = self.grid.ground_of(profile).ok_or(WorldError::NoSuchProfile(profile))?;
        let cell = ground.cell(at).ok_or(WorldError::Outside(at))?;
        if !ground.is_free(cell) {
            return Err(WorldError::Blocked(at));
        }
        let is_own = agent.is_some() && self.occupancy.agent(cell) == agent;
        if is_own { Ok(cell) } else { self.unoccupied(at) }
    }
}
