//! Walks on small maps, compared with slow versions of the algorithms.

mod lookahead;
mod rths;
mod tba;

use throng_grid::{Cell, Corners, Grid, Ground, MoveRules, random_queries};

/// Calls `check` with queries on builtin maps under two corner rules.
fn for_each_query(count: usize, mut check: impl FnMut(&Ground, (Cell, Cell))) {
    for name in ["arena", "rooms"] {
        for corners in [Corners::Forbid, Corners::Allow] {
            let tiles = throng_grid::builtin::builtin(name).unwrap();
            let grid = Grid::new(tiles, MoveRules::eight_way(corners));
            for ends in random_queries(grid.ground(), count, 5) {
                check(grid.ground(), ends);
            }
        }
    }
}
