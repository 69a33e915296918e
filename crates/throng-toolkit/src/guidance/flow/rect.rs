//! Rectangles of cells and the map tiles that they overlap.

use throng_grid::{Pos, Size, TILE};

/// A rectangle of cells. `right` and `bottom` are exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellRect {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

impl CellRect {
    /// Returns the rectangle of a tile.
    pub(super) fn tile(size: Size, tile: usize) -> Self {
        let (Pos { x: left, y: top }, side) = (size.tile_corner(tile), TILE as i32);
        Self { left, top, right: left + side, bottom: top + side }.around(size, 0)
    }

    /// Returns the rectangle enlarged by a margin and clipped to the map.
    pub(super) fn around(self, size: Size, margin: i32) -> Self {
        Self {
            left: (self.left - margin).max(0),
            top: (self.top - margin).max(0),
            right: (self.right + margin).min(size.width() as i32),
            bottom: (self.bottom + margin).min(size.height() as i32),
        }
    }

    pub(super) const fn width(self) -> usize {
        (self.right - self.left) as usize
    }

    pub(super) const fn area(self) -> usize {
        self.width() * (self.bottom - self.top) as usize
    }

    pub(super) const fn contains(self, pos: Pos) -> bool {
        self.left <= pos.x && pos.x < self.right && self.top <= pos.y && pos.y < self.bottom
    }

    pub(super) const fn overlaps(self, other: Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Returns the rows as ranges of cell numbers, from top to bottom.
    pub(super) fn rows(self, size: Size) -> impl Iterator<Item = std::ops::Range<usize>> {
        (self.top..self.bottom).map(move |y| {
            let start = y as usize * size.width() as usize + self.left as usize;
            start..start + self.width()
        })
    }

    /// Returns the numbers of the tiles that overlap the rectangle.
    pub(super) fn tiles(self, size: Size) -> impl Iterator<Item = usize> {
        let (columns, side) = (size.tile_columns() as usize, TILE as usize);
        let (left, right) = (self.left as usize / side, (self.right as usize).div_ceil(side));
        let (top, bottom) = (self.top as usize / side, (self.bottom as usize).div_ceil(side));
        (top..bottom).flat_map(move |row| (left..right).map(move |column| row * columns + column))
    }
}
