//! The fields that exist, shared by the agents with the same target.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate};
use throng_grid::{Cell, Pos, ProfileId};

use super::super::field::Field;
use super::super::field_builder::PathOrigin;

/// A field and the number of agents that use it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SharedField {
    pub(super) field: Field,
    pub(super) users: u32,
    pub(super) key: FieldKey,
    /// The map on which its path was searched.
    pub(super) origin: PathOrigin,
    /// The number of map changes when it was last compared with the map.
    pub(super) compared: u32,
}

/// What a field is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) struct FieldKey {
    pub(super) profile: ProfileId,
    pub(super) target: Cell,
}

/// All fields. A place stays the same while a field is used.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct FieldStore {
    /// By place; `None` if the place is free.
    fields: Vec<Option<SharedField>>,
    /// The free places, the one used next last.
    free: Vec<u32>,
    /// The places of the fields to each target, in the order in which they were built.
    by_target: BTreeMap<FieldKey, Vec<u32>>,
    /// The memory of all fields, in bytes.
    #[serde(skip)]
    bytes: usize,
    #[serde(skip)]
    max_bytes: usize,
}

impl FieldStore {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { max_bytes, ..Self::default() }
    }

    /// Returns the field at a place.
    #[inline]
    pub(super) fn get(&self, place: Option<u32>) -> Option<&SharedField> {
        self.fields.get(place? as usize)?.as_ref()
    }

    /// Returns the field at a place, of those that exist.
    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut SharedField> {
        self.fields.get_mut(place)?.as_mut()
    }

    /// Returns the number of places, free ones included.
    pub(super) fn places(&self) -> usize {
        self.fields.len()
    }

    /// Returns the memory cap, in bytes.
    pub(super) fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// Returns true if the fields exceed the memory cap.
    pub(super) fn is_over_cap(&self) -> bool {
        self.bytes > self.max_bytes
    }

    /// Returns the place of a field to a target that covers a position and is not near its end.
    pub(super) fn find(&self, key: FieldKey, here: Pos) -> Option<u32> {
        let covers = |&&place: &&u32| {
            self.get(Some(place)).is_some_and(|shared| {
                let here = shared.field.distance(here);
                !shared.field.is_stale() && here.is_some_and(|here| !shared.field.needs_next_stretch(here))
            })
        };
        self.by_target.get(&key)?.iter().find(covers).copied()
    }

    /// Counts another user of a field.
    pub(super) fn share(&mut self, place: u32) {
        if let Some(shared) = self.get_mut(place as usize) {
            shared.users += 1;
        }
    }

    /// Adds a field with one user and returns its place.
    pub(super) fn add(&mut self, field: Field, key: FieldKey, origin: PathOrigin, compared: u32) -> u32 {
        self.bytes += field.memory_bytes();
        let place = self.free.pop().unwrap_or(self.fields.len() as u32);
        if place as usize == self.fields.len() {
            self.fields.push(None);
        }
        self.fields[place as usize] = Some(SharedField { field, users: 1, key, origin, compared });
        self.by_target.entry(key).or_default().push(place);
        place
    }

    /// Takes one user from a field, which is dropped with the last one.
    pub(super) fn release(&mut self, place: Option<u32>) {
        let Some(place) = place else { return };
        let Some(shared) = self.get_mut(place as usize) else { return };
        shared.users -= 1;
        if shared.users > 0 {
            return;
        }
        if let Some(last) = self.fields[place as usize].take() {
            self.bytes -= last.field.memory_bytes();
            self.free.push(place);
            if let Some(places) = self.by_target.get_mut(&last.key) {
                places.retain(|&other| other != place);
                if places.is_empty() {
                    self.by_target.remove(&last.key);
                }
            }
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes
    }

    /// After loading: sets the memory cap and counts the memory.
    pub(super) fn restore(&mut self, max_bytes: usize) {
        self.max_bytes = max_bytes;
        self.bytes = self.fields.iter().flatten().map(|shared| shared.field.memory_bytes()).sum();
    }

    /// Checks that every field is used by as many agents as it says, and that places are free or listed by target.
    pub(super) fn check_users(
        &self,
        limits: &Limits,
        used: impl Iterator<Item = u32>,
    ) -> Result<(), StateError> {
        let mut users = vec![0; self.fields.len()];
        for place in used {
            let count =
                users.get_mut(place as usize).ok_or_else(|| StateError::invalid("a field does not exist"))?;
            *count += 1;
        }
        let counted = self.fields.iter().zip(&users).all(|(shared, &count)| {
            shared.as_ref().map_or(0, |shared| shared.users) == count && shared.is_some() == (count > 0)
        });
        limits.require(counted, "a field has another number of users")?;
        let mut listed = vec![false; self.fields.len()];
        let places = self
            .by_target
            .iter()
            .flat_map(|(key, places)| places.iter().map(move |&place| (Some(key), place)));
        for (key, place) in places.chain(self.free.iter().map(|&place| (None, place))) {
            let fits = self
                .fields
                .get(place as usize)
                .is_some_and(|shared| shared.as_ref().map(|shared| &shared.key) == key);
            limits.require(
                fits && !std::mem::replace(&mut listed[place as usize], true),
                "a field is in a wrong list",
            )?;
        }
        limits.require(listed.iter().all(|&listed| listed), "a field is in no list")
    }
}

impl Validate for FieldKey {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { profile, target } = self;
        (*profile, *target).validate(limits)
    }
}

impl Validate for SharedField {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { field, users: _, key, origin, compared: _ } = self;
        field.validate(limits)?;
        key.validate(limits)?;
        origin.validate(limits)
    }
}

impl Validate for FieldStore {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { fields, free: _, by_target: _, bytes: _, max_bytes: _ } = self;
        fields.validate(limits)
    }
}
