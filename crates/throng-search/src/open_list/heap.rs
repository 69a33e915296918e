//! A binary heap of packed keys: the open list for any heuristic.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use throng_grid::Cost;

use super::{OpenEntry, OpenList};

/// A binary heap ordered by smallest `f`. Tie-break: [`Ties`].
///
/// An entry is one integer, `f | g | sequence | node` from the highest bits down, with `g` and the sequence number masked
/// by the tie-break, so that two entries are compared with one instruction sequence instead of field by field.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    entries: BinaryHeap<Reverse<u128>>,
    ties: Ties,
    pushed: u32,
    bound: Cost,
}

/// The order of entries with the same `f`: by `g`, then by the sequence number of the push.
///
/// Both are compared after an exclusive or with a mask: no bits set keep the order, all bits set reverse it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ties {
    g: Cost,
    sequence: u32,
}

impl Ties {
    /// Largest `g`, then first in first out, as in the BMAA* paper.
    pub const LARGEST_G: Self = Self { g: Cost::MAX, sequence: 0 };
    /// Largest `g`, then last in first out.
    pub const LARGEST_G_LAST: Self = Self { g: Cost::MAX, sequence: u32::MAX };
    /// Smallest `g`, then first in first out.
    pub const SMALLEST_G: Self = Self { g: 0, sequence: 0 };

    /// Returns a random order. Over all random values, each of two entries comes first equally often: their order is
    /// decided by the bit of the mask at the highest bit in which they differ.
    pub const fn random(random: u64) -> Self {
        Self { g: (random >> 32) as Cost, sequence: random as u32 }
    }
}

impl Default for Ties {
    fn default() -> Self {
        Self::LARGEST_G
    }
}

impl Heap {
    /// Drops every entry and sets the tie-break of later ones.
    pub fn set_ties(&mut self, ties: Ties) {
        self.clear();
        self.ties = ties;
    }
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
        let (g, sequence) = (entry.g ^ self.ties.g, self.pushed ^ self.ties.sequence);
        self.entries.push(Reverse(pack(entry.f(), g, sequence, entry.node)));
        self.pushed = self.pushed.wrapping_add(1);
    }

    #[expect(clippy::inline_always, reason = "called once per expansion, in several compiled search loops")]
    #[inline(always)]
    fn first(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        while let Some(&Reverse(key)) = self.entries.peek() {
            let (f, masked, node) = unpack(key);
            let g = masked ^ self.ties.g;
            let entry = OpenEntry { node, g, h: f - g };
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
