//! When a run stops, and why it did.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// When a run stops, if not because everyone is home.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// After so many ticks.
    pub ticks: u64,
    /// After so many expansions in all, if given.
    pub expansions: Option<u64>,
    /// After so much time, if given.
    pub wall: Option<Duration>,
    /// After so many ticks in which nobody stepped, if given.
    pub still: Option<u64>,
    /// What each tick may do.
    pub budget: TickBudget,
}

impl Limits {
    /// So many ticks, and nothing else.
    pub const fn ticks(ticks: u64) -> Self {
        Self { ticks, expansions: None, wall: None, still: None, budget: TickBudget::Unlimited }
    }

    /// Why a run that has come so far stops here, if it does.
    pub(super) fn reached(&self, so_far: &SoFar) -> Option<Stopped> {
        let over = |count: u64, limit: Option<u64>| limit.is_some_and(|limit| count >= limit);
        if over(so_far.ticks, Some(self.ticks)) {
            Some(Stopped::Ticks)
        } else if over(so_far.expansions, self.expansions) {
            Some(Stopped::Expansions)
        } else if self.wall.is_some_and(|limit| so_far.wall >= limit) {
            Some(Stopped::Wall)
        } else if over(so_far.still, self.still) {
            Some(Stopped::Still)
        } else {
            None
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SoFar {
    pub(super) ticks: u64,
    pub(super) expansions: u64,
    /// Time of all ticks.
    pub(super) wall: Duration,
    /// Ticks since somebody stepped.
    pub(super) still: u64,
}

/// What a tick may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TickBudget {
    /// Anything.
    #[default]
    Unlimited,
    /// So many expansions.
    Expansions(u64),
    /// So many microseconds, asked between rounds.
    Microseconds(u64),
}

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stopped {
    /// Everyone was home.
    #[default]
    Home,
    /// The limit of ticks.
    Ticks,
    /// The limit of expansions.
    Expansions,
    /// The limit of time.
    Wall,
    /// Nobody had stepped for long.
    Still,
    /// Whoever watched wanted no more.
    Watcher,
}

impl Stopped {
    /// The word in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::Ticks => "ticks",
            Self::Expansions => "expansions",
            Self::Wall => "wall",
            Self::Still => "still",
            Self::Watcher => "watcher",
        }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Stopped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
