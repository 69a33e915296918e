//! Who will be where: cells reserved for coming ticks.
//!
//! An agent takes a cell for the end of a tick, or holds it from the end of a tick on, until it lets go; who stands
//! still holds the cell it stands in. Taken cells are kept in a ring of ticks and stamped with theirs, so that they
//! expire by themselves.
//!
//! The reservation table of D. Silver, *Cooperative Pathfinding*, AIIDE 2005, bounded in depth. Following another
//! agent is allowed, changing places with it is not: the opposite edge is looked at.

use throng_grid::Cell;

use throng_crowd::AgentId;

const NOBODY: u32 = u32::MAX;

/// Cells reserved for coming ticks.
#[derive(Clone, Debug, Default)]
pub struct MoveReservations {
    /// Ticks in the ring.
    length: usize,
    /// For each cell a ring of ticks, with who takes it at the end of that tick. Four billion ticks are enough to tell
    /// one round of the ring from the others.
    taken: Vec<(u32, u32)>,
    /// For each cell who holds it, and the tick from whose end on.
    held: Vec<(u64, u32)>,
}

impl MoveReservations {
    /// Nothing reserved, room for `depth` ticks to come.
    pub fn new(cells: usize, depth: usize) -> Self {
        // One tick more: who takes a cell is also asked for the tick before.
        let length = depth + 1;
        Self { length, taken: vec![(0, NOBODY); cells * length], held: vec![(0, NOBODY); cells] }
    }

    /// Forgets every reservation.
    pub fn clear(&mut self) {
        self.taken.fill((0, NOBODY));
        self.held.fill((0, NOBODY));
    }

    #[inline]
    fn place(&self, cell: Cell, tick: u64) -> usize {
        cell.index() * self.length + tick as usize % self.length
    }

    /// Who will be in a cell at the end of a tick.
    #[inline]
    pub fn at(&self, cell: Cell, tick: u64) -> Option<AgentId> {
        let (stamp, agent) = self.taken[self.place(cell, tick)];
        if stamp == tick as u32 && agent != NOBODY {
            return Some(AgentId(agent));
        }
        self.holder(cell).filter(|&(_, from)| from <= tick).map(|(agent, _)| agent)
    }

    /// Who holds a cell, and from the end of which tick on.
    #[inline]
    pub fn holder(&self, cell: Cell) -> Option<(AgentId, u64)> {
        let (from, agent) = self.held[cell.index()];
        (agent != NOBODY).then_some((AgentId(agent), from))
    }

    /// Who keeps an agent from going from one cell to the next in a tick: somebody is there, or comes the other way.
    #[inline]
    pub fn in_the_way(&self, agent: AgentId, from: Cell, to: Cell, tick: u64) -> Option<AgentId> {
        let other = |found: &AgentId| *found != agent;
        let there = self.at(to, tick).filter(other);
        there.or_else(|| {
            self.at(to, tick.wrapping_sub(1)).filter(other).filter(|&met| self.at(from, tick) == Some(met))
        })
    }

    /// Who keeps an agent from holding a cell from the end of a tick on.
    pub fn in_the_way_of_holding(&self, agent: AgentId, cell: Cell, from: u64) -> Option<AgentId> {
        let held = self.holder(cell).map(|(holder, _)| holder).filter(|&holder| holder != agent);
        held.or_else(|| {
            (from..from + self.length as u64 - 1)
                .filter_map(|tick| self.at(cell, tick))
                .find(|&taker| taker != agent)
        })
    }

    /// An agent will be in a cell at the end of a tick.
    pub fn take(&mut self, cell: Cell, tick: u64, agent: AgentId) {
        let place = self.place(cell, tick);
        self.taken[place] = (tick as u32, agent.0);
    }

    /// An agent will not be there after all.
    pub fn give_back(&mut self, cell: Cell, tick: u64, agent: AgentId) {
        let place = self.place(cell, tick);
        if self.taken[place] == (tick as u32, agent.0) {
            self.taken[place].1 = NOBODY;
        }
    }

    /// An agent holds a cell from the end of a tick on.
    pub fn hold(&mut self, cell: Cell, from: u64, agent: AgentId) {
        self.held[cell.index()] = (from, agent.0);
    }

    /// An agent holds a cell no longer.
    pub fn let_go(&mut self, cell: Cell, agent: AgentId) {
        if self.held[cell.index()].1 == agent.0 {
            self.held[cell.index()].1 = NOBODY;
        }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.taken.capacity() * size_of::<(u32, u32)>() + self.held.capacity() * size_of::<(u64, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: AgentId = AgentId(0);
    const B: AgentId = AgentId(1);

    #[test]
    fn a_taken_cell_is_taken_for_its_tick_only() {
        let mut table = MoveReservations::new(4, 3);
        table.take(Cell(2), 7, A);
        assert_eq!(table.at(Cell(2), 7), Some(A));
        assert_eq!(table.at(Cell(2), 8), None);
        assert_eq!(table.at(Cell(2), 11), None, "the ring has come round");
        table.give_back(Cell(2), 7, B);
        assert_eq!(table.at(Cell(2), 7), Some(A), "only the owner gives back");
        table.give_back(Cell(2), 7, A);
        assert_eq!(table.at(Cell(2), 7), None);
    }

    #[test]
    fn a_held_cell_may_be_crossed_before_but_not_held_too() {
        let mut table = MoveReservations::new(4, 3);
        table.hold(Cell(1), 9, A);
        assert_eq!(table.in_the_way(B, Cell(0), Cell(1), 8), None);
        assert_eq!(table.in_the_way(B, Cell(0), Cell(1), 9), Some(A));
        assert_eq!(table.in_the_way_of_holding(B, Cell(1), 7), Some(A));
        table.take(Cell(3), 9, A);
        assert_eq!(table.in_the_way_of_holding(B, Cell(3), 8), Some(A), "it is crossed later");
        assert_eq!(table.in_the_way_of_holding(B, Cell(3), 10), None);
        table.let_go(Cell(1), A);
        assert_eq!(table.holder(Cell(1)), None);
    }

    #[test]
    fn agents_follow_but_do_not_change_places() {
        let mut table = MoveReservations::new(4, 3);
        table.take(Cell(1), 5, A);
        table.take(Cell(2), 6, A);
        assert_eq!(table.in_the_way(B, Cell(0), Cell(1), 6), None, "behind it");
        assert_eq!(table.in_the_way(B, Cell(2), Cell(1), 6), Some(A), "through it");
    }
}
