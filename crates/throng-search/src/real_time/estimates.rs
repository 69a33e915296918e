//! The estimates of all cells for one goal, as arrays without a test of whether a cell was learned.
//!
//! A square of cells gets its initial estimates when the agent comes near it, and after a walk only the cells that were
//! learned are restored. So a walk starts in time proportional to the length of the one before, and many walks to one goal
//! share the rest. A margin before the first and after the last cell lets every cell read eight neighbours. A read across the border
//! of the map gives some finite value, which the caller ignores because no legal move leads there.

use throng_grid::{Cell, Direction, DirectionSet, Ground, Pos};

use super::lanes::Lanes;
use crate::heuristic::OctileDistance;

/// Side of a square. Small ones cost less around a short walk, large ones need fewer checks of their neighbours.
const SQUARE: usize = 8;

/// The estimates, and the cells that were removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    /// The goal and the costs of the initial estimates.
    heuristic: Option<OctileDistance>,
    width: usize,
    height: usize,
    initial: Vec<f64>,
    current: Vec<f64>,
    /// By square: whether it has its initial estimates.
    is_filled: Vec<bool>,
    /// By square: whether it and the eight around it have them.
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
        (self.width, self.height) = (size.width() as usize, size.height() as usize);
        let count = size.area() + 2 * (self.width + 1);
        self.initial.resize(count, 0.0);
        self.current.resize(count, 0.0);
        self.removed.resize(count, 0);
        let squares = self.columns() * self.height.div_ceil(SQUARE);
        for flags in [&mut self.is_filled, &mut self.is_ready] {
            flags.clear();
            flags.resize(squares, false);
        }
    }

    /// Returns the number of squares per row of squares.
    fn columns(&self) -> usize {
        self.width.div_ceil(SQUARE)
    }

    /// Prepares the estimates around a position.
    #[inline]
    pub(super) fn enter(&mut self, at: Pos) {
        let (x, y) = (at.x as usize / SQUARE, at.y as usize / SQUARE);
        if !self.is_ready[y * self.columns() + x] {
            self.prepare(x, y);
        }
    }

    /// Fills a square and those around it.
    #[cold]
    fn prepare(&mut self, x: usize, y: usize) {
        let (columns, rows) = (self.columns(), self.height.div_ceil(SQUARE));
        for y in y.saturating_sub(1)..(y + 2).min(rows) {
            for x in x.saturating_sub(1)..(x + 2).min(columns) {
                // What was filled before may have been learned since.
                if !std::mem::replace(&mut self.is_filled[y * columns + x], true) {
                    self.fill(x, y);
                }
            }
        }
        self.is_ready[y * columns + x] = true;
    }

    /// Writes the initial estimates of a square.
    fn fill(&mut self, x: usize, y: usize) {
        let Some(heuristic) = self.heuristic else { return };
        let xs = x * SQUARE..((x + 1) * SQUARE).min(self.width);
        for y in y * SQUARE..((y + 1) * SQUARE).min(self.height) {
            let first = self.width + 1 + y * self.width;
            let cells = first + xs.start..first + xs.end;
            for (x, initial) in xs.clone().zip(&mut self.initial[cells.clone()]) {
                *initial = f64::from(heuristic.at(Pos::new(x as i32, y as i32)));
            }
            self.current[cells.clone()].copy_from_slice(&self.initial[cells]);
        }
    }

    /// Returns the estimate of a cell.
    #[inline]
    pub(super) fn get(&self, cell: Cell) -> f64 {
        self.current[self.width + 1 + cell.index()]
    }

    /// Returns by how much the estimate of a cell was raised.
    pub(super) fn increment(&self, cell: Cell) -> f64 {
        let at = self.width + 1 + cell.index();
        self.current[at] - self.initial[at]
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
