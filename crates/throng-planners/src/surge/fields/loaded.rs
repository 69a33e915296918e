//! Fields that were loaded: their validation, and what follows from them.

use throng_crowd::{Limits, StateError, Validate};
use throng_toolkit::TimeSliced;

use super::super::neighbour_costs::NeighbourCosts;
use super::{BUILDERS, Fields};

impl Validate for Fields {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { agents, costs: _, waiting, builders, store, changes, detours: _, next_dropped: _ } = self;
        let builders = builders.searches();
        limits.per_agent(agents)?;
        for agent in waiting.iter().copied().chain(builders.iter().map(TimeSliced::agent)) {
            limits.require(agent.index() < agents.len(), "an agent waits for a field that it cannot have")?;
        }
        builders.validate(limits)?;
        let slots = || builders.iter().map(|builder| usize::from(builder.slot));
        limits.require(slots().is_sorted_by(|a, b| a < b), "two builders have one slot")?;
        limits.require(slots().all(|slot| slot < BUILDERS), "too many builders")?;
        store.validate(limits)?;
        store.check_users(limits, agents.iter().filter_map(|entry| entry.field))?;
        changes.validate(limits)
    }
}

impl Fields {
    /// Replaces the state by a loaded one that was validated.
    pub(in super::super) fn restore(&mut self, loaded: Self) {
        let max_bytes = self.store.max_bytes();
        *self = loaded;
        self.costs = vec![NeighbourCosts::RESTING; self.agents.len()];
        self.store.restore(max_bytes);
    }
}
