//! What has changed on the map since everyone's fields were last compared with it, by squares of eight by eight cells.
//!
//! Tiles tell by their fingerprints that something in them has changed; hashes of their squares tell where. So an edit is
//! looked at once, square by square in the tiles it touches, and not once for every corridor that leads through them.

use throng_crowd::bytes::{Damaged, Reader, put, put_fixed};
use throng_grid::{Cell, Ground, Pos, TILE};

use super::field::hash_of_moves;

/// Squares in a row or column of a tile.
const ACROSS: i32 = TILE as i32 / 8;

/// What is known of the maps, one a profile.
#[derive(Clone, Debug, Default)]
pub(super) struct Changed {
    maps: Vec<Squares>,
}

/// One map.
#[derive(Clone, Debug, Default)]
struct Squares {
    ground: u64,
    tiles: Vec<u64>,
    hashes: Vec<u64>,
    /// Squares that have changed, a bit each.
    bits: Vec<u64>,
    /// Squares in a row.
    columns: i32,
}

impl Changed {
    /// Takes the maps in. Answers whether any is another than before.
    pub(super) fn on_change(&mut self, grounds: &[Ground]) -> bool {
        let mut changed = self.maps.len() != grounds.len();
        self.maps.resize_with(grounds.len(), Squares::default);
        for (map, ground) in self.maps.iter_mut().zip(grounds) {
            changed |= map.on_change(ground);
        }
        changed
    }

    /// Everything has been compared: nothing counts as changed any more.
    pub(super) fn settle(&mut self) {
        self.maps.iter_mut().for_each(|map| map.bits.fill(0));
    }

    /// Whether a square has changed, by its column and row, on a profile's map.
    #[inline]
    pub(super) fn square(&self, profile: u8, (column, row): (i32, i32)) -> bool {
        let Some(map) = self.maps.get(usize::from(profile)) else { return false };
        if column < 0 || row < 0 || column >= map.columns {
            return false;
        }
        let square = (row * map.columns + column) as usize;
        map.bits.get(square / 64).is_some_and(|bits| bits >> (square % 64) & 1 == 1)
    }

    /// Whether the square that a cell lies in has changed.
    #[inline]
    pub(super) fn cell(&self, profile: u8, ground: &Ground, cell: Cell) -> bool {
        let pos = ground.pos(cell);
        self.square(profile, (pos.x >> 3, pos.y >> 3))
    }

    /// Whether a square has changed that lies within a few steps of a place.
    pub(super) fn near(&self, profile: u8, pos: Pos, steps: i32) -> bool {
        let range = |at: i32| (at - steps) >> 3..=(at + steps) >> 3;
        range(pos.y).any(|row| range(pos.x).any(|column| self.square(profile, (column, row))))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.maps.iter().map(|map| (map.tiles.len() + map.hashes.len() + map.bits.len()) * 8).sum()
    }

    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.maps.len() as u64);
        for map in &self.maps {
            put_fixed(bytes, map.ground);
            put(bytes, map.columns as u64);
            for list in [&map.tiles, &map.hashes, &map.bits] {
                put(bytes, list.len() as u64);
                for &word in list {
                    put_fixed(bytes, word);
                }
            }
        }
    }

    pub(super) fn load(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let what = "what has changed on the map";
        let mut maps = Vec::new();
        for _ in 0..reader.length(what)? {
            let ground = reader.fixed(what)?;
            let columns = reader.number_to(1 << 16, what)? as i32;
            let mut list = || -> Result<Vec<u64>, Damaged> {
                let count = reader.length(what)?;
                (0..count).map(|_| reader.fixed(what)).collect()
            };
            let (tiles, hashes, bits) = (list()?, list()?, list()?);
            maps.push(Squares { ground, tiles, hashes, bits, columns });
        }
        Ok(Self { maps })
    }
}

impl Squares {
    fn on_change(&mut self, ground: &Ground) -> bool {
        if self.ground == ground.fingerprint() && !self.tiles.is_empty() {
            return false;
        }
        self.ground = ground.fingerprint();
        let (width, height) = (ground.size().width(), ground.size().height());
        let tiles = (width.div_ceil(TILE), height.div_ceil(TILE));
        let (count, columns) = ((tiles.0 * tiles.1) as usize, tiles.0 as i32 * ACROSS);
        let squares = count * (ACROSS * ACROSS) as usize;
        let new = self.tiles.len() != count || self.hashes.len() != squares;
        if new {
            *self = Self { ground: self.ground, ..Self::default() };
            self.tiles.resize(count, 0);
            self.hashes.resize(squares, 0);
        }
        self.columns = columns;
        self.bits.resize(squares.div_ceil(64), 0);
        for tile in 0..count {
            let now = ground.tile_fingerprint(tile);
            if std::mem::replace(&mut self.tiles[tile], now) == now && !new {
                continue;
            }
            let at = (tile as i32 % tiles.0 as i32, tile as i32 / tiles.0 as i32);
            // Moves depend on the cells around: a change at a tile's edge is one of the squares beside it, too.
            for row in at.1 * ACROSS - 1..=(at.1 + 1) * ACROSS {
                for column in at.0 * ACROSS - 1..=(at.0 + 1) * ACROSS {
                    self.rehash(ground, (column, row));
                }
            }
        }
        true
    }

    fn rehash(&mut self, ground: &Ground, (column, row): (i32, i32)) {
        if column < 0 || row < 0 || column >= self.columns {
            return;
        }
        let square = (row * self.columns + column) as usize;
        let Some(known) = self.hashes.get_mut(square) else { return };
        let hash = hash_of_moves(ground, u64::MAX, (column * 8, row * 8), 0);
        if std::mem::replace(known, hash) != hash {
            self.bits[square / 64] |= 1 << (square % 64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Area, Grid, MoveRules, Size, Terrain, Tiles};

    fn changed(known: &Changed) -> Vec<(i32, i32)> {
        let all = (0..16).flat_map(|row| (0..16).map(move |column| (column, row)));
        all.filter(|&square| known.square(0, square)).collect()
    }

    #[test]
    fn only_squares_whose_moves_change_count() {
        let tiles = Tiles::filled(Size::new(100, 70).unwrap(), Terrain::Ground);
        let mut grid = Grid::new(tiles, MoveRules::default());
        let mut known = Changed::default();
        assert!(known.on_change(grid.grounds()) && !known.on_change(grid.grounds()));
        known.settle();
        grid.block(Area::rect(Pos::new(10, 10), Pos::new(11, 11)));
        assert!(known.on_change(grid.grounds()));
        assert_eq!(changed(&known), [(1, 1)]);
        // At the corner of four tiles.
        grid.block(Area::rect(Pos::new(32, 32), Pos::new(32, 32)));
        assert!(known.on_change(grid.grounds()));
        assert_eq!(changed(&known), [(1, 1), (3, 3), (4, 3), (3, 4), (4, 4)]);
        assert!(known.near(0, Pos::new(42, 42), 3) && !known.near(0, Pos::new(42, 42), 2));
        let mut bytes = Vec::new();
        known.save(&mut bytes);
        let mut loaded = Changed::load(&mut Reader::new(&bytes)).unwrap();
        assert!(!loaded.on_change(grid.grounds()) && changed(&loaded) == changed(&known));
        known.settle();
        assert!(changed(&known).is_empty());
    }
}
