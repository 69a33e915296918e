//! A binary heap of packed keys: the open list for any heuristic.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use throng_grid::Cost;

use super::{OpenEntry, OpenList};

/// A binary heap ordered by smallest `f`. Tie-break: largest `g`, then first in first out, as in the BMAA* paper.
///
/// An entry is one integer, `f | !g | sequence | node` from the highest bits down, so that two entries are compared
/// with one instruction sequence instead of field by field.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    entries: BinaryHeap<Reverse<u128>>,
    pushed: u32,
    bound: Cost,
}

/// Packs two ranks, a sequence number and a node into a key; smaller keys are popped first.
#[inline]
pub(super) const fn pack(first: Cost, second: Cost, sequence: u32, node: u32) -> u128 {
    (first as u128) << 96 | (second as u128) << 64 | (sequence as u128) << 32 | node as u128
}

/// Returns the two ranks and the node of a packed key.
#[inline]
pub(super) const fn unpack(key: u128) -> (Cost, Cost, u32) {
    ((key >> 96) as Cost, (key >> 64) as Cost, key as u32)
}

impl OpenList for Heap {
    fn clear(&mut self) {
        self.entries.clear();
        self.pushed = 0;
        self.bound = 0;
    }

    #[inline]
    fn push(&mut self, entry: OpenEntry, _: u8) {
        self.entries.push(Reverse(pack(entry.f(), !entry.g, self.pushed, entry.node)));
        self.pushed = self.pushed.wrapping_add(1);
    }

    #[inline]
    fn first(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        while let Some(&Reverse(key)) = self.entries.peek() {
            let (f, not_g, node) = unpack(key);
            let entry = OpenEntry { node, g: !not_g, h: f - !not_g };
            if live(&entry) {
                self.bound = f;
                return Some(entry);
            }
            self.entries.pop();
        }
        None
    }

    #[inline]
    fn pop_first(&mut self) {
        self.entries.pop();
    }

    fn lower_bound(&self) -> Cost {
        self.bound
    }

    fn memory_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<u128>()
    }
}
