//! The squares of eight by eight cells that have changed since the fields were last compared with the map.
//!
//! The fingerprint of a tile shows that something in it has changed; hashes of its squares show where. So an edit is
//! located once, and not once for every corridor that leads through its tiles.

use serde::{Deserialize, Serialize};
use throng_crowd::state::le_bytes;
use throng_crowd::{Limits, StateError, Validate};
use throng_grid::{Cell, Ground, Pos, Size, TILE};

use super::field::hash_of_moves;

/// The number of squares per row or column of a tile.
const PER_TILE: i32 = TILE as i32 / 8;

/// The changed squares of the maps of all profiles.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct ChangedSquares {
    maps: Vec<SquareHashes>,
}

/// The squares of one map.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct SquareHashes {
    /// The fingerprint of the whole map.
    #[serde(with = "postcard::fixint::le")]
    fingerprint: u64,
    /// The fingerprints of the tiles.
    #[serde(with = "le_bytes")]
    tiles: Vec<u64>,
    /// The hashes of the squares' moves and costs.
    #[serde(with = "le_bytes")]
    hashes: Vec<u64>,
    /// The squares that have changed, one bit per square.
    #[serde(with = "le_bytes")]
    changed: Vec<u64>,
    /// The number of squares per row.
    columns: i32,
}

/// Returns the number of squares of a map, and of those per row.
fn squares(size: Size) -> (usize, i32) {
    (size.tile_count() * (PER_TILE * PER_TILE) as usize, size.tile_columns() as i32 * PER_TILE)
}

impl ChangedSquares {
    /// Adds the squares that have changed since the last call. Returns true if any map has changed.
    pub(super) fn update(&mut self, grounds: &[Ground]) -> bool {
        let mut changed = self.maps.len() != grounds.len();
        self.maps.resize_with(grounds.len(), SquareHashes::default);
        for (map, ground) in self.maps.iter_mut().zip(grounds) {
            changed |= map.update(ground);
        }
        changed
    }

    /// Forgets all changes, after every field was compared.
    pub(super) fn clear(&mut self) {
        self.maps.iter_mut().for_each(|map| map.changed.fill(0));
    }

    /// Returns true if the square with this column and row has changed on a profile's map.
    #[inline]
    pub(super) fn square(&self, profile: u8, square: (i32, i32)) -> bool {
        let Some(map) = self.maps.get(usize::from(profile)) else { return false };
        let changed = |square: usize| Some(map.changed.get(square / 64)? >> (square % 64) & 1 == 1);
        map.index(square).and_then(changed).unwrap_or(false)
    }

    /// Returns true if the square of a cell has changed.
    #[inline]
    pub(super) fn cell(&self, profile: u8, ground: &Ground, cell: Cell) -> bool {
        let pos = ground.pos(cell);
        self.square(profile, (pos.x >> 3, pos.y >> 3))
    }

    /// Returns true if a square within a number of steps of a position has changed.
    pub(super) fn is_near(&self, profile: u8, pos: Pos, steps: i32) -> bool {
        let range = |at: i32| (at - steps) >> 3..=(at + steps) >> 3;
        range(pos.y).any(|row| range(pos.x).any(|column| self.square(profile, (column, row))))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.maps.iter().map(|map| (map.tiles.len() + map.hashes.len() + map.changed.len()) * 8).sum()
    }
}

impl Validate for ChangedSquares {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { maps } = self;
        limits.at_most(maps.len() as u64, limits.profiles as u64, "the number of profiles")?;
        let (count, per_row) = squares(limits.size);
        for SquareHashes { fingerprint: _, tiles, hashes, changed, columns } in maps {
            let fits = tiles.len() == limits.size.tile_count() && hashes.len() == count;
            let fits = fits && changed.len() == count.div_ceil(64) && *columns == per_row;
            limits.require(fits, "the squares are those of another map")?;
        }
        Ok(())
    }
}

impl SquareHashes {
    fn update(&mut self, ground: &Ground) -> bool {
        if self.fingerprint == ground.fingerprint() && !self.tiles.is_empty() {
            return false;
        }
        self.fingerprint = ground.fingerprint();
        let (size, is_new) = (ground.size(), self.tiles.is_empty());
        let (count, per_row) = squares(size);
        self.tiles.resize(size.tile_count(), 0);
        self.hashes.resize(count, 0);
        self.changed.resize(count.div_ceil(64), 0);
        self.columns = per_row;
        for tile in 0..size.tile_count() {
            let now = ground.tile_fingerprint(tile);
            if std::mem::replace(&mut self.tiles[tile], now) == now && !is_new {
                continue;
            }
            let Pos { x, y } = size.tile_corner(tile);
            // Moves depend on neighbouring cells, so a change at the edge of a tile also affects the squares beside it.
            for row in y / 8 - 1..=y / 8 + PER_TILE {
                for column in x / 8 - 1..=x / 8 + PER_TILE {
                    self.rehash(ground, (column, row));
                }
            }
        }
        true
    }

    /// Returns the index of the square with this column and row; `None` outside the map.
    #[inline]
    fn index(&self, (column, row): (i32, i32)) -> Option<usize> {
        let index = usize::try_from(row * self.columns + column).ok()?;
        (column >= 0 && column < self.columns && index < self.hashes.len()).then_some(index)
    }

    fn rehash(&mut self, ground: &Ground, (column, row): (i32, i32)) {
        let Some(square) = self.index((column, row)) else { return };
        let known = &mut self.hashes[square];
        let hash = hash_of_moves(ground, u64::MAX, (column * 8, row * 8), 0);
        if std::mem::replace(known, hash) != hash {
            self.changed[square / 64] |= 1 << (square % 64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::state::{decode, encode};
    use throng_grid::{Area, Grid, MoveRules, Size, Terrain, Tiles};

    fn changed(known: &ChangedSquares) -> Vec<(i32, i32)> {
        let all = (0..16).flat_map(|row| (0..16).map(move |column| (column, row)));
        all.filter(|&square| known.square(0, square)).collect()
    }

    #[test]
    fn only_squares_whose_moves_change_count() {
        let tiles = Tiles::filled(Size::new(100, 70).unwrap(), Terrain::Ground);
        let mut grid = Grid::new(tiles, MoveRules::default());
        let mut known = ChangedSquares::default();
        assert!(known.update(grid.grounds()) && !known.update(grid.grounds()));
        known.clear();
        grid.block(Area::rect(Pos::new(10, 10), Pos::new(11, 11)));
        assert!(known.update(grid.grounds()));
        assert_eq!(changed(&known), [(1, 1)]);
        // At the corner of four tiles.
        grid.block(Area::rect(Pos::new(32, 32), Pos::new(32, 32)));
        assert!(known.update(grid.grounds()));
        assert_eq!(changed(&known), [(1, 1), (3, 3), (4, 3), (3, 4), (4, 4)]);
        assert!(known.is_near(0, Pos::new(42, 42), 3) && !known.is_near(0, Pos::new(42, 42), 2));
        let mut bytes = Vec::new();
        encode(&known, &mut bytes);
        let mut loaded: ChangedSquares = decode(&bytes, &Limits::new(&grid, 0, 0)).unwrap();
        assert!(!loaded.update(grid.grounds()) && changed(&loaded) == changed(&known));
        known.clear();
        assert!(changed(&known).is_empty());
    }
}
