//! Which tiles of the map a search has looked at, and what they were like: so it survives edits elsewhere.
//!
//! A search learns about the map only by expanding cells, and what it then reads (which moves are legal, what they
//! cost) depends on the cell and the eight around it. So the tiles of all these decide everything that it has done.
//! As long as their fingerprints are the same, the same search begun on the map as it is now would have come to
//! exactly the same state after as many expansions: whatever it promises, such as closed costs that are exact, holds on
//! the map as it is now, and it may go on there. That a way has opened through a tile it never looked at does not
//! matter: it would lead through an open node first, and is found when that one's turn comes.

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Ground, MoveRules, Profile, Size, TILE};

use crate::best_first::Probe;
use crate::node_store::Node;

/// The tiles that a search has looked at, a bit each, and a hash of their fingerprints.
///
/// Serialized as the hash and the words of the tile set. A deserialized value knows neither size nor rules of its map:
/// it must be compared with a ground of the same kind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TouchedTiles {
    /// The fingerprints of the tiles, all together.
    hash: u64,
    tiles: Vec<u64>,
    /// What else a ground is known by, besides its cells.
    #[serde(skip)]
    kind: Option<(Size, MoveRules, Profile)>,
    /// The fingerprint of a ground on which they were last found unchanged.
    #[serde(skip)]
    seen: Option<u64>,
}

impl TouchedTiles {
    /// Nothing has been looked at yet; a search of this ground begins.
    pub fn begin(&mut self, ground: &Ground) {
        let size = ground.size();
        let tiles = columns(size) * size.height().div_ceil(TILE);
        self.kind = Some(kind(ground));
        self.tiles.clear();
        self.tiles.resize(tiles.div_ceil(64) as usize, 0);
        (self.hash, self.seen) = (0, Some(ground.fingerprint()));
    }

    /// What was looked at as [`TouchedTiles::tiles`] and [`TouchedTiles::hash`] told it, to be compared with a ground of the
    /// same kind.
    pub fn restored(tiles: Vec<u64>, hash: u64) -> Self {
        Self { kind: None, tiles, hash, seen: None }
    }

    /// The tiles looked at, a bit each in row order.
    pub fn tiles(&self) -> &[u64] {
        &self.tiles
    }

    /// The fingerprints of these tiles, all together.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether none of the tiles has changed. `fingerprint` is that of a tile, and a function of the ground alone.
    /// To be asked before a search goes on after an edit.
    pub fn is_current(&mut self, ground: &Ground, fingerprint: impl Fn(usize) -> u64) -> bool {
        if self.kind.is_some_and(|known| known != kind(ground)) {
            return false;
        }
        if self.seen == Some(ground.fingerprint()) {
            return true;
        }
        let size = ground.size();
        let count = (columns(size) * size.height().div_ceil(TILE)) as usize;
        if self.tiles.len() != count.div_ceil(64) {
            return false;
        }
        let mut hash = 0;
        for (word, &bits) in self.tiles.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let tile = word * 64 + bits.trailing_zeros() as usize;
                if tile >= count {
                    return false;
                }
                hash ^= fingerprint(tile);
                bits &= bits - 1;
            }
        }
        if hash == self.hash {
            self.seen = Some(ground.fingerprint());
        }
        hash == self.hash
    }

    /// Whether [`TouchedTiles::is_current`] has said so of this ground already, or the search began there.
    pub fn is_known_current(&self, ground: &Ground) -> bool {
        self.kind.is_none_or(|known| known == kind(ground)) && self.seen == Some(ground.fingerprint())
    }

    /// Takes the tiles as they are now, for who has found that what it depends on in them has not changed.
    pub fn rehash(&mut self, ground: &Ground, fingerprint: impl Fn(usize) -> u64) {
        let size = ground.size();
        let count = (columns(size) * size.height().div_ceil(TILE)) as usize;
        let is_set =
            |&tile: &usize| self.tiles.get(tile / 64).is_some_and(|bits| bits >> (tile % 64) & 1 == 1);
        self.hash = (0..count).filter(is_set).fold(0, |hash, tile| hash ^ fingerprint(tile));
        self.seen = Some(ground.fingerprint());
    }

    /// Notes that a search looks at a cell and at those around it.
    #[inline]
    pub fn record(&mut self, size: Size, cell: Cell, fingerprint: impl Fn(usize) -> u64) {
        let pos = size.pos(cell);
        let (x, y, columns) = (pos.x as u32, pos.y as u32, columns(size));
        let inside = |at: u32| (1..TILE - 1).contains(&(at % TILE));
        if inside(x) && inside(y) {
            return self.note((y / TILE * columns + x / TILE) as usize, fingerprint);
        }
        for row in y.saturating_sub(1) / TILE..=(y + 1).min(size.height() - 1) / TILE {
            for column in x.saturating_sub(1) / TILE..=(x + 1).min(size.width() - 1) / TILE {
                self.note((row * columns + column) as usize, &fingerprint);
            }
        }
    }

    #[inline]
    fn note(&mut self, tile: usize, fingerprint: impl Fn(usize) -> u64) {
        let bit = 1 << (tile % 64);
        if self.tiles[tile / 64] & bit == 0 {
            self.tiles[tile / 64] |= bit;
            self.hash ^= fingerprint(tile);
        }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.tiles.capacity() * size_of::<u64>()
    }
}

/// Notes what a search over the cells of a grid looks at while it runs.
#[derive(Debug)]
pub struct TouchProbe<'a, F> {
    /// What has been looked at so far.
    pub touched: &'a mut TouchedTiles,
    /// The grid's size.
    pub size: Size,
    /// The fingerprint of a tile, as for [`TouchedTiles::is_current`].
    pub fingerprint: F,
}

impl<F: Fn(usize) -> u64> Probe for TouchProbe<'_, F> {
    #[inline]
    fn expanded(&mut self, node: u32, _: Node) {
        self.touched.record(self.size, Cell(node), &self.fingerprint);
    }
}

fn columns(size: Size) -> u32 {
    size.width().div_ceil(TILE)
}

fn kind(ground: &Ground) -> (Size, MoveRules, Profile) {
    (ground.size(), ground.rules(), ground.profile())
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Grid, Pos, Terrain, Tiles};

    fn grid() -> Grid {
        Grid::new(Tiles::filled(Size::new(100, 70).unwrap(), Terrain::Ground), MoveRules::default())
    }

    #[test]
    fn a_cell_at_a_tiles_edge_touches_the_tiles_beside_it() {
        let grid = grid();
        let ground = grid.ground();
        for (x, y, expected) in [
            (40, 40, vec![5]),
            (31, 10, vec![0, 1]),
            (32, 32, vec![0, 1, 4, 5]),
            (0, 0, vec![0]),
            (99, 69, vec![11]),
            (95, 20, vec![2, 3]),
        ] {
            let mut touched = TouchedTiles::default();
            touched.begin(ground);
            let cell = grid.cell(Pos::new(x, y)).unwrap();
            touched.record(grid.size(), cell, |tile| ground.tile_fingerprint(tile));
            let tiles: Vec<usize> = (0..12).filter(|tile| touched.tiles()[0] >> tile & 1 == 1).collect();
            assert_eq!(tiles, expected, "({x}, {y})");
        }
    }

    #[test]
    fn only_edits_of_touched_tiles_matter_and_they_can_be_taken_back() {
        let mut grid = grid();
        let mut touched = TouchedTiles::default();
        touched.begin(grid.ground());
        let middle = grid.cell(Pos::new(40, 40)).unwrap();
        touched.record(grid.size(), middle, |tile| grid.ground().tile_fingerprint(tile));
        let current = |touched: &mut TouchedTiles, grid: &Grid| {
            touched.is_current(grid.ground(), |tile| grid.ground().tile_fingerprint(tile))
        };
        let mut restored = TouchedTiles::restored(touched.tiles().to_vec(), touched.hash());
        for touched in [&mut touched, &mut restored] {
            assert!(current(touched, &grid));
            grid.block(Pos::new(10, 40));
            assert!(current(touched, &grid));
            grid.block(Pos::new(63, 63));
            assert!(!current(touched, &grid));
            grid.unblock(Pos::new(63, 63));
            assert!(current(touched, &grid));
        }
        let other = Grid::new(grid.tiles().clone(), MoveRules::FOUR_WAY);
        assert!(!current(&mut touched, &other), "other rules");
    }
}
