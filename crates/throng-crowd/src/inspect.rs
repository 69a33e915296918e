//! Debug layers: what a planner shows of its internal state to a viewer.
//!
//! [`World::inspect`](crate::World::inspect) emits the marks of one layer in a fixed order. A planner emits nothing for a
//! layer it does not have.

use throng_grid::{Cell, Cost, DirectionSet};

use crate::{AgentId, AgentRow};

/// A kind of debug information. Planners know agents by [`AgentRow`](crate::AgentRow), games by [`AgentId`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum DebugLayer<A = AgentId> {
    /// The cells that each agent intends to enter: the next one only, or the rest of its path.
    Paths,
    /// The distances to its target that an agent follows.
    DistanceField(A),
    /// The sector of each cell, for planners that use an abstraction.
    Sectors,
    /// The cells that the unfinished searches have expanded.
    SearchedCells,
    /// The vectors of a direction map.
    DirectionVectors,
    /// The cells that agents may not leave in every legal direction, because a planner has made one-way streets.
    OneWayStreets,
}

impl<A> DebugLayer<A> {
    /// Replaces the agent.
    pub(crate) fn of_row<B, E>(self, row: impl Fn(A) -> Result<B, E>) -> Result<DebugLayer<B>, E> {
        Ok(match self {
            Self::Paths => DebugLayer::Paths,
            Self::DistanceField(agent) => DebugLayer::DistanceField(row(agent)?),
            Self::Sectors => DebugLayer::Sectors,
            Self::SearchedCells => DebugLayer::SearchedCells,
            Self::DirectionVectors => DebugLayer::DirectionVectors,
            Self::OneWayStreets => DebugLayer::OneWayStreets,
        })
    }
}

/// One piece of a [`DebugLayer`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DebugMark<A = AgentId> {
    /// The agent intends to enter the cell. The marks of one agent come in the order of its steps.
    Path {
        /// The agent.
        agent: A,
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
        agent: A,
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
    /// Agents leave the cell in these directions only.
    Street {
        /// The cell.
        cell: Cell,
        /// The directions, some of the legal ones.
        moves: DirectionSet,
    },
}

impl<A> DebugMark<A> {
    /// Replaces the agent.
    pub(crate) fn of_id<B>(self, id: impl Fn(A) -> B) -> DebugMark<B> {
        match self {
            Self::Path { agent, cell } => DebugMark::Path { agent: id(agent), cell },
            Self::Distance { cell, distance } => DebugMark::Distance { cell, distance },
            Self::Sector { cell, sector } => DebugMark::Sector { cell, sector },
            Self::Searched { agent, cell } => DebugMark::Searched { agent: id(agent), cell },
            Self::Direction { cell, x, y } => DebugMark::Direction { cell, x, y },
            Self::Street { cell, moves } => DebugMark::Street { cell, moves },
        }
    }
}

/// A [`DebugLayer`] as planners know it.
pub type PlannerLayer = DebugLayer<AgentRow>;

/// A [`DebugMark`] as planners emit it.
pub type PlannerMark = DebugMark<AgentRow>;
