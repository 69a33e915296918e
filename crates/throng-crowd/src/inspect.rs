//! Debug layers: what a planner shows of its internal state to a viewer.
//!
//! [`World::inspect`](crate::World::inspect) emits the marks of one layer in a fixed order. A planner emits nothing for a
//! layer it does not have.

use throng_grid::{Cell, Cost};

use crate::AgentId;

/// A kind of debug information.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum DebugLayer {
    /// The cells that each agent intends to enter: the next one only, or the rest of its path.
    Paths,
    /// The distances to its target that an agent follows.
    DistanceField(AgentId),
    /// The sector of each cell, for planners that use an abstraction.
    Sectors,
    /// The cells that the unfinished searches have expanded.
    SearchedCells,
    /// The vectors of a direction map.
    DirectionVectors,
}

/// One piece of a [`DebugLayer`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DebugMark {
    /// The agent intends to enter the cell. The marks of one agent come in the order of its steps.
    Path {
        /// The agent.
        agent: AgentId,
        /// The cell.
        cell: Cell,
    },
    /// The distance from a cell to the agent's target.
    Distance {
        /// The cell.
        cell: Cell,
        /// The distance, in the units of [`throng_grid::moves::STRAIGHT`].
        distance: Cost,
    },
    /// The cell belongs to a sector.
    Sector {
        /// The cell.
        cell: Cell,
        /// The number of the sector.
        sector: u32,
    },
    /// The search of an agent has expanded the cell.
    Searched {
        /// The agent.
        agent: AgentId,
        /// The cell.
        cell: Cell,
    },
    /// The direction vector of a cell; a vector of length one has length 16,384.
    Direction {
        /// The cell.
        cell: Cell,
        /// The part to the right.
        x: i16,
        /// The part downwards.
        y: i16,
    },
}
