//! Features of a map's shape: free cells, components, clearance, width of passages, dead ends, articulation points and
//! obstacles.
//!
//! The number of obstacles that free cells surround follows from the Euler number of the map, which is a sum over its
//! 2×2 squares (S. B. Gray, *Local Properties of Binary Images in Two Dimensions*, IEEE Transactions on Computers
//! C-20(5), 1971): it is the number of components less the Euler number.

use throng_grid::{Cell, Corners, Ground};

use super::{features, ratio, share};

features! {
    /// Features of the shape of a map.
    ShapeFeatures {
        /// Width of the map in cells.
        map_width,
        /// Height of the map in cells.
        map_height,
        /// Number of free cells.
        free_cells,
        /// Share of the map's cells that are free.
        free_share,
        /// Number of connected components.
        components,
        /// Share of the free cells in the largest component.
        largest_component,
        /// Mean clearance of the free cells: the distance to the nearest obstacle, in 1/100 cells.
        clearance_mean,
        /// Largest clearance in cells, at most 255.
        clearance_max,
        /// Share of the free cells with clearance 1.
        clearance_1,
        /// Share of the free cells with clearance 2.
        clearance_2,
        /// Share of the free cells with clearance 3 or 4.
        clearance_4,
        /// Share of the free cells with clearance 5 to 8.
        clearance_8,
        /// Share of the free cells whose row or column of free cells is 1 cell long: passages of width 1.
        width_1,
        /// Share of the free cells in passages of width 2.
        width_2,
        /// Share of the free cells in passages of width 3 or 4.
        width_4,
        /// Share of the free cells with at most one legal move.
        dead_ends,
        /// Share of the free cells whose removal splits their component.
        articulation_points,
        /// Length of the border between free and blocked cells, relative to the number of free cells.
        border_length,
        /// Number of obstacles that free cells surround.
        obstacles,
        /// Number of surrounded obstacles per 1,000,000 free cells.
        obstacle_density,
    }
}

/// The width from which on passages are counted together.
const MAX_WIDTH: usize = 5;

/// Counts over the rows of a map, from top to bottom. A row is counted in words of 64 cells, without a branch per cell.
#[derive(Clone, Debug, Default)]
pub(super) struct RowCounts {
    /// The next row. After the last row, a row of blocked cells below the map completes the counts.
    row: u32,
    /// Number of 2×2 squares with one free cell, with three, and with two that touch diagonally.
    squares: [u64; 3],
    /// Number of sides between a free and a blocked cell, the outside of the map included.
    border: u64,
    /// Number of free cells in passages of at least each width, from 1.
    at_least: [u64; MAX_WIDTH],
    /// Number of cells with at most one legal move, blocked cells included.
    few_moves: u64,
}

impl RowCounts {
    /// Counts up to `rows` rows. Returns the number counted: less than `rows` if all are counted.
    pub(super) fn step(&mut self, ground: &Ground, rows: u32) -> u32 {
        let end = (self.row + rows).min(ground.size().height() + 1);
        let done = end - self.row;
        while self.row < end {
            self.count_row(ground);
            self.row += 1;
        }
        done
    }

    fn count_row(&mut self, ground: &Ground) {
        let (width, y) = (ground.size().width(), i64::from(self.row));
        for word in 0..=width as usize / 64 {
            self.count_squares(free(ground, y - 1, word), free(ground, y, word));
            self.count_widths(ground, word);
        }
        if self.row < ground.size().height() {
            let first = self.row * width;
            let few = |cell: &u32| ground.moves(Cell(*cell)).count_ones() <= 1;
            self.few_moves += (first..first + width).filter(few).count() as u64;
        }
    }

    /// Counts the 2×2 squares whose lower right cells are those of a word, and the sides to the left of and above these.
    fn count_squares(&mut self, above: u128, here: u128) {
        let [upper_right, lower_right] = [above, here].map(middle);
        let [upper_left, lower_left] = [above << 1, here << 1].map(middle);
        let is_odd = upper_left ^ upper_right ^ lower_left ^ lower_right;
        let has_pair = upper_left & upper_right | lower_left & lower_right;
        let is_diagonal = !is_odd & (upper_left ^ upper_right) & (upper_left ^ lower_left);
        let kinds = [is_odd & !has_pair, is_odd & has_pair, is_diagonal];
        for (count, cells) in self.squares.iter_mut().zip(kinds) {
            *count += u64::from(cells.count_ones());
        }
        let sides = (lower_left ^ lower_right).count_ones() + (upper_right ^ lower_right).count_ones();
        self.border += u64::from(sides);
    }

    /// Counts the cells of a word of the row by the width of their passage: the length of the run of free cells in their row or
    /// column, whichever is shorter. A cell is in a run of a length or more if it is in a run of exactly that many cells.
    fn count_widths(&mut self, ground: &Ground, word: usize) {
        const REACH: usize = MAX_WIDTH - 1;
        let rows: [u128; 2 * REACH + 1] =
            std::array::from_fn(|at| free(ground, i64::from(self.row) + at as i64 - REACH as i64, word));
        for (length, count) in (1..).zip(&mut self.at_least) {
            let in_all = |cells: &[u128]| cells.iter().fold(u128::MAX, |all, row| all & row);
            let starts = (0..length).fold(u128::MAX, |all, by| all & rows[REACH] >> by);
            let in_row = (0..length).fold(0, |any, by| any | starts << by);
            let in_column = rows[REACH + 1 - length..REACH + length]
                .windows(length)
                .fold(0, |any, cells| any | in_all(cells));
            *count += u64::from(middle(in_row & in_column).count_ones());
        }
    }

    /// Returns the number of free cells in passages of some widths, below [`MAX_WIDTH`].
    fn widths(&self, from: usize, to: usize) -> u64 {
        self.at_least[from - 1] - self.at_least[to]
    }

    /// Returns the number of components of free cells less the number of obstacles that they surround.
    fn euler_number(&self, ground: &Ground) -> i64 {
        let [one, three, diagonal] = self.squares.map(|count| count as i64);
        // Diagonal neighbours belong together only if a corner may be cut.
        let joined = !ground.rules().four_way && ground.rules().corners == Corners::Allow;
        (one - three + if joined { -2 * diagonal } else { 2 * diagonal }) / 4
    }
}

/// Returns the free cells of a word of a row, and 32 cells on both sides of it. Nothing is free outside of the map.
fn free(ground: &Ground, y: i64, word: usize) -> u128 {
    let Some(y) = u32::try_from(y).ok().filter(|&y| y < ground.size().height()) else { return 0 };
    let words = ground.rows().row(y);
    let at = |word: Option<usize>| u128::from(word.and_then(|word| words.get(word)).copied().unwrap_or(0));
    at(word.checked_sub(1)) >> 32 | at(Some(word)) << 32 | at(Some(word + 1)) << 96
}

/// Returns the word in the middle of what [`free`] returns.
fn middle(cells: u128) -> u64 {
    (cells >> 32) as u64
}

impl ShapeFeatures {
    /// Returns the features, given complete counts, the clearance of every cell and the number of articulation points.
    pub(super) fn new(ground: &Ground, counts: &RowCounts, clearance: &[u8], articulations: usize) -> Self {
        let size = ground.size();
        let free = ground.free_count() as u64;
        let mut histogram = [0_u64; 256];
        for &distance in clearance {
            histogram[usize::from(distance)] += 1;
        }
        let sum = (1..256).map(|distance| histogram[distance] * distance as u64).sum();
        let within = |from: usize, to: usize| share(histogram[from..=to].iter().sum(), free);
        let components = ground.components();
        let largest = components.sizes().iter().max().copied().unwrap_or(0);
        let dead_ends = counts.few_moves - (size.area() as u64 - free);
        let obstacles = (components.count() as i64 - counts.euler_number(ground)).max(0) as u64;
        Self {
            map_width: size.width() as i32,
            map_height: size.height() as i32,
            free_cells: free as i32,
            free_share: share(free, size.area() as u64),
            components: components.count() as i32,
            largest_component: share(u64::from(largest), free),
            clearance_mean: ratio(sum, free, 100),
            clearance_max: (1..256)
                .rposition(|distance| histogram[distance] > 0)
                .map_or(0, |at| at as i32 + 1),
            clearance_1: within(1, 1),
            clearance_2: within(2, 2),
            clearance_4: within(3, 4),
            clearance_8: within(5, 8),
            width_1: share(counts.widths(1, 1), free),
            width_2: share(counts.widths(2, 2), free),
            width_4: share(counts.widths(3, 4), free),
            dead_ends: share(dead_ends, free),
            articulation_points: share(articulations as u64, free),
            border_length: share(counts.border, free),
            obstacles: obstacles as i32,
            obstacle_density: ratio(obstacles, free, 1_000_000),
        }
    }
}

/// Returns the initial values of the distance transform that computes clearance: the distance to the map's edge, or 0
/// for a cell that is not free.
pub(super) fn edge_distances(ground: &Ground) -> Vec<u8> {
    let size = ground.size();
    let (width, height) = (size.width() as i32, size.height() as i32);
    let distance = |cell| {
        let pos = size.pos(cell);
        let edge = (pos.x + 1).min(width - pos.x).min(pos.y + 1).min(height - pos.y);
        if ground.rows().get(pos) { edge.min(255) as u8 } else { 0 }
    };
    size.cells().map(distance).collect()
}
