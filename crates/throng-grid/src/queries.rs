//! Random queries (start and goal) for searches, for maps without a scenario file.

use crate::{Cell, Ground, SeededRng};

/// Returns `count` pairs of a start and a different goal in the ground's largest component, drawn uniformly. A seed
/// gives the same pairs on every platform. Returns no pair if the component has fewer than two cells.
///
/// ```
/// use throng_grid::{Grid, MoveRules, Tiles, random_queries};
///
/// let grid = Grid::new(Tiles::picture("...#."), MoveRules::default());
/// let queries = random_queries(grid.ground(), 10, 1);
/// assert_eq!(queries.len(), 10);
/// assert!(queries.iter().all(|&(from, to)| from != to && grid.ground().reachable(from, to)));
/// ```
pub fn random_queries(ground: &Ground, count: usize, seed: u64) -> Vec<(Cell, Cell)> {
    let components = ground.components();
    let Some(largest) = components.largest() else { return Vec::new() };
    let cells: Vec<Cell> =
        ground.free_cells().filter(|&cell| components.label(ground, cell) == Some(largest)).collect();
    if cells.len() < 2 {
        return Vec::new();
    }
    let mut rng = SeededRng::new(seed);
    let mut pair = || {
        let from = rng.below(cells.len() as u32);
        // Draw among the other cells: skip `from`.
        let to = rng.below(cells.len() as u32 - 1);
        (cells[from as usize], cells[(to + u32::from(to >= from)) as usize])
    };
    (0..count).map(|_| pair()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Grid, MoveRules, Tiles};

    #[test]
    fn exactly_the_pairs_of_the_largest_component_are_drawn() {
        let grid = Grid::new(Tiles::picture("..#...#."), MoveRules::default());
        let queries: BTreeSet<(u32, u32)> =
            random_queries(grid.ground(), 200, 3).into_iter().map(|(from, to)| (from.0, to.0)).collect();
        assert_eq!(queries.into_iter().collect::<Vec<_>>(), [(3, 4), (3, 5), (4, 3), (4, 5), (5, 3), (5, 4)]);
        assert_eq!(random_queries(grid.ground(), 9, 4), random_queries(grid.ground(), 9, 4));
    }

    #[test]
    fn a_map_without_two_connected_cells_gives_no_query() {
        for picture in ["#", ".#."] {
            let grid = Grid::new(Tiles::picture(picture), MoveRules::default());
            assert_eq!(random_queries(grid.ground(), 5, 1), []);
        }
    }
}
