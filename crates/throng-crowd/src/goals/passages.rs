//! Passages: an agent that arrives in one goes on if cells behind it are still to be filled.
//!
//! An agent that settles in a passage closes off what lies behind it. If cells there belong to agents that are still to come, or
//! to nobody, each of them would later make settled agents shift by one. So the agent takes the last of these cells, and the
//! agent that it belonged to gets the cell in the passage. A passage is filled when all behind it is.

use throng_grid::Cell;

use super::assignment::MAX_REASSIGNMENTS;
use super::units::UnitsInSight;
use crate::world::known_ground;
use crate::{AgentRow, World};

impl World {
    /// Lets an agent that has just arrived go on if it closes off cells that are to be filled. Returns true if it goes on.
    pub(super) fn leave_passage(&mut self, agent: AgentRow) -> bool {
        let Some(cell) = self.cell_behind(agent) else { return false };
        match self.claims.agent(cell) {
            Some(owner) => self.exchange_claims(agent, owner),
            None => self.set_target(agent, Some(cell), true),
        }
        self.agents.arrival[agent.index()].effort.reassignments += 1;
        true
    }

    /// Returns the last cell to be filled in a part of the map that an agent closes off, if fewer agents of its goal are under
    /// way in there than cells are to be filled.
    fn cell_behind(&mut self, agent: AgentRow) -> Option<Cell> {
        let i = agent.index();
        let (at, goal, profile) = (self.agents.at[i], self.agents.goal[i]?, self.agents.profile[i]);
        if self.agents_sent_to(goal) < 2 || self.agents.arrival[i].effort.reassignments >= MAX_REASSIGNMENTS {
            return None;
        }
        let approach = self.approach(agent, goal)?;
        let (mut ring_cache, mut enclosure) =
            (std::mem::take(&mut self.ring_cache), std::mem::take(&mut self.enclosure));
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let rings = ring_cache.rings(ground, profile, approach);
        let mut end = None;
        let passable = |cell: Cell| units.let_pass(cell);
        let found = enclosure.closed_parts(ground, at, passable, |part, is_inside| {
            let end = *end.get_or_insert_with(|| self.final_end(rings, ground, units, goal));
            let is_unfilled = |&&cell: &&Cell| match self.claims.agent(cell) {
                None => !units.hold(cell) && rings.index(cell).is_some_and(|index| index < end),
                Some(owner) => self.is_coming(owner, goal) && self.may_exchange(agent, owner),
            };
            let is_under_way = |&&cell: &&Cell| {
                self.occupancy.agent(cell).is_some_and(|other| {
                    self.agents.goal[other.index()] == Some(goal) && !self.stands_on_own_cell(other)
                })
            };
            let unfilled = part.iter().filter(is_unfilled).count();
            if unfilled <= part.iter().filter(is_under_way).count() {
                return None;
            }
            let comes_from_inside = |owner: AgentRow| is_inside(self.agents.at[owner.index()]);
            let is_free = |cell: &&Cell| !self.claims.agent(**cell).is_some_and(comes_from_inside);
            part.iter().rev().filter(is_unfilled).find(is_free).copied()
        });
        (self.ring_cache, self.enclosure) = (ring_cache, enclosure);
        found
    }
}
