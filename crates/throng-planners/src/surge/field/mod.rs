//! A corridor field: exact distances to a target, for the cells around a stretch of one shortest path to it.
//!
//! The corridor is every cell within a few steps of the stretch; the distances are those of ways that stay inside it and
//! leave it at its end. The path is shortest, so on it they are the true distances. Cells are kept in squares of eight by
//! eight, and a distance in two bytes: neighbours differ by less than half of what two bytes count, so what is lost is
//! never missed.

mod sweep;

use throng_crowd::bytes::{Damaged, Reader, put, put_fixed, put_signed, put_touched};
use throng_grid::{Direction, Ground, Pos, directions};
use throng_search::{TouchedTiles, f_range};

use super::changed::Changed;
use super::way::Way;
pub(super) use sweep::Sweep;

/// How far a corridor reaches from its path.
pub(super) const REACH: i32 = 2;
/// Cells of a square.
const SQUARE: usize = 64;
/// No square, and no distance.
pub(super) const NONE: u16 = u16::MAX;
/// Distances count modulo this.
const ROUND: u32 = NONE as u32;

/// The distances in a corridor.
#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    /// The first square's column and row, and how many squares there are in a row.
    column: i32,
    row: i32,
    columns: i32,
    /// Which square of cells lies where; [`NONE`] when none does.
    places: Vec<u16>,
    /// The cells that belong to the corridor, a bit each.
    masks: Vec<u64>,
    /// Distances of each cell, shortened.
    values: Vec<u16>,
    /// The map's tiles that the squares lie in, as they were.
    tiles: TouchedTiles,
    stale: bool,
    /// The path, the value at the end of its stretch, and how near to it the next stretch is asked for.
    way: Way,
    end: u16,
    margin: u16,
}

impl Field {
    /// Forgets everything and marks the cells around a way's stretch; `squares` hears where each square begins.
    pub(super) fn lay(&mut self, ground: &Ground, way: &mut Way, squares: &mut Vec<Pos>) {
        let path = way.stretch();
        let places = || path.iter().map(|&cell| ground.pos(cell));
        let (left, right) = (places().map(|pos| pos.x).min(), places().map(|pos| pos.x).max());
        let (top, bottom) = (places().map(|pos| pos.y).min(), places().map(|pos| pos.y).max());
        let (Some(left), Some(right), Some(top), Some(bottom)) = (left, right, top, bottom) else { return };
        (self.column, self.row) = ((left - REACH) >> 3, (top - REACH) >> 3);
        self.columns = ((right + REACH) >> 3) - self.column + 1;
        let rows = ((bottom + REACH) >> 3) - self.row + 1;
        self.places.clear();
        self.places.resize((self.columns * rows) as usize, NONE);
        self.masks.clear();
        squares.clear();
        places().for_each(|pos| self.mark(pos, squares));
        self.values.clear();
        self.values.resize(self.masks.len() * SQUARE, NONE);
        self.margin = way.margin(ground);
        self.end = way.end().map_or(0, |(_, beyond)| shorten(beyond >> f_range(ground).1));
        std::mem::swap(&mut self.way, way);
        self.remember(ground);
    }

    /// How far above the end of its stretch a value is.
    #[inline]
    fn above(&self, here: u16) -> u32 {
        let (here, end) = (u32::from(here), u32::from(self.end));
        if here >= end { here - end } else { here + ROUND - end }
    }

    /// Whether the next stretch is due for who stands at a value.
    #[inline]
    pub(super) fn is_late(&self, here: u16) -> bool {
        self.margin != 0 && self.above(here) <= u32::from(self.margin)
    }

    /// Whether who stands at a value has come to the end of the stretch, and it is not the target.
    #[inline]
    pub(super) fn is_over(&self, here: u16) -> bool {
        self.margin != 0 && self.above(here) <= u32::from(self.margin) / 10
    }

    /// The tiles that it depends on.
    pub(super) fn tiles(&self) -> &TouchedTiles {
        &self.tiles
    }

    /// Says which tiles it depends on, until it is laid.
    pub(super) fn put_tiles(&mut self, tiles: TouchedTiles) {
        self.tiles = tiles;
    }

    /// The path.
    pub(super) fn way(&self) -> &Way {
        &self.way
    }

    /// Has a way begin where somebody has got to who stands at a value.
    pub(super) fn lead_on(&self, ground: &Ground, here: u16, way: &mut Way) -> bool {
        way.follow(ground, &self.way, self.above(here))
    }

    /// Adds the cells around one.
    fn mark(&mut self, pos: Pos, squares: &mut Vec<Pos>) {
        for row in (pos.y - REACH) >> 3..=(pos.y + REACH) >> 3 {
            let rows = within(pos.y - row * 8);
            for column in (pos.x - REACH) >> 3..=(pos.x + REACH) >> 3 {
                let place = ((row - self.row) * self.columns + column - self.column) as usize;
                if self.places[place] == NONE {
                    self.places[place] = self.masks.len() as u16;
                    self.masks.push(0);
                    squares.push(Pos::new(column * 8, row * 8));
                }
                // The columns' bits in each of the rows.
                let each = spread(rows);
                self.masks[usize::from(self.places[place])] |= each * u64::from(within(pos.x - column * 8));
            }
        }
    }

    /// The square and the cell in it, of a place within the corridor's squares.
    #[inline]
    fn slot(&self, pos: Pos) -> Option<(usize, usize)> {
        let (column, row) = ((pos.x >> 3) - self.column, (pos.y >> 3) - self.row);
        if column < 0 || column >= self.columns || row < 0 {
            return None;
        }
        let place = *self.places.get((row * self.columns + column) as usize)?;
        let cell = (pos.y & 7) << 3 | pos.x & 7;
        (place != NONE).then_some((usize::from(place), cell as usize))
    }

    /// The shortened distance of a place, if it has one.
    #[inline]
    pub(super) fn distance(&self, pos: Pos) -> Option<u16> {
        let (square, cell) = self.slot(pos)?;
        let value = self.values[square * SQUARE + cell];
        (value != NONE).then_some(value)
    }

    /// The shortened distances of the cells around a place, by direction, and of its own; [`NONE`] where there is none.
    #[inline]
    pub(super) fn around(&self, pos: Pos) -> Option<[u16; 9]> {
        let (square, cell) = self.slot(pos)?;
        let values = &self.values[square * SQUARE..][..SQUARE];
        let here = values[cell];
        if here == NONE {
            return None;
        }
        let mut around = [here; 9];
        let inside = (1..7).contains(&(pos.x & 7)) && (1..7).contains(&(pos.y & 7));
        for number in 0..8 {
            let direction = Direction::from_number(number);
            let (dx, dy) = (direction.dx(), direction.dy());
            around[usize::from(number)] = if inside {
                values[(cell as i32 + dy * 8 + dx) as usize & (SQUARE - 1)]
            } else {
                self.distance(Pos::new(pos.x + dx, pos.y + dy)).unwrap_or(NONE)
            };
        }
        Some(around)
    }

    /// Whether a shortened distance is that of a cell so far away.
    pub(super) fn is(distance: u16, shortened: i32) -> bool {
        u32::from(distance) == shortened as u32 % ROUND
    }

    /// Whether the map has changed in the corridor since it was laid.
    pub(super) fn is_stale(&self) -> bool {
        self.stale
    }

    /// Whether nothing has changed about the corridor and the path since it was laid.
    pub(super) fn is_as_laid(&mut self, ground: &Ground) -> bool {
        self.tiles.is_current(ground, |tile| ground.tile_fingerprint(tile))
    }

    /// Looks whether the map has changed in the corridor so that some of the distances are wrong. Where a way has opened
    /// they may be too long, but still lead to the target.
    pub(super) fn compare(&mut self, ground: &Ground, profile: u8, changed: &Changed) {
        self.tiles.rehash(ground, |tile| ground.tile_fingerprint(tile));
        let rest = self.way.rest().iter().any(|&cell| changed.cell(profile, ground, cell));
        let corridor = self.squares().any(|square| changed.square(profile, square));
        let holds = || {
            (self.way.is_whole(ground))
                && self.squares().all(|(column, row)| {
                    // Where terrain has costs, those of a step are its two ends', of which the other may have changed.
                    let same = ground.halves().is_empty() && !changed.square(profile, (column, row));
                    same || self.leads_down(ground, (column, row))
                })
        };
        self.stale = self.stale || (rest || corridor) && !holds();
    }

    /// The squares of the corridor, by column and row.
    fn squares(&self) -> impl Iterator<Item = (i32, i32)> + '_ {
        let places = self.places.iter().enumerate().filter(|&(_, &place)| place != NONE);
        places.map(|(i, _)| (self.column + i as i32 % self.columns, self.row + i as i32 / self.columns))
    }

    /// Whether from every cell of a square a step leads down by what it costs.
    fn leads_down(&self, ground: &Ground, (column, row): (i32, i32)) -> bool {
        let shift = f_range(ground).1;
        (0..SQUARE as i32).all(|cell| {
            let pos = Pos::new(column * 8 + (cell & 7), row * 8 + (cell >> 3));
            let Some(here) = self.distance(pos).filter(|&here| here != self.end) else { return true };
            let Some(cell) = ground.size().cell(pos).filter(|&cell| ground.is_free(cell)) else {
                return true;
            };
            directions(ground.moves(cell)).any(|direction| {
                let to = Pos::new(pos.x + direction.dx(), pos.y + direction.dy());
                let down = self.distance(to).map(|there| farther(here, there));
                down == Some((ground.cost(cell, direction) >> shift) as i32)
            })
        })
    }

    /// Takes down the tiles that the corridor and the rest of the path lie in.
    fn remember(&mut self, ground: &Ground) {
        self.stale = false;
        self.tiles.begin(ground);
        let size = ground.size();
        for i in 0..self.places.len() {
            if self.places[i] == NONE {
                continue;
            }
            let (column, row) = (self.column + i as i32 % self.columns, self.row + i as i32 / self.columns);
            // A square does not reach into a second tile: one of its cells stands for all.
            if let Some(cell) =
                size.cell(Pos::new(column * 8 + 3, row * 8 + 3)).or(size.cell(Pos::new(column * 8, row * 8)))
            {
                self.tiles.record(size, cell, |tile| ground.tile_fingerprint(tile));
            }
        }
        for &cell in self.way.rest() {
            self.tiles.record(size, cell, |tile| ground.tile_fingerprint(tile));
        }
    }

    /// Bytes of memory held.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.places.capacity() * size_of::<u16>()
            + self.masks.capacity() * size_of::<u64>()
            + self.values.capacity() * size_of::<u16>()
            + self.tiles.memory_bytes()
            + self.way.memory_bytes()
    }

    /// Writes everything.
    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        for value in [self.column, self.row, self.columns] {
            put_signed(bytes, value);
        }
        put(bytes, u64::from(self.stale));
        for count in [self.places.len(), self.masks.len()] {
            put(bytes, count as u64);
        }
        bytes.extend(self.places.iter().chain(&self.values).flat_map(|value| value.to_le_bytes()));
        self.masks.iter().for_each(|&mask| put_fixed(bytes, mask));
        put_touched(bytes, &self.tiles);
        self.way.save(bytes);
        for value in [self.end, self.margin] {
            put(bytes, u64::from(value));
        }
    }

    /// Takes back what [`Field::save`] wrote, on a map of so many cells.
    pub(super) fn load(reader: &mut Reader<'_>, area: usize) -> Result<Self, Damaged> {
        let what = "a corridor field";
        let (column, row, columns) = (reader.signed(what)?, reader.signed(what)?, reader.signed(what)?);
        let stale = reader.flag(what)?;
        let [places, masks] = [reader.length(what)?, reader.length(what)?];
        let mut shorts = |count: usize| -> Result<Vec<u16>, Damaged> {
            let raw = reader.raw(count.saturating_mul(2), what)?;
            Ok(raw.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
        };
        let (places, values) = (shorts(places)?, shorts(masks.saturating_mul(SQUARE))?);
        let masks: Vec<u64> = (0..masks).map(|_| reader.fixed(what)).collect::<Result<_, _>>()?;
        let tiles = reader.touched()?;
        let way = Way::load(reader, area)?;
        let mut short = || reader.number_to(u64::from(u16::MAX), what).map(|value| value as u16);
        let (end, margin) = (short()?, short()?);
        let sound =
            columns > 0 && places.iter().all(|&place| place == NONE || usize::from(place) < masks.len());
        if !sound {
            return Err(reader.damaged("a corridor field that hangs together"));
        }
        Ok(Self { column, row, columns, places, masks, values, tiles, stale, way, end, margin })
    }
}

/// Mixes the moves and costs of a square's cells into a hash.
pub(super) fn hash_of_moves(ground: &Ground, mut mask: u64, (x, y): (i32, i32), mut hash: u64) -> u64 {
    while mask != 0 {
        let place = mask.trailing_zeros() as i32;
        mask &= mask - 1;
        // Cells beyond the edge of the map belong to no way.
        let Some(cell) = ground.size().cell(Pos::new(x + (place & 7), y + (place >> 3))) else { continue };
        let halves = ground.halves().get(cell.index()).copied().unwrap_or(0);
        let here = u64::from(ground.moves(cell)) << 8 | u64::from(halves);
        hash = (hash ^ here).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
    }
    hash
}

/// How much farther one shortened distance is than another, of cells close to each other.
#[inline]
pub(super) fn farther(one: u16, other: u16) -> i32 {
    const HALF: i32 = ROUND as i32 / 2;
    match i32::from(one) - i32::from(other) {
        more if more > HALF => more - ROUND as i32,
        less if less < -HALF => less + ROUND as i32,
        difference => difference,
    }
}

/// A distance as fields keep it.
pub(super) const fn shorten(distance: u32) -> u16 {
    (distance % ROUND) as u16
}

/// The bits of a square's row or column within reach of a place that is so far from its beginning.
#[inline]
const fn within(from: i32) -> u8 {
    let mut bits = 0;
    let mut at = if from < REACH { 0 } else { from - REACH };
    while at <= from + REACH && at < 8 {
        bits |= 1 << at;
        at += 1;
    }
    bits
}

/// A bit for each of the rows, at the row's first cell.
#[inline]
const fn spread(rows: u8) -> u64 {
    let mut bits = 0;
    let mut row = 0;
    while row < 8 {
        if rows >> row & 1 == 1 {
            bits |= 1 << (row * 8);
        }
        row += 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_that_went_round_are_compared_as_if_they_had_not() {
        for far in [0, 5, ROUND / 2, ROUND - 3, ROUND, ROUND + 7, 5 * ROUND - 1] {
            for more in [0, 1, 25, 300, ROUND / 2] {
                let [near, beyond] = [far, far + more].map(|value| (value % ROUND) as u16);
                assert_eq!(farther(beyond, near), more as i32);
                assert_eq!(farther(near, beyond), -(more as i32));
                assert!(near != NONE && Field::is(beyond, (far + more) as i32));
            }
        }
    }
}
