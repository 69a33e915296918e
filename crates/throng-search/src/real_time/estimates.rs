//! The estimates of all cells for one goal, as arrays without a test of whether a cell was learned.
//!
//! A row gets its initial estimates when the agent comes near it, and after a walk only the cells that were learned are
//! restored. So a walk starts in time proportional to the length of the one before, and many walks to one goal share the
//! rest. A margin before the first and after the last cell lets every cell read eight neighbours. A read across the border
//! of the map gives some finite value, which the caller ignores because no legal move leads there.

use throng_grid::{Cell, Direction, DirectionSet, Ground};

use super::lanes::Lanes;
use crate::heuristic::{Heuristic, OctileDistance};

/// The estimates, and the cells that were removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    /// The goal and the costs of the initial estimates.
    heuristic: Option<OctileDistance>,
    width: usize,
    initial: Vec<f64>,
    current: Vec<f64>,
    /// By row: whether it and the rows beside it have their initial estimates.
    is_ready: Vec<bool>,
    /// The directions to removed neighbours.
    removed: Vec<DirectionSet>,
    /// The cells whose estimates were raised.
    learned: Vec<u32>,
}

impl Estimates {
    /// Forgets what was learned, and the initial estimates if they are for another goal.
    pub(super) fn begin(&mut self, ground: &Ground, to: Cell) {
        for &cell in &self.learned {
            let at = self.width + 1 + cell as usize;
            self.current[at] = self.initial[at];
            for middle in [at - self.width, at, at + self.width] {
                self.removed[middle - 1..middle + 2].fill(0);
            }
        }
        self.learned.clear();
        let heuristic = OctileDistance::to_cell(ground, to);
        if self.heuristic == Some(heuristic) {
            return;
        }
        self.heuristic = Some(heuristic);
        let size = ground.size();
        self.width = size.width() as usize;
        let count = size.area() + 2 * (self.width + 1);
        self.initial.resize(count, 0.0);
        self.current.resize(count, 0.0);
        self.removed.resize(count, 0);
        self.is_ready.clear();
        self.is_ready.resize(size.height() as usize, false);
    }

    /// Prepares the estimates of a row and of those beside it.
    #[inline]
    pub(super) fn enter(&mut self, row: usize) {
        if !self.is_ready[row] {
            self.fill(row);
        }
    }

    #[cold]
    fn fill(&mut self, row: usize) {
        let Some(mut heuristic) = self.heuristic else { return };
        for near in row.saturating_sub(1)..(row + 2).min(self.is_ready.len()) {
            // A row beside one that the agent has entered is filled, and may have been learned since.
            let is_filled =
                (near.saturating_sub(1)..near + 2).any(|row| self.is_ready.get(row) == Some(&true));
            if is_filled {
                continue;
            }
            let first = near * self.width;
            for cell in first..first + self.width {
                self.initial[self.width + 1 + cell] = f64::from(heuristic.lower(cell as u32));
            }
            let filled = self.width + 1 + first..2 * self.width + 1 + first;
            self.current[filled.clone()].copy_from_slice(&self.initial[filled]);
        }
        self.is_ready[row] = true;
    }

    /// Returns the estimate of a cell.
    #[inline]
    pub(super) fn get(&self, cell: Cell) -> f64 {
        self.current[self.width + 1 + cell.index()]
    }

    /// Returns the estimates of the eight neighbours.
    #[inline]
    pub(super) fn around(&self, cell: Cell) -> Lanes {
        around(&self.current, self.width, cell)
    }

    /// Returns how much the estimates of the eight neighbours were raised.
    #[inline]
    pub(super) fn raised_around(&self, cell: Cell) -> Lanes {
        let (now, before) = (self.around(cell), around(&self.initial, self.width, cell));
        std::array::from_fn(|at| now[at] - before[at])
    }

    /// Raises the estimate of a cell to a value above it.
    #[inline]
    pub(super) fn raise(&mut self, cell: Cell, estimate: f64) {
        let at = self.width + 1 + cell.index();
        if self.current[at] <= self.initial[at] {
            self.learned.push(cell.0);
        }
        self.current[at] = estimate;
    }

    /// Returns the directions to removed neighbours.
    #[inline]
    pub(super) fn removed_around(&self, cell: Cell) -> DirectionSet {
        self.removed[self.width + 1 + cell.index()]
    }

    /// Removes a cell whose estimate was raised.
    pub(super) fn remove(&mut self, ground: &Ground, cell: Cell) {
        for direction in Direction::ALL {
            let beside = self.width + 1 + cell.index();
            let beside = beside.wrapping_add_signed(ground.offsets()[direction as usize] as isize);
            self.removed[beside] |= direction.opposite().bit();
        }
    }
}

/// Returns the values of the eight neighbours of a cell, in the order of the directions' numbers.
#[inline]
fn around(values: &[f64], width: usize, cell: Cell) -> Lanes {
    let first = cell.index();
    let near = &values[first..first + 2 * width + 3];
    let (north, middle, south) = (&near[..3], &near[width..width + 3], &near[2 * width..2 * width + 3]);
    [north[1], north[2], middle[2], south[2], south[1], south[0], middle[0], north[0]]
}
