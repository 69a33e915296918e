//! Corridor learning: a step in a corridor updates the vectors of all its cells.
//!
//! Section 5.6 of the thesis proposes one direction vector for an entire corridor or doorway. A corridor here is a chain of
//! cells with exactly two legal moves, plus the cell at each end; a doorway of one cell is a corridor too. A step updates
//! each cell as if the agent had walked the whole corridor in this direction, including bends. Wider corridors have room
//! for two lanes and learn per cell.
//!
//! The chain is followed on the present ground, so edits need no update.

use throng_grid::{Cell, Ground};

use super::map::DirectionMap;
use super::vector::Rate;

/// Maximum number of cells on each side of a step that learn it. It bounds the cost of a step.
const MAX_CHAIN: usize = 256;

impl DirectionMap {
    /// Learns a step between neighbouring cells in all cells of its corridor, each in the direction of the corridor.
    /// Outside corridors only the two cells of the step learn it. Only cells where `stores` is true learn.
    pub(super) fn learn_corridor(
        &mut self,
        ground: &Ground,
        (from, to): (Cell, Cell),
        rate: Rate,
        stores: impl Fn(&Self, Cell) -> bool,
    ) {
        self.learn_where((from, to), rate, &stores);
        let ahead = chain(ground, from, to).take_while(|&(_, next)| next != to);
        let mut is_ring = false;
        for (at, next) in ahead {
            self.learn_where((at, next), rate, &stores);
            is_ring |= next == from;
        }
        // In a ring the chain ahead has already covered the cells behind the step.
        if !is_ring {
            for (at, before) in chain(ground, to, from) {
                self.learn_where((before, at), rate, &stores);
            }
        }
    }
}

/// Returns the steps that follow a step while exactly one continuation exists.
fn chain(ground: &Ground, from: Cell, to: Cell) -> impl Iterator<Item = (Cell, Cell)> {
    let following = move |(last, at): (Cell, Cell)| {
        let mut exits = ground.neighbours(at).map(|(_, next)| next).filter(|&next| next != last);
        let next = exits.next().filter(|_| ground.moves(at).count_ones() == 2 && exits.next().is_none());
        next.map(|next| (at, next))
    };
    std::iter::successors(following((from, to)), move |&step| following(step)).take(MAX_CHAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StepPenalties, StepPenalty, Unknown};
    use throng_grid::{Direction, Grid, MoveRules, Pos, Tiles};

    const HALF: Rate = Rate::millionths(500_000);

    fn steps(grid: &Grid, positions: &[(i32, i32)]) -> Vec<(Cell, Cell)> {
        let cell = |&(x, y): &(i32, i32)| grid.cell(Pos::new(x, y)).unwrap();
        positions.windows(2).map(|pair| (cell(&pair[0]), cell(&pair[1]))).collect()
    }

    fn step_penalty(map: &DirectionMap, from: Cell, to: Cell) -> u32 {
        let direction = Direction::between(map.size().pos(from), map.size().pos(to)).unwrap();
        StepPenalties::of_map(StepPenalty::new(10_000_000, Unknown::Half), map).of(from, to, direction)
    }

    /// A bent corridor between two rooms, and the path through it.
    const BENT: &str = "..@@@@@
                        ......@
                        ..@@@.@
                        @@@@@..
                        @@@@@..";
    const THROUGH: [(i32, i32); 7] = [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (5, 2), (5, 3)];

    #[test]
    fn one_step_updates_the_whole_corridor() {
        let grid = Grid::new(Tiles::picture(BENT), MoveRules::default());
        let through = steps(&grid, &THROUGH);
        for &step in &through {
            let mut map = DirectionMap::new(grid.size());
            map.learn_corridor(grid.ground(), step, HALF, |_, _| true);
            assert_eq!(map.known().count(), 7, "the corridor and its ends");
            for &(from, to) in &through {
                assert!(
                    step_penalty(&map, to, from) > 2 * step_penalty(&map, from, to),
                    "{step:?}: {from:?} to {to:?}"
                );
            }
        }
        let mut map = DirectionMap::new(grid.size());
        map.learn_corridor(grid.ground(), steps(&grid, &[(0, 0), (1, 0)])[0], HALF, |_, _| true);
        assert_eq!(map.known().count(), 2, "a room is not a corridor");
    }

    #[test]
    fn a_blocked_cell_ends_the_corridor() {
        let mut grid = Grid::new(Tiles::picture(BENT), MoveRules::default());
        grid.block(Pos::new(4, 1));
        let mut map = DirectionMap::new(grid.size());
        map.learn_corridor(grid.ground(), steps(&grid, &THROUGH)[0], HALF, |_, _| true);
        let known: Vec<_> = map.known().map(|(cell, _)| grid.size().pos(cell)).collect();
        assert_eq!(known, [Pos::new(1, 1), Pos::new(2, 1), Pos::new(3, 1)]);
    }

    #[test]
    fn a_ring_learns_each_step_once() {
        let tiles = Tiles::picture(
            "....
             .@@.
             .@@.
             ....",
        );
        let grid = Grid::new(tiles, MoveRules::default());
        let mut map = DirectionMap::new(grid.size());
        map.learn_corridor(grid.ground(), steps(&grid, &[(1, 0), (2, 0)])[0], HALF, |_, _| true);
        assert_eq!(map.known().count(), 12);
        for (from, to) in steps(&grid, &[(0, 3), (0, 2), (0, 1), (0, 0), (1, 0), (2, 0), (3, 0), (3, 1)]) {
            assert!(step_penalty(&map, to, from) > 2 * step_penalty(&map, from, to), "{from:?} to {to:?}");
        }
    }
}
