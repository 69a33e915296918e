//! Rectangles of cells, and which of the map's tiles they have to do with.

use throng_grid::{Pos, Size, TILE};

/// A rectangle of cells: columns from `left` and rows from `top` on, up to `right` and `low`, which are outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) low: i32,
}

impl Part {
    /// A tile of a map.
    pub(super) fn tile(size: Size, tile: usize) -> Self {
        let (Pos { x: left, y: top }, side) = (size.tile_corner(tile), TILE as i32);
        Self { left, top, right: left + side, low: top + side }.around(size, 0)
    }

    /// It and so many cells around it, as far as they are on the map.
    pub(super) fn around(self, size: Size, by: i32) -> Self {
        Self {
            left: (self.left - by).max(0),
            top: (self.top - by).max(0),
            right: (self.right + by).min(size.width() as i32),
            low: (self.low + by).min(size.height() as i32),
        }
    }

    pub(super) const fn width(self) -> usize {
        (self.right - self.left) as usize
    }

    pub(super) const fn area(self) -> usize {
        self.width() * (self.low - self.top) as usize
    }

    pub(super) const fn contains(self, pos: Pos) -> bool {
        self.left <= pos.x && pos.x < self.right && self.top <= pos.y && pos.y < self.low
    }

    pub(super) const fn meets(self, other: Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.low && other.top < self.low
    }

    /// The rows of a map as ranges of cells, from top to bottom.
    pub(super) fn rows(self, size: Size) -> impl Iterator<Item = std::ops::Range<usize>> {
        (self.top..self.low).map(move |y| {
            let start = y as usize * size.width() as usize + self.left as usize;
            start..start + self.width()
        })
    }

    /// The numbers of the tiles that it has cells of.
    pub(super) fn tiles(self, size: Size) -> impl Iterator<Item = usize> {
        let (columns, side) = (size.tile_columns() as usize, TILE as usize);
        let (left, right) = (self.left as usize / side, (self.right as usize).div_ceil(side));
        let (top, low) = (self.top as usize / side, (self.low as usize).div_ceil(side));
        (top..low).flat_map(move |row| (left..right).map(move |column| row * columns + column))
    }
}
