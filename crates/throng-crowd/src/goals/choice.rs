//! The choice of a cell: which of the cells around a goal an agent claims.
//!
//! The final cells of the `n` agents of one goal are the `n` nearest that units of others neither claim nor hold. An
//! agent claims the unclaimed one with the fewest steps to the goal, the nearest to the agent among equals. But if that
//! would cut the agent off from other unclaimed cells, as in a corridor or a door, it claims the farthest of those behind: the place is
//! filled from the back, and no agent has to pass another that has arrived.

use throng_grid::moves::octile;
use throng_grid::{Cell, Ground, Pos};

use super::rings::Rings;
use super::units::UnitsInSight;
use crate::world::known_ground;
use crate::{AgentRow, World};

/// How many rings beyond the last final cell belong to the area in which agents find their way.
const MARGIN: u32 = 2;
/// How many rings beyond the last final cell an agent may be to enter this area on the shortest path.
const ENTRANCE: u32 = 16;

impl World {
    /// Returns the cell that an agent is to claim, `None` if all cells that it can reach are taken.
    pub(super) fn choose_cell(&mut self, agent: AgentRow, goal: Pos, approach: Cell) -> Option<Cell> {
        let i = agent.index();
        if self.agents_sent_to(goal) < 2 {
            return self.first_claimable(agent, approach);
        }
        let mut ring_cache = std::mem::take(&mut self.ring_cache);
        let mut enclosure = std::mem::take(&mut self.enclosure);
        let (at, profile, size) = (self.agents.at[i], self.agents.profile[i], self.grid.size());
        let count = self.agents_sent_to(goal);
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let rings = ring_cache.rings(ground, profile, approach);
        let is_mine = |owner: Option<AgentRow>| owner == Some(agent);
        let (mut available, mut end, mut best) = (0, 0, None);
        while available < count
            && let Some(cell) = rings.cell(ground, end)
        {
            end += 1;
            let owner = self.claims.agent(cell);
            if owner.is_none() || is_mine(owner) {
                if !units.hold(cell) {
                    available += 1;
                    let key = (rings.ring(end - 1), octile(size.pos(at), size.pos(cell)), cell);
                    best = Some(best.map_or(key, |best| key.min(best)));
                }
            } else if owner.is_some_and(|owner| self.agents.goal[owner.index()] == Some(goal)) {
                available += 1;
            }
        }
        enclosure.expanded += end / 8;
        let mut chosen = best.map(|(_, _, cell)| cell);
        if let Some(cell) = chosen {
            let max_steps = rings.ring(end - 1) + MARGIN;
            let last = rings.reach(ground, end - 1, ENTRANCE);
            let inside = |cell: Cell| rings.known_steps(cell).is_some_and(|steps| steps <= max_steps);
            let open = |cell: Cell| {
                let owner = self.claims.agent(cell);
                (owner.is_none() || is_mine(owner)) && inside(cell) && !units.hold(cell)
            };
            let soft = |cell: Cell| inside(cell) && units.let_pass(cell);
            let wanted = |cell: Cell| rings.index(cell).is_some_and(|index| index < end);
            let mut from = at;
            // An agent outside enters the area on the shortest path.
            while let Some(steps) = rings.known_steps(from)
                && (max_steps + 1..=last).contains(&steps)
            {
                let fewer = |&(_, next): &(_, Cell)| rings.known_steps(next).is_some_and(|next| next < steps);
                let Some((_, next)) = ground.neighbours(from).find(fewer) else { break };
                from = next;
            }
            chosen = enclosure.behind(ground, (from, cell), open, soft, wanted).or(chosen);
        }
        (self.ring_cache, self.enclosure) = (ring_cache, enclosure);
        chosen
    }

    /// Returns true if a cell is one of the final cells of an agent's group.
    pub(super) fn is_final(&mut self, agent: AgentRow, cell: Cell) -> bool {
        let Some(goal) = self.agents.goal[agent.index()] else { return false };
        let Some(approach) = self.approach(agent, goal) else { return false };
        let mut ring_cache = std::mem::take(&mut self.ring_cache);
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let rings = ring_cache.rings(ground, self.agents.profile[agent.index()], approach);
        let last = self.final_end(rings, ground, units, goal).saturating_sub(1);
        let is_final = rings.known_steps(cell).is_some_and(|steps| steps <= rings.ring(last));
        self.ring_cache = ring_cache;
        is_final
    }

    /// Returns the index in the rings after the last of the final cells of a group: the nearest that units of others neither
    /// claim nor hold, as many as there are agents.
    pub(super) fn final_end(
        &self,
        rings: &mut Rings,
        ground: &Ground,
        units: UnitsInSight<'_>,
        goal: Pos,
    ) -> usize {
        let count = self.agents_sent_to(goal);
        let (mut available, mut end) = (0, 0);
        while available < count
            && let Some(cell) = rings.cell(ground, end)
        {
            end += 1;
            let is_available = match self.claims.agent(cell) {
                None => !units.hold(cell),
                Some(owner) => self.agents.goal[owner.index()] == Some(goal),
            };
            available += u32::from(is_available);
        }
        end
    }
}
