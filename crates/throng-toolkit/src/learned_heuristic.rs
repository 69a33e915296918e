//! What an agent has learned about its way: a heuristic of its own, kept across searches.
//!
//! Real-time searches raise the estimates of the cells they looked at, so that an agent leaves places that only look
//! near to its goal. Stored is by how much each estimate exceeds the distance on an empty map: zero for every cell
//! that nothing was learned about, which needs no memory, and nothing to compute when an agent gets another goal.

use throng_grid::{Cell, Cost, Size};
use throng_search::{Heuristic, OctileDistance, PagedCells};

use throng_crowd::bytes::{Damaged, Reader, put};

/// What one agent has learned for its present goal.
#[derive(Clone, Debug, Default)]
pub struct LearnedHeuristic {
    /// None until something is learned.
    pages: Option<PagedCells<Cost>>,
}

impl LearnedHeuristic {
    /// By how much the estimate of a cell exceeds its distance on an empty map.
    #[inline]
    pub fn increment(&self, cell: Cell) -> Cost {
        self.pages.as_ref().map_or(0, |pages| pages.get(cell))
    }

    /// Says by how much the estimate of a cell exceeds its distance on an empty map from now on.
    pub fn set(&mut self, size: Size, cell: Cell, increment: Cost) {
        if increment != self.increment(cell) {
            *self.pages.get_or_insert_with(|| PagedCells::new(size, 0)).touch(cell) = increment;
        }
    }

    /// Forgets everything, and keeps the memory.
    pub fn forget(&mut self) {
        if let Some(pages) = &mut self.pages {
            pages.clear();
        }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.pages.as_ref().map_or(0, PagedCells::memory_bytes)
    }

    /// Writes what was learned.
    pub fn save(&self, bytes: &mut Vec<u8>) {
        let known =
            || self.pages.iter().flat_map(PagedCells::touched).filter(|&(_, increment)| increment != 0);
        put(bytes, known().count() as u64);
        for (cell, increment) in known() {
            put(bytes, u64::from(cell.0));
            put(bytes, u64::from(increment));
        }
    }

    /// Reads what [`LearnedHeuristic::save`] wrote, for a map of this size.
    ///
    /// # Errors
    /// When the bytes are not what it writes.
    pub fn load(size: Size, reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let mut learned = Self::default();
        for _ in 0..reader.length("the number of learned cells")? {
            let cell = reader.number_to(size.area() as u64 - 1, "a learned cell")?;
            let increment = reader.number_to(u64::from(Cost::MAX), "what was learned about a cell")?;
            learned.set(size, Cell(cell as u32), increment as Cost);
        }
        Ok(learned)
    }
}

/// The heuristic that an agent has taught itself: the distance on an empty map, and what was learned on top.
#[derive(Clone, Copy, Debug)]
pub struct HeuristicWithLearning<'a> {
    /// The distance on an empty map.
    pub empty: OctileDistance,
    /// What was learned on top.
    pub learned: &'a LearnedHeuristic,
}

impl Heuristic for HeuristicWithLearning<'_> {
    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        self.empty.lower(node).saturating_add(self.learned.increment(Cell(node))).min(Cost::MAX - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learned_is_kept_saved_and_forgotten() {
        let size = Size::new(100, 70).unwrap();
        let mut learned = LearnedHeuristic::default();
        learned.set(size, Cell(5), 0);
        assert_eq!(learned.memory_bytes(), 0, "learning nothing needs no memory");
        for cell in size.cells().step_by(37) {
            learned.set(size, cell, cell.0 % 5 * 1000);
        }
        let mut bytes = Vec::new();
        learned.save(&mut bytes);
        let mut reader = Reader::new(&bytes);
        let loaded = LearnedHeuristic::load(size, &mut reader).unwrap();
        assert!(reader.is_done());
        assert!(size.cells().all(|cell| loaded.increment(cell) == learned.increment(cell)));
        for end in 0..bytes.len() {
            assert!(
                LearnedHeuristic::load(size, &mut Reader::new(&bytes[..end])).is_err(),
                "cut short at {end}"
            );
        }
        learned.forget();
        assert!(size.cells().all(|cell| learned.increment(cell) == 0));
        learned.save(&mut Vec::new());
    }
}
