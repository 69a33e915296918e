//! Occupancy: the unit in each cell.

use throng_grid::Cell;

use crate::AgentId;

/// The unit that occupies a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occupant {
    /// The cell is unoccupied.
    Nobody,
    /// An agent.
    Agent(AgentId),
    /// A foreign unit.
    Foreign,
}

const NOBODY: u32 = u32::MAX;
const FOREIGN: u32 = u32::MAX - 1;

/// At most one unit per cell. The world also keeps claims this way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occupancy {
    cells: Vec<u32>,
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
            FOREIGN => Occupant::Foreign,
            number => Occupant::Agent(AgentId(number)),
        }
    }

    /// Returns true if no unit is in a cell.
    #[inline]
    pub fn is_free(&self, cell: Cell) -> bool {
        self.cells[cell.index()] == NOBODY
    }

    /// Returns the agent in a cell.
    #[inline]
    pub fn agent(&self, cell: Cell) -> Option<AgentId> {
        match self.at(cell) {
            Occupant::Agent(agent) => Some(agent),
            Occupant::Nobody | Occupant::Foreign => None,
        }
    }

    /// Sets the unit in a cell.
    #[inline]
    pub fn set(&mut self, cell: Cell, occupant: Occupant) {
        self.cells[cell.index()] = match occupant {
            Occupant::Nobody => NOBODY,
            Occupant::Foreign => FOREIGN,
            Occupant::Agent(agent) => agent.0,
        };
    }
}
