//! Two first-in-first-out queues, one for straight and one for diagonal moves: the open list of short Dijkstra
//! searches.
//!
//! Where all straight moves cost the same and all diagonal moves too, entries of one kind are pushed in the order of
//! their cost, so each queue stays sorted without work. An entry out of order is inserted at its place, which is cheap
//! as long as the queues are short.

use std::collections::VecDeque;

use throng_grid::Cost;

use super::{OpenEntry, OpenList};

/// Two queues ordered by smallest `f`. Tie-break: straight before diagonal, then first in first out.
///
/// Correct for any pushes, and fast if few are out of order. Tags are direction numbers; odd ones are diagonal.
#[derive(Clone, Debug, Default)]
pub struct TwoQueues {
    queues: [VecDeque<OpenEntry>; 2],
    /// The queue of the entry that was returned last.
    next: usize,
    /// `f` of that entry.
    bound: Cost,
}

impl OpenList for TwoQueues {
    fn clear(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.bound = 0;
    }

    #[inline]
    fn push(&mut self, entry: OpenEntry, tag: u8) {
        let queue = &mut self.queues[usize::from(tag & 1)];
        if queue.back().is_none_or(|last| last.f() <= entry.f()) {
            queue.push_back(entry);
        } else {
            let place = queue.partition_point(|other| other.f() <= entry.f());
            queue.insert(place, entry);
        }
    }

    #[inline]
    fn first(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        loop {
            let [straight, diagonal] = [0, 1].map(|queue| self.queues[queue].front().copied());
            let (queue, entry) = match (straight, diagonal) {
                (Some(one), Some(other)) if other.f() < one.f() => (1, other),
                (Some(one), _) => (0, one),
                (None, other) => (1, other?),
            };
            if live(&entry) {
                (self.next, self.bound) = (queue, entry.f());
                return Some(entry);
            }
            self.queues[queue].pop_front();
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
        self.queues.iter().map(|queue| queue.capacity() * size_of::<OpenEntry>()).sum()
    }
}
