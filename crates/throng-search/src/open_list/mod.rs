//! Open lists: which node is expanded next.
//!
//! Every list is lazy: a node that is reached more cheaply is pushed again, and the caller's `live` test drops
//! the entry that it left behind.

mod buckets;
mod focal;
mod heap;
mod tagged_focal;
mod two_queues;

pub use buckets::Buckets;
pub use focal::Focal;
pub use heap::Heap;
pub use tagged_focal::TaggedFocal;
pub use two_queues::TwoQueues;

use throng_grid::Cost;

/// A node as it was when it was pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The node.
    pub node: u32,
    /// Cost of the way to it.
    pub g: Cost,
    /// Estimate of what is left.
    pub h: Cost,
}

impl Entry {
    /// `g + h`, saturating.
    #[inline]
    pub const fn f(self) -> Cost {
        self.g.saturating_add(self.h)
    }
}

/// An open list. Each one documents its order.
pub trait OpenList {
    /// Says in advance what is coming: `f` will be multiples of `1 << shift` within `range` of each other.
    fn set_f_range(&mut self, range: Cost, shift: u32) {
        let _ = (range, shift);
    }

    /// Drops every entry and keeps the memory.
    fn clear(&mut self);

    /// Adds an entry.
    fn push(&mut self, entry: Entry);

    /// Adds an entry whose edge carries a tag, for lists that look at it.
    #[inline]
    fn push_tagged(&mut self, entry: Entry, tag: u8) {
        let _ = tag;
        self.push(entry);
    }

    /// The next entry that is `live`, left in its place; entries before it that are not are dropped.
    fn first(&mut self, live: impl Fn(&Entry) -> bool) -> Option<Entry>;

    /// Removes the entry that [`OpenList::first`] has just returned.
    fn pop_first(&mut self);

    /// A lower bound of `f` over all live entries, as of the last [`OpenList::first`] that returned one.
    fn lower_bound(&self) -> Cost;

    /// Bytes held, where they are worth counting.
    fn memory_bytes(&self) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    /// Pops everything, pushing more on the way, and gives the order.
    fn order(open_list: &mut impl OpenList, seed: u64, monotone: bool) -> Vec<Entry> {
        let mut random = Pcg32::seed_from_u64(seed);
        let mut entry = |least: Cost, node| {
            let f = least + random.next_u32() % 300 * 4;
            let g = random.next_u32() % (f / 4 + 1) * 4;
            Entry { node, g, h: f - g }
        };
        let mut popped = Vec::new();
        for node in 0..50 {
            open_list.push(entry(if monotone { 100 } else { node * 5_000 % 9_001 / 4 * 4 }, node));
        }
        let mut next = 50;
        while let Some(first) = open_list.first(|entry| entry.node % 7 != 3) {
            assert_eq!(open_list.first(|entry| entry.node % 7 != 3), Some(first), "looking changes nothing");
            open_list.pop_first();
            popped.push(first);
            for _ in 0..2 {
                if next < 2_000 {
                    open_list.push(entry(if monotone { first.f() } else { 40 }, next));
                    next += 1;
                }
            }
        }
        popped
    }

    #[test]
    fn heap_pops_by_f_then_larger_g_then_first_in() {
        let mut heap = Heap::default();
        for (node, g, h) in [(0, 8, 12), (2, 12, 8), (1, 12, 8), (3, 0, 16), (4, 16, 8)] {
            heap.push(Entry { node, g, h });
        }
        let mut nodes = Vec::new();
        while let Some(first) = heap.first(|_| true) {
            nodes.push(first.node);
            heap.pop_first();
        }
        assert_eq!(nodes, [3, 2, 1, 0, 4]);
    }

    #[test]
    fn buckets_pop_by_f_then_last_in() {
        let mut buckets = Buckets::new(4, 2);
        for (node, g, h) in [(0, 8, 12), (1, 12, 8), (2, 12, 8), (3, 0, 16), (4, 16, 8)] {
            buckets.push(Entry { node, g, h });
        }
        let mut nodes = Vec::new();
        while let Some(first) = buckets.first(|_| true) {
            nodes.push(first.node);
            buckets.pop_first();
        }
        assert_eq!(nodes, [3, 2, 1, 0, 4]);
    }

    /// Any order of pushes, far beyond the ring's width and below what was popped: the same costs as the heap.
    #[test]
    fn buckets_and_heap_agree_on_costs() {
        for seed in 0..30 {
            for monotone in [true, false] {
                let mut heap = Heap::default();
                let mut buckets = Buckets::new(40 * (1 + seed as u32 % 9), 2);
                let sorted = |mut entries: Vec<Entry>| {
                    entries.sort_by_key(|entry| (entry.node, entry.f()));
                    entries.iter().map(|entry| entry.node).collect::<Vec<_>>()
                };
                let (a, b) = (order(&mut heap, seed, monotone), order(&mut buckets, seed, monotone));
                assert_eq!(sorted(a.clone()), sorted(b.clone()));
                if monotone {
                    assert!(b.is_sorted_by_key(|entry| entry.f()), "seed {seed}");
                    assert!(a.is_sorted_by_key(|entry| entry.f()), "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn lanes_and_heap_agree_on_costs() {
        for (seed, monotone) in (0..30).flat_map(|seed| [(seed, true), (seed, false)]) {
            let nodes = |mut entries: Vec<Entry>| {
                entries.sort_by_key(|entry| entry.node);
                entries
            };
            let all = order(&mut TwoQueues::default(), seed, monotone);
            assert!(!monotone || all.is_sorted_by_key(|entry| entry.f()), "seed {seed}");
            assert_eq!(nodes(all), nodes(order(&mut Heap::default(), seed, monotone)));
        }
        let mut lanes = TwoQueues::default();
        for (node, g, tag) in [(0, 8, 0), (1, 12, 1), (2, 4, 0), (3, 4, 1), (4, 8, 2), (5, 6, 1)] {
            lanes.push_tagged(Entry { node, g, h: 0 }, tag);
        }
        let mut popped = Vec::new();
        while let Some(first) = lanes.first(|_| true) {
            popped.push(first.node);
            lanes.pop_first();
        }
        assert_eq!(popped, [2, 3, 5, 0, 4, 1], "by cost, straight first, first in first out");
    }

    #[test]
    fn focal_pops_the_smallest_h_within_the_factor() {
        for seed in 0..30 {
            let mut focal = Focal::new(1_300_000);
            let mut left: Vec<Entry> = Vec::new();
            let mut random = Pcg32::seed_from_u64(seed);
            for node in 0..400 {
                let f = 1_000 + random.next_u32() % 2_000;
                let entry = Entry { node, g: f / 3, h: f - f / 3 };
                focal.push(entry);
                left.push(entry);
                if node % 3 == 2 {
                    let live = |entry: &Entry| left.iter().any(|other| other.node == entry.node);
                    let first = focal.first(live).unwrap();
                    focal.pop_first();
                    let least = left.iter().map(|entry| entry.f()).min().unwrap();
                    assert_eq!(focal.lower_bound(), least);
                    let allowed = |entry: &&Entry| u64::from(entry.f()) * 10 <= u64::from(least) * 13;
                    let best = left.iter().filter(allowed).map(|entry| entry.h).min();
                    assert_eq!(Some(first.h), best, "seed {seed}");
                    left.retain(|entry| entry.node != first.node);
                }
            }
        }
    }
}
