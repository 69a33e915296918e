//! Connected components of a ground, labelled from the runs of free cells in each row.
//!
//! A row of a game map has few runs, so joining runs instead of cells labels a 512×512 map in well under a millisecond.
//! The labels are therefore recomputed after edits instead of being maintained. The run of a cell is the number of run
//! starts up to the cell: a prefix sum per word and a population count.

use crate::bits::runs;
use crate::union_find::UnionFind;
use crate::{Cell, Direction, Ground, Pos};

/// The connected components of a ground at the time of the labelling.
#[derive(Clone, Debug)]
pub struct Components {
    /// One bit per cell, set where a run of free cells starts; laid out like the ground's rows.
    starts: Vec<u64>,
    /// Number of runs that start before each word.
    before: Vec<u32>,
    /// Component label of each run.
    label: Vec<u32>,
    /// Number of cells of each component.
    sizes: Vec<u32>,
}

/// A run of free cells in one row: columns `first..=last`.
#[derive(Clone, Copy)]
struct RowRun {
    first: i32,
    last: i32,
}

impl Components {
    pub(crate) fn of(ground: &Ground) -> Self {
        let rows = ground.rows();
        let words = rows.words();
        let (mut starts, mut before) = (Vec::with_capacity(words.len()), Vec::with_capacity(words.len()));
        let (mut previous, mut count) = (0_u64, 0_u32);
        for &word in words {
            let start = word & !(word << 1 | previous >> 63);
            starts.push(start);
            before.push(count);
            count += start.count_ones();
            previous = word;
        }

        let mut row_runs: Vec<RowRun> = Vec::with_capacity(count as usize);
        let mut sets = UnionFind::new(count as usize);
        let mut above = 0..0;
        for y in 0..rows.height() {
            let first_run = row_runs.len();
            row_runs.extend(runs(rows.row(y)).map(|(first, end)| RowRun { first, last: end - 1 }));
            join(ground, y as i32, &row_runs, above, first_run..row_runs.len(), &mut sets);
            above = first_run..row_runs.len();
        }

        // A parent is smaller than its child, so one pass in order labels all runs.
        let (mut label, mut sizes) = (vec![0; count as usize], Vec::new());
        for run in 0..count as usize {
            label[run] = sets.label(run, &label, &mut sizes);
            sizes[label[run] as usize] += (row_runs[run].last - row_runs[run].first + 1) as u32;
        }
        Self { starts, before, label, sizes }
    }

    /// Returns the number of components.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Returns the number of cells of each component. Components are numbered by their first cell in row order.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Returns the component with the most cells, the lowest number among equals; `None` if no cell is free.
    pub fn largest(&self) -> Option<u32> {
        (0..self.sizes.len() as u32).max_by_key(|&label| (self.sizes[label as usize], u32::MAX - label))
    }

    /// Returns the component of a cell, `None` if it is not free or outside the map. `ground` must be the one that was labelled.
    #[inline]
    pub fn label(&self, ground: &Ground, cell: Cell) -> Option<u32> {
        if !ground.is_free(cell) {
            return None;
        }
        let pos = ground.pos(cell);
        let bit = ground.rows().bit(pos.x, pos.y);
        let through = self.starts[bit >> 6] & (u64::MAX >> (63 - (bit & 63)));
        Some(self.label[(self.before[bit >> 6] + through.count_ones() - 1) as usize])
    }
}

/// Joins the runs of row `y` with those of the row above.
fn join(
    ground: &Ground,
    y: i32,
    runs: &[RowRun],
    above: std::ops::Range<usize>,
    here: std::ops::Range<usize>,
    sets: &mut UnionFind,
) {
    let (mut a, mut b) = (above.start, here.start);
    while a < above.end && b < here.end {
        let (up, down) = (runs[a], runs[b]);
        let overlap = up.first <= down.last && down.first <= up.last;
        if overlap || touches(ground, y, up, down) {
            sets.union(a, b);
        }
        // Runs of one row lie at least two columns apart, so the run that ends first touches no later run.
        if up.last < down.last {
            a += 1;
        } else {
            b += 1;
        }
    }
}

/// Returns true if a legal diagonal step joins two runs that touch at a corner.
fn touches(ground: &Ground, y: i32, up: RowRun, down: RowRun) -> bool {
    let legal = |x: i32, direction: Direction| {
        ground.cell(Pos::new(x, y)).is_some_and(|cell| ground.moves(cell) & direction.bit() != 0)
    };
    (up.first == down.last.wrapping_add(1) && legal(down.last, Direction::NorthEast))
        || (up.last.wrapping_add(1) == down.first && legal(down.first, Direction::NorthWest))
}

#[cfg(test)]
mod tests {
    use crate::testing::random_tiles;
    use crate::{Area, Cell, Corners, Grid, Ground, MoveRules};

    /// Labels components by flood fill over legal moves.
    fn flood(ground: &Ground) -> Vec<Option<u32>> {
        let mut labels = vec![None; ground.size().area()];
        let mut next = 0;
        for cell in ground.free_cells() {
            if labels[cell.index()].is_some() {
                continue;
            }
            let mut stack = vec![cell];
            labels[cell.index()] = Some(next);
            while let Some(cell) = stack.pop() {
                for (_, to) in ground.neighbours(cell) {
                    if labels[to.index()].is_none() {
                        labels[to.index()] = Some(next);
                        stack.push(to);
                    }
                }
            }
            next += 1;
        }
        labels
    }

    fn check(ground: &Ground) {
        let expect = flood(ground);
        let components = ground.components();
        let found: Vec<_> = ground.size().cells().map(|cell| components.label(ground, cell)).collect();
        assert_eq!(found, expect);
        for (label, &size) in components.sizes().iter().enumerate() {
            assert_eq!(expect.iter().filter(|&&l| l == Some(label as u32)).count(), size as usize);
        }
    }

    #[test]
    fn labels_match_a_flood_fill_after_edits() {
        let all_rules = [Corners::Forbid, Corners::Allow, Corners::Mixed].map(MoveRules::eight_way);
        for seed in 0..150_u64 {
            for rules in all_rules.into_iter().chain([MoveRules::FOUR_WAY]) {
                let (width, height) = (1 + seed as u32 * 7 % 71, 1 + seed as u32 * 5 % 23);
                let mut grid = Grid::new(random_tiles(width, height, 20 + seed as u32 % 45, seed), rules);
                check(grid.ground());
                for edit in 0..6 {
                    let cell = Cell((seed as u32 * 31 + edit * 97) % (width * height));
                    let area = Area::disc(grid.size().pos(cell), edit as i32 % 3);
                    if edit % 3 == 2 {
                        grid.unblock(area)
                    } else {
                        grid.block(area)
                    };
                    check(grid.ground());
                }
            }
        }
    }

    #[test]
    fn the_largest_component_is_the_first_among_equals() {
        let grid = Grid::new(crate::Tiles::picture(".#..#..#."), MoveRules::default());
        assert_eq!(grid.ground().components().sizes(), [1, 2, 2, 1]);
        assert_eq!(grid.ground().components().largest(), Some(1));
    }
}
