//! Who stands where.

use throng_grid::Cell;

use crate::AgentId;

/// Who holds a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occupant {
    /// Nobody.
    Nobody,
    /// One of our agents.
    Agent(AgentId),
    /// A unit that is not ours.
    Foreign,
}

const NOBODY: u32 = u32::MAX;
const FOREIGN: u32 = u32::MAX - 1;

/// One occupant a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occupancy {
    cells: Vec<u32>,
}

impl Occupancy {
    /// Nobody anywhere.
    pub fn new(cells: usize) -> Self {
        Self { cells: vec![NOBODY; cells] }
    }

    /// Who holds a cell.
    #[inline]
    pub fn at(&self, cell: Cell) -> Occupant {
        match self.cells[cell.index()] {
            NOBODY => Occupant::Nobody,
            FOREIGN => Occupant::Foreign,
            number => Occupant::Agent(AgentId(number)),
        }
    }

    /// Whether nobody holds a cell.
    #[inline]
    pub fn is_free(&self, cell: Cell) -> bool {
        self.cells[cell.index()] == NOBODY
    }

    /// The agent that holds a cell.
    #[inline]
    pub fn agent(&self, cell: Cell) -> Option<AgentId> {
        match self.at(cell) {
            Occupant::Agent(agent) => Some(agent),
            Occupant::Nobody | Occupant::Foreign => None,
        }
    }

    /// Says who holds a cell from now on.
    #[inline]
    pub fn set(&mut self, cell: Cell, occupant: Occupant) {
        self.cells[cell.index()] = match occupant {
            Occupant::Nobody => NOBODY,
            Occupant::Foreign => FOREIGN,
            Occupant::Agent(agent) => agent.0,
        };
    }
}
