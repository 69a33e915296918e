//! The cells that are already taken for the next tick.
//!
//! Four bytes per cell, and a list of the taken cells, so that starting a tick costs time proportional to the cells
//! taken in the last one. A table with stamps would need no list but twice the memory, and every step of a planner
//! reads it.

use throng_grid::Cell;

use crate::AgentRow;

/// Zero, which the allocator hands out without touching the memory.
const NOBODY: u32 = 0;

/// The agent that will be in each cell after the tick, as far as it has been decided.
#[derive(Clone, Debug, Default)]
pub struct OccupiedNext {
    /// Per cell, one more than the row of the agent, or [`NOBODY`].
    cells: Vec<u32>,
    taken: Vec<Cell>,
}

impl OccupiedNext {
    /// Returns memory for a map with this number of cells that has been written once, so that the first tick does not do it.
    pub fn with_capacity(cells: usize) -> Self {
        let mut written = vec![1; cells];
        written.fill(NOBODY);
        Self { cells: written, taken: Vec::new() }
    }

    /// Starts a tick on a map with this number of cells.
    pub fn begin(&mut self, cells: usize) {
        for cell in self.taken.drain(..) {
            self.cells[cell.index()] = NOBODY;
        }
        if self.cells.len() != cells {
            self.cells = vec![NOBODY; cells];
        }
    }

    /// Returns the agent that takes a cell.
    #[inline]
    pub fn at(&self, cell: Cell) -> Option<AgentRow> {
        self.cells[cell.index()].checked_sub(1).map(AgentRow)
    }

    /// Gives a cell to an agent, and takes it from the agent that had it.
    #[inline]
    pub fn set(&mut self, cell: Cell, agent: AgentRow) {
        if std::mem::replace(&mut self.cells[cell.index()], agent.0 + 1) == NOBODY {
            self.taken.push(cell);
        }
    }

    /// Takes a cell from an agent, if it has it.
    #[inline]
    pub fn free(&mut self, cell: Cell, agent: AgentRow) {
        let place = &mut self.cells[cell.index()];
        if *place == agent.0 + 1 {
            *place = NOBODY;
        }
    }

    /// Returns the bytes of memory held.
    pub fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<u32>() + self.taken.capacity() * size_of::<Cell>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_tick_starts_empty() {
        let mut occupied = OccupiedNext::default();
        occupied.begin(4);
        occupied.set(Cell(2), AgentRow(7));
        occupied.set(Cell(2), AgentRow(1));
        assert_eq!((occupied.at(Cell(2)), occupied.at(Cell(3))), (Some(AgentRow(1)), None));
        occupied.begin(4);
        assert_eq!(occupied.at(Cell(2)), None);
        occupied.set(Cell(3), AgentRow(0));
        assert_eq!(occupied.at(Cell(3)), Some(AgentRow(0)));
    }
}
