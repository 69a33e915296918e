//! A map from cells to numbers that takes memory for its entries, not for all cells of the grid: copies of a world copy it.
//!
//! Open addressing with linear probing and deletion without marks: D. E. Knuth, *The Art of Computer Programming*, volume 3,
//! section 6.4, algorithms L and R. The hash is fixed, and nothing iterates over the entries.

use throng_grid::Cell;

use crate::AgentRow;

/// The key of an empty slot. It is above every cell index.
const EMPTY: Cell = Cell(u32::MAX);
/// The number of slots of the first table.
const MIN_SLOTS: usize = 64;

/// A map from cells to numbers.
#[derive(Debug, Default)]
pub(crate) struct CellMap {
    /// A power of two of them, at most half of them in use.
    slots: Vec<(Cell, u32)>,
    len: usize,
}

impl Clone for CellMap {
    fn clone(&self) -> Self {
        Self { slots: self.slots.clone(), len: self.len }
    }

    fn clone_from(&mut self, source: &Self) {
        self.slots.clone_from(&source.slots);
        self.len = source.len;
    }
}

impl CellMap {
    /// Returns the number of a cell.
    #[inline]
    pub(crate) fn get(&self, cell: Cell) -> Option<u32> {
        let slot = self.find(cell)?;
        (self.slots[slot].0 == cell).then(|| self.slots[slot].1)
    }

    /// Returns the number of a cell as the row of an agent, in a map of rows.
    #[inline]
    pub(crate) fn agent(&self, cell: Cell) -> Option<AgentRow> {
        self.get(cell).map(AgentRow)
    }

    /// Sets the number of a cell.
    pub(crate) fn set(&mut self, cell: Cell, number: u32) {
        if self.slots.len() <= 2 * self.len {
            self.grow();
        }
        if let Some(slot) = self.find(cell) {
            self.len += usize::from(self.slots[slot].0 == EMPTY);
            self.slots[slot] = (cell, number);
        }
    }

    /// Removes a cell.
    pub(crate) fn remove(&mut self, cell: Cell) {
        let Some(mut hole) = self.find(cell).filter(|&slot| self.slots[slot].0 == cell) else { return };
        self.len -= 1;
        let mask = self.slots.len() - 1;
        let mut slot = hole;
        loop {
            slot = (slot + 1) & mask;
            let entry = self.slots[slot];
            if entry.0 == EMPTY {
                break;
            }
            // An entry may move into the hole if that lies between its home and its slot.
            let distance = slot.wrapping_sub(self.home(entry.0)) & mask;
            if distance >= slot.wrapping_sub(hole) & mask {
                self.slots[hole] = entry;
                hole = slot;
            }
        }
        self.slots[hole].0 = EMPTY;
    }

    /// Returns the slot of a cell, or the empty one where it belongs; `None` if there are no slots.
    #[inline]
    fn find(&self, cell: Cell) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = self.home(cell);
        while self.slots[slot].0 != cell && self.slots[slot].0 != EMPTY {
            slot = (slot + 1) & mask;
        }
        Some(slot)
    }

    /// Returns the first slot that a cell may have.
    #[inline]
    fn home(&self, cell: Cell) -> usize {
        let hash = cell.0.wrapping_mul(0x9E37_79B1);
        // The upper bits of the product are the mixed ones.
        ((u64::from(hash) * self.slots.len() as u64) >> 32) as usize
    }

    fn grow(&mut self) {
        let slots = (2 * self.slots.len()).max(MIN_SLOTS);
        let before = std::mem::replace(&mut self.slots, vec![(EMPTY, 0); slots]);
        for (cell, number) in before.into_iter().filter(|&(cell, _)| cell != EMPTY) {
            if let Some(slot) = self.find(cell) {
                self.slots[slot] = (cell, number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use throng_grid::SeededRng;

    use super::*;

    #[test]
    fn it_behaves_like_a_map() {
        for cells in [5, 60, 5_000] {
            let (mut map, mut expected, mut rng) =
                (CellMap::default(), BTreeMap::new(), SeededRng::new(cells));
            assert_eq!(map.get(Cell(0)), None);
            map.remove(Cell(0));
            for round in 0..20_000 {
                let cell = Cell(rng.below(cells as u32) * 64);
                // The map fills, then it empties.
                if rng.below(3) < if round < 10_000 { 2 } else { 1 } {
                    map.set(cell, round);
                    expected.insert(cell, round);
                } else {
                    map.remove(cell);
                    expected.remove(&cell);
                }
                let other = Cell(rng.below(cells as u32) * 64);
                assert_eq!(map.get(other), expected.get(&other).copied());
                assert_eq!(map.len, expected.len());
            }
            let all = (0..cells as u32).map(|number| Cell(number * 64));
            all.for_each(|cell| assert_eq!(map.get(cell), expected.get(&cell).copied()));
        }
    }
}
