//! Targets in the checker: whether each recorded target is one that the agent may have. The choice among those is not
//! repeated here.

use throng_grid::Cell;

use super::{Checker, Fault, NOBODY};
use crate::{AgentId, TargetRecord};

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
            self.agents[record.agent.index()].target_due = true;
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

    /// Gives an agent a target, with a claim or without.
    pub(super) fn set_target(&mut self, number: u32, target: Option<u32>, claimed: bool) {
        let agent = &mut self.agents[number as usize];
        let before = std::mem::replace(&mut agent.target, target);
        let had = std::mem::replace(&mut agent.claimed, claimed);
        if let Some(before) = before.filter(|&before| had && self.claimant[before as usize] == number) {
            self.claimant[before as usize] = NOBODY;
        }
        if let Some(target) = target.filter(|_| claimed) {
            let owner = std::mem::replace(&mut self.claimant[target as usize], number);
            if owner != NOBODY {
                self.report_fault(Some(number), Fault::SharedClaim(AgentId(owner)));
            }
        }
    }

    /// Returns true if an agent may have the target it has.
    fn is_target_valid(&mut self, number: u32) -> bool {
        let agent = self.agents[number as usize].clone();
        match (agent.goal, agent.target) {
            (None, target) => target.is_none() && !agent.claimed,
            // The agent stands inside a wall, or other units may claim or hold every cell.
            (Some(_), None) => {
                let units = 2 * self.agents.len() + self.foreign.len();
                !agent.claimed && self.map.component_size(agent.profile, agent.at) <= units
            }
            (Some(_), Some(target)) if agent.claimed => self.map.reaches(agent.profile, agent.at, target),
            (Some(goal), Some(target)) => {
                let position = self.map.position(goal);
                let nearest = if self.map.reaches(agent.profile, agent.at, goal) {
                    Some(goal)
                } else {
                    self.map.nearest_reachable(agent.profile, agent.at, position)
                };
                nearest == Some(target)
            }
        }
    }
}
