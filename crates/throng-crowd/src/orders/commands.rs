//! Orders as the game gives them.

use throng_grid::{Cell, Pos};

use super::{MAX_WAYPOINTS, Order};
use crate::{AgentId, AgentRow, Input, Unit, World, WorldError};

impl World {
    /// Adds a waypoint after the goal of an agent and the waypoints that it has already. An agent without a goal, one that is
    /// in place, and one that patrols or follows a unit is sent there at once.
    ///
    /// An agent passes a waypoint when it stands on it, or is within [`WAYPOINT_RADIUS`](crate::WAYPOINT_RADIUS) cells while
    /// another unit does, or is in place on the cell that it got instead. The next tick emits
    /// [`Event::Waypoint`](crate::Event::Waypoint) and sends it on. A waypoint that it cannot reach as far as it knows is
    /// left out: [`Event::WaypointSkipped`](crate::Event::WaypointSkipped). The last one is a goal like any other: the
    /// agent arrives there.
    ///
    /// [`World::send`], [`World::halt`], [`World::patrol`] and [`World::follow`] replace the waypoints.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let map = ".....
    /// #     .###.
    /// #     .....";
    /// # let grid = Grid::new(Tiles::picture(map), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let scout = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(scout, Pos::new(4, 0))?;
    /// world.queue(scout, Pos::new(4, 2))?;
    /// world.queue(scout, Pos::new(0, 2))?;
    /// let mut events = Vec::new();
    /// while !events.contains(&Event::Arrived { agent: scout }) {
    ///     world.tick(Budget::Unlimited, &mut events);
    /// }
    /// assert_eq!(world.position(scout)?, Pos::new(0, 2));
    /// assert_eq!(events.iter().filter(|event| matches!(event, Event::Waypoint { .. })).count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent, the position is outside the map, or the agent has
    /// [`MAX_WAYPOINTS`](crate::MAX_WAYPOINTS) waypoints.
    pub fn queue(&mut self, id: AgentId, waypoint: Pos) -> Result<(), WorldError> {
        let (agent, cell) = (self.agents.row(id)?, self.waypoint(waypoint)?);
        let i = agent.index();
        let mut order = match self.orders.get(agent) {
            Some(Order::Queue(cells)) => cells.clone(),
            _ => Vec::new(),
        };
        if order.len() == MAX_WAYPOINTS {
            return Err(WorldError::TooManyWaypoints);
        }
        let is_last = order.is_empty();
        let has_ended = self.agents.goal[i].is_none() || self.agents.arrival[i].is_answered();
        if is_last && (has_ended || self.goes_on(agent)) {
            self.orders.set(agent, None);
            self.retask(agent, waypoint);
        } else {
            order.push(cell);
            self.orders.set(agent, Some(Order::Queue(order)));
        }
        self.record(Input::Queue(id, waypoint));
        Ok(())
    }

    /// Lets an agent go round some points for ever, from the next tick on, starting with the first. Points are passed and
    /// skipped as in [`World::queue`]; a patrol does not arrive. While the agent can reach none of the other points it
    /// has no goal, and tries again every [`PATROL_RETRY_TICKS`](crate::PATROL_RETRY_TICKS) ticks.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let guard = world.spawn(AgentSpec::at(2, 0))?;
    /// world.patrol(guard, &[Pos::new(0, 0), Pos::new(4, 0)])?;
    /// let mut events = Vec::new();
    /// for _ in 0..30 {
    ///     world.tick(Budget::Unlimited, &mut events);
    /// }
    /// assert!(events.iter().filter(|event| matches!(event, Event::Waypoint { .. })).count() > 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent, a position is outside the map, or there is no point or more than
    /// [`MAX_WAYPOINTS`](crate::MAX_WAYPOINTS).
    pub fn patrol(&mut self, id: AgentId, points: &[Pos]) -> Result<(), WorldError> {
        let agent = self.agents.row(id)?;
        let (&first, _) = points.split_first().ok_or(WorldError::NoWaypoint)?;
        if points.len() > MAX_WAYPOINTS {
            return Err(WorldError::TooManyWaypoints);
        }
        let cells = points.iter().map(|&point| self.waypoint(point)).collect::<Result<Vec<_>, _>>()?;
        self.orders.set(agent, Some(Order::Patrol { points: cells, next: 0, retry: 0 }));
        self.clear_goal(agent);
        self.record(Input::Patrol(id, first));
        for &point in &points[1..] {
            self.record(Input::PatrolPoint(id, point));
        }
        Ok(())
    }

    /// Adds a point to the end of an agent's patrol.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let guard = world.spawn(AgentSpec::at(2, 0))?;
    /// world.patrol(guard, &[Pos::new(0, 0)])?;
    /// world.extend_patrol(guard, Pos::new(4, 0))?;
    /// let Orders::Patrol { points, .. } = world.orders(guard)? else { panic!("it patrols") };
    /// assert!(points.iter().eq([Pos::new(0, 0), Pos::new(4, 0)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent, it does not patrol, the position is outside the map, or the patrol has
    /// [`MAX_WAYPOINTS`](crate::MAX_WAYPOINTS) points.
    pub fn extend_patrol(&mut self, id: AgentId, point: Pos) -> Result<(), WorldError> {
        let (agent, cell) = (self.agents.row(id)?, self.waypoint(point)?);
        let Some(Order::Patrol { points, next, retry }) = self.orders.get(agent).cloned() else {
            return Err(WorldError::NoPatrol(id));
        };
        if points.len() == MAX_WAYPOINTS {
            return Err(WorldError::TooManyWaypoints);
        }
        let points = [points, vec![cell]].concat();
        self.orders.set(agent, Some(Order::Patrol { points, next, retry }));
        self.record(Input::PatrolPoint(id, point));
        Ok(())
    }

    /// Lets an agent follow another agent or a foreign unit, from the next tick on. Its goal is the cell of the unit; it gets
    /// another one at most every [`FOLLOW_TICKS`](crate::FOLLOW_TICKS) ticks, and only when the unit is away from the last
    /// one by more than a [`FOLLOW_FRACTION`](crate::FOLLOW_FRACTION)th of the remaining distance, so that a distant unit
    /// does not make the planner search in every tick. Within `distance` cells (Chebyshev distance, whatever lies between;
    /// at least 1) the agent has no goal and rests.
    ///
    /// An agent that follows does not arrive, and reports no unreachable goal. When the unit is removed, the agent stops and
    /// [`Event::FollowEnded`](crate::Event::FollowEnded) is emitted. Fog does not hide the unit from it.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("........"), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let leader = world.spawn(AgentSpec::at(2, 0))?;
    /// let escort = world.spawn(AgentSpec::at(0, 0))?;
    /// world.follow(escort, Unit::Agent(leader), 2)?;
    /// world.send(leader, Pos::new(7, 0))?;
    /// for _ in 0..20 {
    ///     world.tick(Budget::Unlimited, &mut Vec::new());
    /// }
    /// assert_eq!(world.position(escort)?, Pos::new(5, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent or unit, or the agent is to follow itself.
    pub fn follow(&mut self, id: AgentId, unit: Unit, distance: u16) -> Result<(), WorldError> {
        let agent = self.agents.row(id)?;
        self.cell_of(unit)?;
        if unit == Unit::Agent(id) {
            return Err(WorldError::FollowsItself(id));
        }
        self.orders.set(agent, Some(Order::Follow { unit, distance, ready: 0 }));
        self.clear_goal(agent);
        self.record(Input::Follow(id, unit, distance));
        Ok(())
    }

    /// Returns the cell of a waypoint.
    fn waypoint(&self, at: Pos) -> Result<Cell, WorldError> {
        self.grid.cell(at).ok_or(WorldError::Outside(at))
    }

    /// Returns the cell of a unit.
    pub(super) fn cell_of(&self, unit: Unit) -> Result<Cell, WorldError> {
        match unit {
            Unit::Agent(other) => self.agents.row(other).map(|row: AgentRow| self.agents.at[row.index()]),
            Unit::Foreign(other) => self.foreign.at(other),
        }
    }
}
