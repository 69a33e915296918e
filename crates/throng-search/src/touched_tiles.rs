//! The tiles of the map that a search has read: a paused search stays valid until one of them changes.
//!
//! A search reads the map only by expanding cells: the legal moves and their costs, which depend on the cell and its
//! eight neighbours. So the tiles of these cells determine the state of the search. As long as their fingerprints are
//! unchanged, the same search started on the current map would reach the same state after the same number of
//! expansions. Its guarantees, such as exact costs of closed nodes, therefore hold on the current map, and it may be
//! resumed there. A path that has opened through an unread tile does not matter: it leads through a node of the open
//! list, and the search finds it when that node is expanded.

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Ground, MoveRules, Profile, Size, TILE};

use crate::best_first::Probe;
use crate::node_store::Node;

/// The set of tiles that a search has read, one bit per tile, and a hash of their fingerprints.
///
/// Serialized as the hash and the words of the tile set. A deserialized value has neither the map's size nor its rules:
/// the caller must use it with a ground of the same size, rules and profile.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TouchedTiles {
    /// The fingerprints of the tiles, combined by exclusive or.
    hash: u64,
    /// One bit per tile in row order.
    tiles: Vec<u64>,
    /// Kind of the ground; `None` after deserialization.
    #[serde(skip)]
    kind: Option<GroundKind>,
    /// Fingerprint of the ground on which the tiles were last found unchanged.
    #[serde(skip)]
    verified: Option<u64>,
}

impl TouchedTiles {
    /// Starts the record of a new search of a ground: no tile has been read.
    pub fn begin(&mut self, ground: &Ground) {
        self.kind = Some(ground_kind(ground));
        self.tiles.clear();
        self.tiles.resize(ground.size().tile_count().div_ceil(64), 0);
        (self.hash, self.verified) = (kind_hash(ground), Some(ground.fingerprint()));
    }

    /// Returns the tiles read, one bit per tile in row order.
    pub fn tiles(&self) -> &[u64] {
        &self.tiles
    }

    /// Returns true if none of the tiles has changed. `fingerprint` returns the fingerprint of a tile and must depend
    /// on the ground alone. Must be called before a search is resumed after an edit.
    pub fn is_current(&mut self, ground: &Ground, fingerprint: impl Fn(usize) -> u64) -> bool {
        if self.kind.is_some_and(|known| known != ground_kind(ground)) {
            return false;
        }
        if self.verified == Some(ground.fingerprint()) {
            return true;
        }
        let is_current = self.combined(ground, fingerprint) == Some(self.hash);
        if is_current {
            self.verified = Some(ground.fingerprint());
        }
        is_current
    }

    /// Returns the combined fingerprints of the current tiles; `None` if the map has other tiles.
    fn combined(&self, ground: &Ground, fingerprint: impl Fn(usize) -> u64) -> Option<u64> {
        let count = ground.size().tile_count();
        if self.tiles.len() != count.div_ceil(64) {
            return None;
        }
        let mut hash = kind_hash(ground);
        for (word, &bits) in self.tiles.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let tile = word * 64 + bits.trailing_zeros() as usize;
                if tile >= count {
                    return None;
                }
                hash ^= fingerprint(tile);
                bits &= bits - 1;
            }
        }
        Some(hash)
    }

    /// Returns true if [`TouchedTiles::is_current`] has already returned true for this ground, or the search began
    /// there.
    pub fn is_known_current(&self, ground: &Ground) -> bool {
        self.kind.is_none_or(|known| known == ground_kind(ground))
            && self.verified == Some(ground.fingerprint())
    }

    /// Replaces the hash by that of the current tiles. For callers that have verified in another way that the search
    /// does not depend on the changes.
    pub fn rehash(&mut self, ground: &Ground, fingerprint: impl Fn(usize) -> u64) {
        if let Some(hash) = self.combined(ground, fingerprint) {
            (self.hash, self.verified) = (hash, Some(ground.fingerprint()));
        }
    }

    /// Records that a search reads a cell and its neighbours.
    #[inline]
    pub fn record(&mut self, size: Size, cell: Cell, fingerprint: impl Fn(usize) -> u64) {
        let pos = size.pos(cell);
        let (x, y, columns) = (pos.x as u32, pos.y as u32, size.tile_columns());
        let inside = |at: u32| (1..TILE - 1).contains(&(at % TILE));
        if inside(x) && inside(y) {
            return self.add(size.tile_at(pos), fingerprint);
        }
        for row in y.saturating_sub(1) / TILE..=(y + 1).min(size.height() - 1) / TILE {
            for column in x.saturating_sub(1) / TILE..=(x + 1).min(size.width() - 1) / TILE {
                self.add((row * columns + column) as usize, &fingerprint);
            }
        }
    }

    #[inline]
    fn add(&mut self, tile: usize, fingerprint: impl Fn(usize) -> u64) {
        let bit = 1 << (tile % 64);
        if self.tiles[tile / 64] & bit == 0 {
            self.tiles[tile / 64] |= bit;
            self.hash ^= fingerprint(tile);
        }
    }

    /// Returns the bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.tiles.capacity() * size_of::<u64>()
    }
}

/// Records the tiles that a search over the cells of a grid reads while it runs.
#[derive(Debug)]
pub struct TouchProbe<'a, F> {
    /// The tiles read so far.
    pub touched: &'a mut TouchedTiles,
    /// The grid's size.
    pub size: Size,
    /// Returns the fingerprint of a tile, as for [`TouchedTiles::is_current`].
    pub fingerprint: F,
}

impl<F: Fn(usize) -> u64> Probe for TouchProbe<'_, F> {
    #[inline]
    fn expanded(&mut self, node: u32, _: Node) {
        self.touched.record(self.size, Cell(node), &self.fingerprint);
    }
}

/// Size, rules and profile of a ground, and its highest multiplier. Cached results are never valid for another kind of
/// ground.
pub(crate) type GroundKind = (Size, MoveRules, Profile, u8);

pub(crate) fn ground_kind(ground: &Ground) -> GroundKind {
    (ground.size(), ground.rules(), ground.profile(), ground.max_halves())
}

/// Returns what the hash of touched tiles begins with. Searches prune moves and scale keys by whether all cells cost the
/// same and by the highest multiplier, so a search that began before the first cost overlay ends with it, wherever that
/// is.
fn kind_hash(ground: &Ground) -> u64 {
    let is_uniform = ground.is_uniform();
    if ground.max_halves() == ground.profile().max_halves() && is_uniform == ground.profile().is_uniform() {
        return 0;
    }
    throng_grid::hash::splitmix64(u64::from(ground.max_halves()) << 1 | u64::from(is_uniform))
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Grid, Pos, Terrain, Tiles};

    fn grid() -> Grid {
        Grid::new(Tiles::filled(Size::new(100, 70).unwrap(), Terrain::Ground), MoveRules::default())
    }

    #[test]
    fn a_cell_at_the_edge_of_a_tile_also_touches_the_next_tiles() {
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
    fn only_edits_of_touched_tiles_matter_and_reverting_them_makes_the_search_current_again() {
        let mut grid = grid();
        let mut touched = TouchedTiles::default();
        touched.begin(grid.ground());
        let middle = grid.cell(Pos::new(40, 40)).unwrap();
        touched.record(grid.size(), middle, |tile| grid.ground().tile_fingerprint(tile));
        let current = |touched: &mut TouchedTiles, grid: &Grid| {
            touched.is_current(grid.ground(), |tile| grid.ground().tile_fingerprint(tile))
        };
        let mut restored = TouchedTiles { kind: None, verified: None, ..touched.clone() };
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
