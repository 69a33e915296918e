//! Local fields: the exact distances to one cell, for the cells of a rectangle around it.

use std::sync::Arc;

use throng_grid::{Cost, Direction, DirectionSet, Ground, Pos, moves};

use super::StepPrices;
use super::row_sweep::RowSweep;
use crate::distance_sweep::{DistanceSweep, SweepGraph, UNREACHED};
use crate::space::CANONICAL;

/// The distance of a cell without a path inside the rectangle.
pub const NO_DISTANCE: u16 = u16::MAX;

/// Larger distances are not stored.
const MAX_DISTANCE: u32 = 60_000;

/// The unit of distances: costs are divided by a power of two, so that the longest path through a sector fits into two
/// bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Units {
    shift: u32,
    /// The costs of a straight and of a diagonal step on the cheapest terrain.
    least: [u32; 2],
    /// The cost of a diagonal step on the most expensive terrain.
    most: u32,
}

impl Units {
    /// Returns the unit for a ground with sectors of this side.
    pub(super) fn new(ground: &Ground, side: u32) -> Self {
        let max_straight = (1 << 17) / (side * side);
        let straight = moves::STRAIGHT / 2 * Cost::from(ground.max_halves());
        let mut units = Self::default();
        while straight >> units.shift > max_straight {
            units.shift += 1;
        }
        units.least = ground.profile().min_step_costs().map(|cost| units.of(cost));
        units.most = units.of(moves::DIAGONAL / 2 * Cost::from(ground.max_halves()));
        units
    }

    /// Converts a cost.
    #[inline]
    pub(super) fn of(self, cost: Cost) -> u32 {
        (cost >> self.shift).max(1)
    }

    /// Converts a distance to a cost.
    pub(super) fn cost(self, distance: u32) -> Cost {
        distance << self.shift
    }

    /// Returns the distance of a straight step on the cheapest terrain.
    pub(super) fn straight(self) -> u32 {
        self.least[0]
    }
}

/// The distances to one cell in a rectangle around it. Copies share them.
#[derive(Clone, Debug, Default)]
pub struct LocalField {
    corner: Pos,
    width: i32,
    height: i32,
    /// By row and column; [`NO_DISTANCE`] if there is no path inside the rectangle.
    values: Arc<[u16]>,
}

impl LocalField {
    /// Returns true if no distances were computed.
    pub fn is_empty(&self) -> bool {
        self.width == 0
    }

    /// Returns the distance of a position; [`NO_DISTANCE`] if it is unknown.
    #[inline]
    pub fn distance(&self, pos: Pos) -> u16 {
        let (x, y) = (pos.x - self.corner.x, pos.y - self.corner.y);
        if x < 0 || x >= self.width || y < 0 || y >= self.height {
            return NO_DISTANCE;
        }
        self.values[(y * self.width + x) as usize]
    }

    /// Returns the distances of the neighbours of a position, by direction, and of the position itself; [`NO_DISTANCE`]
    /// where unknown.
    #[inline]
    pub fn around(&self, pos: Pos) -> [u16; 9] {
        // Nothing wraps for a position up to one cell outside the map.
        let (x, y) = (pos.x.wrapping_sub(self.corner.x), pos.y.wrapping_sub(self.corner.y));
        let mut around = [NO_DISTANCE; 9];
        if x < 1 || x >= self.width.wrapping_sub(1) || y < 1 || y >= self.height.wrapping_sub(1) {
            for direction in Direction::ALL {
                around[usize::from(direction.number())] = self.distance(pos + direction);
            }
            around[8] = self.distance(pos);
            return around;
        }
        let first = y.wrapping_sub(1).wrapping_mul(self.width).wrapping_add(x).wrapping_sub(1) as usize;
        let rows = [0, 1, 2].map(|row| &self.values[first.wrapping_add(self.width as usize * row)..][..3]);
        for direction in Direction::ALL {
            around[usize::from(direction.number())] =
                rows[direction.dy().wrapping_add(1) as usize][direction.dx().wrapping_add(1) as usize];
        }
        around[8] = rows[1][1];
        around
    }

    /// Stores the distances of a rectangle, given by its corner, width and height. They are made by a function that writes all of them.
    fn set(&mut self, (corner, width, height): (Pos, i32, i32), write: impl FnOnce(&mut [u16])) {
        (self.corner, self.width, self.height) = (corner, width, height);
        let count = (width * height) as usize;
        if self.values.len() != count || Arc::get_mut(&mut self.values).is_none() {
            self.values = std::iter::repeat_n(NO_DISTANCE, count).collect();
        }
        write(Arc::make_mut(&mut self.values));
    }

    #[cfg(test)]
    pub(super) fn values(&self) -> &[u16] {
        // The memory of a field that was dropped is kept.
        if self.is_empty() { &[] } else { &self.values }
    }

    /// Drops the distances and keeps the memory.
    pub(super) fn clear(&mut self) {
        (self.width, self.height) = (0, 0);
    }

    /// Returns the bytes of the distances.
    pub fn memory_bytes(&self) -> usize {
        (self.width * self.height) as usize * size_of::<u16>()
    }
}

/// Returns a distance as it is stored.
#[inline]
fn stored(distance: u32) -> u16 {
    if distance <= MAX_DISTANCE { distance as u16 } else { NO_DISTANCE }
}

/// Computes local fields in a rectangle.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldSweep {
    sweep: DistanceSweep,
    corner: Pos,
    width: i32,
    height: i32,
    moves: Vec<DirectionSet>,
    distances: Vec<u32>,
    rows: RowSweep,
    /// True if `rows` has read the moves of this rectangle.
    has_rows: bool,
    /// The number of fields until rows are swept again, after a sweep that gave up: other parts of the map are alike.
    pause: u32,
    /// The number of fields of the last pause. Doubles when a sweep gives up, and halves when one does not.
    last_pause: u32,
}

/// The least and the largest number of fields of a pause.
const PAUSES: (u32, u32) = (64, 1_024);

impl FieldSweep {
    /// Computes the distances to a position in the rectangle of the last [`FieldSweep::begin`]. Returns the number of
    /// expansions.
    pub(super) fn fill(
        &mut self,
        (ground, prices): (&Ground, &StepPrices),
        units: Units,
        to: Pos,
        field: &mut LocalField,
    ) -> u64 {
        let Self { corner: min, width, height, .. } = *self;
        let offsets = Direction::ALL.map(|direction| direction.dy() * width + direction.dx());
        let steps = BoxSteps { ground, prices, units, min, width, offsets, moves: &self.moves };
        self.distances.resize((width * height) as usize, UNREACHED);
        let source = ((to.y - min.y) * width + to.x - min.x) as u32;
        let costs = (units.least[0], units.most + prices.most(units));
        let expansions = self.sweep.run(&steps, costs, (source, 8), &mut self.distances);
        field.set((min, width, height), |values| {
            let distances = values.iter_mut().zip(&self.distances);
            distances.for_each(|(value, &distance)| *value = stored(distance));
        });
        expansions
    }

    /// Computes the same distances in less time, without counting expansions.
    pub(super) fn fill_uncounted(
        &mut self,
        (ground, prices): (&Ground, &StepPrices),
        units: Units,
        to: Pos,
        field: &mut LocalField,
    ) {
        let Self { corner: min, width, height, .. } = *self;
        self.pause = self.pause.saturating_sub(1);
        if ground.halves().is_empty() && prices.is_empty() && self.pause == 0 {
            if !std::mem::replace(&mut self.has_rows, true) {
                self.rows.begin(&self.moves, width as usize);
            }
            if self.rows.run(((to.y - min.y) * width + to.x - min.x) as usize, units.least) {
                self.last_pause /= 2;
                return field.set((min, width, height), |values| {
                    for (values, distances) in values.chunks_exact_mut(width as usize).zip(self.rows.rows()) {
                        values
                            .iter_mut()
                            .zip(distances)
                            .for_each(|(value, distance)| *value = stored(distance.into()));
                    }
                });
            }
            self.last_pause = (2 * self.last_pause).clamp(PAUSES.0, PAUSES.1);
            self.pause = self.last_pause;
        }
        self.fill((ground, prices), units, to, field);
    }

    /// Reads the moves that stay in the rectangle between two corners, both included.
    pub(super) fn begin(&mut self, ground: &Ground, (min, max): (Pos, Pos)) {
        let leaving = |leaves: fn(Direction) -> bool| {
            Direction::ALL
                .into_iter()
                .filter(|&direction| leaves(direction))
                .fold(0, |set, direction| set | direction.bit())
        };
        let [left, right] = [leaving(|to| to.dx() < 0), leaving(|to| to.dx() > 0)];
        let [up, down] = [leaving(|to| to.dy() < 0), leaving(|to| to.dy() > 0)];
        (self.corner, self.width, self.height) = (min, max.x - min.x + 1, max.y - min.y + 1);
        self.has_rows = false;
        let width = self.width as usize;
        self.moves.clear();
        for y in min.y..=max.y {
            let first = y as usize * ground.size().width() as usize + min.x as usize;
            self.moves.extend_from_slice(&ground.all_moves()[first..first + width]);
            let row = self.moves.len() - width;
            self.moves[row] &= !left;
            self.moves[row + width - 1] &= !right;
        }
        let last = self.moves.len() - width;
        self.moves[..width].iter_mut().for_each(|moves| *moves &= !up);
        self.moves[last..].iter_mut().for_each(|moves| *moves &= !down);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.sweep.memory_bytes()
            + self.rows.memory_bytes()
            + self.moves.capacity()
            + self.distances.capacity() * size_of::<u32>()
    }
}

/// The steps inside a rectangle, backwards. Without prices they are symmetric.
struct BoxSteps<'a> {
    ground: &'a Ground,
    prices: &'a StepPrices,
    units: Units,
    min: Pos,
    width: i32,
    offsets: [i32; 8],
    moves: &'a [DirectionSet],
}

impl SweepGraph for BoxSteps<'_> {
    #[inline]
    fn expand(&self, node: u32, came: u32, distance: u32, mut relax: impl FnMut(u32, u32, u32)) {
        let moves = self.moves[node as usize];
        if self.ground.halves().is_empty() && self.prices.is_empty() {
            // A rectangle is convex: with two cells it has those of the shortest paths between them on open ground.
            let mut moves = CANONICAL[came as usize][usize::from(moves)];
            while moves != 0 {
                let number = moves.trailing_zeros();
                moves &= moves.wrapping_sub(1);
                let to = node.wrapping_add_signed(self.offsets[number as usize]);
                // A distance in a rectangle is far below the largest number.
                relax(to, distance.wrapping_add(self.units.least[number as usize & 1]), number);
            }
            return;
        }
        let pos = Pos::new(self.min.x + node as i32 % self.width, self.min.y + node as i32 / self.width);
        let Some(cell) = self.ground.cell(pos) else { return };
        for direction in throng_grid::directions(moves) {
            let number = u32::from(direction.number());
            let to = node.wrapping_add_signed(self.offsets[number as usize]);
            let step = self.units.of(self.ground.cost(cell, direction));
            // The agent makes the step from there to here.
            let from = self.ground.step(cell, direction);
            let price = self.prices.distance(from, direction.opposite(), self.units);
            relax(to, distance + step + price, number);
        }
    }
}
