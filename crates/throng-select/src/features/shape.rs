//! Features of a map's shape: free cells, components, clearance, width of passages, dead ends, articulation points and
//! obstacles.
//!
//! The number of obstacles that free cells surround follows from the Euler number of the map, which is a sum over its
//! 2×2 squares (S. B. Gray, *Local Properties of Binary Images in Two Dimensions*, IEEE Transactions on Computers
//! C-20(5), 1971): it is the number of components less the Euler number.

use throng_grid::{Corners, Ground};

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

/// Longest passage width that is counted.
const MAX_WIDTH: u8 = 5;

/// Counts over the rows of a map, from top to bottom.
#[derive(Clone, Debug)]
pub(super) struct RowCounts {
    /// The next row. After the last row, a row of blocked cells below the map completes the counts.
    row: u32,
    /// The row above: 1 for a free cell; one blocked cell on both sides.
    above: Vec<u8>,
    /// Per cell: the length of its run of free cells in the row, at most [`MAX_WIDTH`].
    row_run: Vec<u8>,
    /// Per column: the number of free cells that end in the row above.
    column_run: Vec<u32>,
    /// Number of 2×2 squares of each kind; bits are upper left, upper right, lower left, lower right.
    squares: [u64; 16],
    /// Number of free cells per width of the passage, the last for all larger ones.
    widths: [u64; MAX_WIDTH as usize + 1],
    dead_ends: u64,
}

impl RowCounts {
    pub(super) fn new(ground: &Ground) -> Self {
        let width = ground.size().width() as usize;
        Self {
            row: 0,
            above: vec![0; width + 2],
            row_run: vec![0; ground.size().area()],
            column_run: vec![0; width],
            squares: [0; 16],
            widths: [0; MAX_WIDTH as usize + 1],
            dead_ends: 0,
        }
    }

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
        let (width, y) = (ground.size().width() as usize, self.row as usize);
        let mut here = vec![0; width + 2];
        if self.row < ground.size().height() {
            let words = ground.rows().row(self.row);
            for (x, free) in here[1..=width].iter_mut().enumerate() {
                *free = (words[x / 64] >> (x % 64) & 1) as u8;
            }
        }
        for x in 0..=width {
            let square = self.above[x] << 3 | self.above[x + 1] << 2 | here[x] << 1 | here[x + 1];
            self.squares[usize::from(square)] += 1;
        }
        let mut start = None;
        for x in 0..=width {
            match (here[x + 1] == 1, start) {
                (true, None) => start = Some(x),
                (false, Some(first)) => {
                    let run = (x - first).min(usize::from(MAX_WIDTH)) as u8;
                    self.row_run[y * width + first..y * width + x].fill(run);
                    start = None;
                }
                _ => {}
            }
        }
        for x in 0..width {
            if here[x + 1] == 1 {
                self.column_run[x] += 1;
                let moves = ground.moves(throng_grid::Cell((y * width + x) as u32));
                self.dead_ends += u64::from(moves.count_ones() <= 1);
            } else {
                let run = std::mem::take(&mut self.column_run[x]);
                for above in y - run as usize..y {
                    let passage = run.min(u32::from(self.row_run[above * width + x]));
                    self.widths[passage.min(u32::from(MAX_WIDTH)) as usize] += 1;
                }
            }
        }
        self.above = here;
    }

    /// Returns the number of components of free cells less the number of obstacles that they surround.
    fn euler_number(&self, ground: &Ground) -> i64 {
        let count = |kinds: &[usize]| kinds.iter().map(|&kind| self.squares[kind] as i64).sum::<i64>();
        let one = count(&[1, 2, 4, 8]);
        let three = count(&[7, 11, 13, 14]);
        let diagonal = count(&[6, 9]);
        // Diagonal neighbours belong together only if a corner may be cut.
        let joined = !ground.rules().four_way && ground.rules().corners == Corners::Allow;
        (one - three + if joined { -2 * diagonal } else { 2 * diagonal }) / 4
    }

    /// Returns the number of sides between a free and a blocked cell, the outside of the map included.
    fn border(&self) -> u64 {
        let sides = |kind: usize| {
            let [a, b, c, d] = [3, 2, 1, 0].map(|bit| kind >> bit & 1);
            (a ^ b) + (c ^ d) + (a ^ c) + (b ^ d)
        };
        // Every side belongs to two squares.
        (0..16).map(|kind| self.squares[kind] * sides(kind) as u64).sum::<u64>() / 2
    }
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
            width_1: share(counts.widths[1], free),
            width_2: share(counts.widths[2], free),
            width_4: share(counts.widths[3] + counts.widths[4], free),
            dead_ends: share(counts.dead_ends, free),
            articulation_points: share(articulations as u64, free),
            border_length: share(counts.border(), free),
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
