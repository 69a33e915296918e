//! An open list with favourites: some entries are taken out of turn as long as the bound allows it.
//!
//! As in focal search OPEN knows the lower bound; but which entries may be preferred is decided by whoever proposes
//! them, through a bit of the edge's tag, and both lists are ordered by `f`.

use throng_grid::Cost;

use crate::spec::MILLION;

use super::{Entry, Heap, OpenList};

/// An open list that pops the favoured entry with the smallest `f` while that is at most ε times the smallest `f` of
/// all, and otherwise the first entry of `open`.
#[derive(Clone, Debug)]
pub struct TaggedFocal<F> {
    open: F,
    favourites: Heap,
    epsilon: u64,
    bit: u8,
    /// Whether the entry found last came from the favoured ones.
    preferred: bool,
}

impl<F: OpenList> TaggedFocal<F> {
    /// A list for a factor in parts per million, at least one million; entries whose tag has the `bit` are favoured.
    pub fn new(open: F, epsilon_millionths: u64, bit: u8) -> Self {
        debug_assert!(epsilon_millionths >= MILLION, "the factor is at least one");
        Self { open, favourites: Heap::default(), epsilon: epsilon_millionths, bit, preferred: false }
    }
}

impl<F: OpenList> OpenList for TaggedFocal<F> {
    fn set_f_range(&mut self, range: Cost, shift: u32) {
        self.open.set_f_range(range, shift);
    }

    fn clear(&mut self) {
        self.open.clear();
        self.favourites.clear();
    }

    fn push(&mut self, entry: Entry) {
        self.open.push(entry);
    }

    #[inline]
    fn push_tagged(&mut self, entry: Entry, tag: u8) {
        self.open.push(entry);
        if tag & self.bit != 0 {
            self.favourites.push(entry);
        }
    }

    #[inline]
    fn first(&mut self, live: impl Fn(&Entry) -> bool) -> Option<Entry> {
        let next = self.open.first(&live)?;
        let bound = u64::from(self.open.lower_bound()) * self.epsilon;
        let favourite = self.favourites.first(live).filter(|entry| u64::from(entry.f()) * MILLION <= bound);
        self.preferred = favourite.is_some();
        // What is left of it in OPEN goes when it is met there: the node is no longer open then.
        favourite.or(Some(next))
    }

    #[inline]
    fn pop_first(&mut self) {
        if self.preferred {
            self.favourites.pop_first();
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
    fn favourites_come_first_within_the_bound_only() {
        let mut list = TaggedFocal::new(Buckets::new(10_000, 2), 1_100_000, 1);
        let entry = |node, f| Entry { node, g: 0, h: f };
        for (node, f, tag) in [(0, 1_000, 0), (1, 1_100, 1), (2, 1_104, 1), (3, 1_020, 0), (4, 1_040, 1)] {
            list.push_tagged(entry(node, f), tag);
        }
        let mut popped = Vec::new();
        let mut order = Vec::new();
        while let Some(first) = list.first(|entry| !popped.contains(&entry.node)) {
            list.pop_first();
            popped.push(first.node);
            order.push((first.node, list.lower_bound()));
        }
        // 2 is beyond the bound until the first of OPEN has been popped.
        assert_eq!(order, [(4, 1_000), (1, 1_000), (0, 1_000), (2, 1_020), (3, 1_020)]);
    }
}
