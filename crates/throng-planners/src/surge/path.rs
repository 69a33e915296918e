//! The rest of a shortest path, of which a corridor field covers the next stretch.
//!
//! A path is found once, and its distances are found one stretch at a time. So an agent that was just sent somewhere pays
//! for the first steps only, and the rest is computed while it walks. On a shortest path the distances follow from its
//! costs. So a sweep that begins at the last cell of a stretch finds distances as exact as one that begins at the target.

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate};
use throng_grid::{Cell, Cost, Ground};
use throng_search::f_range;

use super::field::wrap;

/// Length of the first stretch, which its agent waits for, in straight steps. Shorter serves more agents per tick, longer
/// needs fewer stretches.
const FIRST_STRETCH: u32 = 44;
/// Length of each further stretch, in straight steps.
const FURTHER_STRETCH: u32 = 100;
/// Distance from the end of a stretch at which the next one is requested, in straight steps.
const MARGIN: u32 = 10;
/// Most cost of a stretch, in the units of a field: distances in a field must differ by less than half of what two bytes
/// count.
const MAX_STRETCH_COST: u32 = 48_000;
/// Cells of the path behind an agent with which its next stretch begins.
const OVERLAP: usize = 4;

/// The rest of a path.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct PathAhead {
    /// From the beginning of the stretch to the target.
    #[serde(with = "cell_differences")]
    cells: Vec<Cell>,
    /// The cost from the first cell to the target.
    cost: Cost,
    /// The index of the last cell of the stretch.
    last: u32,
    /// The cost from there to the target.
    cost_beyond: Cost,
}

impl PathAhead {
    /// Starts with a whole path. Returns false if a step of it is illegal.
    pub(super) fn start(&mut self, ground: &Ground, path: &[Cell]) -> bool {
        self.cells.clear();
        self.cells.extend_from_slice(path);
        let cost = ground.path_cost(path);
        self.cost = cost.unwrap_or(0);
        cost.is_some() && self.cut(ground, FIRST_STRETCH)
    }

    /// Starts with the rest of another path, for an agent whose distance exceeds that of the other's end by `above`.
    /// Returns false if a step of the path is illegal.
    pub(super) fn start_from(&mut self, ground: &Ground, other: &Self, above: u32) -> bool {
        let here = other.cost_beyond.saturating_add(above << f_range(ground).1);
        let (mut cost, mut begin, mut recent) = (other.cost, 0, [other.cost; OVERLAP]);
        while cost > here && begin < other.last as usize {
            let Some(step) = step_cost(ground, other.cells[begin], other.cells[begin + 1]) else {
                return false;
            };
            recent[begin % OVERLAP] = cost;
            cost = cost.saturating_sub(step);
            begin += 1;
        }
        if begin >= OVERLAP {
            (begin, cost) = (begin - OVERLAP, recent[begin % OVERLAP]);
        } else {
            (begin, cost) = (0, other.cost);
        }
        self.cells.clear();
        self.cells.extend_from_slice(&other.cells[begin..]);
        self.cost = cost;
        self.cut(ground, FURTHER_STRETCH)
    }

    /// Finds the end of a stretch of this many straight steps. Returns false if a step of it is illegal.
    fn cut(&mut self, ground: &Ground, steps: u32) -> bool {
        let max_cost = (steps * straight_step(ground)).min(MAX_STRETCH_COST) << f_range(ground).1;
        let (mut last, mut beyond) = (0, self.cost);
        while last + 1 < self.cells.len() && self.cost - beyond < max_cost {
            let Some(step) = step_cost(ground, self.cells[last], self.cells[last + 1]) else { return false };
            beyond = beyond.saturating_sub(step);
            last += 1;
        }
        (self.last, self.cost_beyond) = (last as u32, beyond);
        !self.cells.is_empty()
    }

    /// Returns the cells of the stretch.
    pub(super) fn stretch(&self) -> &[Cell] {
        self.cells.get(..=self.last as usize).unwrap_or_default()
    }

    /// Returns the cells from the end of the stretch on.
    pub(super) fn rest(&self) -> &[Cell] {
        self.cells.get(self.last as usize..).unwrap_or_default()
    }

    /// Returns the end of the stretch and the cost from there to the target.
    pub(super) fn end(&self) -> Option<(Cell, Cost)> {
        self.cells.get(self.last as usize).map(|&cell| (cell, self.cost_beyond))
    }

    /// Returns true if the stretch ends at the target.
    fn is_last_stretch(&self) -> bool {
        self.last as usize + 1 >= self.cells.len()
    }

    /// Returns the distance from the end of the stretch at which the next one is requested, in the units of a field; 0 if
    /// the stretch ends at the target.
    pub(super) fn margin(&self, ground: &Ground) -> u16 {
        if self.is_last_stretch() { 0 } else { wrap(MARGIN * straight_step(ground)) }
    }

    /// Drops the cells if nothing lies beyond the stretch.
    pub(super) fn drop_if_last_stretch(&mut self) {
        if self.is_last_stretch() {
            *self = Self::default();
        }
    }

    /// Returns true if the path is legal and costs what it did.
    pub(super) fn is_intact(&self, ground: &Ground) -> bool {
        self.cells.is_empty() || ground.path_cost(&self.cells) == Some(self.cost)
    }

    /// Returns the memory of the cells, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(self.cells.as_slice())
    }
}

impl Validate for PathAhead {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { cells, cost, last, cost_beyond } = self;
        cells.validate(limits)?;
        limits.at_most(*cost_beyond, u64::from(*cost), "the cost beyond a stretch")?;
        limits.at_most(*last, (cells.len() as u64).saturating_sub(1), "the end of a stretch")
    }
}

/// Returns the least cost of a straight step, in the units of a field.
fn straight_step(ground: &Ground) -> u32 {
    ground.profile().min_step_costs()[0] >> f_range(ground).1
}

fn step_cost(ground: &Ground, from: Cell, to: Cell) -> Option<Cost> {
    ground.legal_step(from, to).map(|direction| ground.cost(from, direction))
}

/// Cells as differences of consecutive numbers, which take one or two bytes each.
mod cell_differences {
    use serde::{Deserialize, Deserializer, Serializer};
    use throng_grid::Cell;

    pub(super) fn serialize<S: Serializer>(cells: &[Cell], serializer: S) -> Result<S::Ok, S::Error> {
        let before = std::iter::once(0).chain(cells.iter().map(|cell| cell.0));
        serializer.collect_seq(
            cells.iter().zip(before).map(|(cell, before)| cell.0.wrapping_sub(before).cast_signed()),
        )
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Cell>, D::Error> {
        let differences = Vec::<i32>::deserialize(deserializer)?;
        let add = |sum: &mut u32, difference: i32| {
            *sum = sum.wrapping_add_signed(difference);
            Some(Cell(*sum))
        };
        Ok(differences.into_iter().scan(0, add).collect())
    }
}
