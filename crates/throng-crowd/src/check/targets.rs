//! What agents head for, as recorded, against what it has to be. How a cell is chosen is not done again here; that
//! the choice is one the agent can have is.

use throng_grid::Cell;

use super::{Checker, Fault, NOBODY};
use crate::{AgentId, TargetRecord};

impl Checker {
    /// Takes over the targets chosen in a tick, and looks at those and at all that something was done to.
    pub(super) fn targets(&mut self, chosen: &[TargetRecord]) {
        let cells = self.map.cells();
        // Cells change hands, so that all are given back first.
        for record in chosen {
            let known = self.bodies.get(record.agent.index()).is_some_and(|body| body.alive);
            let inside = record.target.is_none_or(|cell| cell.index() < cells);
            if !known || !inside {
                self.find(Some(record.agent.0), Fault::FalseTarget(record.target));
                continue;
            }
            self.aim(record.agent.0, record.target.map(|cell| cell.0), false);
            self.bodies[record.agent.index()].suspect = true;
        }
        for record in chosen.iter().filter(|record| record.claimed) {
            if let Some(body) = self.bodies.get(record.agent.index())
                && body.alive
                && body.target == record.target.map(|cell| cell.0)
            {
                self.aim(record.agent.0, body.target, true);
            }
        }
        for i in 0..self.living.len() {
            let number = self.living[i];
            if std::mem::take(&mut self.bodies[number as usize].suspect) && !self.target_is_right(number) {
                let target = self.bodies[number as usize].target.map(Cell);
                self.find(Some(number), Fault::FalseTarget(target));
            }
        }
    }

    /// An agent heads for a cell, which is its own from now on when it claims it.
    pub(super) fn aim(&mut self, number: u32, target: Option<u32>, claimed: bool) {
        let body = &mut self.bodies[number as usize];
        let before = std::mem::replace(&mut body.target, target);
        let had = std::mem::replace(&mut body.claimed, claimed);
        if let Some(before) = before.filter(|&before| had && self.bound_for[before as usize] == number) {
            self.bound_for[before as usize] = NOBODY;
        }
        if let Some(target) = target.filter(|_| claimed) {
            let owner = std::mem::replace(&mut self.bound_for[target as usize], number);
            if owner != NOBODY {
                self.find(Some(number), Fault::SharedClaim(AgentId(owner)));
            }
        }
    }

    /// Whether an agent may head for what it heads for.
    fn target_is_right(&mut self, number: u32) -> bool {
        let body = self.bodies[number as usize].clone();
        match (body.goal, body.target) {
            (None, target) => target.is_none() && !body.claimed,
            // It stands in a wall, or there may be no room: every cell is claimed or kept by somebody.
            (Some(_), None) => {
                let crowd = 2 * self.bodies.len() + self.foreign.len();
                !body.claimed && self.map.part_size(body.profile, body.at) <= crowd
            }
            (Some(_), Some(target)) if body.claimed => self.map.reaches(body.profile, body.at, target),
            (Some(goal), Some(target)) => {
                let place = self.map.place(goal);
                let nearest = if self.map.reaches(body.profile, body.at, goal) {
                    Some(goal)
                } else {
                    self.map.nearest_reachable(body.profile, body.at, place)
                };
                nearest == Some(target)
            }
        }
    }
}
