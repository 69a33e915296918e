//! A corridor field: exact distances to a target, for the cells around one shortest path to it.
//!
//! The corridor is every cell within a few steps of the path; the distances are those of ways that stay inside it. The
//! path is shortest, so on it they are the true distances. Cells are kept in squares of eight by eight, and a distance
//! in two bytes: neighbours differ by less than half of what two bytes count, so what is lost is never missed. The sweep
//! that finds the distances numbers cells by square and place, so that it works in as little memory as the field.

use throng_crowd::bytes::{Damaged, Reader, put, put_fixed, put_signed, put_touched};
use throng_grid::{Cell, Cost, Direction, DirectionSet, Ground, Pos, directions};
use throng_search::frontier::Buckets;
use throng_search::{
    Arena, BestFirst, Blind, Expansion, NO_NODE, Node, Probe, Space, Status, Successor, Touched, span,
    useful_moves,
};

/// How far a corridor reaches from its path.
pub(super) const REACH: i32 = 2;
/// Cells of a square.
const SQUARE: usize = 64;
/// No square, and no distance.
pub(super) const NONE: u16 = u16::MAX;
/// Distances count modulo this.
const ROUND: u32 = NONE as u32;

/// Moves that can lead anywhere more cheaply, where the corridor holds cells against the ground.
static USEFUL: [[DirectionSet; 256]; 9] = useful_moves(true);

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
    /// The map's tiles that the squares lie in, as they were, and a hash of the moves in the corridor.
    tiles: Touched,
    moves: u64,
    stale: bool,
}

impl Field {
    /// Forgets everything and marks the cells around a path; `squares` hears where each square begins.
    pub(super) fn lay(&mut self, ground: &Ground, path: &[Cell], squares: &mut Vec<Pos>) {
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

    /// Whether a shortened distance is that of a cell so far away.
    pub(super) fn is(distance: u16, shortened: i32) -> bool {
        u32::from(distance) == shortened as u32 % ROUND
    }

    /// Whether the map has changed in the corridor since it was laid.
    pub(super) fn is_stale(&self) -> bool {
        self.stale
    }

    /// Looks whether the map has changed in the corridor so that some of the distances are wrong. Where a way has opened
    /// they may be too long, but still lead to the target.
    pub(super) fn compare(&mut self, ground: &Ground) {
        if !self.stale && !self.tiles.is_current(ground, |tile| ground.tile_fingerprint(tile)) {
            let before = self.moves;
            self.remember(ground);
            self.stale = self.moves != before && !self.leads_down(ground);
        }
    }

    /// Whether from every cell a step leads down by what it costs.
    fn leads_down(&self, ground: &Ground) -> bool {
        let shift = span(ground).1;
        let squares = self.places.iter().enumerate().filter(|&(_, &place)| place != NONE);
        let cells = squares.flat_map(|(i, _)| (0..SQUARE as i32).map(move |cell| (i as i32, cell)));
        cells.into_iter().all(|(i, cell)| {
            let (column, row) = (self.column + i % self.columns, self.row + i / self.columns);
            let pos = Pos::new(column * 8 + (cell & 7), row * 8 + (cell >> 3));
            let Some(here) = self.distance(pos).filter(|&here| here != 0) else { return true };
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

    /// Takes down the tiles that the corridor lies in, and the moves in it.
    fn remember(&mut self, ground: &Ground) {
        self.stale = false;
        self.moves = 0;
        self.tiles.begin(ground);
        let size = ground.size();
        for (i, &place) in self.places.iter().enumerate().filter(|&(_, &place)| place != NONE) {
            let (column, row) = (self.column + i as i32 % self.columns, self.row + i as i32 / self.columns);
            self.moves =
                hash_of_moves(ground, self.masks[usize::from(place)], (column * 8, row * 8), self.moves);
            // A square does not reach into a second tile: one of its cells stands for all.
            if let Some(cell) =
                size.cell(Pos::new(column * 8 + 3, row * 8 + 3)).or(size.cell(Pos::new(column * 8, row * 8)))
            {
                self.tiles.look_at(size, cell, |tile| ground.tile_fingerprint(tile));
            }
        }
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.places.capacity() * size_of::<u16>()
            + self.masks.capacity() * size_of::<u64>()
            + self.values.capacity() * size_of::<u16>()
            + self.tiles.bytes()
    }

    /// Writes everything.
    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        for value in [self.column, self.row, self.columns] {
            put_signed(bytes, value);
        }
        put(bytes, u64::from(self.stale));
        put_fixed(bytes, self.moves);
        for count in [self.places.len(), self.masks.len()] {
            put(bytes, count as u64);
        }
        bytes.extend(self.places.iter().chain(&self.values).flat_map(|value| value.to_le_bytes()));
        self.masks.iter().for_each(|&mask| put_fixed(bytes, mask));
        put_touched(bytes, &self.tiles);
    }

    /// Takes back what [`Field::save`] wrote.
    pub(super) fn load(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let what = "a corridor field";
        let (column, row, columns) = (reader.signed(what)?, reader.signed(what)?, reader.signed(what)?);
        let (stale, moves) = (reader.flag(what)?, reader.fixed(what)?);
        let [places, masks] = [reader.length(what)?, reader.length(what)?];
        let mut shorts = |count: usize| -> Result<Vec<u16>, Damaged> {
            let raw = reader.raw(count.saturating_mul(2), what)?;
            Ok(raw.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
        };
        let (places, values) = (shorts(places)?, shorts(masks.saturating_mul(SQUARE))?);
        let masks: Vec<u64> = (0..masks).map(|_| reader.fixed(what)).collect::<Result<_, _>>()?;
        let tiles = reader.touched()?;
        let sound =
            columns > 0 && places.iter().all(|&place| place == NONE || usize::from(place) < masks.len());
        if !sound {
            return Err(reader.damaged("a corridor field that hangs together"));
        }
        Ok(Self { column, row, columns, places, masks, values, tiles, moves, stale })
    }
}

/// Mixes the moves and costs of a square's cells into a hash.
fn hash_of_moves(ground: &Ground, mut mask: u64, (x, y): (i32, i32), mut hash: u64) -> u64 {
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
    let around = (u32::from(one) + ROUND - u32::from(other)) % ROUND;
    if around > ROUND / 2 { around as i32 - ROUND as i32 } else { around as i32 }
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

/// The search that finds a field's distances.
pub(super) type Sweep = BestFirst<Arena, Buckets>;

impl Field {
    /// Begins to find the distances to a target in the corridor.
    pub(super) fn begin_sweep(&self, ground: &Ground, target: Cell, sweep: &mut Sweep) {
        sweep.fit(span(ground));
        sweep.begin(&self.corridor(ground, &[]));
        if let Some((square, cell)) = self.slot(ground.pos(target)) {
            sweep.add_source((square * SQUARE + cell) as u32, 0, &mut Blind);
        }
    }

    /// Goes on by at most so many expansions.
    pub(super) fn go_on(
        &mut self,
        ground: &Ground,
        squares: &[Pos],
        sweep: &mut Sweep,
        limit: u64,
    ) -> Status {
        let mut values = std::mem::take(&mut self.values);
        let mut found = Found { values: &mut values, shift: span(ground).1 };
        let mut space = self.corridor(ground, squares);
        let status = sweep.resume(&mut space, &mut Blind, |_| false, limit, &mut found);
        self.values = values;
        if status != Status::Paused {
            self.remember(ground);
        }
        status
    }

    fn corridor<'a>(&'a self, ground: &'a Ground, squares: &'a [Pos]) -> Corridor<'a> {
        let costs = ground.profile().least_costs();
        Corridor { ground, field: self, squares, costs, uniform: ground.halves().is_empty() }
    }
}

/// The moves inside a corridor, backwards from its target. A node is a square's number and a cell's in it.
struct Corridor<'a> {
    ground: &'a Ground,
    field: &'a Field,
    /// Where each square begins.
    squares: &'a [Pos],
    costs: [Cost; 2],
    uniform: bool,
}

impl Space for Corridor<'_> {
    fn nodes(&self) -> usize {
        self.field.masks.len() * SQUARE
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let (square, place) = (at.node as usize / SQUARE, (at.node % SQUARE as u32) as i32);
        let (begin, x, y) = (self.squares[square], place & 7, place >> 3);
        let cell = Cell((begin.y + y) as u32 * self.ground.size().width() + (begin.x + x) as u32);
        let mut moves = self.ground.moves(cell);
        if self.uniform {
            let came = if at.known.parent == NO_NODE { 8 } else { at.known.tag() & 7 };
            moves = USEFUL[came as usize][moves as usize];
        }
        let mask = self.field.masks[square];
        while moves != 0 {
            let number = moves.trailing_zeros() as u8;
            moves &= moves - 1;
            let direction = Direction::from_number(number);
            let (to_x, to_y) = (x + direction.dx(), y + direction.dy());
            let (next, place, mask) = if (to_x | to_y) & !7 == 0 {
                (square, (to_y << 3 | to_x) as usize, mask)
            } else {
                let pos = Pos::new(begin.x + to_x, begin.y + to_y);
                let Some((next, place)) = self.field.slot(pos) else { continue };
                (next, place, self.field.masks[next])
            };
            if mask >> place & 1 == 0 {
                continue;
            }
            let cost = if self.uniform {
                self.costs[number as usize & 1]
            } else {
                self.ground.cost(cell, direction)
            };
            propose(Successor {
                node: (next * SQUARE + place) as u32,
                g: at.known.g.saturating_add(cost),
                parent: at.node,
                tag: number,
            });
        }
    }
}

/// Takes down the distances that a sweep finds, shortened by a common divisor of all costs.
struct Found<'a> {
    values: &'a mut [u16],
    shift: u32,
}

impl Probe for Found<'_> {
    #[inline]
    fn expanded(&mut self, node: u32, known: Node) {
        self.values[node as usize] = ((known.g >> self.shift) % ROUND) as u16;
    }
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
