//! Settings of a world, and the plain values that it returns.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use throng_grid::spec::SpecError;
use throng_grid::{Cell, Pos, Size};

use crate::{Fog, Sharing, StepTime};

/// Whether two agents may cross within a tick: make the two diagonal steps of a square of four cells at once, so that
/// both pass through its middle. A step that lasts several ticks may not be crossed in any of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Crossings {
    /// They may not: it is a conflict, like a swap.
    #[default]
    Forbid,
    /// They may, as in the papers on grid maps.
    Allow,
}

impl Crossings {
    /// All values.
    pub const ALL: [Self; 2] = [Self::Forbid, Self::Allow];

    /// Returns the name of the value, for options and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forbid => "forbid",
            Self::Allow => "allow",
        }
    }

    /// Returns the cells beside a diagonal step whose occupants may not exchange them meanwhile. `None` for any other step,
    /// and if agents may cross. The ends of the step must be neighbours or equal.
    #[inline]
    pub const fn guarded(self, size: Size, from: Cell, to: Cell) -> Option<[Cell; 2]> {
        match self {
            Self::Forbid => size.sides(from, to),
            Self::Allow => None,
        }
    }
}

impl fmt::Display for Crossings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Crossings {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let found = Self::ALL.into_iter().find(|crossings| crossings.name() == text);
        found.ok_or_else(|| SpecError::unknown("rule of crossings", text, Self::ALL.map(Self::name)))
    }
}

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
    /// Whether two agents may cross within a tick.
    pub crossings: Crossings,
    /// Whether the time of a step follows its cost. A planner that does not support it is refused.
    pub step_time: StepTime,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            sharing: Sharing::Everything,
            seed: 0,
            stuck_after: 50,
            fog: None,
            crossings: Crossings::Forbid,
            step_time: StepTime::Uniform,
        }
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

    /// Sets whether two agents may cross within a tick.
    #[must_use]
    pub const fn crossings(self, crossings: Crossings) -> Self {
        Self { crossings, ..self }
    }

    /// Sets whether the time of a step follows its cost.
    #[must_use]
    pub const fn step_time(self, step_time: StepTime) -> Self {
        Self { step_time, ..self }
    }
}

/// Where an agent that was sent to a goal will go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Destination {
    /// To its goal; if other agents were sent there too, to one of the cells nearest to it.
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
    /// Pairs of agents that crossed within a tick, which [`Settings::crossings`] may allow.
    pub crossings: u64,
}
