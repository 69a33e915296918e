//! Occupancy: the unit in each cell.

use throng_grid::Cell;

use crate::AgentRow;

/// The unit that occupies a cell, as planners know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occupant {
    /// The cell is unoccupied.
    Nobody,
    /// An agent.
    Agent(AgentRow),
    /// A foreign unit.
    Foreign,
}

/// Zero, which the allocator hands out without touching the memory.
const NOBODY: u32 = 0;
/// The number of the foreign unit in row 0. A map has fewer cells, so agents have lower numbers.
const FOREIGN: u32 = 1 << 31;

/// At most one unit per cell.
#[derive(PartialEq, Eq, Debug)]
pub struct Occupancy {
    /// One more than the row of an agent, [`FOREIGN`] plus the row of a foreign unit, or [`NOBODY`].
    cells: Vec<u32>,
}

impl Clone for Occupancy {
    fn clone(&self) -> Self {
        Self { cells: self.cells.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.cells.clone_from(&source.cells);
    }
}

impl Occupancy {
    /// Creates a table without units.
    pub fn new(cells: usize) -> Self {
        Self { cells: vec![NOBODY; cells] }
    }

    /// Returns the unit in a cell.
    #[inline]
    pub fn at(&self, cell: Cell) -> Occupant {
        match self.cells[cell.index()] {
            NOBODY => Occupant::Nobody,
            FOREIGN.. => Occupant::Foreign,
            number => Occupant::Agent(AgentRow(number - 1)),
        }
    }

    /// Returns true if no unit is in a cell.
    #[inline]
    pub fn is_free(&self, cell: Cell) -> bool {
        self.cells[cell.index()] == NOBODY
    }

    /// Returns the agent in a cell.
    #[inline]
    pub fn agent(&self, cell: Cell) -> Option<AgentRow> {
        match self.at(cell) {
            Occupant::Agent(agent) => Some(agent),
            Occupant::Nobody | Occupant::Foreign => None,
        }
    }

    /// Returns the row of the foreign unit in a cell.
    pub(crate) fn foreign_row(&self, cell: Cell) -> Option<u32> {
        let number = self.cells[cell.index()];
        number.checked_sub(FOREIGN)
    }

    /// Puts the foreign unit of a row into a cell.
    pub(crate) fn set_foreign(&mut self, cell: Cell, row: u32) {
        self.cells[cell.index()] = FOREIGN + row;
    }

    /// Sets the unit in a cell.
    #[inline]
    pub fn set(&mut self, cell: Cell, occupant: Occupant) {
        self.cells[cell.index()] = match occupant {
            Occupant::Nobody => NOBODY,
            Occupant::Foreign => FOREIGN,
            Occupant::Agent(agent) => agent.0 + 1,
        };
    }
}
