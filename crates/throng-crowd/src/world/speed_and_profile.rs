//! Speed and profile of an agent, which the game may change, and the steps that last several ticks.

use throng_grid::{Cell, ProfileId};

use super::hash;
use super::step_time::LastStep;
use crate::planner::{AgentChange, View};
use crate::{AgentId, AgentRow, Input, Occupant, Speed, StepTime, World, WorldError};

impl World {
    /// Returns the speed of an agent.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0).speed(3))?;
    /// assert_eq!(world.speed(agent)?, Speed::one_step_in(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn speed(&self, agent: AgentId) -> Result<Speed, WorldError> {
        self.agents.row(agent).map(|row| self.agents.speed[row.index()])
    }

    /// Returns the profile of an agent.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// let profile = world.profile(agent)?;
    /// assert!(world.reachable(profile, Pos::new(0, 0), Pos::new(4, 0))?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn profile(&self, agent: AgentId) -> Result<ProfileId, WorldError> {
        self.agents.row(agent).map(|row| self.agents.profile[row.index()])
    }

    /// Sets the speed of an agent, from its next step on: a step that it is making lasts as long as before.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// world.set_speed(agent, Speed::one_step_in(2))?; // exhausted
    /// for _ in 0..8 {
    ///     world.tick(Budget::Unlimited, &mut Vec::new());
    /// }
    /// assert!(world.has_arrived(agent)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn set_speed(&mut self, id: AgentId, speed: Speed) -> Result<(), WorldError> {
        let i = self.agents.row(id)?.index();
        let before = std::mem::replace(&mut self.agents.speed[i], speed);
        self.agents.last_step[i].carry = before.convert(self.agents.last_step[i].carry, speed);
        self.record(Input::SetSpeed(id, speed));
        Ok(())
    }

    /// Sets the profile of an agent: which terrain it may enter, and at what cost. It keeps its goal and gets another
    /// target if it has to. If each agent knows only what it has seen itself ([`crate::Fog`]), it forgets that.
    ///
    /// ```
    /// use throng::prelude::*;
    ///
    /// let mut grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// let red = grid.add_profile(Profile::WALKER.with_class(1).ok_or("classes are 0 to 31")?);
    /// let planner = planner("surge", &grid)?;
    /// let mut world = World::new(grid, planner, Settings::default())?;
    ///
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.set_profile(agent, red)?; // it changed sides: it may pass the gates of the red team
    /// assert_eq!(world.profile(agent)?, red);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent or profile, the agent stands where the new profile may not, or it is making a step that
    /// the new profile may not make.
    pub fn set_profile(&mut self, id: AgentId, profile: ProfileId) -> Result<(), WorldError> {
        let agent = self.agents.row(id)?;
        let i = agent.index();
        let ground = self.grid.ground_of(profile).ok_or(WorldError::NoSuchProfile(profile))?;
        let (at, from) = (self.agents.at[i], self.agents.last_step[i].from);
        let is_across = self.agents.ready[i] <= self.tick + 1;
        if !ground.is_free(at) {
            return Err(WorldError::Blocked(self.pos(at)));
        }
        if !is_across && ground.legal_step(from, at).is_none() {
            return Err(WorldError::Blocked(self.pos(from)));
        }
        if std::mem::replace(&mut self.agents.profile[i], profile) != profile {
            // The map of one agent holds what that profile may enter.
            self.forget_map(agent);
            self.look_around(agent);
            self.planner.on_change(agent, AgentChange::Reprofiled);
            self.review_target(agent);
        }
        self.record(Input::SetProfile(id, profile));
        Ok(())
    }

    /// Starts the step of an agent to its next cell, and returns the number of ticks that it lasts.
    pub(crate) fn start_step(&mut self, agent: AgentRow, to: Cell) -> u32 {
        let i = agent.index();
        let from = self.agents.at[i];
        let (ticks, carry) = self.true_view().step_duration(agent, to);
        self.set_position(agent, to);
        self.agents.last_step[i] = LastStep { from, ticks, carry };
        self.agents.ready[i] = self.tick + u64::from(ticks);
        if self.agents.tail(agent, self.tick + 1).is_some() {
            self.occupancy.set(from, Occupant::Agent(agent));
        }
        ticks
    }

    /// Frees the cell that an agent leaves when the next tick is the last of its step.
    pub(crate) fn release_tail(&mut self, agent: AgentRow) {
        if self.agents.ready[agent.index()] == self.tick + 2 {
            self.free_tail(agent);
        }
    }

    /// Ends the step of an agent, so that it may step in the next tick.
    pub(crate) fn end_step(&mut self, agent: AgentRow) {
        let i = agent.index();
        if self.agents.last_step[i].ticks > 0 {
            self.free_tail(agent);
        }
        self.agents.last_step[i] = LastStep::default();
        self.agents.ready[i] = self.agents.ready[i].min(self.tick);
    }

    fn free_tail(&mut self, agent: AgentRow) {
        let i = agent.index();
        let tail = self.agents.last_step[i].from;
        if tail != self.agents.at[i] && self.occupancy.agent(tail) == Some(agent) {
            self.occupancy.set(tail, Occupant::Nobody);
        }
    }

    /// Returns the part of the state hash that steps contribute.
    pub(crate) fn steps_hash(&self) -> u64 {
        self.agents.living.iter().zip(&self.agents.living_ids).fold(0, |hash, (&agent, &id)| {
            let (last, ready) = (self.agents.last_step[agent.index()], self.agents.ready[agent.index()]);
            let tail = (ready > self.tick + 1).then_some((last.from, ready));
            if tail.is_none() && last.carry == 0 { hash } else { hash ^ hash::step(id, tail, last.carry) }
        })
    }
}

/// The time of steps.
impl View<'_> {
    /// Returns whether the time of a step follows its cost.
    #[inline]
    pub fn step_time(&self) -> StepTime {
        self.step_time
    }

    /// Returns the ticks that a legal step of an agent lasts if it begins in this tick. The agent may step again that many
    /// ticks later, and holds the cell that it leaves until the last of them.
    #[inline]
    pub fn step_ticks(&self, agent: AgentRow, to: Cell) -> u32 {
        let speed = self.agents.speed[agent.index()];
        if self.step_time == StepTime::Uniform && speed == Speed::NORMAL {
            return 1;
        }
        self.step_duration(agent, to).0
    }

    /// Returns the ticks that a step lasts if it begins in this tick, and what it leaves for the next one.
    pub(crate) fn step_duration(&self, agent: AgentRow, to: Cell) -> (u32, u32) {
        let i = agent.index();
        let cost = self.step_time.cost(self.ground(agent), self.agents.at[i], to);
        self.agents.speed[i].duration(cost, self.agents.last_step[i].carry)
    }

    /// Returns true if an agent leaves its cell at once wherever it steps in this tick: another may enter the cell in the
    /// same tick.
    #[inline]
    pub fn leaves_at_once(&self, agent: AgentRow) -> bool {
        match self.step_time {
            StepTime::Uniform => self.step_ticks(agent, self.at(agent)) == 1,
            StepTime::Cost => {
                let at = self.at(agent);
                self.ground(agent).neighbours(at).all(|(_, to)| self.step_ticks(agent, to) == 1)
            }
        }
    }

    /// Returns true if every step of an agent on plain ground or cheaper terrain lasts one tick.
    #[inline]
    pub fn steps_every_tick(&self, agent: AgentRow) -> bool {
        self.step_time == StepTime::Uniform
            && self.agents.speed[agent.index()].is_unit(throng_grid::moves::STRAIGHT)
    }

    /// Returns the most ticks that a step of an agent lasts where all last equally long.
    #[inline]
    pub fn ticks_per_step(&self, agent: AgentRow) -> u32 {
        let speed = self.agents.speed[agent.index()];
        u32::from(speed.ticks().div_ceil(speed.steps()))
    }

    /// Returns the agent whose position a cell is: not one that still holds the cell because its step away is not done.
    #[inline]
    pub fn standing(&self, cell: Cell) -> Option<AgentRow> {
        self.occupancy.agent(cell).filter(|&agent| self.at(agent) == cell)
    }

    /// Returns the cell that an agent holds in this tick besides its own, because its step away from there is not done.
    #[inline]
    pub fn tail(&self, agent: AgentRow) -> Option<Cell> {
        self.agents.tail(agent, self.tick)
    }

    /// Returns the first tick in which an agent may step: this one, unless it is making a step.
    #[inline]
    pub fn ready(&self, agent: AgentRow) -> u64 {
        self.agents.ready[agent.index()].max(self.tick)
    }

    /// Returns the agent in the middle of a step that a step in this tick would cross, where that is forbidden.
    #[inline]
    pub fn crosses_step(&self, from: Cell, to: Cell) -> Option<AgentRow> {
        self.step_across(self.guarded(from, to)?)
    }

    /// Returns the agent in the middle of a step between two cells, in either direction.
    #[inline]
    pub(crate) fn step_across(&self, [side, opposite]: [Cell; 2]) -> Option<AgentRow> {
        let goes = |from: Cell, to: Cell| {
            let is_under_way = |other: &AgentRow| {
                self.agents.ready[other.index()] > self.tick
                    && self.agents.last_step[other.index()].from == from
            };
            self.standing(to).filter(is_under_way)
        };
        goes(side, opposite).or_else(|| goes(opposite, side))
    }
}
