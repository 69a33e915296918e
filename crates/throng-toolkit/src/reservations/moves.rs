//! Reservations of the next few moves.
//!
//! An agent takes a cell for the end of one tick, or holds it from the end of a tick on until it lets go. An agent that
//! stays holds its own cell. Taken cells are stored in a ring of ticks and stamped with the tick, so that they expire
//! without being removed.
//!
//! The reservation table of D. Silver, *Cooperative Pathfinding*, AIIDE 2005, bounded in depth. Following another agent is
//! allowed. Swapping with it is not: the opposite edge is checked.

use throng_grid::Cell;

use throng_crowd::AgentRow;

/// Zero, which the allocator hands out without touching the memory. Agents are stored as one more than their row.
const NOBODY: u32 = 0;

/// The cells that agents have reserved for coming ticks.
#[derive(Clone, Debug, Default)]
pub struct MoveReservations {
    /// The number of ticks in the ring.
    length: usize,
    /// Per cell a ring of ticks, each with the tick and one more than the row of the agent that takes the cell at its end. 32 bits of the tick are
    /// enough to distinguish the rounds of the ring.
    taken: Vec<(u32, u32)>,
    /// Per cell: the tick from whose end on it is held, and one more than the row of the holder.
    held: Vec<(u64, u32)>,
}

impl MoveReservations {
    /// Returns an empty table for `depth` coming ticks.
    pub fn new(cells: usize, depth: usize) -> Self {
        // One tick more, because the swap check reads the tick before.
        let length = depth + 1;
        Self { length, taken: vec![(0, NOBODY); cells * length], held: vec![(0, NOBODY); cells] }
    }

    /// Removes all reservations.
    pub fn clear(&mut self) {
        self.taken.fill((0, NOBODY));
        self.held.fill((0, NOBODY));
    }

    #[inline]
    fn place(&self, cell: Cell, tick: u64) -> usize {
        cell.index() * self.length + tick as usize % self.length
    }

    /// Returns the agent that will be in a cell at the end of a tick.
    #[inline]
    pub fn at(&self, cell: Cell, tick: u64) -> Option<AgentRow> {
        let (stamp, agent) = self.taken[self.place(cell, tick)];
        if stamp == tick as u32 && agent != NOBODY {
            return Some(AgentRow(agent - 1));
        }
        self.holder(cell).filter(|&(_, from)| from <= tick).map(|(agent, _)| agent)
    }

    /// Returns the agent that holds a cell, and the tick from whose end on.
    #[inline]
    pub fn holder(&self, cell: Cell) -> Option<(AgentRow, u64)> {
        let (from, agent) = self.held[cell.index()];
        Some((AgentRow(agent.checked_sub(1)?), from))
    }

    /// Returns the agent that conflicts with a move in a tick: it will be in the cell, or makes the opposite move.
    #[inline]
    pub fn move_conflict(&self, agent: AgentRow, from: Cell, to: Cell, tick: u64) -> Option<AgentRow> {
        let other = |found: &AgentRow| *found != agent;
        let there = self.at(to, tick).filter(other);
        there.or_else(|| {
            self.at(to, tick.wrapping_sub(1)).filter(other).filter(|&met| self.at(from, tick) == Some(met))
        })
    }

    /// Returns an agent that conflicts with holding a cell from the end of a tick on.
    pub fn hold_conflict(&self, agent: AgentRow, cell: Cell, from: u64) -> Option<AgentRow> {
        let held = self.holder(cell).map(|(holder, _)| holder).filter(|&holder| holder != agent);
        held.or_else(|| {
            (from..from + self.length as u64 - 1)
                .filter_map(|tick| self.at(cell, tick))
                .find(|&other| other != agent)
        })
    }

    /// Reserves a cell for the end of a tick.
    pub fn take(&mut self, cell: Cell, tick: u64, agent: AgentRow) {
        let place = self.place(cell, tick);
        self.taken[place] = (tick as u32, agent.0 + 1);
    }

    /// Removes an agent's reservation of a cell for the end of a tick.
    pub fn give_back(&mut self, cell: Cell, tick: u64, agent: AgentRow) {
        let place = self.place(cell, tick);
        if self.taken[place] == (tick as u32, agent.0 + 1) {
            self.taken[place].1 = NOBODY;
        }
    }

    /// Makes an agent the holder of a cell from the end of a tick on.
    pub fn hold(&mut self, cell: Cell, from: u64, agent: AgentRow) {
        self.held[cell.index()] = (from, agent.0 + 1);
    }

    /// Ends an agent's hold of a cell.
    pub fn let_go(&mut self, cell: Cell, agent: AgentRow) {
        if self.held[cell.index()].1 == agent.0 + 1 {
            self.held[cell.index()].1 = NOBODY;
        }
    }

    /// Returns the memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.taken.capacity() * size_of::<(u32, u32)>() + self.held.capacity() * size_of::<(u64, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: AgentRow = AgentRow(0);
    const B: AgentRow = AgentRow(1);

    #[test]
    fn a_taken_cell_is_taken_for_its_tick_only() {
        let mut table = MoveReservations::new(4, 3);
        table.take(Cell(2), 7, A);
        assert_eq!(table.at(Cell(2), 7), Some(A));
        assert_eq!(table.at(Cell(2), 8), None);
        assert_eq!(table.at(Cell(2), 11), None, "the ring has wrapped");
        table.give_back(Cell(2), 7, B);
        assert_eq!(table.at(Cell(2), 7), Some(A), "only the owner removes it");
        table.give_back(Cell(2), 7, A);
        assert_eq!(table.at(Cell(2), 7), None);
    }

    #[test]
    fn a_held_cell_may_be_crossed_earlier_but_has_one_holder() {
        let mut table = MoveReservations::new(4, 3);
        table.hold(Cell(1), 9, A);
        assert_eq!(table.move_conflict(B, Cell(0), Cell(1), 8), None);
        assert_eq!(table.move_conflict(B, Cell(0), Cell(1), 9), Some(A));
        assert_eq!(table.hold_conflict(B, Cell(1), 7), Some(A));
        table.take(Cell(3), 9, A);
        assert_eq!(table.hold_conflict(B, Cell(3), 8), Some(A), "it is crossed later");
        assert_eq!(table.hold_conflict(B, Cell(3), 10), None);
        table.let_go(Cell(1), A);
        assert_eq!(table.holder(Cell(1)), None);
    }

    #[test]
    fn agents_follow_but_do_not_swap() {
        let mut table = MoveReservations::new(4, 3);
        table.take(Cell(1), 5, A);
        table.take(Cell(2), 6, A);
        assert_eq!(table.move_conflict(B, Cell(0), Cell(1), 6), None, "behind it");
        assert_eq!(table.move_conflict(B, Cell(2), Cell(1), 6), Some(A), "through it");
    }
}
