//! Open lists: they decide which node is expanded next, and how ties break.
//!
//! Deletion is lazy: when a cheaper path to a node is found, the node is pushed again, and the caller's `live` test
//! drops the outdated entry when it becomes first. Each list documents its tie-break.

mod buckets;
mod focal;
mod heap;
mod tagged_focal;

pub use buckets::Buckets;
pub use focal::Focal;
pub use heap::{Heap, Ties};
pub use tagged_focal::TaggedFocal;

use throng_grid::Cost;

/// A node with its costs at the time it was pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenEntry {
    /// The node.
    pub node: u32,
    /// Cost of the path to it.
    pub g: Cost,
    /// Heuristic estimate of the remaining cost.
    pub h: Cost,
}

impl OpenEntry {
    /// Returns `g + h`, saturating.
    #[inline]
    pub const fn f(self) -> Cost {
        self.g.saturating_add(self.h)
    }
}

/// An open list.
pub trait OpenList {
    /// Prepares for `f` values that are multiples of `1 << shift` and lie within `range` of each other.
    fn set_f_range(&mut self, range: Cost, shift: u32) {
        let _ = (range, shift);
    }

    /// Drops every entry and keeps the memory.
    fn clear(&mut self);

    /// Adds an entry with the tag of its edge, which most lists ignore.
    fn push(&mut self, entry: OpenEntry, tag: u8);

    /// Returns the first `live` entry without removing it; drops the entries before it.
    fn first(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry>;

    /// Removes the entry that [`OpenList::first`] has just returned.
    fn pop_first(&mut self);

    /// Returns a lower bound of `f` over all live entries, as of the last [`OpenList::first`] that returned an entry.
    fn lower_bound(&self) -> Cost;

    /// Returns the bytes held; 0 for lists that do not count them.
    fn memory_bytes(&self) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    /// Pops every entry and pushes further entries meanwhile; returns the entries in the order popped.
    fn pop_order(open_list: &mut impl OpenList, seed: u64, monotone: bool) -> Vec<OpenEntry> {
        let mut random = Pcg32::seed_from_u64(seed);
        let mut entry = |min_f: Cost, node| {
            let f = min_f + random.next_u32() % 300 * 4;
            let g = random.next_u32() % (f / 4 + 1) * 4;
            OpenEntry { node, g, h: f - g }
        };
        let mut popped = Vec::new();
        for node in 0..50 {
            open_list.push(entry(if monotone { 100 } else { node * 5_000 % 9_001 / 4 * 4 }, node), 0);
        }
        let mut next = 50;
        while let Some(first) = open_list.first(|entry| entry.node % 7 != 3) {
            assert_eq!(
                open_list.first(|entry| entry.node % 7 != 3),
                Some(first),
                "`first` does not remove entries"
            );
            open_list.pop_first();
            popped.push(first);
            for _ in 0..2 {
                if next < 2_000 {
                    open_list.push(entry(if monotone { first.f() } else { 40 }, next), 0);
                    next += 1;
                }
            }
        }
        popped
    }

    /// Returns the nodes of a few entries in the order in which a heap pops them.
    fn heap_order(mut heap: Heap) -> Vec<u32> {
        for (node, g, h) in [(0, 8, 12), (2, 12, 8), (1, 12, 8), (3, 0, 16), (4, 16, 8)] {
            heap.push(OpenEntry { node, g, h }, 0);
        }
        let mut nodes = Vec::new();
        while let Some(first) = heap.first(|_| true) {
            nodes.push(first.node);
            heap.pop_first();
        }
        nodes
    }

    #[test]
    fn heap_pops_by_f_then_larger_g_then_first_in_first_out() {
        assert_eq!(heap_order(Heap::default()), [3, 2, 1, 0, 4]);
    }

    #[test]
    fn heap_breaks_ties_as_it_is_told() {
        let order = |ties| {
            let mut heap = Heap::default();
            heap.push(OpenEntry { node: 9, g: 0, h: 0 }, 0);
            heap.set_ties(ties);
            heap_order(heap)
        };
        assert_eq!(order(Ties::LARGEST_G), [3, 2, 1, 0, 4]);
        assert_eq!(order(Ties::LARGEST_G_LAST), [3, 1, 2, 0, 4]);
        assert_eq!(order(Ties::SMALLEST_G), [3, 0, 2, 1, 4]);
        let mut random = Pcg32::seed_from_u64(1);
        // How often node 2 comes before node 1, and before node 0, which has another g.
        let mut first = [0; 2];
        for _ in 0..1_000 {
            let found = order(Ties::random(random.next_u64()));
            assert_eq!((found[0], found[4]), (3, 4), "f comes first");
            let place = |node| found.iter().position(|&other| other == node);
            for (count, other) in first.iter_mut().zip([1, 0]) {
                *count += u32::from(place(2) < place(other));
            }
        }
        assert!(first.iter().all(|count| (400..600).contains(count)), "{first:?}");
    }

    #[test]
    fn buckets_pop_by_f_then_last_in_first_out() {
        let mut buckets = Buckets::new(4, 2);
        for (node, g, h) in [(0, 8, 12), (1, 12, 8), (2, 12, 8), (3, 0, 16), (4, 16, 8)] {
            buckets.push(OpenEntry { node, g, h }, 0);
        }
        let mut nodes = Vec::new();
        while let Some(first) = buckets.first(|_| true) {
            nodes.push(first.node);
            buckets.pop_first();
        }
        assert_eq!(nodes, [3, 2, 1, 0, 4]);
    }

    /// Pushes beyond the ring's range and below popped values must not change the costs.
    #[test]
    fn buckets_and_heap_agree_on_costs() {
        for seed in 0..30 {
            for monotone in [true, false] {
                let mut heap = Heap::default();
                let mut buckets = Buckets::new(40 * (1 + seed as u32 % 9), 2);
                let sorted = |mut entries: Vec<OpenEntry>| {
                    entries.sort_by_key(|entry| (entry.node, entry.f()));
                    entries.iter().map(|entry| entry.node).collect::<Vec<_>>()
                };
                let (a, b) = (pop_order(&mut heap, seed, monotone), pop_order(&mut buckets, seed, monotone));
                assert_eq!(sorted(a.clone()), sorted(b.clone()));
                if monotone {
                    assert!(b.is_sorted_by_key(|entry| entry.f()), "seed {seed}");
                    assert!(a.is_sorted_by_key(|entry| entry.f()), "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn focal_pops_the_smallest_h_within_the_factor() {
        for seed in 0..30 {
            let mut focal = Focal::new(1_300_000);
            let mut open: Vec<OpenEntry> = Vec::new();
            let mut random = Pcg32::seed_from_u64(seed);
            for node in 0..400 {
                let f = 1_000 + random.next_u32() % 2_000;
                let entry = OpenEntry { node, g: f / 3, h: f - f / 3 };
                focal.push(entry, 0);
                open.push(entry);
                if node % 3 == 2 {
                    let live = |entry: &OpenEntry| open.iter().any(|other| other.node == entry.node);
                    let first = focal.first(live).unwrap();
                    focal.pop_first();
                    let min_f = open.iter().map(|entry| entry.f()).min().unwrap();
                    assert_eq!(focal.lower_bound(), min_f);
                    let allowed = |entry: &&OpenEntry| u64::from(entry.f()) * 10 <= u64::from(min_f) * 13;
                    let best = open.iter().filter(allowed).map(|entry| entry.h).min();
                    assert_eq!(Some(first.h), best, "seed {seed}");
                    open.retain(|entry| entry.node != first.node);
                }
            }
        }
    }
}
