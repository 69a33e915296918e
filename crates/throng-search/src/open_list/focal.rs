//! The open list of focal search: OPEN gives the lower bound, FOCAL orders the entries within a factor of it by a rank of
//! their nodes, if they have one, and then by `h`.
//!
//! J. Pearl and J. H. Kim, *Studies in Semi-Admissible Heuristics*, IEEE Transactions on Pattern Analysis and
//! Machine Intelligence 4(4), 1982.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use throng_grid::Cost;

use crate::spec::MILLION;

use super::heap::{Heap, pack, unpack};
use super::{OpenEntry, OpenList};

/// An open list that pops, among the entries whose `f` is at most ε times the smallest `f`, the one with the smallest
/// rank. Tie-break: smallest `h`, largest `g`, then first in first out.
///
/// Three heaps: `open` has every entry, ordered by `f`, and gives the bound. `waiting` has the entries beyond ε times
/// the bound, ordered by `f`. `eligible`, the FOCAL list, has the others, ordered by rank and `h`. As the bound rises,
/// entries move from `waiting` to `eligible`.
#[derive(Clone, Debug)]
pub struct Focal {
    epsilon: u64,
    open: Heap,
    waiting: BinaryHeap<Reverse<u128>>,
    eligible: BinaryHeap<Reverse<(u32, u128)>>,
    /// The rank of each node; empty if all are equal.
    ranks: Vec<u32>,
    /// Number of pushes, for the tie-break.
    pushed: u32,
    bound: Cost,
}

impl Focal {
    /// Returns a list for a factor in millionths, at least one million.
    pub fn new(epsilon_millionths: u64) -> Self {
        debug_assert!(epsilon_millionths >= MILLION, "the factor is at least one");
        Self {
            epsilon: epsilon_millionths,
            open: Heap::default(),
            waiting: BinaryHeap::new(),
            eligible: BinaryHeap::new(),
            ranks: Vec::new(),
            pushed: 0,
            bound: 0,
        }
    }

    /// Returns the ranks of the nodes, to set them between searches: a number for each node, or none at all.
    pub fn ranks_mut(&mut self) -> &mut Vec<u32> {
        &mut self.ranks
    }

    /// Adds an entry, given by its key ordered by `h`, to FOCAL.
    fn push_eligible(&mut self, key: u128) {
        let rank = self.ranks.get(unpack(key).2 as usize).copied().unwrap_or(0);
        self.eligible.push(Reverse((rank, key)));
    }

    /// Returns true if an `f` is within the factor of the lower bound.
    fn within(&self, f: Cost) -> bool {
        u64::from(f) * MILLION <= u64::from(self.bound) * self.epsilon
    }
}

impl OpenList for Focal {
    fn clear(&mut self) {
        self.open.clear();
        self.waiting.clear();
        self.eligible.clear();
        self.pushed = 0;
        self.bound = 0;
    }

    fn push(&mut self, entry: OpenEntry, tag: u8) {
        self.open.push(entry, tag);
        if self.within(entry.f()) {
            self.push_eligible(pack(entry.h, !entry.g, self.pushed, entry.node));
        } else {
            self.waiting.push(Reverse(pack(entry.f(), !entry.g, self.pushed, entry.node)));
        }
        self.pushed = self.pushed.wrapping_add(1);
    }

    fn first(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        self.bound = self.open.first(&live)?.f();
        while let Some(&Reverse(key)) = self.waiting.peek() {
            let (f, not_g, _) = unpack(key);
            if !self.within(f) {
                break;
            }
            self.waiting.pop();
            // The same sequence number and node, now ranked by h.
            let rest = key & u128::from(u64::MAX);
            self.push_eligible(pack(f - !not_g, not_g, 0, 0) | rest);
        }
        loop {
            let &Reverse((_, key)) = self.eligible.peek()?;
            let (h, not_g, node) = unpack(key);
            let first = OpenEntry { node, g: !not_g, h };
            let is_live = live(&first);
            if is_live && self.within(first.f()) {
                return Some(first);
            }
            self.eligible.pop();
            if is_live {
                // The bound has fallen, which happens with an inconsistent heuristic.
                let rest = key & u128::from(u64::MAX);
                self.waiting.push(Reverse(pack(first.f(), not_g, 0, 0) | rest));
            }
        }
    }

    fn pop_first(&mut self) {
        self.eligible.pop();
        // Its copy in OPEN is dropped later: by then the node is closed and the entry not live.
    }

    fn lower_bound(&self) -> Cost {
        self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_come_before_h_within_the_factor() {
        let mut list = Focal::new(1_100_000);
        let entries = [(0, 900, 100), (1, 950, 100), (2, 100, 980), (3, 1_000, 90), (4, 200, 1_000)];
        let order = |list: &mut Focal| {
            list.clear();
            for (node, g, h) in entries {
                list.push(OpenEntry { node, g, h }, 0);
            }
            let mut popped = Vec::new();
            while let Some(first) = list.first(|entry| !popped.contains(&entry.node)) {
                list.pop_first();
                popped.push(first.node);
            }
            popped
        };
        // Node 4 exceeds the factor until all others have been popped.
        assert_eq!(order(&mut list), [3, 1, 0, 2, 4]);
        *list.ranks_mut() = vec![7, 0, 5, 7, 0];
        assert_eq!(order(&mut list), [1, 2, 3, 0, 4]);
    }
}
