//! When the choice is reviewed: at the start, and when enough has changed since the last review.
//!
//! Enough is: agents that appeared, disappeared or got another target number at least a quarter of the agents at the last
//! review, or the map has changed, or the budget has become small or ample. A review comes at least 64 ticks after the one before. Together with the margin for a
//! switch, which is twice that of the first choice, this keeps the choice from flapping.

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentChange, Limits, StateError, Validate, View};

/// Ticks between two reviews.
const INTERVAL: u64 = 64;

/// The part of the agents whose orders must have changed.
const CHANGED_PART: u64 = 4;

/// What has changed since the last review.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Situation {
    /// The tick of the last review; none before the first.
    reviewed: Option<u64>,
    /// The number of agents at the last review.
    agents: u64,
    /// The number of changes of agents since.
    changes: u64,
    /// Whether the budget was small at the last review.
    was_small: bool,
    /// Whether a review is due and waits for features.
    is_pending: bool,
}

impl Situation {
    /// Notes a change of an agent.
    pub(super) fn note(&mut self, change: AgentChange) {
        if change != AgentChange::Relocated {
            self.changes = self.changes.saturating_add(1);
        }
    }

    /// Returns true if a review is due, now or since an earlier tick. Before the first agent there is nothing to review.
    pub(super) fn is_due(&mut self, view: &View<'_>, map_has_changed: bool, is_small: bool) -> bool {
        let is_old = self.reviewed.is_none_or(|tick| view.tick() >= tick.saturating_add(INTERVAL));
        let has_changed = map_has_changed
            || is_small != self.was_small
            || self.changes.saturating_mul(CHANGED_PART) >= self.agents.max(CHANGED_PART);
        self.is_pending |= is_old && has_changed && !view.agents().is_empty();
        self.is_pending
    }

    /// Returns true before the first review.
    pub(super) fn is_first(&self) -> bool {
        self.reviewed.is_none()
    }

    /// Notes that the choice was reviewed.
    pub(super) fn reviewed(&mut self, view: &View<'_>, is_small: bool) {
        let agents = view.agents().len() as u64;
        let reviewed = Some(view.tick());
        *self = Self { reviewed, agents, changes: 0, was_small: is_small, is_pending: false };
    }
}

impl Validate for Situation {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { reviewed, agents, changes: _, was_small: _, is_pending: _ } = self;
        limits.past_tick(reviewed.unwrap_or_default())?;
        limits.at_most(*agents, limits.agents as u64, "the number of agents")
    }
}
