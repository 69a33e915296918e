//! Questions for searches where no scenario file asks any: random pairs of cells with a way between them.

use crate::rng::SeededRng;
use crate::{Cell, Ground};

/// Pairs of different cells of the ground's largest component, each pair as likely as the others. The same seed
/// gives the same pairs on every platform; none when the component has fewer than two cells.
///
/// ```
/// use throng_grid::{Grid, MoveRules, Tiles, random_queries};
///
/// let grid = Grid::new(Tiles::picture("...#."), MoveRules::default());
/// let pairs = random_queries(grid.ground(), 10, 1);
/// assert_eq!(pairs.len(), 10);
/// assert!(pairs.iter().all(|&(from, to)| from != to && grid.ground().reachable(from, to)));
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
        // Among the others: those from `from` on have moved up by one.
        let other = rng.below(cells.len() as u32 - 1);
        (cells[from as usize], cells[(other + u32::from(other >= from)) as usize])
    };
    (0..count).map(|_| pair()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Grid, MoveRules, Tiles};

    #[test]
    fn every_pair_of_the_largest_component_comes_and_no_other() {
        let grid = Grid::new(Tiles::picture("..#...#."), MoveRules::default());
        let pairs: BTreeSet<(u32, u32)> =
            random_queries(grid.ground(), 200, 3).into_iter().map(|(from, to)| (from.0, to.0)).collect();
        assert_eq!(pairs.into_iter().collect::<Vec<_>>(), [(3, 4), (3, 5), (4, 3), (4, 5), (5, 3), (5, 4)]);
        assert_eq!(random_queries(grid.ground(), 9, 4), random_queries(grid.ground(), 9, 4));
    }

    #[test]
    fn a_map_without_room_gives_none() {
        for picture in ["#", ".#."] {
            let grid = Grid::new(Tiles::picture(picture), MoveRules::default());
            assert_eq!(random_queries(grid.ground(), 5, 1), []);
        }
    }
}
