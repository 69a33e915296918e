//! Settings of a world, and the plain values that it returns.

use serde::{Deserialize, Serialize};
use throng_grid::Pos;

use crate::{Fog, Sharing};

/// The settings of a world. They do not change during a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// How much agents may share. A planner that requires more is refused.
    pub sharing: Sharing,
    /// The seed of the random values that planners use.
    pub seed: u64,
    /// The number of ticks without a step after which an agent that is not at its target is reported stuck; 0 disables
    /// these reports.
    pub stuck_after: u32,
    /// What agents see of the map; `None` if they know all of it. A planner that requires more is refused.
    pub fog: Option<Fog>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { sharing: Sharing::Everything, seed: 0, stuck_after: 50, fog: None }
    }
}

impl Settings {
    /// Sets the seed.
    #[must_use]
    pub const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets the number of ticks after which an agent is reported stuck; 0 disables these reports.
    #[must_use]
    pub const fn stuck_after(self, ticks: u32) -> Self {
        Self { stuck_after: ticks, ..self }
    }

    /// Lets agents know only the cells that they have seen.
    #[must_use]
    pub const fn fog(self, fog: Fog) -> Self {
        Self { fog: Some(fog), ..self }
    }

    /// Sets how much agents may share.
    #[must_use]
    pub const fn sharing(self, sharing: Sharing) -> Self {
        Self { sharing, ..self }
    }
}

/// Where an agent that was sent to a goal will go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Destination {
    /// To its goal.
    Goal,
    /// The goal cannot be reached as far as the agent knows. To the reachable cell nearest to it, or to one around that
    /// if the nearest is taken.
    Unreachable(Pos),
    /// The goal can be reached and is taken: another agent claims it, or a unit holds it. To this cell near it.
    Taken(Pos),
    /// Nowhere: the agent stands inside a wall, or every cell that it can reach is taken.
    Nowhere,
}

/// Counts since the world was created.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Totals {
    /// Node expansions of the planner.
    pub expansions: u64,
    /// How often an agent wanted another cell and stayed because a unit held it or another agent took it.
    pub failed_moves: u64,
    /// How often the referee overruled a proposal.
    pub overruled: u64,
    /// Pairs of agents that crossed each other diagonally within one tick.
    pub crossings: u64,
}
