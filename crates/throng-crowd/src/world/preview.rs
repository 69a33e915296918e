//! Previews: the remaining path of an agent, and how far and how long it has to go.
//!
//! The planner tells which cells it will lead an agent through, as far as it knows ([`Planner::preview`](crate::Planner)). The
//! world checks every step on the map that the agent knows and adds the target, so that a preview means the same for every
//! planner. A preview changes nothing, and its work is bounded by its length.

use throng_grid::moves::STRAIGHT;
use throng_grid::{Cell, Cost, Pos};

use crate::{AgentId, AgentRow, StepTime, World, WorldError};

/// The longest preview, in cells.
const MAX_CELLS: usize = 4_096;

/// How certain a part of a remaining path is, the most certain first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Certainty {
    /// The planner has planned the step. Other agents and edits may still change it.
    Planned,
    /// The step follows the distances by which the planner guides the agent. It is where the agent goes if nobody is in its way.
    Guide,
    /// The planner does not know yet how the agent goes on. The cell is the target, with unknown cells before it.
    Unknown,
}

/// A cell of a remaining path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathCell {
    /// The position.
    pub at: Pos,
    /// How certain it is that the agent comes there from the cell before.
    pub certainty: Certainty,
}

/// How far and how long an agent has to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Remaining {
    /// The cost of the remaining path, in units of [`throng_grid::moves::STRAIGHT`].
    pub cost: Cost,
    /// The ticks until the agent is in place if it never waits, with the rest of the step that it is making.
    pub ticks: u64,
    /// The least certainty of the path. If it is [`Certainty::Unknown`], the unknown part is counted as if the map had no
    /// walls: cost and ticks are bounds from below.
    pub certainty: Certainty,
}

impl World {
    /// Returns the remaining path of an agent to its target, without the cell where it stands, at most `limit` cells. Each
    /// cell that is not [`Certainty::Unknown`] is one legal step from the cell before, on the map that the agent knows. An
    /// unknown rest is one cell: the target. The path is empty if the agent is at its target or has none.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// let path = world.path(agent, 100)?;
    /// assert!(path.iter().map(|cell| cell.at.x).eq([2, 3, 4]));
    /// assert!(path.iter().all(|cell| cell.certainty < Certainty::Unknown));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn path(&self, agent: AgentId, limit: usize) -> Result<Vec<PathCell>, WorldError> {
        let row = self.agents.row(agent)?;
        let mut path = Vec::new();
        self.walk(row, limit, |cell, certainty| path.push(PathCell { at: self.pos(cell), certainty }));
        Ok(path)
    }

    /// Returns the cell that an agent enters next if nobody is in its way; the cell that it wanted in the last tick if it
    /// waits for that. `None` if it is at its target or has none, or if the planner does not know its next step yet.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// assert_eq!(world.next_cell(agent)?, Some(Pos::new(2, 0))); // turn the sprite that way
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn next_cell(&self, agent: AgentId) -> Result<Option<Pos>, WorldError> {
        let row = self.agents.row(agent)?;
        let stuck = &self.agents.arrival[row.index()].stuck;
        let wanted = stuck.wanted.filter(|_| self.is_under_way(row));
        let mut next = wanted;
        if next.is_none() {
            let is_known = |certainty| certainty != Certainty::Unknown;
            self.walk(row, 1, |cell, certainty| next = Some(cell).filter(|_| is_known(certainty)));
        }
        Ok(next.map(|cell| self.pos(cell)))
    }

    /// Returns how far and how long an agent has to go to its target, by its remaining path ([`World::path`]); `None` if it
    /// has no target.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// let remaining = world.remaining(agent)?.ok_or("it has a target")?;
    /// assert_eq!(remaining.ticks, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn remaining(&self, agent: AgentId) -> Result<Option<Remaining>, WorldError> {
        let row = self.agents.row(agent)?;
        let Some(target) = self.agents.target[row.index()] else { return Ok(None) };
        let (ground, mut at) = (self.view_ground(row), self.agents.at[row.index()]);
        let (speed, step_time) = (self.agents.speed[row.index()], self.settings.step_time);
        let ticks = self.agents.ready[row.index()].saturating_sub(self.tick + 1);
        let mut remaining = Remaining { cost: 0, ticks, certainty: Certainty::Planned };
        let mut carry = self.agents.last_step[row.index()].carry;
        self.walk(row, MAX_CELLS, |cell, certainty| {
            remaining.certainty = remaining.certainty.max(certainty);
            if let Some(direction) = ground.legal_step(at, cell).filter(|_| certainty != Certainty::Unknown) {
                let (ticks, left) = speed.duration(step_time.cost(ground, at, cell), carry);
                remaining.cost = remaining.cost.saturating_add(ground.cost(at, direction));
                remaining.ticks += u64::from(ticks);
                (at, carry) = (cell, left);
            }
        });
        if at != target {
            remaining.certainty = Certainty::Unknown;
            let (from, to) = (ground.pos(at), ground.pos(target));
            let (dx, dy) = (from.x.abs_diff(to.x), from.y.abs_diff(to.y));
            let diagonal = if ground.rules().four_way { 0 } else { dx.min(dy) };
            let steps = dx + dy - diagonal;
            let costs = ground.profile().min_step_costs();
            let octile = (steps - diagonal) * costs[0] + diagonal * costs[1];
            remaining.cost = remaining.cost.saturating_add(octile);
            let time = if step_time == StepTime::Uniform { steps * STRAIGHT } else { octile };
            remaining.ticks += u64::from(speed.duration(time, carry).0).max(u64::from(steps));
        }
        Ok(Some(remaining))
    }

    /// Emits the remaining path of an agent.
    fn walk(&self, agent: AgentRow, limit: usize, mut emit: impl FnMut(Cell, Certainty)) {
        let (mut at, target) = (self.agents.at[agent.index()], self.agents.target[agent.index()]);
        let Some(target) = target.filter(|&target| target != at) else { return };
        let (ground, limit) = (self.view_ground(agent), limit.min(MAX_CELLS));
        let mut count = 0;
        if limit > 0 {
            self.planner.preview(&self.view(), agent, &mut |cell, certainty| {
                if cell == at {
                    return true;
                }
                if certainty == Certainty::Unknown || ground.legal_step(at, cell).is_none() {
                    return false;
                }
                emit(cell, certainty);
                (at, count) = (cell, count + 1);
                count < limit && at != target
            });
        }
        if at != target && count < limit {
            emit(target, Certainty::Unknown);
        }
    }
}
