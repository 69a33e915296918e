//! Who will be in which cell after the tick.
//!
//! Four bytes a cell, and a list of those that are taken, so that a new tick costs what the last one took: the table of
//! a large map stays small enough for the caches that everyone's step goes through.

use throng_grid::Cell;

use crate::AgentId;

const NOBODY: u32 = u32::MAX;

/// The cells taken so far.
#[derive(Clone, Debug, Default)]
pub struct OccupiedNext {
    cells: Vec<u32>,
    taken: Vec<Cell>,
}

impl OccupiedNext {
    /// Nobody takes anything yet, on a map of so many cells.
    pub fn begin(&mut self, cells: usize) {
        for cell in self.taken.drain(..) {
            self.cells[cell.index()] = NOBODY;
        }
        self.cells.resize(cells, NOBODY);
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Who takes a cell.
    #[inline]
    pub fn at(&self, cell: Cell) -> Option<AgentId> {
        let taker = self.cells[cell.index()];
        (taker != NOBODY).then_some(AgentId(taker))
    }

    /// Somebody takes a cell, whoever took it before.
    #[inline]
    pub fn set(&mut self, cell: Cell, agent: AgentId) {
        if std::mem::replace(&mut self.cells[cell.index()], agent.0) == NOBODY {
            self.taken.push(cell);
        }
    }

    /// Bytes of memory held.
    pub fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<u32>() + self.taken.capacity() * size_of::<Cell>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_tick_forgets_what_was_taken() {
        let mut takers = OccupiedNext::default();
        takers.begin(4);
        takers.set(Cell(2), AgentId(7));
        takers.set(Cell(2), AgentId(1));
        assert_eq!((takers.at(Cell(2)), takers.at(Cell(3))), (Some(AgentId(1)), None));
        takers.begin(4);
        assert_eq!(takers.at(Cell(2)), None);
        takers.set(Cell(3), AgentId(0));
        assert_eq!(takers.at(Cell(3)), Some(AgentId(0)));
    }
}
