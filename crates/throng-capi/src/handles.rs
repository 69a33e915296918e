//! Tables of the objects that a program holds. A handle is a number, not a pointer: the slot of the object, the number of
//! objects that had the slot before, and a tag of the type. So a null, foreign, stale or freed handle is found out, also if
//! another object has taken the slot.
//!
//! Each object has a lock that is tried and never waited for. Calls that only read an object may run at the same time; any
//! other overlap returns [`ThrongStatus::Busy`]. A call that panics while it changes an object poisons its lock.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use crate::status::{Failure, Outcome, ThrongStatus};

/// The bits of a handle below the generation.
const SLOT_BITS: u32 = 24;
/// The bits of a handle below the tag.
const TAG_SHIFT: u32 = 56;

/// The objects of one type.
pub(crate) struct Table<T> {
    /// What an object is called in messages.
    name: &'static str,
    /// Tells the handles of this type from those of others; not 0.
    tag: u8,
    slots: RwLock<Slots<T>>,
}

struct Slots<T> {
    all: Vec<Slot<T>>,
    /// The slots that a new object may take.
    free: Vec<usize>,
}

struct Slot<T> {
    /// The number of objects that had the slot before.
    generation: u32,
    object: Option<Shared<T>>,
}

/// An object that a call may still hold while it is freed; it is `None` then.
type Shared<T> = Arc<RwLock<Option<T>>>;

impl<T> Table<T> {
    pub(crate) const fn new(name: &'static str, tag: u8) -> Self {
        Self { name, tag, slots: RwLock::new(Slots { all: Vec::new(), free: Vec::new() }) }
    }

    /// Adds an object and returns its handle.
    pub(crate) fn insert(&self, object: T) -> Outcome<u64> {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let object = Some(Arc::new(RwLock::new(Some(object))));
        let slot = match slots.free.pop() {
            Some(slot) => {
                slots.all[slot].generation += 1;
                slots.all[slot].object = object;
                slot
            }
            None if slots.all.len() == 1 << SLOT_BITS => {
                let message = format!("there are {} objects of the type {}", slots.all.len(), self.name);
                return Err(Failure::new(ThrongStatus::Refused, message));
            }
            None => {
                slots.all.push(Slot { generation: 0, object });
                slots.all.len() - 1
            }
        };
        Ok(u64::from(self.tag) << TAG_SHIFT
            | u64::from(slots.all[slot].generation) << SLOT_BITS
            | slot as u64)
    }

    /// Removes an object and returns it, also if it is poisoned.
    pub(crate) fn remove(&self, handle: u64) -> Outcome<T> {
        let shared = self.find(handle)?;
        let object = match shared.try_write() {
            Ok(mut guard) => guard.take(),
            Err(TryLockError::Poisoned(guard)) => guard.into_inner().take(),
            Err(TryLockError::WouldBlock) => return Err(self.busy()),
        };
        // `None` if another thread has freed it since.
        let object = object.ok_or_else(|| self.stale())?;
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let slot = slot_of(handle);
        slots.all[slot].object = None;
        // A slot whose generations are used up is not used again.
        if slots.all[slot].generation < u32::MAX {
            slots.free.push(slot);
        }
        Ok(object)
    }

    /// Calls a function that reads an object.
    pub(crate) fn read<R>(&self, handle: u64, body: impl FnOnce(&T) -> Outcome<R>) -> Outcome<R> {
        let shared = self.find(handle)?;
        let guard: RwLockReadGuard<'_, Option<T>> =
            shared.try_read().map_err(|error| self.refusal(&error))?;
        body(guard.as_ref().ok_or_else(|| self.stale())?)
    }

    /// Calls a function that changes an object.
    pub(crate) fn write<R>(&self, handle: u64, body: impl FnOnce(&mut T) -> Outcome<R>) -> Outcome<R> {
        let shared = self.find(handle)?;
        let mut guard: RwLockWriteGuard<'_, Option<T>> =
            shared.try_write().map_err(|error| self.refusal(&error))?;
        body(guard.as_mut().ok_or_else(|| self.stale())?)
    }

    fn find(&self, handle: u64) -> Outcome<Shared<T>> {
        if handle == 0 {
            let message = format!("the handle of the {} is 0", self.name);
            return Err(Failure::new(ThrongStatus::NullHandle, message));
        }
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.all.get(slot_of(handle)).filter(|_| handle >> TAG_SHIFT == u64::from(self.tag));
        let generation = (handle >> SLOT_BITS) as u32;
        match slot {
            Some(slot) if slot.generation == generation => slot.object.clone().ok_or_else(|| self.stale()),
            Some(slot) if generation < slot.generation => Err(self.stale()),
            _ => {
                let message = format!("no {} has or had the handle {handle:#x}", self.name);
                Err(Failure::new(ThrongStatus::BadHandle, message))
            }
        }
    }

    fn refusal<G>(&self, error: &TryLockError<G>) -> Failure {
        match error {
            TryLockError::WouldBlock => self.busy(),
            TryLockError::Poisoned(_) => {
                let message = format!("an earlier call panicked while it changed the {}: free it", self.name);
                Failure::new(ThrongStatus::Poisoned, message)
            }
        }
    }

    fn busy(&self) -> Failure {
        Failure::new(ThrongStatus::Busy, format!("another thread uses the {}", self.name))
    }

    fn stale(&self) -> Failure {
        Failure::new(ThrongStatus::StaleHandle, format!("the {} was freed", self.name))
    }
}

const fn slot_of(handle: u64) -> usize {
    (handle & ((1 << SLOT_BITS) - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use ThrongStatus::{BadHandle, Busy, NullHandle, Poisoned, StaleHandle};

    fn status<R>(outcome: Outcome<R>) -> Option<ThrongStatus> {
        outcome.err().map(|failure| failure.status)
    }

    fn read(table: &Table<u32>, handle: u64) -> Option<ThrongStatus> {
        status(table.read(handle, |_| Ok(())))
    }

    #[test]
    fn freed_and_unknown_handles_are_told_apart() {
        let (table, other) = (Table::new("number", 1), Table::new("other", 2));
        let first = table.insert(10).unwrap();
        assert_eq!(table.read(first, |number| Ok(*number)).unwrap(), 10);
        assert_eq!(table.remove(first).unwrap(), 10);
        assert_eq!(read(&table, first), Some(StaleHandle));
        let second = table.insert(11).unwrap();
        assert_eq!(slot_of(first), slot_of(second), "the slot is used again");
        assert_eq!([read(&table, first), read(&table, second)], [Some(StaleHandle), None]);
        assert_eq!(status(table.remove(first)), Some(StaleHandle));
        let wrong = [0, second + 1, second + (1 << SLOT_BITS), other.insert(1).unwrap(), u64::MAX];
        let found = wrong.map(|handle| read(&table, handle));
        assert_eq!(found, [NullHandle, BadHandle, BadHandle, BadHandle, BadHandle].map(Some));
    }

    #[test]
    fn overlapping_calls_are_refused_unless_both_read() {
        let table = Table::new("number", 1);
        let handle = table.insert(5).unwrap();
        let nested = table.read(handle, |_| {
            assert_eq!(read(&table, handle), None);
            assert_eq!(status(table.write(handle, |_| Ok(()))), Some(Busy));
            Ok(status(table.remove(handle)))
        });
        assert_eq!(nested.unwrap(), Some(Busy));
        let nested = table.write(handle, |number| {
            *number += 1;
            Ok(read(&table, handle))
        });
        assert_eq!(nested.unwrap(), Some(Busy));
        assert_eq!(table.remove(handle).unwrap(), 6);
    }

    #[test]
    fn a_panic_poisons_the_object_that_it_changed() {
        let table = Table::new("number", 1);
        let [changed, looked_at] = [1, 2].map(|number| table.insert(number).unwrap());
        let change = || table.write::<()>(changed, |_| panic!("in the middle"));
        let look = || table.read::<()>(looked_at, |_| panic!("while reading"));
        assert_eq!(crate::status::call(change), ThrongStatus::Panic);
        assert_eq!(crate::status::call(look), ThrongStatus::Panic);
        assert_eq!([read(&table, changed), read(&table, looked_at)], [Some(Poisoned), None]);
        assert_eq!(table.remove(changed).unwrap(), 1);
        assert_eq!(read(&table, changed), Some(StaleHandle));
    }

    #[test]
    fn a_slot_without_another_generation_is_not_used_again() {
        let table = Table::new("number", 1);
        table.insert(0).unwrap();
        table.slots.write().unwrap().all[0].generation = u32::MAX;
        let last = 1 << TAG_SHIFT | u64::from(u32::MAX) << SLOT_BITS;
        assert_eq!(table.remove(last).unwrap(), 0);
        assert_eq!(slot_of(table.insert(1).unwrap()), 1);
        assert_eq!(read(&table, last), Some(StaleHandle));
    }
}
