//! Stuck agents: reports agents that wait for long, and agents that move for long without leaving a neighbourhood.

use throng_grid::Cell;

use crate::goals::arrival::StuckWatch;
use crate::{AgentId, Event, StuckReason, World};

/// An agent wanders if it stays within this Chebyshev distance of a cell, in cells, for [`WANDERING_FACTOR`] times the
/// ticks after which a standing agent is stuck. A smaller radius misses agents that circle a crowd; a smaller factor
/// reports agents that only wait their turn in one.
const WANDERING_RADIUS: u32 = 8;
/// See [`WANDERING_RADIUS`].
const WANDERING_FACTOR: u64 = 8;

impl World {
    /// Emits the events of overruled and waiting agents, and reports agents that have stood still for long.
    pub(super) fn observe_waits(&mut self, events: &mut Vec<Event>) {
        for &(agent, wanted, rule) in self.referee.overruled() {
            events.push(Event::Overruled { agent, wanted, rule });
        }
        self.totals.overruled += self.referee.overruled().len() as u64;
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            if self.referee.next(agent) != self.agents.at[agent.index()] {
                continue;
            }
            let wanted = self.moves.proposal(agent).wanted;
            if let Some((wanted, by)) = wanted {
                self.totals.failed_moves += 1;
                self.agents.arrival[agent.index()].stuck.blocker = by;
                events.push(Event::Waited { agent, wanted, by });
            }
            self.observe_standing(agent, wanted, events);
        }
    }

    fn observe_standing(
        &mut self,
        agent: AgentId,
        wanted: Option<(Cell, Option<AgentId>)>,
        events: &mut Vec<Event>,
    ) {
        let i = agent.index();
        let under_way = self.is_under_way(agent);
        let stuck = &mut self.agents.arrival[i].stuck;
        if !under_way {
            stuck.still_ticks = 0;
            return;
        }
        // A slow agent pauses between its steps; those ticks do not count.
        if self.agents.ready[i] > self.tick {
            return;
        }
        stuck.still_ticks = stuck.still_ticks.saturating_add(1);
        if stuck.still_ticks == self.settings.stuck_after {
            let (reason, by) = match wanted {
                None => (StuckReason::NoPathYet, None),
                Some((_, None)) => (StuckReason::BehindForeign, None),
                Some((_, Some(other))) if !self.agents.controlled[other.index()] => {
                    (StuckReason::BehindForeign, Some(other))
                }
                Some((_, Some(other))) if self.has_arrived(other) => {
                    (StuckReason::BehindArrived, Some(other))
                }
                Some((_, by)) => (StuckReason::Crowded, by),
            };
            events.push(Event::Stuck { agent, reason, by });
        }
    }

    /// Reports agents that have moved within one neighbourhood for long.
    pub(super) fn observe_wandering(&mut self, events: &mut Vec<Event>) {
        let (size, stuck_after) = (self.grid.size(), self.settings.stuck_after);
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let i = agent.index();
            let (at, under_way) = (self.agents.at[i], self.is_under_way(agent));
            let stuck = &mut self.agents.arrival[i].stuck;
            if !under_way {
                *stuck = StuckWatch { still_ticks: stuck.still_ticks, ..StuckWatch::default() };
                continue;
            }
            let is_far = |from: Cell| {
                let (a, b) = (size.pos(from), size.pos(at));
                a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) > WANDERING_RADIUS
            };
            if stuck.anchor.is_none_or(is_far) {
                (stuck.anchor, stuck.anchor_ticks) = (Some(at), 0);
                continue;
            }
            // Only ticks count in which the agent may step, so that slow agents are granted as many steps.
            if self.agents.ready[i] > self.tick + 1 {
                continue;
            }
            stuck.anchor_ticks = stuck.anchor_ticks.saturating_add(1);
            // An agent that stands still has been reported already.
            if u64::from(stuck.anchor_ticks) == u64::from(stuck_after) * WANDERING_FACTOR
                && stuck.still_ticks < stuck_after
            {
                events.push(Event::Stuck { agent, reason: StuckReason::Wandering, by: stuck.blocker });
            }
        }
    }

    /// Returns true if the planner moves an agent and the agent is not at its target.
    fn is_under_way(&self, agent: AgentId) -> bool {
        let i = agent.index();
        self.agents.controlled[i] && self.agents.target[i].is_some_and(|target| target != self.agents.at[i])
    }
}
