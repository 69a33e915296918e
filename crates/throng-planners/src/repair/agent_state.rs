//! The path of one agent, and the results of its searches so far.

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate};
use throng_grid::{Cell, Cost};

use super::tuning::{FAILURES_PER_DOUBLING, MAX_AGITATION, MAX_DOUBLINGS, MAX_QUEUE, MAX_REST_EXPONENT};

/// What the engine remembers of an agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RepairAgent {
    /// The rest of the path in reverse order: the agent's cell is the last entry, the next cell the one before it.
    pub(super) path: Vec<Cell>,
    /// With an abstraction: one cell of each node of the abstract path, in order.
    pub(super) route: Vec<Cell>,
    /// Whether the next node of the route was blocked, so that the next search aims at the node after it.
    pub(super) skip: bool,
    /// The tick since which the agent needs another path; `None` if it needs none.
    #[serde(with = "optional_tick")]
    pub(super) replan_since: Option<u64>,
    /// The number of searches without a path since the last success.
    pub(super) failures: u32,
    /// The tick from which the agent may search again.
    pub(super) retry_at: u64,
    /// The amount of noise on the costs of the agent's searches, at most [`MAX_AGITATION`].
    pub(super) agitation: u32,
    /// The number of ticks in which the agent found its target occupied.
    pub(super) refusals: u32,
    /// The smallest heuristic distance to the target so far.
    pub(super) min_distance: Cost,
    /// After a failed search: the occupied cell on the most promising path.
    pub(super) blocked_by: Option<Cell>,
}

impl RepairAgent {
    /// An agent without a path.
    pub(super) const NEW: Self = Self {
        path: Vec::new(),
        route: Vec::new(),
        skip: false,
        replan_since: None,
        failures: 0,
        retry_at: 0,
        agitation: 0,
        refusals: 0,
        min_distance: Cost::MAX,
        blocked_by: None,
    };

    /// Returns the next cell of the path, if the path begins at the agent's cell.
    pub(super) fn next(&self, at: Cell) -> Option<Cell> {
        let [.., next, here] = self.path[..] else { return None };
        (here == at).then_some(next)
    }

    /// Returns the first free cell of the path after the next one, if it is at most [`MAX_QUEUE`] cells away.
    pub(super) fn rejoin(&self, is_free: impl Fn(Cell) -> bool) -> Option<Cell> {
        let ahead = self.path.iter().rev().skip(2).take(MAX_QUEUE);
        ahead.copied().find(|&cell| is_free(cell))
    }

    /// Replaces the path up to `end` by a detour in reverse order. If the path no longer contains `end`, the detour becomes
    /// the whole path.
    pub(super) fn take_detour(&mut self, end: Cell, detour: &[Cell]) {
        let kept = self.path.iter().rposition(|&cell| cell == end).unwrap_or(0);
        self.path.truncate(kept);
        self.path.extend_from_slice(detour);
    }

    /// Counts a failure and sets the tick of the next search: after 1, 2, 4, … ticks, times two per doubling.
    pub(super) fn rest(&mut self, tick: u64, doublings: u32) {
        self.retry_at = tick + (1 << self.failures.min(MAX_REST_EXPONENT) << doublings);
        self.failures = self.failures.saturating_add(1);
    }

    /// Returns how often the limits of partial refinement are doubled.
    pub(super) fn doublings(&self) -> u32 {
        (self.failures / FAILURES_PER_DOUBLING).min(MAX_DOUBLINGS)
    }

    /// Resets everything and keeps the memory of the lists.
    pub(super) fn reset(&mut self) {
        let (mut path, mut route) = (std::mem::take(&mut self.path), std::mem::take(&mut self.route));
        path.clear();
        route.clear();
        *self = Self { path, route, ..Self::NEW };
    }

    /// Returns the bytes of memory held besides the value itself.
    pub(super) fn memory_bytes(&self) -> usize {
        (self.path.capacity() + self.route.capacity()) * size_of::<Cell>()
    }
}

impl Validate for RepairAgent {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        // Any distance is possible.
        let Self {
            path,
            route,
            skip: _,
            replan_since,
            failures,
            retry_at,
            agitation,
            refusals,
            min_distance: _,
            blocked_by,
        } = self;
        [path, route].into_iter().try_for_each(|cells| cells.validate(limits))?;
        blocked_by.validate(limits)?;
        limits.coming_tick(replan_since.unwrap_or(0), 1)?;
        limits.coming_tick(*retry_at, 1 << MAX_REST_EXPONENT << MAX_DOUBLINGS)?;
        // A tick starts at most one search per agent.
        limits.at_most(*failures, limits.tick, "the number of failed searches")?;
        limits.at_most(*refusals, limits.tick, "the number of ticks before an occupied target")?;
        limits.at_most(*agitation, u64::from(MAX_AGITATION), "an agitation")
    }
}

/// Saves an optional tick as one more than its value, and `None` as 0. Most agents of a jam have one, and a tag would make
/// a snapshot up to 5 % larger.
mod optional_tick {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde passes a field by reference")]
    pub(super) fn serialize<S: Serializer>(tick: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        tick.map_or(0, |tick| tick + 1).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        Ok(u64::deserialize(deserializer)?.checked_sub(1))
    }
}
