//! The arrival state of each agent: how far it has come with its goal.
//!
//! ```text
//!            set_goal + set_target                 set_target(claim)          observe_arrivals
//!   NoGoal ────────────────────────► Approaching ───────────────────► Claimed ────────────────► Settled
//!     ▲                                  │ ▲                            ▲  │ another cell          │
//!     │ clear_goal          no free cell ▼ │ cell found                 │  └────────◄──────────────┘
//!     └─────────────────────────────── NoTarget ────────────────────────┘
//! ```
//!
//! Invariants, with `goal` and `target` as columns of their own because planners read targets in every tick:
//! - `goal` is `None` exactly in [`Stage::NoGoal`]; then everything else in [`Arrival`] has its default value;
//! - `target` is `Some` exactly in `Approaching`, `Claimed` and `Settled`;
//! - the claim table names an agent at its target exactly in `Claimed` and `Settled`, and at no other cell.
//!
//! What [`Arrival`] holds beside the stage does not follow from it. An arrival stays reported until the end of the tick
//! in which the agent has left, and an unreachable goal may have been replaced in any stage with a goal. The counters
//! run on when the agent gets another cell for the same goal.

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Cost, Pos};

use super::reviews::Review;
use crate::planner::AgentChange;
use crate::world::{hash, known_ground};
use crate::{AgentRow, Event, Unit, World};

/// How far an agent has come with its goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Stage {
    /// It has no goal.
    #[default]
    NoGoal,
    /// It has a goal, but no cell that it can reach is left for it.
    NoTarget,
    /// It heads for its goal, or for the reachable cell nearest to it. Other agents may have the same target.
    Approaching,
    /// It heads for a cell of its own and has not stood there yet.
    Claimed,
    /// It has stood on its own cell and keeps it, even when it is pushed away.
    Settled,
}

impl Stage {
    /// Returns true if the target belongs to this agent alone.
    pub(crate) const fn has_claim(self) -> bool {
        matches!(self, Self::Claimed | Self::Settled)
    }
}

/// What the last event about the arrival of an agent said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Reported {
    /// That it left, or there was none since the last order.
    #[default]
    No,
    /// That it is in place: [`Event::Arrived`].
    InPlace,
    /// That it has settled short, with the distance to the goal: [`Event::SettledShort`].
    Short(u32),
}

/// A [`Reported`] without the distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum ReportedKind {
    #[default]
    No,
    InPlace,
    Short,
}

impl Reported {
    pub(crate) const fn kind(self) -> ReportedKind {
        match self {
            Self::No => ReportedKind::No,
            Self::InPlace => ReportedKind::InPlace,
            Self::Short(_) => ReportedKind::Short,
        }
    }
}

/// The arrival state of one agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Arrival {
    pub(crate) stage: Stage,
    /// The goal could not be reached when the target was chosen.
    pub(crate) goal_unreachable: bool,
    /// The target is not one of the final cells of the group: other units cut the agent off from those.
    pub(crate) short: bool,
    /// What the last event about arrival said.
    pub(crate) reported: Reported,
    /// Whether the target has to be chosen again after an edit of the map.
    pub(crate) review: Review,
    pub(crate) effort: Effort,
    pub(crate) stuck: StuckWatch,
}

impl Arrival {
    /// Returns true if the last order has been answered by an arrival, and the agent has not left since.
    pub(crate) fn is_answered(&self) -> bool {
        self.reported != Reported::No
    }
}

/// What an agent has spent on its goal. Goal assignment uses it to bound how long an agent looks for a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Effort {
    /// The smallest octile distance to the target so far; [`Cost::MAX`] before the first measurement.
    pub(crate) closest: Cost,
    /// Ticks since then in which the agent was free to step.
    pub(crate) ticks_since_closest: u32,
    /// How often the agent has gone on in the place of another since it got the goal.
    pub(crate) reassignments: u8,
    /// Ticks since it last settled, or got the goal, in which it had a claim and stood elsewhere.
    pub(crate) claimed_ticks: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Self { closest: Cost::MAX, ticks_since_closest: 0, reassignments: 0, claimed_ticks: 0 }
    }
}

/// How long an agent that is not at its target has made no headway. All zero for every other agent after a tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct StuckWatch {
    /// Ticks since its last step in which it was free to step.
    pub(crate) still_ticks: u32,
    /// The cell that it wanted and did not get in the last tick, `None` if it stepped or has no path yet.
    pub(crate) wanted: Option<Cell>,
    /// A cell from which it has not gone far; `None` before the first tick under way.
    pub(crate) anchor: Option<Cell>,
    /// Ticks near the anchor in which it was free to step.
    pub(crate) anchor_ticks: u32,
    /// The unit that it last waited for, if any. The unit may have been removed since.
    pub(crate) blocker: Option<Unit>,
}

impl World {
    /// Stores the goal of an agent and updates the number of agents per goal. The caller sets the target.
    pub(crate) fn set_goal(&mut self, agent: AgentRow, goal: Option<Pos>) {
        let i = agent.index();
        let before = std::mem::replace(&mut self.agents.goal[i], goal);
        if before != goal {
            let arrival = &mut self.agents.arrival[i];
            (arrival.effort, arrival.stuck) = (Effort::default(), StuckWatch::default());
            self.agents.group[i] = None;
        }
        if let Some(cell) = before.and_then(|before| self.grid.cell(before)) {
            self.count_goal(cell, -1);
        }
        if let Some(cell) = goal.and_then(|goal| self.grid.cell(goal)) {
            self.count_goal(cell, 1);
        }
    }

    /// Changes the number of agents whose goal is a cell.
    pub(crate) fn count_goal(&mut self, cell: Cell, change: i32) {
        match self.goal_counts.get(cell).unwrap_or(0).saturating_add_signed(change) {
            0 => self.goal_counts.remove(cell),
            count => self.goal_counts.set(cell, count),
        }
    }

    /// Gives an agent a target, and the sole right to it if `claim` is true. A settled agent that keeps its cell stays
    /// settled.
    pub(crate) fn set_target(&mut self, agent: AgentRow, target: Option<Cell>, claim: bool) {
        let i = agent.index();
        self.release_claim(agent);
        if claim && let Some(target) = target {
            self.claims.set(target, agent.0);
        }
        let before = std::mem::replace(&mut self.agents.target[i], target);
        let arrival = &mut self.agents.arrival[i];
        arrival.stage = match target {
            None if self.agents.goal[i].is_none() => Stage::NoGoal,
            None => Stage::NoTarget,
            Some(_) if !claim => Stage::Approaching,
            Some(_) if arrival.stage == Stage::Settled && before == target => Stage::Settled,
            Some(_) => Stage::Claimed,
        };
        arrival.short = false;
        (arrival.effort.closest, arrival.effort.ticks_since_closest) = (Cost::MAX, 0);
        if before != target {
            arrival.stuck.still_ticks = 0;
            let at = self.agents.at[i];
            let id = self.agents.id(agent);
            self.units_hash ^= hash::agent(id, at, before) ^ hash::agent(id, at, target);
            self.planner.on_change(agent, AgentChange::Retasked);
        }
        self.record_target(agent);
    }

    /// Removes an agent's claim from the claim table. The caller sets the target, and with it the stage.
    pub(crate) fn release_claim(&mut self, agent: AgentRow) {
        if let Some(cell) = self.agents.target[agent.index()]
            && self.claims.get(cell) == Some(agent.0)
        {
            self.claims.remove(cell);
            self.ring_cache.claim_released();
        }
    }

    /// Takes the goal from an agent.
    pub(crate) fn clear_goal(&mut self, agent: AgentRow) {
        self.set_goal(agent, None);
        self.set_target(agent, None, false);
        self.agents.arrival[agent.index()] = Arrival::default();
    }

    /// Settles agents that stand on their own cell, and reports arrivals and departures.
    pub(crate) fn observe_arrivals(&mut self, events: &mut Vec<Event>) {
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let (id, on_target) = (self.agents.id(agent), self.stands_on_own_cell(agent));
            let arrival = &mut self.agents.arrival[agent.index()];
            if on_target {
                arrival.stage = Stage::Settled;
                arrival.effort.claimed_ticks = 0;
            }
            let before = arrival.reported;
            let now = match (on_target, arrival.short, before) {
                (false, ..) => Reported::No,
                (true, false, _) => Reported::InPlace,
                (true, true, Reported::Short(distance)) => Reported::Short(distance),
                (true, true, _) => Reported::Short(self.steps_to_goal(agent)),
            };
            if before == now {
                continue;
            }
            self.agents.arrival[agent.index()].reported = now;
            // An agent that goes on to a waypoint is not reported.
            if self.goes_on(agent) {
                continue;
            }
            events.push(match now {
                Reported::No => Event::LeftGoal { agent: id },
                Reported::InPlace => Event::Arrived { agent: id },
                Reported::Short(distance) => Event::SettledShort { agent: id, distance },
            });
        }
    }

    /// Returns the number of steps on the map from the cell of an agent to its goal, or to the reachable cell nearest to it.
    pub(crate) fn steps_to_goal(&mut self, agent: AgentRow) -> u32 {
        let i = agent.index();
        let approach = self.agents.goal[i].and_then(|goal| self.approach(agent, goal));
        let Some(approach) = approach else { return 0 };
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let rings = self.ring_cache.rings(ground, self.agents.profile[i], approach);
        rings.steps(ground, self.agents.at[i], u32::MAX).unwrap_or(0)
    }
}
