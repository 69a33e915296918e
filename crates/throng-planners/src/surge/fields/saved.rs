//! The fields as they are saved.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentId, Limits, StateError, Validate};
use throng_toolkit::SearchQueue;

use super::super::field_builder::{FieldBuilder, SavedBuilder};
use super::super::neighbour_costs::NeighbourCosts;
use super::agent_field::AgentField;
use super::map_changes::MapChanges;
use super::store::FieldStore;
use super::{BUILDERS, DetourScan, Fields};

/// Everything that the next decisions depend on.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct SavedFields {
    agents: Vec<AgentField>,
    waiting: VecDeque<AgentId>,
    builders: Vec<SavedBuilder>,
    store: FieldStore,
    changes: MapChanges,
    detours: DetourScan,
    next_dropped: usize,
}

/// The same with references, so that saving copies no field. The encoding is that of [`SavedFields`].
#[derive(Debug, Serialize)]
pub(in super::super) struct FieldsState<'a> {
    agents: &'a [AgentField],
    waiting: &'a VecDeque<AgentId>,
    builders: Vec<SavedBuilder>,
    store: &'a FieldStore,
    changes: &'a MapChanges,
    detours: DetourScan,
    next_dropped: usize,
}

impl Validate for SavedFields {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { agents, waiting, builders, store, changes, detours: _, next_dropped: _ } = self;
        limits.per_agent(agents)?;
        for agent in waiting.iter().copied().chain(builders.iter().map(SavedBuilder::agent)) {
            limits.require(agent.index() < agents.len(), "an agent waits for a field that it cannot have")?;
        }
        builders.validate(limits)?;
        let slots = builders.iter().map(|builder| usize::from(builder.slot()));
        limits.require(slots.is_sorted_by(|a, b| a < b), "two builders have one slot")?;
        limits.require(
            builders.iter().all(|builder| usize::from(builder.slot()) < BUILDERS),
            "too many builders",
        )?;
        store.validate(limits)?;
        store.check_users(limits, agents.iter().filter_map(|entry| entry.field))?;
        changes.validate(limits)
    }
}

impl Fields {
    /// Returns the state to be saved.
    pub(in super::super) fn state(&self) -> FieldsState<'_> {
        FieldsState {
            agents: &self.agents,
            waiting: &self.waiting,
            builders: self.builders.searches().iter().map(FieldBuilder::saved).collect(),
            store: &self.store,
            changes: &self.changes,
            detours: self.detours,
            next_dropped: self.next_dropped,
        }
    }

    /// Replaces the state by a saved one that was validated.
    pub(in super::super) fn restore(&mut self, saved: SavedFields) {
        let SavedFields { agents, waiting, builders, store, changes, detours, next_dropped } = saved;
        self.costs = vec![NeighbourCosts::RESTING; agents.len()];
        (self.agents, self.waiting, self.changes) = (agents, waiting, changes);
        (self.detours, self.next_dropped) = (detours, next_dropped);
        self.builders =
            SearchQueue::from(builders.into_iter().map(FieldBuilder::restored).collect::<Vec<_>>());
        self.store = store.restored(self.store.max_bytes());
    }
}
