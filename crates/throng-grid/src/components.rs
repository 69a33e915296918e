//! Connected parts of a ground, labelled from runs of free cells in rows.
//!
//! A row of a game map has few runs, so joining runs instead of cells relabels a 512×512 map in well under a
//! millisecond, and no structure needs to follow single edits. A cell finds its run by counting the starts of
//! runs before it, a population count in one word and a prefix sum.

use crate::{Cell, Direction, Ground, Pos};

/// Which cells are connected, at the time of the labelling.
#[derive(Clone, Debug)]
pub struct Components {
    /// A bit where a run of free cells starts, laid out as the ground's rows.
    starts: Vec<u64>,
    /// Runs that start before each word.
    before: Vec<u32>,
    /// Component of each run.
    label: Vec<u32>,
    /// Number of cells of each component.
    sizes: Vec<u32>,
}

/// A run of free cells in one row: columns `first..=last`.
#[derive(Clone, Copy)]
struct Run {
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

        let mut runs: Vec<Run> = Vec::with_capacity(count as usize);
        let mut parent: Vec<u32> = (0..count).collect();
        let mut above = 0..0;
        for y in 0..rows.height() {
            let first_run = runs.len();
            collect_runs(rows.row(y), &mut runs);
            join(ground, y as i32, &runs, above, first_run..runs.len(), &mut parent);
            above = first_run..runs.len();
        }

        // Parents have lower numbers than their children, so one pass in order flattens and numbers them.
        let (mut label, mut sizes) = (vec![0; count as usize], Vec::new());
        for run in 0..count as usize {
            let root = parent[run] as usize;
            if root == run {
                label[run] = sizes.len() as u32;
                sizes.push(0);
            } else {
                label[run] = label[root];
            }
            sizes[label[run] as usize] += (runs[run].last - runs[run].first + 1) as u32;
        }
        Self { starts, before, label, sizes }
    }

    /// Number of components.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Number of cells of each component. Components are numbered by their first cell in row order.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The component with the most cells; the lowest number among equals.
    pub fn largest(&self) -> Option<u32> {
        (0..self.sizes.len() as u32).max_by_key(|&label| (self.sizes[label as usize], u32::MAX - label))
    }

    /// The component of a cell, `None` when it is blocked. `ground` must be the one that was labelled.
    #[inline]
    pub fn label(&self, ground: &Ground, cell: Cell) -> Option<u32> {
        let pos = ground.pos(cell);
        if !ground.rows().get(pos) {
            return None;
        }
        let bit = ground.rows().bit(pos.x, pos.y);
        let through = self.starts[bit >> 6] & (u64::MAX >> (63 - (bit & 63)));
        Some(self.label[(self.before[bit >> 6] + through.count_ones() - 1) as usize])
    }
}

/// Appends the runs of one row.
fn collect_runs(row: &[u64], runs: &mut Vec<Run>) {
    let mut open: Option<i32> = None;
    for (i, &word) in row.iter().enumerate() {
        let base = i as i32 * 64;
        // Bits where free turns to blocked or back, the word before included.
        let mut edges = word ^ (word << 1 | u64::from(open.is_some()));
        while edges != 0 {
            let x = base + edges.trailing_zeros() as i32;
            edges &= edges - 1;
            match open.take() {
                None => open = Some(x),
                Some(first) => runs.push(Run { first, last: x - 1 }),
            }
        }
    }
    debug_assert!(open.is_none(), "a padding bit ends each row");
}

/// Joins the runs of row `y` with those of the row above.
fn join(
    ground: &Ground,
    y: i32,
    runs: &[Run],
    above: std::ops::Range<usize>,
    here: std::ops::Range<usize>,
    parent: &mut [u32],
) {
    let (mut a, mut b) = (above.start, here.start);
    while a < above.end && b < here.end {
        let (up, down) = (runs[a], runs[b]);
        let overlap = up.first <= down.last && down.first <= up.last;
        if overlap || touches(ground, y, up, down) {
            union(parent, a as u32, b as u32);
        }
        // Runs of one row lie at least two columns apart, so whichever ends first has met all it can meet.
        if up.last < down.last {
            a += 1;
        } else {
            b += 1;
        }
    }
}

/// Whether a legal diagonal joins two runs that meet at a corner.
fn touches(ground: &Ground, y: i32, up: Run, down: Run) -> bool {
    let legal = |x: i32, direction: Direction| {
        ground.cell(Pos::new(x, y)).is_some_and(|cell| ground.moves(cell) & direction.bit() != 0)
    };
    (up.first == down.last + 1 && legal(down.last, Direction::NorthEast))
        || (up.last + 1 == down.first && legal(down.first, Direction::NorthWest))
}

fn find(parent: &mut [u32], mut run: u32) -> u32 {
    while parent[run as usize] != run {
        let grand = parent[parent[run as usize] as usize];
        parent[run as usize] = grand;
        run = grand;
    }
    run
}

fn union(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}

#[cfg(test)]
mod tests {
    use crate::testing::random_tiles;
    use crate::{Area, Cell, Corners, Grid, Ground, MoveRules};

    /// The obvious labelling: flood fill over legal moves.
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
    fn labels_are_those_of_a_flood_fill_with_edits_in_between() {
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
    fn the_largest_is_the_lowest_among_equals() {
        let grid = Grid::new(crate::Tiles::picture(".#..#..#."), MoveRules::default());
        assert_eq!(grid.ground().components().sizes(), [1, 2, 2, 1]);
        assert_eq!(grid.ground().components().largest(), Some(1));
    }
}
