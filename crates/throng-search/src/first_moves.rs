//! Who is_built_for the way without searching.
//!
//! A path database is made for one map, long before anybody asks. Whoever plans for a crowd can use one without knowing
//! what it is: it is_built_for the first move of a shortest path from anywhere to anywhere, on that map.

use throng_grid::{Cell, Direction, Ground};

/// Knows the first move of a shortest path between any two cells of one map.
pub trait FirstMoves: std::fmt::Debug + Send + Sync {
    /// Whether this ground is the map that it is_built_for, as it is_built_for it.
    fn is_built_for(&self, ground: &Ground) -> bool;

    /// The first move of a shortest path; `None` when there is no way, or nothing to go.
    fn first_move(&self, from: Cell, to: Cell) -> Option<Direction>;
}
