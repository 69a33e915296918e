//! The interface of a path database for planners: the first move of a shortest path between any two cells.
//!
//! A path database is precomputed for one map. Planners use it through this trait and do not depend on its
//! implementation.

use throng_grid::{Cell, Direction, Ground};

/// Returns the first move of a shortest path between any two cells of one map.
pub trait FirstMoves: std::fmt::Debug + Send + Sync {
    /// Returns true if the database was built for this ground in its current state.
    fn is_built_for(&self, ground: &Ground) -> bool;

    /// Returns the first move of a shortest path; `None` if there is no path or both cells are equal.
    fn first_move(&self, from: Cell, to: Cell) -> Option<Direction>;
}
