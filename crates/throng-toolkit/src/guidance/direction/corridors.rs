//! One vector for a whole passage: a step anywhere in it counts for all of its cells.
//!
//! The thesis's section 5.6 proposes a direction vector for an entire corridor or for a doorway. A passage here is a chain of
//! cells with exactly two legal moves, and the cells at its two mouths, so that a door of one cell is a passage too. Whoever
//! steps in it teaches each of its cells what they would learn if the walker went on to the far end, around bends as well.
//! Passages with room for two abreast keep their vectors cell by cell, for they have room for two lanes.
//!
//! Nothing is kept: the chain is followed on the ground as it is, so that there is nothing to bring up to date after edits.

use throng_grid::{Cell, Ground};

use super::map::DirectionMap;
use super::vector::Rate;

/// The most cells to each side of a step that learn with it.
const FAR: usize = 256;

impl DirectionMap {
    /// Somebody has stepped from one cell to a neighbouring one: the cells of the passage that the step is in learn it, each
    /// along the passage; outside passages only its two cells do.
    pub fn learn_corridor(&mut self, ground: &Ground, (from, to): (Cell, Cell), rate: Rate) {
        self.learn(from, to, rate);
        let onwards = chain(ground, from, to).take_while(|&(_, next)| next != to);
        let mut round = false;
        for (at, next) in onwards {
            self.learn(at, next, rate);
            round |= next == from;
        }
        // In a ring the way onwards has come to where the way back would begin.
        if !round {
            for (at, before) in chain(ground, to, from) {
                self.learn(before, at, rate);
            }
        }
    }
}

/// The steps that follow a step from one cell to another for as long as there is but one way on.
fn chain(ground: &Ground, from: Cell, to: Cell) -> impl Iterator<Item = (Cell, Cell)> {
    let on = move |(last, at): (Cell, Cell)| {
        let mut ways = ground.neighbours(at).map(|(_, next)| next).filter(|&next| next != last);
        let next = ways.next().filter(|_| ground.moves(at).count_ones() == 2 && ways.next().is_none());
        next.map(|next| (at, next))
    };
    std::iter::successors(on((from, to)), move |&step| on(step)).take(FAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StepPenalty, Unknown};
    use throng_grid::{Direction, Grid, MoveRules, Pos, Tiles};

    const HALF: Rate = Rate::millionths(500_000);

    fn steps(grid: &Grid, places: &[(i32, i32)]) -> Vec<(Cell, Cell)> {
        let cell = |&(x, y): &(i32, i32)| grid.cell(Pos::new(x, y)).unwrap();
        places.windows(2).map(|pair| (cell(&pair[0]), cell(&pair[1]))).collect()
    }

    fn step_penalty(map: &DirectionMap, from: Cell, to: Cell) -> u32 {
        let direction = Direction::between(map.size().pos(from), map.size().pos(to)).unwrap();
        StepPenalty::new(10_000_000, Unknown::Half).of(map, from, to, direction)
    }

    /// A bent corridor between two rooms, and the way through it.
    const BENT: &str = "..@@@@@
                        ......@
                        ..@@@.@
                        @@@@@..
                        @@@@@..";
    const THROUGH: [(i32, i32); 7] = [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (5, 2), (5, 3)];

    #[test]
    fn one_step_teaches_the_whole_passage() {
        let grid = Grid::new(Tiles::picture(BENT), MoveRules::default());
        let through = steps(&grid, &THROUGH);
        for &step in &through {
            let mut map = DirectionMap::new(grid.size());
            map.learn_corridor(grid.ground(), step, HALF);
            assert_eq!(map.known().count(), 7, "the corridor and its mouths");
            for &(from, to) in &through {
                assert!(
                    step_penalty(&map, to, from) > 2 * step_penalty(&map, from, to),
                    "{step:?}: {from:?} to {to:?}"
                );
            }
        }
        let mut map = DirectionMap::new(grid.size());
        map.learn_corridor(grid.ground(), steps(&grid, &[(0, 0), (1, 0)])[0], HALF);
        assert_eq!(map.known().count(), 2, "a room is no passage");
    }

    #[test]
    fn an_edit_ends_a_passage_where_it_shuts_it() {
        let mut grid = Grid::new(Tiles::picture(BENT), MoveRules::default());
        grid.block(Pos::new(4, 1));
        let mut map = DirectionMap::new(grid.size());
        map.learn_corridor(grid.ground(), steps(&grid, &THROUGH)[0], HALF);
        let known: Vec<_> = map.known().map(|(cell, _)| grid.size().pos(cell)).collect();
        assert_eq!(known, [Pos::new(1, 1), Pos::new(2, 1), Pos::new(3, 1)]);
    }

    #[test]
    fn a_ring_learns_once_all_the_way_round() {
        let tiles = Tiles::picture(
            "....
             .@@.
             .@@.
             ....",
        );
        let grid = Grid::new(tiles, MoveRules::default());
        let mut map = DirectionMap::new(grid.size());
        map.learn_corridor(grid.ground(), steps(&grid, &[(1, 0), (2, 0)])[0], HALF);
        assert_eq!(map.known().count(), 12);
        for (from, to) in steps(&grid, &[(0, 3), (0, 2), (0, 1), (0, 0), (1, 0), (2, 0), (3, 0), (3, 1)]) {
            assert!(step_penalty(&map, to, from) > 2 * step_penalty(&map, from, to), "{from:?} to {to:?}");
        }
    }
}
