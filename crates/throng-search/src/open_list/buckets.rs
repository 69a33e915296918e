//! A bucket queue: one bucket per value of `f`, in a ring. The fastest open list here.
//!
//! R. B. Dial, *Algorithm 360: Shortest-Path Forest with Topological Ordering*, Communications of the ACM 12(11), 1969.
//! With a consistent heuristic and bounded step costs all `f` in the list lie in a short range, so a ring of a few
//! thousand buckets and a bitmap of the occupied ones replace the heap.

use throng_grid::Cost;

use super::{OpenEntry, OpenList};
use crate::node_store::with_capacity;

/// A ring of buckets ordered by smallest `f`. Tie-break: last in first out.
///
/// Correct for any pushes, and fast if all `f` in the list lie within the ring's range. Entries beyond the range go to
/// an overflow list, and are moved into the ring when it reaches them.
#[derive(Debug)]
pub struct Buckets {
    /// Slot of the last entry pushed into each bucket; [`NONE`] for an empty bucket.
    heads: Vec<u32>,
    /// One bit per bucket: set if it has entries.
    occupied: Vec<u64>,
    slots: Vec<BucketSlot>,
    /// First free slot, chained by `next`.
    unused: u32,
    /// Entries beyond the ring's range.
    overflow: Vec<OpenEntry>,
    /// Lowest bucket number of the overflow list; [`NONE`] if it is empty.
    overflow_low: u32,
    /// Second buffer for the overflow list while its entries are moved into the ring.
    spare: Vec<OpenEntry>,
    /// All `f` are multiples of `1 << shift`.
    shift: u32,
    /// No bucket below this one has entries.
    low: u32,
    /// One beyond the highest bucket with entries.
    high: u32,
    /// `f` of the entry that was returned last.
    bound: Cost,
}

#[derive(Clone, Copy, Debug)]
struct BucketSlot {
    node: u32,
    g: Cost,
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Clone for Buckets {
    fn clone(&self) -> Self {
        let Self { ref heads, ref occupied, ref slots, unused, ref overflow, overflow_low, .. } = *self;
        let Self { ref spare, shift, low, high, bound, .. } = *self;
        Self {
            heads: heads.clone(),
            occupied: occupied.clone(),
            slots: with_capacity(slots),
            unused,
            overflow: with_capacity(overflow),
            overflow_low,
            spare: with_capacity(spare),
            shift,
            low,
            high,
            bound,
        }
    }
}

impl Buckets {
    /// Returns a list for entries whose `f` are multiples of `1 << shift` and lie within `range` of each other.
    pub fn new(range: Cost, shift: u32) -> Self {
        let buckets = Self::ring(range, shift);
        Self {
            heads: vec![NONE; buckets],
            occupied: vec![0; buckets / 64],
            slots: Vec::new(),
            unused: NONE,
            overflow: Vec::new(),
            spare: Vec::new(),
            overflow_low: NONE,
            shift,
            low: 0,
            high: 0,
            bound: 0,
        }
    }

    /// Returns the number of buckets for a range of `f`.
    fn ring(range: Cost, shift: u32) -> usize {
        ((range >> shift) + 1).next_power_of_two().max(64) as usize
    }

    #[inline]
    fn place(&self, bucket: u32) -> usize {
        bucket as usize & self.heads.len().wrapping_sub(1)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.low == self.high
    }

    /// Puts an entry into its bucket, which must be within the ring's range.
    #[inline]
    fn insert(&mut self, entry: OpenEntry, bucket: u32) {
        let place = self.place(bucket);
        let slot = BucketSlot { node: entry.node, g: entry.g, next: self.heads[place] };
        self.heads[place] = if self.unused == NONE {
            self.slots.push(slot);
            self.slots.len().wrapping_sub(1) as u32
        } else {
            let index = self.unused;
            self.unused = std::mem::replace(&mut self.slots[index as usize], slot).next;
            index
        };
        self.occupied[place / 64] |= 1 << (place % 64);
    }

    /// Removes the entry pushed last into the lowest bucket.
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

    /// Raises `low` to the first occupied bucket, or to `high` if there is none.
    #[inline]
    fn advance(&mut self) {
        while self.low < self.high {
            let place = self.place(self.low);
            let rest = self.occupied[place / 64] >> (place % 64);
            if rest != 0 {
                self.low = self.low.wrapping_add(rest.trailing_zeros());
                return;
            }
            self.low = self.low.wrapping_add(64 - place as u32 % 64);
        }
        self.low = self.high;
    }

    #[cold]
    fn push_overflow(&mut self, entry: OpenEntry) {
        self.overflow_low = self.overflow_low.min(entry.f() >> self.shift);
        self.overflow.push(entry);
    }

    /// Moves the overflow list into the ring. Called when the ring has reached its lowest entry.
    #[cold]
    fn drain_overflow(&mut self) {
        let mut entries = std::mem::take(&mut self.spare);
        std::mem::swap(&mut entries, &mut self.overflow);
        self.overflow_low = NONE;
        // The lowest entry is pushed first, so that no later one lies below the ring.
        if let Some(lowest) = (0..entries.len()).min_by_key(|&i| entries[i].f()) {
            entries.swap(0, lowest);
        }
        for entry in entries.drain(..) {
            self.push(entry, 0);
        }
        // A push may have drained the overflow list again, with another spare buffer.
        if self.spare.capacity() < entries.capacity() {
            self.spare = entries;
        }
    }

    /// Moves all entries of the ring to the overflow list, because an entry below the ring's range was pushed.
    #[cold]
    fn spill(&mut self) {
        loop {
            self.advance();
            if self.is_empty() {
                return;
            }
            let BucketSlot { node, g, .. } = self.slots[self.heads[self.place(self.low)] as usize];
            self.push_overflow(OpenEntry { node, g, h: (self.low << self.shift) - g });
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
            // Most searches use few buckets of the ring.
            if *word != 0 {
                heads.fill(NONE);
                *word = 0;
            }
        }
        self.slots.clear();
        self.unused = NONE;
        self.overflow.clear();
        self.overflow_low = NONE;
        (self.low, self.high, self.bound) = (0, 0, 0);
    }

    #[inline]
    fn push(&mut self, entry: OpenEntry, _: u8) {
        debug_assert_eq!(entry.f() % (1 << self.shift), 0, "f is a multiple of the bucket width");
        // The shift is below 32, and `f` below the largest cost.
        let bucket = entry.f().wrapping_shr(self.shift);
        let reach = self.heads.len() as u32;
        if self.is_empty() {
            (self.low, self.high) = (bucket, bucket);
        } else if bucket < self.low && self.high.wrapping_sub(bucket) > reach {
            self.spill();
            self.push_overflow(entry);
            return self.drain_overflow();
        }
        self.low = self.low.min(bucket);
        if bucket.wrapping_sub(self.low) >= reach {
            return self.push_overflow(entry);
        }
        self.high = self.high.max(bucket.wrapping_add(1));
        self.insert(entry, bucket);
    }

    #[inline]
    fn first(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        loop {
            self.advance();
            if self.overflow_low <= self.low || self.is_empty() {
                if self.overflow.is_empty() {
                    return None;
                }
                self.drain_overflow();
                continue;
            }
            let BucketSlot { node, g, .. } = self.slots[self.heads[self.place(self.low)] as usize];
            let f = self.low.wrapping_shl(self.shift);
            let entry = OpenEntry { node, g, h: f.wrapping_sub(g) };
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
            + (self.overflow.capacity() + self.spare.capacity()) * size_of::<OpenEntry>()
    }
}
