//! Tiles: square blocks of cells that have their own revision and fingerprint, numbered in row order.

use crate::{Pos, Size};

/// Side of a tile, in cells. Smaller tiles keep more cached results after an edit and cost more memory and comparisons.
pub const TILE: u32 = 32;

impl Size {
    /// Returns the number of tiles per row of tiles. Tiles at the right and lower edge may be incomplete.
    #[inline]
    pub const fn tile_columns(self) -> u32 {
        self.width().div_ceil(TILE)
    }

    /// Returns the number of tiles.
    #[inline]
    pub const fn tile_count(self) -> usize {
        self.tile_columns() as usize * self.height().div_ceil(TILE) as usize
    }

    /// Returns the number of the tile that contains a position inside the map.
    #[inline]
    pub const fn tile_at(self, pos: Pos) -> usize {
        (pos.y as u32 / TILE).wrapping_mul(self.tile_columns()).wrapping_add(pos.x as u32 / TILE) as usize
    }

    /// Returns the upper left position of a tile.
    pub const fn tile_corner(self, tile: usize) -> Pos {
        let (tile, columns) = (tile as u32, self.tile_columns());
        Pos::new((tile % columns * TILE) as i32, (tile / columns * TILE) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_numbered_in_row_order() {
        let size = Size::new(65, 33).unwrap();
        assert_eq!((size.tile_columns(), size.tile_count()), (3, 6));
        for tile in 0..6 {
            let corner = size.tile_corner(tile);
            assert_eq!(size.tile_at(corner), tile);
            let last = Pos::new((corner.x + 31).min(64), (corner.y + 31).min(32));
            assert_eq!(size.tile_at(last), tile);
        }
    }
}
