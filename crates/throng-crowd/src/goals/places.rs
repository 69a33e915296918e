//! The places of cells in a list: a table from cells to indices that takes memory only where the list has cells.
//!
//! The map is divided into square tiles. A tile gets a page with one entry per cell when its first cell is set.

use throng_grid::{Cell, Size};

/// The side of a tile, as a power of two.
const SHIFT: u32 = 4;
/// The cells of a tile.
const TILE_CELLS: usize = 1 << (2 * SHIFT);
/// The entry of a cell that is not in the list.
const NOWHERE: u32 = u32::MAX;

/// The index of each cell of a list.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    width: u32,
    /// The number of tiles in a row of tiles.
    columns: u32,
    /// The page of each tile.
    tiles: Vec<u32>,
    pages: Vec<[u32; TILE_CELLS]>,
}

impl Places {
    /// Returns a table with memory for this many tiles.
    pub(super) fn with_capacity(pages: usize) -> Self {
        Self { pages: Vec::with_capacity(pages), ..Self::default() }
    }

    /// Empties the table, for a map of this size.
    pub(super) fn restart(&mut self, size: Size) {
        self.width = size.width();
        self.columns = size.width().div_ceil(1 << SHIFT);
        let tiles = self.columns as usize * size.height().div_ceil(1 << SHIFT) as usize;
        self.tiles.clear();
        self.tiles.resize(tiles, NOWHERE);
        self.pages.clear();
    }

    /// Returns the tile of a cell and the place of the cell in it.
    fn entry(&self, cell: Cell) -> (usize, usize) {
        let (x, y) = (cell.0 % self.width, cell.0 / self.width);
        let tile = (y >> SHIFT) * self.columns + (x >> SHIFT);
        let mask = (1 << SHIFT) - 1;
        (tile as usize, ((y & mask) << SHIFT | (x & mask)) as usize)
    }

    /// Returns the index of a cell, `None` if it is not in the list.
    #[inline]
    pub(super) fn index(&self, cell: Cell) -> Option<usize> {
        let (tile, place) = self.entry(cell);
        let page = self.pages.get(self.tiles[tile] as usize)?;
        (page[place] != NOWHERE).then_some(page[place] as usize)
    }

    /// Sets the index of a cell.
    pub(super) fn set(&mut self, cell: Cell, index: usize) {
        let (tile, place) = self.entry(cell);
        if self.tiles[tile] == NOWHERE {
            self.tiles[tile] = self.pages.len() as u32;
            self.pages.push([NOWHERE; TILE_CELLS]);
        }
        self.pages[self.tiles[tile] as usize][place] = index as u32;
    }
}
