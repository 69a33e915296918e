//! After an edit, the fields whose corridor has changed are marked as stale, within the budget.

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate, View};
use throng_grid::Ground;

use super::super::changed_squares::ChangedSquares;
use super::super::work_budget::{Prepaid, WorkBudget};
use super::Fields;
use super::store::FieldStore;

/// The number of fields whose tiles are compared with the map for one unit of work each, paid for together.
const FIELDS_PER_PAYMENT: u64 = 16;
/// Price of comparing a field whose tiles have changed, in units of work.
const COMPARE_PRICE: u64 = 16;
/// Fields of agents within this distance of a change are compared first, in cells.
const NEAR: i32 = 8;

/// The changes of the map, and which fields have been compared with it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct MapChanges {
    squares: ChangedSquares,
    /// How often the map has changed.
    pub(super) count: u32,
    /// The place of the field that is compared next.
    next: usize,
    /// The number of places still to be compared.
    left: usize,
    /// The number of fields whose comparison of tiles is paid for.
    paid_fields: u64,
    prepaid: Prepaid,
}

impl MapChanges {
    /// Starts with the maps as they are.
    pub(super) fn new(grounds: &[Ground]) -> Self {
        let mut changes = Self::default();
        changes.squares.update(grounds);
        changes.squares.clear();
        changes
    }

    /// Compares a field with the map, unless that was done since the last edit. Returns false if the budget does not
    /// suffice.
    fn check(
        &mut self,
        store: &mut FieldStore,
        place: usize,
        grounds: &[Ground],
        budget: &mut WorkBudget<'_, '_>,
    ) -> bool {
        let Some(shared) = store.get_mut(place).filter(|shared| shared.compared != self.count) else {
            return true;
        };
        if self.paid_fields == 0 {
            if !self.prepaid.pay(budget, FIELDS_PER_PAYMENT) {
                return false;
            }
            self.paid_fields = FIELDS_PER_PAYMENT;
        }
        let profile = shared.key.profile.0;
        if let Some(ground) = grounds.get(usize::from(profile))
            && !shared.field.is_current(ground)
        {
            if !self.prepaid.pay(budget, COMPARE_PRICE) {
                return false;
            }
            shared.field.compare(ground, profile, &self.squares);
        }
        shared.compared = self.count;
        self.paid_fields -= 1;
        true
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.squares.memory_bytes()
    }
}

impl Validate for MapChanges {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { squares, count: _, next: _, left: _, paid_fields, prepaid } = self;
        squares.validate(limits)?;
        limits.at_most(*paid_fields, FIELDS_PER_PAYMENT, "the comparisons paid for")?;
        prepaid.validate(limits)
    }
}

impl Fields {
    /// Marks the fields whose corridor the map has changed in as stale, as far as the budget goes; first those of agents
    /// near the change. Until a field is compared its agents follow it as it was; illegal steps are never proposed.
    pub(in super::super) fn compare_with_map(&mut self, view: &View<'_>, budget: &mut WorkBudget<'_, '_>) {
        let (grounds, changes) = (view.grid().grounds(), &mut self.changes);
        if changes.squares.update(grounds) {
            self.detours.left = view.id_limit();
            changes.left = self.store.places();
            changes.count = changes.count.wrapping_add(1);
        }
        changes.left = changes.left.min(self.store.places());
        if changes.left == 0 {
            return;
        }
        for &agent in view.movers() {
            let at = view.ground(agent).pos(view.at(agent));
            let place = self.agents.get(agent.index()).and_then(|entry| entry.field);
            if let Some(place) = place
                && changes.squares.is_near(view.profile(agent).0, at, NEAR)
                && !changes.check(&mut self.store, place as usize, grounds, budget)
            {
                return;
            }
        }
        while changes.left > 0 {
            let place = changes.next % self.store.places();
            if !changes.check(&mut self.store, place, grounds, budget) {
                return;
            }
            (changes.next, changes.left) = (place + 1, changes.left - 1);
        }
        changes.squares.clear();
    }
}
