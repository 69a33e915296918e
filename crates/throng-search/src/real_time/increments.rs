//! What a real-time search has learned: for each cell, how much its estimate exceeds the initial heuristic.
//!
//! The increment is zero for most cells. So nothing has to be computed for cells that the agent never comes near, and another
//! initial heuristic needs no other storage.

use throng_grid::{Cell, Cost, Size};

use crate::heuristic::Heuristic;

/// The increments of the cells of one map.
pub trait Increments {
    /// Returns the increment of a cell over its initial estimate.
    fn increment(&self, cell: Cell) -> Cost;

    /// Sets the increment of a cell of a map of this size.
    fn set(&mut self, size: Size, cell: Cell, increment: Cost);
}

/// One slot per cell, invalidated in O(1) by raising a stamp.
#[derive(Clone, Debug, Default)]
pub struct StampedIncrements {
    /// For each cell the stamp of the walk that wrote it, and the increment.
    slots: Vec<(u32, Cost)>,
    stamp: u32,
}

impl StampedIncrements {
    /// Removes all increments and makes room for a number of cells.
    pub fn begin(&mut self, cells: usize) {
        if self.stamp == u32::MAX {
            self.slots.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.slots.len() < cells {
            self.slots.resize(cells, (0, 0));
        }
    }
}

impl Increments for StampedIncrements {
    #[inline]
    fn increment(&self, cell: Cell) -> Cost {
        let (stamp, increment) = self.slots[cell.index()];
        if stamp == self.stamp { increment } else { 0 }
    }

    fn set(&mut self, _: Size, cell: Cell, increment: Cost) {
        self.slots[cell.index()] = (self.stamp, increment);
    }
}

/// An initial heuristic plus what the agent has learned.
#[derive(Debug)]
pub struct HeuristicWithLearning<'a, H, L> {
    /// The initial heuristic, for example the distance on an empty map.
    pub initial: H,
    /// The increments.
    pub learned: &'a L,
}

impl<H: Clone, L> Clone for HeuristicWithLearning<'_, H, L> {
    fn clone(&self) -> Self {
        Self { initial: self.initial.clone(), learned: self.learned }
    }
}

impl<H: Copy, L> Copy for HeuristicWithLearning<'_, H, L> {}

impl<H: Heuristic, L: Increments> Heuristic for HeuristicWithLearning<'_, H, L> {
    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        let initial = self.initial.lower(node);
        initial.saturating_add(self.learned.increment(Cell(node))).min(Cost::MAX - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increments_are_forgotten_also_when_stamps_wrap() {
        let size = Size::new(4, 1).unwrap();
        let mut learned = StampedIncrements { stamp: u32::MAX - 2, ..StampedIncrements::default() };
        for round in 1..6 {
            learned.begin(4);
            assert!(size.cells().all(|cell| learned.increment(cell) == 0), "round {round}");
            learned.set(size, Cell(2), round);
            assert_eq!((learned.increment(Cell(2)), learned.increment(Cell(1))), (round, 0));
        }
        assert!(learned.stamp < 6, "the stamps started again");
    }
}
