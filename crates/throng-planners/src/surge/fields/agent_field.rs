//! What is kept of each agent: its field, and for which state it has looked up its neighbour costs.

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate};
use throng_grid::Cell;

use super::MAX_DETOUR_WAITS;

/// The field of an agent and what it waits for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct AgentField {
    /// The place of its field in the store.
    pub(super) field: Option<u32>,
    /// True if the agent waits for a builder or has one.
    pub(super) waiting: bool,
    /// How often the agent was given another field for a shorter path since it got its target.
    pub(super) detours: u8,
    /// The fingerprint of a map on which the target is unreachable; 0 if none is known.
    pub(super) unreachable_on: u64,
    /// The agent's cell, field and target, and the number of map changes, for which the costs were looked up.
    #[serde(skip)]
    pub(super) costs_of: Option<(Cell, Option<u32>, Cell, u32)>,
}

impl Validate for AgentField {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { field: _, waiting: _, detours, unreachable_on: _, costs_of: _ } = self;
        limits.at_most(*detours, u64::from(MAX_DETOUR_WAITS), "the number of detours")
    }
}
