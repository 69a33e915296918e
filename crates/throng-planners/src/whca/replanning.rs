//! Which agents plan in a tick, and in which order.

use std::cmp::Reverse;

use throng_crowd::{AgentRow, Occupant, View};

use super::{Whca, WhcaAgent};

/// Ticks planned ahead by agents without a target where others plan whole paths.
const IDLE_WINDOW: u32 = 8;

impl Whca {
    /// Cancels the plans that cannot be followed and lists the agents that plan.
    pub(super) fn begin(&mut self, view: &View<'_>) {
        self.plans.begin(view.agents(), view.id_limit(), view.tick() - 1);
        self.agents.resize(view.id_limit(), WhcaAgent::default());
        for &agent in view.agents() {
            let waits = view.is_controlled(agent) && self.may_stay(view, agent);
            if !view.may_step(agent) && !waits {
                self.plans.finish_step(view, agent);
                self.plans.fixed[agent.index()] = true;
            }
        }
        self.order.clear();
        for &agent in view.movers() {
            if !self.may_go_on(view, agent) {
                self.plans.cancel(agent);
                self.order.push(agent);
            }
        }
        // Agents without a plan come first. Within each group the order rotates among agents of one
        // priority.
        let half = u64::from(self.window / 2).max(1);
        let without = self.order.len();
        for &agent in view.movers() {
            if self.plans.remaining(agent) > 0 && self.is_due(view, agent) {
                self.order.push(agent);
            }
        }
        let (without, due) = self.order.split_at_mut(without);
        for group in [without, due] {
            let turns = (view.tick() / half) as usize % group.len().max(1);
            group.rotate_left(turns);
            if view.has_priorities() {
                group.sort_by_key(|&agent| Reverse(view.priority(agent)));
            }
        }
    }

    /// The number of ticks that an agent plans ahead; 0 for the whole path. An agent without a target never rests for
    /// ever, so that others can claim its cell.
    pub(super) fn window_of(&self, view: &View<'_>, agent: AgentRow) -> u32 {
        if self.window == 0 && view.target(agent).is_none() { IDLE_WINDOW } else { self.window }
    }

    /// Returns true if an agent with a plan has to plan again: every half window, staggered by the agents' numbers; slow
    /// agents when half of the window is used up.
    fn is_due(&self, view: &View<'_>, agent: AgentRow) -> bool {
        let window = self.window_of(view, agent);
        let half = u64::from(window / 2).max(1);
        let used_up = view.ticks_per_step(agent) > 1
            && self.plans.remaining(agent).saturating_add(half) <= u64::from(window);
        window > 0 && ((view.tick() + u64::from(agent.0)).is_multiple_of(half) || used_up)
    }

    /// Returns true if an agent's plan has it stay in this tick.
    fn may_stay(&self, view: &View<'_>, agent: AgentRow) -> bool {
        let (now, at) = (view.tick() - 1, Some(view.at(agent)));
        self.plans.cell(agent, now) == at && self.plans.cell(agent, now + 1) == at
    }

    /// Returns true if the next step of an agent's plan is legal, and lasts no longer than planned: the game may have made the
    /// agent slower.
    fn may_go_on(&self, view: &View<'_>, agent: AgentRow) -> bool {
        let (now, at) = (view.tick() - 1, view.at(agent));
        let Some(to) = self.plans.cell(agent, now + 1).filter(|_| self.plans.cell(agent, now) == Some(at))
        else {
            return false;
        };
        let held = match view.occupancy().at(to) {
            Occupant::Nobody => false,
            Occupant::Foreign => true,
            Occupant::Agent(other) => self.plans.fixed[other.index()],
        };
        let is_legal = view.ground(agent).legal_step(at, to).is_some()
            && view.step_ticks(agent, to) <= self.plans.ticks_per_step(agent);
        to == at || (!held && is_legal && view.crosses_step(at, to).is_none())
    }
}
