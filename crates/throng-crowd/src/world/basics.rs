//! What every game calls: create a world, spawn agents, send them to goals, tick.
//!
//! The documentation of [`World`] shows methods in the order of the modules, so this one is declared first.

use std::sync::Arc;

use throng_grid::{Grid, Pos};

use super::hash;
use crate::fog::Fog;
use crate::planner::AgentChange;
use crate::record::GrantedBudget;
use crate::work::{Budget, Work};
use crate::{
    AgentId, AgentSpec, Destination, Event, Input, MapShape, NamedPlanner, Occupant, Settings, SetupError,
    Sharing, TickReport, World, WorldError,
};

impl World {
    /// Creates a world without agents.
    ///
    /// ```
    /// use throng::prelude::*;
    ///
    /// let map = "
    ///     ...#....
    ///     .#...##.
    ///     .#......";
    /// let grid = Grid::new(Tiles::picture(map), MoveRules::default());
    /// let planner = planner("surge", &grid)?;
    /// let world = World::new(grid, planner, Settings::default())?;
    /// assert_eq!(world.ticks(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the planner was made for another map, requires agents to share or to know more than the settings grant, or the
    /// settings contradict each other.
    pub fn new(grid: Grid, planner: impl Into<NamedPlanner>, settings: Settings) -> Result<Self, SetupError> {
        Self::on(Arc::new(grid), planner.into(), settings)
    }

    /// Creates a world on a map that others may share.
    pub(crate) fn on(grid: Arc<Grid>, planner: NamedPlanner, settings: Settings) -> Result<Self, SetupError> {
        let NamedPlanner { name: planner_name, planner, map } = planner;
        if let Some(difference) = map.and_then(|map| map.difference(&MapShape::of(&grid))) {
            return Err(SetupError::OtherMap { planner: planner_name, difference });
        }
        let (required, granted) = (planner.required_sharing(), settings.sharing);
        if required > granted {
            return Err(SetupError::Sharing { required, granted });
        }
        let (required, granted) = (planner.required_map(), Fog::grants(settings.fog));
        if required > granted {
            return Err(SetupError::Map { planner: planner_name, required, granted });
        }
        if settings.step_time > planner.step_time() {
            return Err(SetupError::StepTime { planner: planner_name, step_time: settings.step_time });
        }
        if settings.fog.is_some_and(|fog| fog.shared) && settings.sharing == Sharing::Nothing {
            return Err(SetupError::SharedMap);
        }
        if settings.fog.is_some_and(|fog| fog.radius == 0) {
            return Err(SetupError::NoSight);
        }
        Ok(Self::empty(grid, planner_name, planner, settings))
    }

    /// Puts a new agent on the map.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let knight = world.spawn(AgentSpec::at(0, 0))?;
    /// let snail = world.spawn(AgentSpec::at(4, 0).speed(3).user(42))?; // a step in three ticks
    /// assert_eq!(world.agents(), [knight, snail]);
    /// assert!(world.spawn(AgentSpec::at(4, 0)).is_err(), "the cell is occupied");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture(".....#."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// assert_eq!(world.send(agent, Pos::new(2, 0))?, Destination::Goal);
    /// // Behind the wall: it goes as near as it can.
    /// assert_eq!(world.send(agent, Pos::new(6, 0))?, Destination::Unreachable(Pos::new(4, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Lets each agent begin at most one step and appends the events of the tick to `events`. Steps begin with a tick and last
    /// a whole number of ticks.
    ///
    /// The moves are legal and free of collisions for any budget; a smaller budget delays agents that wait for a path.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// let mut events = Vec::new();
    /// while !events.contains(&Event::Arrived { agent }) {
    ///     events.clear();
    ///     world.tick(Budget::units(20_000), &mut events); // a millisecond for the planner
    /// }
    /// assert_eq!(world.ticks(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If an earlier tick panicked, which is a bug of the planner or of this library. The world is poisoned then, like a
    /// [`Mutex`](std::sync::Mutex): see [`World::is_poisoned`].
    pub fn tick(&mut self, budget: Budget<'_>, events: &mut Vec<Event>) -> TickReport {
        let granted = GrantedBudget::of(&budget);
        let charged = self.begin_tick(granted, events);
        let mut work = Work::new(budget);
        work.charge(charged);
        work.set_price(self.planner.expansion_price());
        let mut moves = std::mem::take(&mut self.moves);
        let mut planner = std::mem::replace(&mut self.planner, Box::new(crate::Stationary));
        planner.plan(&self.view(), &mut work, &mut moves);
        self.planner = planner;
        self.moves = moves;
        let report = TickReport {
            expansions: work.spent(),
            backwards: work.spent_backwards(),
            units: work.units(),
            rounds: work.rounds(),
        };
        self.end_tick(granted.unwrap_or(GrantedBudget::Rounds(report.rounds)), report, events);
        report
    }
}
