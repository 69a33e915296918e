//! A corridor field: exact distances to a target for the cells around a stretch of one shortest path.
//!
//! The corridor consists of the cells within a few steps of the stretch. Its distances are those of paths that stay inside
//! and leave it at its end. The path is shortest, so the distances on it are exact. Cells are stored in squares of eight
//! by eight, and a distance in two bytes, modulo 65,535: neighbours differ by less than half of that, so they can be
//! compared.

mod sweep;

use serde::{Deserialize, Serialize};
use throng_crowd::state::le_bytes;
use throng_crowd::{Limits, StateError, Validate};
use throng_grid::{Cost, Direction, Ground, Pos, directions};
use throng_search::{TouchedTiles, f_range};

use super::changed_squares::ChangedSquares;
use super::path::PathAhead;
pub(super) use sweep::Sweep;

/// How far a corridor reaches from its path, in cells. Wider corridors lose fewer agents that are pushed aside and cost
/// more work per field.
pub(super) const REACH: i32 = 2;
/// The number of cells of a square.
const SQUARE: usize = 64;
/// Stands for no square, or no distance.
pub(super) const NONE: u16 = u16::MAX;
/// Distances are stored modulo this.
const MODULUS: u32 = NONE as u32;

/// The distances in a corridor.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Field {
    /// The column of the first square.
    column: i32,
    /// The row of the first square.
    row: i32,
    /// The number of squares per row.
    columns: i32,
    /// By row and column: the number of the square there; [`NONE`] if the corridor has none.
    #[serde(with = "le_bytes")]
    places: Vec<u16>,
    /// By square: the cells that belong to the corridor, one bit per cell.
    #[serde(with = "le_bytes")]
    masks: Vec<u64>,
    /// By square and cell: the distance; [`NONE`] if unknown.
    #[serde(with = "le_bytes")]
    values: Vec<u16>,
    /// The tiles of the map that the corridor and the rest of the path lie in.
    tiles: TouchedTiles,
    /// True if the map has changed so that distances are wrong.
    stale: bool,
    path: PathAhead,
    /// The distance at the end of the stretch.
    end: u16,
    /// The next stretch is requested this far before the end; 0 if the stretch ends at the target.
    margin: u16,
}

impl Field {
    /// Replaces the corridor by the cells around the stretch of a path, without distances. `squares` gets the first cell of
    /// each square.
    pub(super) fn lay(&mut self, ground: &Ground, path: &mut PathAhead, squares: &mut Vec<Pos>) {
        let stretch = path.stretch();
        let places = || stretch.iter().map(|&cell| ground.pos(cell));
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
        self.margin = path.margin(ground);
        self.end = path.end().map_or(0, |(_, beyond)| wrap(beyond >> f_range(ground).1));
        std::mem::swap(&mut self.path, path);
        self.record_tiles(ground);
    }

    /// Returns by how much a distance exceeds that of the end of the stretch.
    #[inline]
    fn above(&self, here: u16) -> u32 {
        let (here, end) = (u32::from(here), u32::from(self.end));
        if here >= end { here - end } else { here + MODULUS - end }
    }

    /// Returns the cost to the target that a stored distance stands for.
    pub(super) fn cost(&self, ground: &Ground, stored: u16) -> Cost {
        let beyond = self.path.end().map_or(0, |(_, cost)| cost);
        beyond.saturating_add(self.above(stored) << f_range(ground).1)
    }

    /// Returns true if the next stretch is due for an agent at this distance.
    #[inline]
    pub(super) fn needs_next_stretch(&self, here: u16) -> bool {
        self.margin != 0 && self.above(here) <= u32::from(self.margin)
    }

    /// Returns true if an agent at this distance has reached the end of the stretch, and that is not the target.
    #[inline]
    pub(super) fn is_at_end(&self, here: u16) -> bool {
        self.margin != 0 && self.above(here) <= u32::from(self.margin) / 10
    }

    /// Returns the tiles that the field depends on.
    pub(super) fn tiles(&self) -> &TouchedTiles {
        &self.tiles
    }

    /// Sets the tiles that the field depends on, until the corridor is laid.
    pub(super) fn set_tiles(&mut self, tiles: TouchedTiles) {
        self.tiles = tiles;
    }

    /// Returns the path.
    pub(super) fn path(&self) -> &PathAhead {
        &self.path
    }

    /// Sets `path` to the next stretch for an agent at this distance. Returns false if a step of the path is illegal.
    pub(super) fn next_stretch(&self, ground: &Ground, here: u16, path: &mut PathAhead) -> bool {
        path.start_from(ground, &self.path, self.above(here))
    }

    /// Adds the cells around a position to the corridor.
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
                let each = spread(rows);
                self.masks[usize::from(self.places[place])] |= each * u64::from(within(pos.x - column * 8));
            }
        }
    }

    /// Returns the square of a position and the cell in it; `None` outside the squares of the corridor.
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

    /// Returns the distance of a position.
    #[inline]
    pub(super) fn distance(&self, pos: Pos) -> Option<u16> {
        let (square, cell) = self.slot(pos)?;
        let value = self.values[square * SQUARE + cell];
        (value != NONE).then_some(value)
    }

    /// Returns the distances of the neighbours of a position, by direction, and of the position itself; [`NONE`] where
    /// unknown. `None` if the position itself has no distance.
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

    /// Returns true if a stored distance is that of the given distance in the units of a field.
    pub(super) fn is(stored: u16, distance: i32) -> bool {
        u32::from(stored) == distance as u32 % MODULUS
    }

    /// Returns true if the map has changed so that distances are wrong.
    pub(super) fn is_stale(&self) -> bool {
        self.stale
    }

    /// Returns true if no tile of the corridor or the path has changed since the last comparison.
    pub(super) fn is_current(&mut self, ground: &Ground) -> bool {
        self.tiles.is_current(ground, |tile| ground.tile_fingerprint(tile))
    }

    /// Marks the field as stale if the map has changed so that distances are wrong. Where a path has opened, distances may
    /// be too long but still lead to the target.
    pub(super) fn compare(&mut self, ground: &Ground, profile: u8, changed: &ChangedSquares) {
        self.tiles.rehash(ground, |tile| ground.tile_fingerprint(tile));
        let rest = self.path.rest().iter().any(|&cell| changed.cell(profile, ground, cell));
        let corridor = self.squares().any(|square| changed.square(profile, square));
        let holds = || {
            (self.path.is_intact(ground))
                && self.squares().all(|(column, row)| {
                    // With terrain costs, the cost of a step depends on both ends, and the other end may have changed.
                    let same = ground.halves().is_empty() && !changed.square(profile, (column, row));
                    same || self.descends(ground, (column, row))
                })
        };
        self.stale = self.stale || (rest || corridor) && !holds();
    }

    /// Returns the column and row of each square.
    fn squares(&self) -> impl Iterator<Item = (i32, i32)> + '_ {
        let places = self.places.iter().enumerate().filter(|&(_, &place)| place != NONE);
        places.map(|(i, _)| (self.column + i as i32 % self.columns, self.row + i as i32 / self.columns))
    }

    /// Returns true if every cell of a square has a step that reduces the distance by its cost.
    fn descends(&self, ground: &Ground, (column, row): (i32, i32)) -> bool {
        let shift = f_range(ground).1;
        (0..SQUARE as i32).all(|cell| {
            let pos = Pos::new(column * 8 + (cell & 7), row * 8 + (cell >> 3));
            let Some(here) = self.distance(pos).filter(|&here| here != self.end) else { return true };
            let Some(cell) = ground.size().cell(pos).filter(|&cell| ground.is_free(cell)) else {
                return true;
            };
            directions(ground.moves(cell)).any(|direction| {
                let to = Pos::new(pos.x + direction.dx(), pos.y + direction.dy());
                let down = self.distance(to).map(|there| difference(here, there));
                down == Some((ground.cost(cell, direction) >> shift) as i32)
            })
        })
    }

    /// Records the tiles that the corridor and the rest of the path lie in.
    fn record_tiles(&mut self, ground: &Ground) {
        self.stale = false;
        let (size, mut tiles) = (ground.size(), std::mem::take(&mut self.tiles));
        tiles.begin(ground);
        // A square lies in one tile, so one of its cells suffices.
        let corridor = self.squares().filter_map(|(column, row)| {
            let inside = Pos::new(column * 8 + 3, row * 8 + 3);
            size.cell(inside).or(size.cell(Pos::new(column * 8, row * 8)))
        });
        for cell in corridor.chain(self.path.rest().iter().copied()) {
            tiles.record(size, cell, |tile| ground.tile_fingerprint(tile));
        }
        self.tiles = tiles;
    }

    /// Returns the memory of the field, in bytes. Counts elements, not capacities, which differ after a restore: the sum
    /// decides which fields are dropped.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(self.places.as_slice())
            + size_of_val(self.masks.as_slice())
            + size_of_val(self.values.as_slice())
            + size_of_val(self.tiles.tiles())
            + self.path.memory_bytes()
    }
}

impl Validate for Field {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { column, row, columns, places, masks, values, tiles, stale: _, path, end: _, margin: _ } =
            self;
        let side = limits.size.width().max(limits.size.height()) as i32;
        limits.require(
            (-1..=side).contains(column) && (-1..=side).contains(row),
            "a corridor lies outside the map",
        )?;
        limits.require((1..=side).contains(columns), "a corridor is wider than the map")?;
        limits.require(values.len() == masks.len() * SQUARE, "a corridor has as many values as cells")?;
        let is_square = |&place: &u16| place == NONE || usize::from(place) < masks.len();
        limits.require(places.iter().all(is_square), "a square of a corridor does not exist")?;
        limits.at_most_cells(places.len() as u64, "the squares of a corridor")?;
        tiles.validate(limits)?;
        path.validate(limits)
    }
}

/// Hashes the moves and costs of the masked cells of a square, starting from `hash`.
pub(super) fn hash_of_moves(ground: &Ground, mut mask: u64, (x, y): (i32, i32), mut hash: u64) -> u64 {
    while mask != 0 {
        let place = mask.trailing_zeros() as i32;
        mask &= mask - 1;
        let Some(cell) = ground.size().cell(Pos::new(x + (place & 7), y + (place >> 3))) else { continue };
        let halves = ground.halves().get(cell.index()).copied().unwrap_or(0);
        let here = u64::from(ground.moves(cell)) << 8 | u64::from(halves);
        hash = (hash ^ here).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
    }
    hash
}

/// Returns the difference of two stored distances of cells that are close to each other.
#[inline]
pub(super) fn difference(one: u16, other: u16) -> i32 {
    const HALF: i32 = MODULUS as i32 / 2;
    match i32::from(one) - i32::from(other) {
        value if value > HALF => value - MODULUS as i32,
        value if value < -HALF => value + MODULUS as i32,
        value => value,
    }
}

/// Returns a distance as fields store it.
pub(super) const fn wrap(distance: u32) -> u16 {
    (distance % MODULUS) as u16
}

/// Returns the bits of a row or column of a square that lie within [`REACH`] of an offset from its beginning.
#[inline]
const fn within(from: i32) -> u8 {
    let bits = (1_u32 << (2 * REACH + 1)) - 1;
    (if from < REACH { bits >> (REACH - from) } else { bits << (from - REACH) }) as u8
}

/// Returns the bit of the first cell of each of the given rows.
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
    fn wrapped_distances_compare_like_the_originals() {
        for far in [0, 5, MODULUS / 2, MODULUS - 3, MODULUS, MODULUS + 7, 5 * MODULUS - 1] {
            for more in [0, 1, 25, 300, MODULUS / 2] {
                let [near, beyond] = [far, far + more].map(|value| (value % MODULUS) as u16);
                assert_eq!(difference(beyond, near), more as i32);
                assert_eq!(difference(near, beyond), -(more as i32));
                assert!(near != NONE && Field::is(beyond, (far + more) as i32));
            }
        }
    }
}
