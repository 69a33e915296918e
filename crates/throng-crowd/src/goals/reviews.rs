//! Reviews of targets after an edit of the map, spread over ticks.
//!
//! An edit can make thousands of targets unreachable at once, or thousands of goals reachable. The tick after it compares
//! the connected component of each agent with those of its goal and target, which takes nanoseconds, and finds the agents
//! whose target has to be chosen again. These reviews have a price. A tick does as many as it has units for, and the
//! units count in the budget of the tick. The other agents wait for a later tick: without a target if theirs cannot be
//! reached any more, otherwise they go on to the old one. Reviews go round the agents in the order of their rows.

use serde::{Deserialize, Serialize};
use throng_grid::Cell;

use crate::record::GrantedBudget;
use crate::{AgentRow, World};

/// The most units of work that a tick spends on reviews: 0.4 milliseconds. More delays the planner, less lets agents
/// wait longer after an edit.
const MAX_UNITS: u64 = 8_000;
/// The units that a tick may spend on reviews under any budget, so that every budget makes progress.
const MIN_UNITS: u64 = 512;
/// The price of a review: a microsecond for a new target and what the planner drops because of it.
const BASE_PRICE: u64 = 20;
/// Cells of distance from the goal to the nearest reachable cell per unit: the query looks at two rows per cell of
/// distance.
const CELLS_PER_UNIT: u64 = 4;

/// Whether the target of an agent has to be chosen again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Review {
    /// The target is that of the present map.
    #[default]
    Done,
    /// The target can be reached, but another may be better since the last edit.
    Due,
    /// The target could not be reached any more, and the agent has lost it.
    LostTarget,
}

/// Returns the units that a tick with this budget may spend on reviews. A budget that is not counted in units grants
/// the maximum, because the time of a tick under a clock must not decide.
pub(crate) fn review_units(granted: Option<GrantedBudget>) -> u64 {
    match granted {
        Some(GrantedBudget::Units(limit) | GrantedBudget::Expansions(limit)) => {
            (limit / 2).clamp(MIN_UNITS, MAX_UNITS)
        }
        _ => MAX_UNITS,
    }
}

/// Returns the highest price of a review on a map with these sides.
pub(crate) fn max_price(width: u64, height: u64) -> u64 {
    BASE_PRICE + width.max(height) / CELLS_PER_UNIT
}

impl World {
    /// Marks the agents whose target has to be reviewed after an edit. Agents that lost their target are given none until
    /// then, unless their turn comes in this tick.
    pub(super) fn mark_for_review(&mut self, agent: AgentRow) {
        let i = agent.index();
        let (at, target, arrival) = (self.agents.at[i], self.agents.target[i], self.agents.arrival[i]);
        let Some(goal) = self.agents.goal[i] else { return };
        let ground = self.true_ground(agent);
        let goal_cell = ground.cell(goal).filter(|&cell| ground.reachable(at, cell));
        let lost = target.is_some_and(|target| !ground.reachable(at, target));
        let is_due = if arrival.stage.has_claim() {
            lost || arrival.short || (arrival.goal_unreachable && goal_cell.is_some())
        } else {
            goal_cell.is_none() || target != goal_cell
        };
        if lost {
            self.agents.arrival[i].review = Review::LostTarget;
        } else if is_due && arrival.review == Review::Done {
            self.agents.arrival[i].review = Review::Due;
        }
        self.has_reviews |= is_due;
    }

    /// Reviews the marked agents, at most for `units` of work. Returns the units spent.
    pub(super) fn do_reviews(&mut self, units: u64) -> u64 {
        if !self.has_reviews {
            return 0;
        }
        let mut spent = 0;
        let count = self.agents.living.len();
        let first = self.agents.living.partition_point(|&agent| agent < self.next_review);
        for turn in 0..count {
            let agent = self.agents.living[(first + turn) % count];
            if self.agents.arrival[agent.index()].review == Review::Done {
                continue;
            }
            if spent >= units {
                self.next_review = agent;
                self.drop_lost_targets();
                return spent;
            }
            self.review_target(agent);
            spent += self.review_price(agent);
        }
        (self.has_reviews, self.next_review) = (false, AgentRow(0));
        spent
    }

    /// Takes the target from agents that cannot reach it and have to wait for their review.
    fn drop_lost_targets(&mut self) {
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            if self.agents.arrival[agent.index()].review == Review::LostTarget
                && self.agents.target[agent.index()].is_some()
            {
                self.set_target(agent, None, false);
            }
        }
    }

    fn review_price(&self, agent: AgentRow) -> u64 {
        let (i, size) = (agent.index(), self.grid.size());
        let distance = |target: Cell| {
            let (goal, target) = (self.agents.goal[i].unwrap_or_default(), size.pos(target));
            goal.x.abs_diff(target.x).max(goal.y.abs_diff(target.y))
        };
        let farthest = if self.agents.arrival[i].goal_unreachable { self.agents.target[i] } else { None };
        BASE_PRICE + u64::from(farthest.map_or(0, distance)) / CELLS_PER_UNIT
    }
}
