//! The fast open list: one bucket for each value of `f`, in a ring.
//!
//! R. B. Dial, *Algorithm 360: Shortest-Path Forest with Topological Ordering*, Communications of the ACM 12(11),
//! 1969. With a consistent heuristic and bounded steps all entries lie within a short range of `f`, so a ring of a
//! few thousand buckets and a bitmap of the occupied ones replace the heap.

use throng_grid::Cost;

use super::{Entry, OpenList};

/// A ring of buckets ordered by smallest `f`, then last in first out.
///
/// Correct for any pushes. Fast when all `f` in the list lie within the range that the ring was made for; what
/// does not fit is kept aside and sorted in when the ring has run empty.
#[derive(Clone, Debug)]
pub struct Buckets {
    /// BucketSlot of the last entry pushed into each bucket.
    heads: Vec<u32>,
    /// A bit for each bucket that holds something.
    occupied: Vec<u64>,
    slots: Vec<BucketSlot>,
    /// First unused slot, chained by `next`.
    unused: u32,
    /// Entries beyond the ring's reach, and the lowest of their buckets.
    aside: Vec<Entry>,
    aside_low: u32,
    /// Memory for them while they are sorted in.
    sorting: Vec<Entry>,
    /// All `f` are multiples of `1 << shift`.
    shift: u32,
    /// Lowest bucket that may hold something, and one beyond the highest.
    low: u32,
    high: u32,
    bound: Cost,
}

#[derive(Clone, Copy, Debug)]
struct BucketSlot {
    node: u32,
    g: Cost,
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Buckets {
    /// A list for entries whose `f` are multiples of `1 << shift` and lie within `range` of each other.
    pub fn new(range: Cost, shift: u32) -> Self {
        let buckets = Self::ring(range, shift);
        Self {
            heads: vec![NONE; buckets],
            occupied: vec![0; buckets / 64],
            slots: Vec::new(),
            unused: NONE,
            aside: Vec::new(),
            sorting: Vec::new(),
            aside_low: NONE,
            shift,
            low: 0,
            high: 0,
            bound: 0,
        }
    }

    fn ring(range: Cost, shift: u32) -> usize {
        ((range >> shift) + 1).next_power_of_two().max(64) as usize
    }

    #[inline]
    fn place(&self, bucket: u32) -> usize {
        bucket as usize & (self.heads.len() - 1)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.low == self.high
    }

    /// Puts an entry into its bucket, which must be within the ring's reach.
    #[inline]
    fn insert(&mut self, entry: Entry, bucket: u32) {
        let place = self.place(bucket);
        let slot = BucketSlot { node: entry.node, g: entry.g, next: self.heads[place] };
        self.heads[place] = if self.unused == NONE {
            self.slots.push(slot);
            (self.slots.len() - 1) as u32
        } else {
            let index = self.unused;
            self.unused = std::mem::replace(&mut self.slots[index as usize], slot).next;
            index
        };
        self.occupied[place / 64] |= 1 << (place % 64);
    }

    /// Removes the last entry of the lowest bucket.
    #[inline]
    fn remove_head(&mut self) {
        let place = self.place(self.low);
        let index = self.heads[place];
        let slot = &mut self.slots[index as usize];
        self.heads[place] = std::mem::replace(&mut slot.next, self.unused);
        self.unused = index;
        if self.heads[place] == NONE {
            self.occupied[place / 64] &= !(1 << (place % 64));
        }
    }

    /// Moves `low` up to the first occupied bucket, or to `high` when there is none.
    #[inline]
    fn advance(&mut self) {
        while self.low < self.high {
            let place = self.place(self.low);
            let rest = self.occupied[place / 64] >> (place % 64);
            if rest != 0 {
                self.low += rest.trailing_zeros();
                return;
            }
            self.low += 64 - place as u32 % 64;
        }
        self.low = self.high;
    }

    #[cold]
    fn keep_aside(&mut self, entry: Entry) {
        self.aside_low = self.aside_low.min(entry.f() >> self.shift);
        self.aside.push(entry);
    }

    /// Sorts what was kept aside into the ring, now that the ring has come as far as the lowest of it.
    #[cold]
    fn take_in(&mut self) {
        let mut aside = std::mem::take(&mut self.sorting);
        std::mem::swap(&mut aside, &mut self.aside);
        self.aside_low = NONE;
        // The lowest goes first: after it nothing lies below the ring.
        if let Some(lowest) = (0..aside.len()).min_by_key(|&i| aside[i].f()) {
            aside.swap(0, lowest);
        }
        for entry in aside.drain(..) {
            self.push(entry);
        }
        // Pushing may have sorted in what it kept aside, and used other memory for that.
        if self.sorting.capacity() < aside.capacity() {
            self.sorting = aside;
        }
    }

    /// Takes everything out of the ring, because an entry below its reach has come.
    #[cold]
    fn spill(&mut self) {
        loop {
            self.advance();
            if self.is_empty() {
                return;
            }
            let BucketSlot { node, g, .. } = self.slots[self.heads[self.place(self.low)] as usize];
            self.keep_aside(Entry { node, g, h: (self.low << self.shift) - g });
            self.remove_head();
        }
    }
}

impl Default for Buckets {
    fn default() -> Self {
        Self::new(0, 0)
    }
}

impl OpenList for Buckets {
    fn set_f_range(&mut self, range: Cost, shift: u32) {
        if self.heads.len() != Self::ring(range, shift) || self.shift != shift {
            *self = Self::new(range, shift);
        }
    }

    fn clear(&mut self) {
        for (word, heads) in self.occupied.iter_mut().zip(self.heads.chunks_mut(64)) {
            // Most searches leave most of the ring empty.
            if *word != 0 {
                heads.fill(NONE);
                *word = 0;
            }
        }
        self.slots.clear();
        self.unused = NONE;
        self.aside.clear();
        self.aside_low = NONE;
        (self.low, self.high, self.bound) = (0, 0, 0);
    }

    #[inline]
    fn push(&mut self, entry: Entry) {
        debug_assert_eq!(entry.f() % (1 << self.shift), 0, "f is a multiple of the bucket's width");
        let bucket = entry.f() >> self.shift;
        let reach = self.heads.len() as u32;
        if self.is_empty() {
            (self.low, self.high) = (bucket, bucket);
        } else if bucket < self.low && self.high - bucket > reach {
            self.spill();
            self.keep_aside(entry);
            return self.take_in();
        }
        self.low = self.low.min(bucket);
        if bucket - self.low >= reach {
            return self.keep_aside(entry);
        }
        self.high = self.high.max(bucket + 1);
        self.insert(entry, bucket);
    }

    #[inline]
    fn first(&mut self, live: impl Fn(&Entry) -> bool) -> Option<Entry> {
        loop {
            self.advance();
            if self.aside_low <= self.low || self.is_empty() {
                if self.aside.is_empty() {
                    return None;
                }
                self.take_in();
                continue;
            }
            let BucketSlot { node, g, .. } = self.slots[self.heads[self.place(self.low)] as usize];
            let f = self.low << self.shift;
            let entry = Entry { node, g, h: f - g };
            if live(&entry) {
                self.bound = f;
                return Some(entry);
            }
            self.remove_head();
        }
    }

    #[inline]
    fn pop_first(&mut self) {
        self.remove_head();
    }

    fn lower_bound(&self) -> Cost {
        self.bound
    }

    fn memory_bytes(&self) -> usize {
        self.heads.capacity() * size_of::<u32>()
            + self.occupied.capacity() * size_of::<u64>()
            + self.slots.capacity() * size_of::<BucketSlot>()
            + (self.aside.capacity() + self.sorting.capacity()) * size_of::<Entry>()
    }
}
