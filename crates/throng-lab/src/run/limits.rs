//! The limits of a run, and the reason why it ended.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// The limits of a run that ends before all agents have arrived.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RunLimits {
    /// The maximum number of ticks.
    pub ticks: u64,
    /// The maximum number of expansions; none: unlimited.
    pub expansions: Option<u64>,
    /// The maximum time of all ticks; none: unlimited.
    pub wall: Option<Duration>,
    /// The maximum number of consecutive ticks in which no agent moved; none: unlimited.
    pub still: Option<u64>,
    /// The share of the agents whose arrival ends the run; none: all agents.
    pub completion: Option<f64>,
    /// The work that each tick may do.
    pub budget: TickBudget,
}

impl RunLimits {
    /// Returns limits that consist of a number of ticks only.
    pub const fn ticks(ticks: u64) -> Self {
        let (expansions, wall, still, completion) = (None, None, None, None);
        Self { ticks, expansions, wall, still, completion, budget: TickBudget::Unlimited }
    }

    /// Returns the first limit that a run has reached.
    pub(super) fn reached(&self, progress: &RunProgress) -> Option<Stopped> {
        let over = |count: u64, limit: Option<u64>| limit.is_some_and(|limit| count >= limit);
        let limits = [
            (over(progress.ticks, Some(self.ticks)), Stopped::Ticks),
            (over(progress.expansions, self.expansions), Stopped::Expansions),
            (self.wall.is_some_and(|limit| progress.wall >= limit), Stopped::Wall),
            (over(progress.still, self.still), Stopped::Still),
            (self.completion.is_some_and(|limit| progress.completion >= limit), Stopped::Completion),
        ];
        limits.into_iter().find_map(|(is_reached, limit)| is_reached.then_some(limit))
    }
}

/// What counts towards the limits of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunProgress {
    pub(super) ticks: u64,
    pub(super) expansions: u64,
    /// The time of all ticks.
    pub(super) wall: Duration,
    /// The number of ticks since an agent moved.
    pub(super) still: u64,
    /// The share of the agents that have arrived.
    pub(super) completion: f64,
}

/// The work that a tick may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TickBudget {
    /// No limit.
    #[default]
    Unlimited,
    /// A number of expansions, whatever one costs: the budgets of experiments.
    Expansions(u64),
    /// A number of units of work, the same time for every planner.
    Units(u64),
    /// A time in microseconds, checked between rounds of the planner.
    Microseconds(u64),
}

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stopped {
    /// All agents had arrived.
    #[default]
    Arrived,
    /// The limit of ticks.
    Ticks,
    /// The limit of expansions.
    Expansions,
    /// The limit of time.
    Wall,
    /// The limit of ticks without a move.
    Still,
    /// The required share of the agents had arrived.
    Completion,
    /// The caller stopped it.
    Interrupted,
}

impl Stopped {
    /// Returns the word in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arrived => "arrived",
            Self::Ticks => "ticks",
            Self::Expansions => "expansions",
            Self::Wall => "wall",
            Self::Still => "still",
            Self::Completion => "completion",
            Self::Interrupted => "interrupted",
        }
    }
}

impl Serialize for Stopped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
