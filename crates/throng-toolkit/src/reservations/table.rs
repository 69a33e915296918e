//! Reservation table of cooperative pathfinding: which agent will be in which cell at which time.
//!
//! D. Silver, *Cooperative Pathfinding*, AIIDE 2005. A reservation is a cell, a time and an agent. Silver reserves a
//! cell for two ticks, which prevents swaps but also following. Here a reservation is for one tick, and swaps are
//! tested by [`ReservationTable::swaps`].
//!
//! Reservations are few (agents times window) compared with cells times ticks, so they are stored in a hash table. Its order
//! is never visible, and its size depends neither on the map nor on how far ahead agents plan.

use throng_grid::Cell;

use throng_crowd::AgentRow;

/// Reservations of cells for single times, and of cells from a time on.
#[derive(Clone, Debug)]
pub struct ReservationTable {
    /// Hash table with open addressing and linear probing. The length is a power of two.
    slots: Vec<Slot>,
    /// The number of slots in use.
    used: usize,
    /// Each resting agent with the time from which it rests, by agent. Its cell is in the table under [`FOREVER`].
    rests: Vec<(AgentRow, u64)>,
    /// The latest time that was reserved.
    last: u64,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    agent: u32,
}

const EMPTY: Slot = Slot { key: u64::MAX, agent: 0 };

/// The time under which a cell without an end of its reservation is stored.
const FOREVER: u64 = u64::MAX;

/// Times are stored modulo this number. Reservations that are in the table at once are much closer to each other.
const PERIOD: u64 = 1 << 31;

impl Default for ReservationTable {
    fn default() -> Self {
        Self { slots: vec![EMPTY; 64], used: 0, rests: Vec::new(), last: 0 }
    }
}

#[inline]
fn key(cell: Cell, time: u64) -> u64 {
    (if time == FOREVER { PERIOD } else { time % PERIOD }) << 32 | u64::from(cell.0)
}

impl ReservationTable {
    /// Removes all reservations.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the agent that will be in a cell at a time.
    #[inline]
    pub fn at(&self, cell: Cell, time: u64) -> Option<AgentRow> {
        self.find(key(cell, time))
            .or_else(|| if self.rests.is_empty() { None } else { self.resting(cell, time) })
    }

    fn resting(&self, cell: Cell, time: u64) -> Option<AgentRow> {
        let agent = self.find(key(cell, FOREVER))?;
        let index = self.rests.binary_search_by_key(&agent, |rest| rest.0).ok()?;
        (self.rests[index].1 <= time).then_some(agent)
    }

    /// Returns true if a step between two cells at a time is a swap: the agent in `to` will be in `from` one time later.
    #[inline]
    pub fn swaps(&self, from: Cell, to: Cell, time: u64) -> bool {
        self.at(to, time).is_some_and(|other| self.at(from, time + 1) == Some(other))
    }

    /// Returns the last time from `now` on at which a cell is reserved for another agent; `None` if it never is.
    pub fn last_of_others(&self, cell: Cell, agent: AgentRow, now: u64) -> Option<u64> {
        if self.find(key(cell, FOREVER)).is_some_and(|other| other != agent) {
            return Some(u64::MAX);
        }
        (now..=self.last).rev().find(|&time| self.at(cell, time).is_some_and(|other| other != agent))
    }

    /// Reserves a cell for a time. No other agent may have reserved it.
    pub fn reserve(&mut self, cell: Cell, time: u64, agent: AgentRow) {
        debug_assert!(self.at(cell, time).is_none_or(|other| other == agent), "the cell is reserved");
        self.last = self.last.max(time);
        self.insert(key(cell, time), agent);
    }

    /// Removes a reservation, if it is this agent's.
    pub fn release(&mut self, cell: Cell, time: u64, agent: AgentRow) {
        if self.find(key(cell, time)) == Some(agent) {
            self.remove(key(cell, time));
        }
    }

    /// Reserves a cell from a time on, without an end. No other agent may have reserved it from then on.
    pub fn rest(&mut self, cell: Cell, from: u64, agent: AgentRow) {
        match self.rests.binary_search_by_key(&agent, |rest| rest.0) {
            Ok(index) => self.rests[index].1 = from,
            Err(index) => self.rests.insert(index, (agent, from)),
        }
        self.insert(key(cell, FOREVER), agent);
    }

    /// Removes the reservation made by [`ReservationTable::rest`].
    pub fn end_rest(&mut self, cell: Cell, agent: AgentRow) {
        if let Ok(index) = self.rests.binary_search_by_key(&agent, |rest| rest.0) {
            self.rests.remove(index);
            self.release(cell, FOREVER, agent);
        }
    }

    /// Returns the memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>() + self.rests.capacity() * size_of::<(AgentRow, u64)>()
    }

    /// Returns the slot at which probing for a key starts.
    #[inline]
    fn first_slot(&self, key: u64) -> usize {
        throng_grid::hash::splitmix64(key) as usize & (self.slots.len() - 1)
    }

    /// Returns the slot of a key, or the empty slot where it would be inserted.
    #[inline]
    fn find_slot(&self, key: u64) -> usize {
        let mut index = self.first_slot(key);
        while self.slots[index].key != key && self.slots[index].key != EMPTY.key {
            index = (index + 1) & (self.slots.len() - 1);
        }
        index
    }

    #[inline]
    fn find(&self, key: u64) -> Option<AgentRow> {
        let slot = self.slots[self.find_slot(key)];
        (slot.key == key).then_some(AgentRow(slot.agent))
    }

    fn insert(&mut self, key: u64, agent: AgentRow) {
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            let doubled = vec![EMPTY; self.slots.len() * 2];
            for slot in std::mem::replace(&mut self.slots, doubled) {
                if slot.key != EMPTY.key {
                    let index = self.find_slot(slot.key);
                    self.slots[index] = slot;
                }
            }
        }
        let index = self.find_slot(key);
        self.used += usize::from(self.slots[index].key == EMPTY.key);
        self.slots[index] = Slot { key, agent: agent.0 };
    }

    /// Removes a key and moves later entries of the same probe sequence forward.
    fn remove(&mut self, key: u64) {
        let mask = self.slots.len() - 1;
        let mut hole = self.find_slot(key);
        let mut index = hole;
        self.used -= 1;
        loop {
            self.slots[hole] = EMPTY;
            loop {
                index = (index + 1) & mask;
                if self.slots[index].key == EMPTY.key {
                    return;
                }
                // An entry may fill the hole if the hole lies between its first slot and its present one.
                let first = self.first_slot(self.slots[index].key);
                if index.wrapping_sub(first) & mask >= index.wrapping_sub(hole) & mask {
                    break;
                }
            }
            self.slots[hole] = self.slots[index];
            hole = index;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;

    /// Random reservations and releases.
    #[test]
    fn reservations_equal_those_of_a_standard_map() {
        let mut random = Pcg32::seed_from_u64(1);
        let (mut table, mut map) = (ReservationTable::default(), BTreeMap::new());
        for round in 0..20_000 {
            let (cell, time) = (Cell(random.next_u32() % 40), u64::from(random.next_u32() % 30));
            let agent = AgentRow(random.next_u32() % 5);
            if random.next_u32() % 2 == 0 {
                map.entry((cell, time)).or_insert_with(|| {
                    table.reserve(cell, time, agent);
                    agent
                });
            } else {
                table.release(cell, time, agent);
                if map.get(&(cell, time)) == Some(&agent) {
                    map.remove(&(cell, time));
                }
            }
            assert_eq!(table.at(cell, time), map.get(&(cell, time)).copied(), "round {round}");
            assert_eq!(table.used, map.len());
        }
        for (&(cell, time), &agent) in &map {
            assert_eq!(table.at(cell, time), Some(agent));
        }
    }

    #[test]
    fn a_rest_has_no_end_until_it_is_removed() {
        let (mut table, a, b) = (ReservationTable::default(), AgentRow(1), AgentRow(2));
        table.rest(Cell(7), 5, a);
        table.reserve(Cell(8), 9, b);
        assert_eq!(
            (table.at(Cell(7), 4), table.at(Cell(7), 5), table.at(Cell(7), 999)),
            (None, Some(a), Some(a))
        );
        assert_eq!(table.last_of_others(Cell(7), b, 0), Some(u64::MAX));
        assert_eq!(table.last_of_others(Cell(7), a, 0), None);
        assert_eq!(table.last_of_others(Cell(8), a, 3), Some(9));
        table.end_rest(Cell(7), a);
        assert_eq!(table.at(Cell(7), 999), None);
    }

    #[test]
    fn a_swap_differs_from_following() {
        let (mut table, other) = (ReservationTable::default(), AgentRow(3));
        table.reserve(Cell(1), 4, other);
        table.reserve(Cell(0), 5, other);
        assert!(table.swaps(Cell(0), Cell(1), 4));
        assert!(!table.swaps(Cell(2), Cell(1), 4), "an agent may follow");
    }
}
