//! The cell nearest to a position, by Euclidean distance: among the cells of a connected component, or among the cells
//! that pass a test.
//!
//! The cells of a component are kept as a bitmap by row. A query looks at the rows around the position, nearest row
//! first, and in each row at whole words of 64 cells to the left and to the right, until no farther row can hold a
//! nearer cell. A test of cells one by one needs square rings around the position, which are scanned outwards.

use crate::bits::runs;
use crate::{Cell, Ground, Pos, Size};

/// The cells of one connected component of a ground, for queries after the nearest of them. It is valid until the
/// ground changes.
#[derive(Clone, Debug)]
pub struct ComponentCells {
    size: Size,
    /// The first row with a cell of the component.
    top: i32,
    /// The number of a row's first word in [`ComponentCells::words`]: words left of the component are left out.
    first_word: i32,
    /// Words per row.
    stride: usize,
    /// One bit per cell, rows from `top` on.
    words: Vec<u64>,
}

impl ComponentCells {
    /// Returns the cell of the component nearest to a position on the map, by Euclidean distance. Ties go to the lowest
    /// cell number. Returns `None` for a component without cells.
    ///
    /// # Panics
    /// If the position is outside the map.
    pub fn nearest(&self, to: Pos) -> Option<Cell> {
        assert!(self.size.contains(to), "{to} is outside the map");
        let rows = self.words.chunks_exact(self.stride.max(1)).len() as i32;
        let row = |y: i32| &self.words[(y - self.top) as usize * self.stride..][..self.stride];
        let lines = (self.top, self.top + rows - 1);
        self.size.cell(nearest_bit(to, lines, self.first_word, row, |_| true)?)
    }
}

/// Returns the position of the set bit nearest to a position that passes a test, given the first and the last row with bits,
/// and the number of a row's first word. Ties go to the lowest cell number.
fn nearest_bit<'a>(
    to: Pos,
    (top, bottom): (i32, i32),
    first_word: i32,
    row: impl Fn(i32) -> &'a [u64],
    test: impl Fn(Pos) -> bool,
) -> Option<Pos> {
    let mut best = Best { square: u64::MAX, pos: Pos::new(-1, -1) };
    // The distance of the nearest row, and of the farthest row.
    let first = (top - to.y).max(to.y - bottom).max(0);
    let last = (bottom - to.y).max(to.y - top);
    for distance in first..=last {
        if square(distance) > best.square {
            break;
        }
        for y in [to.y - distance, to.y + distance] {
            if (top..=bottom).contains(&y) {
                search_row(row(y), (first_word, y), to, &mut best, &test);
            }
        }
    }
    (best.square < u64::MAX).then_some(best.pos)
}

/// Looks for a nearer bit in one row, word by word outwards on both sides.
fn search_row(
    row: &[u64],
    (first_word, y): (i32, i32),
    to: Pos,
    best: &mut Best,
    test: &impl Fn(Pos) -> bool,
) {
    let up = square(y - to.y);
    // The column of `to` relative to the first stored word.
    let x = to.x - first_word * 64;
    let position = |word: usize, bit: u32| Pos::new((first_word + word as i32) * 64 + bit as i32, y);
    let within = |gap: i32, best: &Best| up + square(gap) <= best.square;
    let here = x.div_euclid(64);
    'left: for word in (0..=here.min(row.len() as i32 - 1)).rev() {
        let mask = if word == here { u64::MAX >> (63 - x.rem_euclid(64)) } else { u64::MAX };
        let mut bits = row[word as usize] & mask;
        while bits != 0 {
            let pos = position(word as usize, bits.ilog2());
            if test(pos) {
                best.offer(to, pos);
                break 'left;
            }
            bits &= !(1 << bits.ilog2());
        }
        if !within(x - word * 64 + 1, best) {
            break;
        }
    }
    'right: for word in here.max(0)..row.len() as i32 {
        let mask = if word == here { u64::MAX << x.rem_euclid(64) } else { u64::MAX };
        let mut bits = row[word as usize] & mask;
        while bits != 0 {
            let pos = position(word as usize, bits.trailing_zeros());
            if test(pos) {
                best.offer(to, pos);
                break 'right;
            }
            bits &= bits - 1;
        }
        if !within(word * 64 + 64 - x, best) {
            break;
        }
    }
}

const fn square(difference: i32) -> u64 {
    let difference = difference.unsigned_abs() as u64;
    difference * difference
}

/// The nearest cell so far.
struct Best {
    /// The square of its distance.
    square: u64,
    pos: Pos,
}

impl Best {
    fn offer(&mut self, to: Pos, pos: Pos) {
        let sum = square(pos.x - to.x) + square(pos.y - to.y);
        if (sum, pos.y, pos.x) < (self.square, self.pos.y, self.pos.x) {
            *self = Self { square: sum, pos };
        }
    }
}

impl Ground {
    /// Returns the cells of a connected component, numbered as in [`Ground::components`].
    pub fn component_cells(&self, label: u32) -> ComponentCells {
        let components = self.components();
        let is_inside = |x: i32, y: i32| {
            self.cell(Pos::new(x, y)).and_then(|cell| components.label(self, cell)) == Some(label)
        };
        let rows = self.rows();
        let inside = |y: u32| runs(rows.row(y)).filter(move |&(first, _)| is_inside(first, y as i32));
        let (mut top, mut bottom, mut left, mut right) = (i32::MAX, -1, i32::MAX, -1);
        for y in 0..rows.height() {
            for (first, end) in inside(y) {
                (top, bottom) = (top.min(y as i32), y as i32);
                (left, right) = (left.min(first), right.max(end - 1));
            }
        }
        if bottom < 0 {
            return ComponentCells { size: self.size, top: 0, first_word: 0, stride: 0, words: Vec::new() };
        }
        let (first_word, stride) = (left / 64, (right / 64 - left / 64 + 1) as usize);
        let mut words = vec![0; stride * (bottom - top + 1) as usize];
        for (row, y) in words.chunks_exact_mut(stride).zip(top..=bottom) {
            for (first, end) in inside(y as u32) {
                set_bits(row, first - first_word * 64, end - first_word * 64);
            }
        }
        ComponentCells { size: self.size, top, first_word, stride, words }
    }

    /// Returns the cell nearest to `to`, by Euclidean distance, among the cells reachable from `from`. Ties go to the
    /// lowest cell number. Returns `None` if `from` is blocked.
    ///
    /// For many queries in one component, keep its [`Ground::component_cells`].
    pub fn nearest_reachable(&self, from: Cell, to: Pos) -> Option<Cell> {
        let components = self.components();
        let label = components.label(self, from)?;
        if self.size.contains(to) {
            return self.component_cells(label).nearest(to);
        }
        self.nearest_where(to, |cell| components.label(self, cell) == Some(label))
    }

    /// Returns the free cell nearest to `to`, by Euclidean distance, that passes a test, in any component. Ties go to the lowest
    /// cell number. Cells that are not free are skipped 64 at a time.
    pub fn nearest_free(&self, to: Pos, test: impl Fn(Cell) -> bool) -> Option<Cell> {
        if !self.size.contains(to) {
            return self.nearest_where(to, |cell| self.is_free(cell) && test(cell));
        }
        let lines = (0, self.size.height() as i32 - 1);
        let passes = |pos: Pos| self.size.cell(pos).is_some_and(&test);
        self.size.cell(nearest_bit(to, lines, 0, |y| self.rows.row(y as u32), passes)?)
    }

    /// Returns the cell nearest to `to`, by Euclidean distance, among all cells of the map that pass a test, blocked
    /// cells and other components included. Ties go to the lowest cell number.
    pub fn nearest_where(&self, to: Pos, test: impl Fn(Cell) -> bool) -> Option<Cell> {
        let (width, height) = (self.size.width() as i32, self.size.height() as i32);
        // Rings are centred on the cell nearest to `to`, which may lie outside the map.
        let center = Pos::new(to.x.clamp(0, width - 1), to.y.clamp(0, height - 1));
        let difference = |a: i32, b: i32| i128::from(a.abs_diff(b));
        let (dx, dy) = (difference(to.x, center.x), difference(to.y, center.y));
        let mut best: Option<(i128, Cell)> = None;
        for radius in 0..width.max(height) {
            for cell in ring(self.size, center, radius).filter(|&cell| test(cell)) {
                let pos = self.pos(cell);
                let found = (difference(pos.x, to.x).pow(2) + difference(pos.y, to.y).pow(2), cell);
                best = Some(best.map_or(found, |known| known.min(found)));
            }
            // A lower bound on the squared distances in the next ring: one axis differs by its radius.
            let next = i128::from(radius) + 1;
            let bound = ((dx + next).pow(2) + dy.pow(2)).min(dx.pow(2) + (dy + next).pow(2));
            if best.is_some_and(|(distance, _)| bound > distance) {
                break;
            }
        }
        best.map(|(_, cell)| cell)
    }
}

/// Returns the cells of a map at one Chebyshev distance from a centre.
fn ring(size: Size, center: Pos, radius: i32) -> impl Iterator<Item = Cell> {
    let columns = (center.x - radius).max(0)..=(center.x + radius).min(size.width() as i32 - 1);
    let rows = (center.y - radius + 1).max(0)..=(center.y + radius - 1).min(size.height() as i32 - 1);
    let horizontal =
        columns.flat_map(move |x| [center.y - radius, center.y + radius].map(|y| Pos::new(x, y)));
    let vertical = rows.flat_map(move |y| [center.x - radius, center.x + radius].map(|x| Pos::new(x, y)));
    horizontal.chain(vertical).filter_map(move |pos| size.cell(pos))
}

/// Sets the bits of the columns `first..end` of a row.
fn set_bits(row: &mut [u64], first: i32, end: i32) {
    for (word, bits) in
        (0..).zip(row).skip(first as usize / 64).take((end - 1) as usize / 64 - first as usize / 64 + 1)
    {
        let start = word * 64;
        *bits |= u64::MAX << (first - start).max(0) & u64::MAX >> (start + 64 - end).max(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_tiles;
    use crate::{Corners, Grid, MoveRules};

    #[test]
    fn the_nearest_cell_of_each_component_matches_the_ring_scan() {
        for seed in 0..60_u64 {
            let (width, height) = (1 + seed as u32 * 37 % 201, 1 + seed as u32 * 29 % 67);
            let rules =
                if seed % 3 == 0 { MoveRules::FOUR_WAY } else { MoveRules::eight_way(Corners::Allow) };
            let grid = Grid::new(random_tiles(width, height, 25 + seed as u32 % 60, seed), rules);
            let (ground, components) = (grid.ground(), grid.ground().components());
            for label in (0..components.count() as u32).step_by(1 + components.count() / 3) {
                let cells = ground.component_cells(label);
                for to in ground.size().cells().step_by(7 + seed as usize % 11) {
                    let expect = ground
                        .nearest_where(ground.pos(to), |cell| components.label(ground, cell) == Some(label));
                    assert_eq!(
                        cells.nearest(ground.pos(to)),
                        expect,
                        "seed {seed}, component {label}, to {to:?}"
                    );
                }
            }
            assert_eq!(ground.component_cells(components.count() as u32).nearest(Pos::new(0, 0)), None);
        }
    }

    #[test]
    fn the_nearest_free_cell_matches_the_ring_scan() {
        for seed in 0..40_u64 {
            let (width, height) = (1 + seed as u32 * 41 % 203, 1 + seed as u32 * 23 % 59);
            let grid =
                Grid::new(random_tiles(width, height, 10 + seed as u32 * 7 % 90, seed), MoveRules::default());
            let ground = grid.ground();
            for tested in [1, 3, 97] {
                let test = |cell: Cell| cell.0.is_multiple_of(tested);
                let outside =
                    [Pos::new(-3, 5), Pos::new(width as i32, height as i32), Pos::new(i32::MIN, i32::MAX)];
                let inside =
                    ground.size().cells().step_by(5 + seed as usize % 7).map(|cell| ground.pos(cell));
                for to in inside.chain(outside) {
                    let expect = ground.nearest_where(to, |cell| ground.is_free(cell) && test(cell));
                    assert_eq!(ground.nearest_free(to, test), expect, "seed {seed}, to {to}, {tested}");
                }
            }
        }
    }
}
