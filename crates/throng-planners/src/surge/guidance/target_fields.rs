//! The fields of targets, shared by the agents with the same target.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate};
use throng_grid::{Cell, Ground, ProfileId};
use throng_search::{LocalField, SectorGuide, StepPrices};

/// What a field leads to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) struct TargetKey {
    pub(super) profile: ProfileId,
    pub(super) target: Cell,
}

/// The field of a target.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct TargetField {
    key: TargetKey,
    /// The number of agents that use it.
    users: u32,
    /// True if the map has changed in it. Then it is empty.
    is_stale: bool,
    /// True if it counts the present prices of steps, false if it counts those before.
    has_present_prices: bool,
    #[serde(skip)]
    field: LocalField,
}

/// The fields of all targets. A place stays the same while a field is used.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct TargetFields {
    /// By place; `None` if the place is free.
    fields: Vec<Option<TargetField>>,
    /// The free places, the one used next last.
    free: Vec<u32>,
    /// The place of each target's field.
    places: BTreeMap<TargetKey, u32>,
    /// The memory of all fields, in bytes.
    #[serde(skip)]
    bytes: usize,
}

impl TargetFields {
    /// Returns the field at a place, unless the map has changed in it.
    #[inline]
    pub(super) fn field(&self, place: Option<u32>) -> Option<&LocalField> {
        let target = self.fields.get(place? as usize)?.as_ref()?;
        (!target.is_stale).then_some(&target.field)
    }

    /// Adds a user of a target's field, which is computed unless it is there. Returns its place and the number of expansions.
    pub(super) fn add(&mut self, key: TargetKey, guide: &mut SectorGuide, ground: &Ground) -> (u32, u64) {
        let place = self.places.get(&key).copied().unwrap_or_else(|| {
            let place = self.free.pop().unwrap_or(self.fields.len() as u32);
            if place as usize == self.fields.len() {
                self.fields.push(None);
            }
            self.fields[place as usize] = Some(TargetField {
                key,
                users: 0,
                is_stale: true,
                has_present_prices: true,
                field: LocalField::default(),
            });
            self.places.insert(key, place);
            place
        });
        let mut expansions = 0;
        if let Some(target) = &mut self.fields[place as usize] {
            target.users += 1;
            if std::mem::take(&mut target.is_stale) {
                target.has_present_prices = true;
                expansions = guide.fill_target(ground, key.target, &mut target.field);
                self.bytes += target.field.memory_bytes();
            }
        }
        (place, expansions)
    }

    /// Takes one user from a field, which is dropped with the last one.
    pub(super) fn release(&mut self, place: Option<u32>) {
        let Some(slot) = place.and_then(|place| self.fields.get_mut(place as usize)) else { return };
        let (Some(target), Some(place)) = (slot, place) else { return };
        target.users -= 1;
        if target.users == 0
            && let Some(last) = self.fields[place as usize].take()
        {
            self.bytes -= last.field.memory_bytes();
            self.places.remove(&last.key);
            self.free.push(place);
        }
    }

    /// Prices of steps have changed: marks the fields of a profile that count older prices than the last ones as stale. The others are of use
    /// until the next change, so that agents near their target do not all need a new field at once.
    pub(super) fn age(&mut self, profile: ProfileId) {
        for target in self.fields.iter_mut().flatten().filter(|target| target.key.profile == profile) {
            if !std::mem::take(&mut target.has_present_prices) && !target.is_stale {
                self.bytes -= target.field.memory_bytes();
                (target.is_stale, target.field) = (true, LocalField::default());
            }
        }
    }

    /// Marks the fields of a profile that depend on one of the given sectors as stale, and computes all others that are
    /// missing after loading, with the prices of steps that they counted. `before` are the prices before the last ones.
    pub(super) fn update(
        &mut self,
        profile: ProfileId,
        (guide, before): (&mut SectorGuide, &StepPrices),
        ground: &Ground,
        changed: &[u32],
    ) {
        for target in self.fields.iter_mut().flatten().filter(|target| target.key.profile == profile) {
            if target.is_stale {
                continue;
            }
            let sectors = guide.target_sectors(ground.pos(target.key.target));
            // A loaded state may name a target that is a wall.
            let is_gone = !ground.is_free(target.key.target);
            if is_gone || sectors.iter().any(|sector| changed.binary_search(sector).is_ok()) {
                self.bytes -= target.field.memory_bytes();
                (target.is_stale, target.field) = (true, LocalField::default());
            } else if target.field.is_empty() {
                let prices = if target.has_present_prices { guide.prices().clone() } else { before.clone() };
                guide.fill_priced_target(ground, target.key.target, &prices, &mut target.field);
                self.bytes += target.field.memory_bytes();
            }
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes
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
        let counted = self.fields.iter().zip(&users).all(|(target, &count)| {
            target.as_ref().map_or(0, |target| target.users) == count && target.is_some() == (count > 0)
        });
        limits.require(counted, "a field has another number of users")?;
        let mut listed = vec![false; self.fields.len()];
        let places = self.places.iter().map(|(key, &place)| (Some(key), place));
        for (key, place) in places.chain(self.free.iter().map(|&place| (None, place))) {
            let known =
                self.fields.get(place as usize).map(|target| target.as_ref().map(|target| &target.key));
            limits.require(
                known == Some(key) && !std::mem::replace(&mut listed[place as usize], true),
                "a field is in a wrong list",
            )?;
        }
        limits.require(listed.iter().all(|&listed| listed), "a field is in no list")
    }
}

impl Validate for TargetKey {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { profile, target } = self;
        (*profile, *target).validate(limits)
    }
}

impl Validate for TargetFields {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { fields, free: _, places: _, bytes: _ } = self;
        fields.iter().flatten().try_for_each(|target| target.key.validate(limits))
    }
}
