//! Goals and targets: which cell each agent heads for.
//!
//! A goal is where the game sent the agent. Its target is the cell that the planner moves it to: from afar the goal or
//! the reachable cell nearest to it, near the goal a cell of its own (`assignment.rs`). `arrival.rs` defines the state
//! that each agent has in this, `rings.rs` the order in which cells around a goal are taken, `enclosure.rs` finds
//! agents that settled agents cut off from their cell, `reviews.rs` spreads the work after an edit over ticks.

pub(crate) mod arrival;
pub(crate) mod assignment;
mod choice;
pub(crate) mod enclosure;
mod exchange;
pub(crate) mod groups;
mod passages;
mod places;
pub(crate) mod reviews;
pub(crate) mod rings;
mod units;

use throng_grid::{Cell, Pos};

use self::arrival::Reported;
use self::reviews::Review;
use crate::orders::Order;
use crate::planner::AgentChange;
use crate::world::{hash, known_ground};
use crate::{AgentRow, Destination, Event, Occupant, StuckReason, World};

impl World {
    /// Sends an agent to a goal. An agent that has this goal and a target already keeps its path and its claim, and its
    /// arrival is reported again.
    pub(crate) fn retask(&mut self, agent: AgentRow, goal: Pos) -> Destination {
        let i = agent.index();
        let target = self.agents.target[i];
        self.agents.arrival[i].reported = Reported::No;
        if self.agents.goal[i] == Some(goal) && target.is_some() {
            return self.destination(agent);
        }
        self.retarget(agent, goal)
    }

    /// Stores the goal and chooses the target: the goal or the reachable cell nearest to it. An agent of a group claims
    /// its cell at the end of a tick, when all agents that are sent together have their goal.
    fn retarget(&mut self, agent: AgentRow, goal: Pos) -> Destination {
        let i = agent.index();
        self.set_goal(agent, Some(goal));
        let stuck = &mut self.agents.arrival[i].stuck;
        (stuck.still_ticks, stuck.wanted) = (0, None);
        self.release_claim(agent);
        let approach = self.approach(agent, goal);
        let unreachable = approach.is_none() || approach != self.grid.cell(goal);
        let near = approach.is_some_and(|approach| self.claims_alone(agent, goal, approach));
        let target =
            approach.and_then(|cell| if near { self.first_claimable(agent, cell) } else { Some(cell) });
        self.set_target(agent, target, near);
        self.agents.arrival[i].goal_unreachable = unreachable;
        self.agents.arrival[i].review = Review::Done;
        if unreachable || target.is_none() {
            self.pending_reports.push(agent);
        }
        self.destination(agent)
    }

    /// Chooses a new target if the present one cannot be reached any more, if an unreachable goal can be reached again,
    /// if an unclaimed target is not the nearest cell to the goal any more, or if the agent has to settle short. Otherwise
    /// a claim is kept, so that a door that opens elsewhere moves no agent.
    pub(crate) fn review_target(&mut self, agent: AgentRow) {
        let i = agent.index();
        let (at, target, arrival) = (self.agents.at[i], self.agents.target[i], self.agents.arrival[i]);
        let Some(goal) = self.agents.goal[i] else { return };
        self.agents.arrival[i].review = Review::Done;
        let approach = self.approach(agent, goal);
        let has_claim = arrival.stage.has_claim();
        let reachable = |cell: Cell| self.view_ground(agent).reachable(at, cell);
        let keeps = if has_claim { target.is_some_and(reachable) } else { target == approach };
        let goal_opened = arrival.goal_unreachable && approach == self.grid.cell(goal);
        if !keeps || goal_opened {
            // An agent that had no target and still has none has been reported.
            if target.is_some()
                || arrival.review == Review::LostTarget
                || approach.is_some_and(|cell| self.first_claimable(agent, cell).is_some())
            {
                self.retarget(agent, goal);
            }
        } else if arrival.short {
            self.retarget(agent, goal);
        }
    }

    /// Reports the agents whose goal cannot be reached or that have no cell to go to.
    pub(crate) fn report_pending(&mut self, events: &mut Vec<Event>) {
        let mut pending = std::mem::take(&mut self.pending_reports);
        pending.sort_unstable();
        pending.dedup();
        for &agent in pending.iter().filter(|&&agent| self.agents.is_alive(agent)) {
            let (i, id) = (agent.index(), self.agents.id(agent));
            let inside_wall = !self.true_ground(agent).is_free(self.agents.at[i]);
            match (self.agents.goal[i], self.agents.target[i]) {
                (Some(_), Some(_)) if matches!(self.orders.get(agent), Some(Order::Follow { .. })) => {}
                (Some(goal), Some(instead)) if self.agents.arrival[i].goal_unreachable => {
                    let instead = self.pos(instead);
                    events.push(Event::Unreachable { agent: id, goal, instead });
                }
                (goal, None) if inside_wall || goal.is_some() => {
                    let reason = StuckReason::NoReachableCell;
                    events.push(Event::Stuck { agent: id, reason, by: None });
                }
                _ => {}
            }
        }
        pending.clear();
        self.pending_reports = pending;
    }

    /// Returns where an agent with a goal goes.
    fn destination(&self, agent: AgentRow) -> Destination {
        let i = agent.index();
        match self.agents.target[i].map(|target| self.pos(target)) {
            None => Destination::Nowhere,
            target if target == self.agents.goal[i] => Destination::Goal,
            Some(target) if self.agents.arrival[i].goal_unreachable => Destination::Unreachable(target),
            Some(target) => Destination::Taken(target),
        }
    }

    /// Returns the goal, or the cell nearest to it that the agent can reach.
    fn approach(&mut self, agent: AgentRow, goal: Pos) -> Option<Cell> {
        let (at, profile) = (self.agents.at[agent.index()], self.agents.profile[agent.index()]);
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        self.ring_cache.approach(ground, profile, at, goal)
    }

    /// Puts an agent in another cell without a step.
    pub(crate) fn relocate(&mut self, agent: AgentRow, to: Cell) {
        self.set_position(agent, to);
        self.look_around(agent);
        let stuck = &mut self.agents.arrival[agent.index()].stuck;
        (stuck.still_ticks, stuck.wanted) = (0, None);
        self.planner.on_change(agent, AgentChange::Relocated);
    }

    /// Changes the position of an agent, the occupancy and the hash.
    pub(crate) fn set_position(&mut self, agent: AgentRow, to: Cell) {
        let i = agent.index();
        let (from, target) = (self.agents.at[i], self.agents.target[i]);
        if self.occupancy.agent(from) == Some(agent) {
            self.occupancy.set(from, Occupant::Nobody);
        }
        self.occupancy.set(to, Occupant::Agent(agent));
        let id = self.agents.id(agent);
        self.units_hash ^= hash::agent(id, from, target) ^ hash::agent(id, to, target);
        self.agents.at[i] = to;
    }

    /// After an edit of the map, moves agents out of walls and reviews targets, in the order of rows and in this
    /// tick at most for `units` of work. If agents know only what they have seen, they look around instead, and targets
    /// are reviewed where that matters. Returns the units spent.
    pub(crate) fn handle_map_edits(&mut self, units: u64, events: &mut Vec<Event>) -> u64 {
        if self.handled_revision == self.grid.revision() {
            return self.do_reviews(units);
        }
        let (revision, overlay) = (self.grid.revision(), self.grid.overlay_revision());
        let only_costs = revision - self.handled_revision == overlay - self.handled_overlay;
        (self.handled_revision, self.handled_overlay) = (revision, overlay);
        if only_costs {
            // What can be reached is the same.
            self.look_after_edits();
            return self.do_reviews(units);
        }
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let at = self.agents.at[agent.index()];
            if !self.true_ground(agent).is_free(at) {
                self.displace(agent, at, events);
            }
            if self.knowledge.is_none() {
                self.mark_for_review(agent);
            }
        }
        self.look_after_edits();
        self.do_reviews(units)
    }

    /// Ends the step of an agent and moves it to the nearest free and unoccupied cell by straight-line distance, in any
    /// connected component.
    /// Ties go to the lowest cell number.
    fn displace(&mut self, agent: AgentRow, from: Cell, events: &mut Vec<Event>) {
        self.end_step(agent);
        let ground = self.true_ground(agent);
        match ground.nearest_free(ground.pos(from), |cell| self.occupancy.is_free(cell)) {
            Some(to) => {
                self.relocate(agent, to);
                self.review_after_displacement(agent);
                let (agent, from, to) = (self.agents.id(agent), self.pos(from), self.pos(to));
                events.push(Event::Displaced { agent, from, to });
            }
            None => self.pending_reports.push(agent),
        }
    }
}
