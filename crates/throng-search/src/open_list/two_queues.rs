//! The open list of narrow sweeps: two queues, for straight and for diagonal steps.
//!
//! Where every straight step costs the same and every diagonal one too, the entries pushed by steps of one kind come in
//! the order of their cost, so each kind needs a queue and no sorting. An entry that comes out of order is put where it
//! belongs, which is cheap as long as the list is short.

use std::collections::VecDeque;

use throng_grid::Cost;

use super::{Entry, OpenList};

/// Two queues ordered by smallest `f`, then the straight one first, then first in first out.
///
/// Correct for any pushes; fast when few are out of order. Tags are numbers of directions, diagonal when odd.
#[derive(Clone, Debug, Default)]
pub struct TwoQueues {
    queues: [VecDeque<Entry>; 2],
    /// The lane of the entry that comes first.
    next: usize,
    bound: Cost,
}

impl OpenList for TwoQueues {
    fn clear(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.bound = 0;
    }

    #[inline]
    fn push(&mut self, entry: Entry) {
        self.push_tagged(entry, 0);
    }

    #[inline]
    fn push_tagged(&mut self, entry: Entry, tag: u8) {
        let lane = &mut self.queues[usize::from(tag & 1)];
        if lane.back().is_none_or(|last| last.f() <= entry.f()) {
            lane.push_back(entry);
        } else {
            let place = lane.partition_point(|other| other.f() <= entry.f());
            lane.insert(place, entry);
        }
    }

    #[inline]
    fn first(&mut self, live: impl Fn(&Entry) -> bool) -> Option<Entry> {
        loop {
            let [straight, diagonal] = [0, 1].map(|lane| self.queues[lane].front().copied());
            let (lane, entry) = match (straight, diagonal) {
                (Some(one), Some(other)) if other.f() < one.f() => (1, other),
                (Some(one), _) => (0, one),
                (None, other) => (1, other?),
            };
            if live(&entry) {
                (self.next, self.bound) = (lane, entry.f());
                return Some(entry);
            }
            self.queues[lane].pop_front();
        }
    }

    #[inline]
    fn pop_first(&mut self) {
        self.queues[self.next].pop_front();
    }

    fn lower_bound(&self) -> Cost {
        self.bound
    }

    fn memory_bytes(&self) -> usize {
        self.queues.iter().map(|lane| lane.capacity() * size_of::<Entry>()).sum()
    }
}
