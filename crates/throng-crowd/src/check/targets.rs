//! Targets in the checker: whether each recorded target is one that the agent may have. The choice among those is not
//! repeated here.
//!
//! A claimed final cell must be reachable and claimed by nobody else. Whether it is among the nearest cells of its goal is not
//! tested: that depends on the claims of the other agents at the time of the choice, and a recording has those at the end of a tick
//! only. Within a tick agents claim one after the other, exchange claims and give cells up that they are cut off from, and what
//! the work of a tick does not suffice for is done in a later one. `cargo xtask soak shared-goals` tests the nearest cells at the end
//! of a run. A target without a claim must be the goal, or the reachable cell nearest to it.

use throng_grid::Cell;

use super::{Checker, Fault, NOBODY};
use crate::TargetRecord;
use crate::goals::reviews::{max_price, review_units};
use crate::record::GrantedBudget;

impl Checker {
    /// Applies the targets recorded for a tick, and checks them and those of all agents that an input or edit
    /// concerned.
    pub(super) fn targets(&mut self, chosen: &[TargetRecord]) {
        let cells = self.map.cells();
        // Agents may exchange claims, so all old claims are released first.
        for record in chosen {
            let known = self.agents.get(record.agent.index()).is_some_and(|agent| agent.alive);
            let inside = record.target.is_none_or(|cell| cell.index() < cells);
            if !known || !inside {
                self.report_fault(Some(record.agent.0), Fault::FalseTarget(record.target));
                continue;
            }
            self.set_target(record.agent.0, record.target.map(|cell| cell.0), false);
            let agent = &mut self.agents[record.agent.index()];
            (agent.target_due, agent.short) = (true, record.claimed && record.short);
        }
        for record in chosen.iter().filter(|record| record.claimed) {
            if let Some(agent) = self.agents.get(record.agent.index())
                && agent.alive
                && agent.target == record.target.map(|cell| cell.0)
            {
                self.set_target(record.agent.0, agent.target, true);
            }
        }
        for i in 0..self.living.len() {
            let number = self.living[i];
            if std::mem::take(&mut self.agents[number as usize].target_due) && !self.is_target_valid(number) {
                let target = self.agents[number as usize].target.map(Cell);
                self.report_fault(Some(number), Fault::FalseTarget(target));
            }
        }
    }

    /// Returns the units of work that suffice to review the targets of all agents.
    pub(super) fn all_reviews(&self) -> u64 {
        let (width, height) = self.map.sides();
        self.living.len() as u64 * max_price(width, height)
    }

    /// Counts the units of work that a tick spends on reviews. When they suffice for all agents, every target must be one
    /// of the present map.
    pub(super) fn follow_reviews(&mut self, granted: GrantedBudget) {
        if self.review_units == 0 {
            return;
        }
        self.review_units = self.review_units.saturating_sub(review_units(Some(granted)));
        if self.review_units == 0 {
            for &number in &self.living {
                let agent = &mut self.agents[number as usize];
                agent.target_due |= std::mem::take(&mut agent.may_lag);
            }
        }
    }

    /// Gives an agent a target, with a claim or without.
    pub(super) fn set_target(&mut self, number: u32, target: Option<u32>, claimed: bool) {
        let agent = &mut self.agents[number as usize];
        let before = std::mem::replace(&mut agent.target, target);
        let had = std::mem::replace(&mut agent.claimed, claimed);
        if let Some(before) = before.filter(|&before| had && self.claimant.at(before) == number) {
            self.claimant.set(before, NOBODY);
        }
        if let Some(target) = target.filter(|_| claimed) {
            let owner = self.claimant.at(target);
            self.claimant.set(target, number);
            if owner != NOBODY {
                self.report_fault(Some(number), Fault::SharedClaim(self.id(owner)));
            }
        }
    }

    /// Returns true if an agent may have the target it has.
    fn is_target_valid(&mut self, number: u32) -> bool {
        let agent = self.agents[number as usize].clone();
        match (agent.goal, agent.target) {
            (None, target) => target.is_none() && !agent.claimed,
            (Some(_), None) if agent.may_lag => !agent.claimed,
            // The agent stands inside a wall, or other units may claim or hold every cell.
            (Some(_), None) => {
                let units = 2 * self.agents.len() + self.foreign.len();
                !agent.claimed && self.component_size(number) <= units
            }
            (Some(_), Some(target)) if agent.claimed || agent.may_lag => self.reaches(number, target),
            (Some(goal), Some(target)) => {
                let nearest = if self.reaches(number, goal) {
                    Some(goal)
                } else {
                    self.nearest_reachable(number, goal)
                };
                nearest == Some(target)
            }
        }
    }

    /// Returns true if an agent can reach a cell as far as it knows.
    pub(super) fn reaches(&mut self, number: u32, to: u32) -> bool {
        let (at, profile) = self.place_of(number);
        match &mut self.knowledge {
            None => self.map.reaches(profile, at, to),
            Some(knowledge) => knowledge.reaches(&self.map, (number, profile), at, to),
        }
    }

    /// Returns the cell nearest to a goal that an agent can reach as far as it knows.
    fn nearest_reachable(&mut self, number: u32, goal: u32) -> Option<u32> {
        let ((at, profile), goal) = (self.place_of(number), self.map.position(goal));
        match &mut self.knowledge {
            None => self.map.nearest_reachable(profile, at, goal),
            Some(knowledge) => knowledge.nearest_reachable(&self.map, (number, profile), at, goal),
        }
    }

    /// Returns the number of cells that an agent can reach as far as it knows; 0 inside a wall.
    fn component_size(&mut self, number: u32) -> usize {
        let (at, profile) = self.place_of(number);
        match &mut self.knowledge {
            None => self.map.component_size(profile, at),
            Some(knowledge) => knowledge.component_size(&self.map, (number, profile), at),
        }
    }

    fn place_of(&self, number: u32) -> (u32, usize) {
        let agent = &self.agents[number as usize];
        (agent.at, agent.profile)
    }
}
