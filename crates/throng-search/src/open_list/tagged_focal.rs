//! A focal list whose members are marked by a bit of the edge's tag.
//!
//! As in focal search, OPEN gives the lower bound, and FOCAL entries are popped first while their `f` is within the
//! factor ε of it. Unlike in focal search, the search space decides which entries belong to FOCAL, and both lists are
//! ordered by `f`.

use throng_grid::Cost;

use crate::spec::MILLION;

use super::{Heap, OpenEntry, OpenList};

/// An open list that pops the FOCAL entry with the smallest `f` if that is at most ε times the smallest `f` of all, and
/// otherwise the first entry of `open`.
#[derive(Clone, Debug)]
pub struct TaggedFocal<F> {
    open: F,
    focal: Heap,
    /// ε in millionths.
    epsilon: u64,
    /// The tag bit of FOCAL entries.
    bit: u8,
    /// Whether the entry returned last came from FOCAL.
    is_focal: bool,
}

impl<F: OpenList> TaggedFocal<F> {
    /// Returns a list for a factor in millionths, at least one million. Entries whose tag has the `bit` go to FOCAL.
    pub fn new(open: F, epsilon_millionths: u64, bit: u8) -> Self {
        debug_assert!(epsilon_millionths >= MILLION, "the factor is at least one");
        Self { open, focal: Heap::default(), epsilon: epsilon_millionths, bit, is_focal: false }
    }
}

impl<F: OpenList> OpenList for TaggedFocal<F> {
    fn set_f_range(&mut self, range: Cost, shift: u32) {
        self.open.set_f_range(range, shift);
    }

    fn clear(&mut self) {
        self.open.clear();
        self.focal.clear();
    }

    #[inline]
    fn push(&mut self, entry: OpenEntry, tag: u8) {
        self.open.push(entry, tag);
        if tag & self.bit != 0 {
            self.focal.push(entry, tag);
        }
    }

    #[inline]
    fn first(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        let next = self.open.first(&live)?;
        let bound = u64::from(self.open.lower_bound()) * self.epsilon;
        let focal = self.focal.first(live).filter(|entry| u64::from(entry.f()) * MILLION <= bound);
        self.is_focal = focal.is_some();
        // Its copy in OPEN is dropped later: by then the node is closed and the entry not live.
        focal.or(Some(next))
    }

    #[inline]
    fn pop_first(&mut self) {
        if self.is_focal {
            self.focal.pop_first();
        } else {
            self.open.pop_first();
        }
    }

    fn lower_bound(&self) -> Cost {
        self.open.lower_bound()
    }

    fn memory_bytes(&self) -> usize {
        self.open.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_list::Buckets;

    #[test]
    fn focal_entries_are_popped_first_only_within_the_factor() {
        let mut list = TaggedFocal::new(Buckets::new(10_000, 2), 1_100_000, 1);
        let entry = |node, f| OpenEntry { node, g: 0, h: f };
        for (node, f, tag) in [(0, 1_000, 0), (1, 1_100, 1), (2, 1_104, 1), (3, 1_020, 0), (4, 1_040, 1)] {
            list.push(entry(node, f), tag);
        }
        let mut popped = Vec::new();
        let mut order = Vec::new();
        while let Some(first) = list.first(|entry| !popped.contains(&entry.node)) {
            list.pop_first();
            popped.push(first.node);
            order.push((first.node, list.lower_bound()));
        }
        // Node 2 exceeds the factor until node 0 has been popped.
        assert_eq!(order, [(4, 1_000), (1, 1_000), (0, 1_000), (2, 1_020), (3, 1_020)]);
    }
}
