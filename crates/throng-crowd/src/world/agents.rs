//! The crowd itself: one row an agent, in columns.

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Cost, Pos, ProfileId};

/// An agent of one world. Numbers are given in the order of spawning and never given again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(pub u32);

impl AgentId {
    /// The agent's number as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an agent is when it is spawned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AgentSpec {
    /// Where it stands.
    pub at: Pos,
    /// Which of the grid's profiles it has.
    pub profile: ProfileId,
    /// It may step once in this many ticks; 1 is the fastest.
    pub speed: u8,
    /// Anything the game wants to find again.
    pub user: u64,
}

impl AgentSpec {
    /// An agent of the first profile that may step every tick.
    pub const fn at(x: i32, y: i32) -> Self {
        Self { at: Pos::new(x, y), profile: ProfileId(0), speed: 1, user: 0 }
    }

    /// The same with another profile.
    #[must_use]
    pub const fn profile(self, profile: ProfileId) -> Self {
        Self { profile, ..self }
    }

    /// The same, stepping once in so many ticks; 0 counts as 1.
    #[must_use]
    pub const fn speed(self, ticks: u8) -> Self {
        Self { speed: if ticks == 0 { 1 } else { ticks }, ..self }
    }

    /// The same with a value of the game's own.
    #[must_use]
    pub const fn user(self, user: u64) -> Self {
        Self { user, ..self }
    }
}

/// How an agent gets on with its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Progress {
    /// The nearest that it has come.
    pub(crate) nearest: Cost,
    /// Ticks since then in which it could have stepped.
    pub(crate) since: u32,
    /// How often it has changed the cell that it claims since it was sent.
    pub(crate) shifts: u8,
    /// Ticks since it was sent in which it had a cell of its own and was not there.
    pub(crate) unrest: u32,
}

impl Default for Progress {
    fn default() -> Self {
        Self { nearest: Cost::MAX, since: 0, shifts: 0, unrest: 0 }
    }
}

/// Where an agent that has somewhere to go has been about lately.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Roaming {
    /// A cell that it has not been far from, while it is underway.
    pub(crate) anchor: Option<Cell>,
    /// For so many ticks.
    pub(crate) ticks: u32,
    /// The agent that it last waited for, if it did.
    pub(crate) behind: Option<AgentId>,
}

/// The agents' columns. Rows of agents that are gone stay behind, marked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Agents {
    /// Where each stands.
    pub(crate) at: Vec<Cell>,
    /// The place each was sent to, if it was.
    pub(crate) goal: Vec<Option<Pos>>,
    /// The cell each heads for: its goal or the nearest to it that it can reach, or the cell that it claims.
    pub(crate) target: Vec<Option<Cell>>,
    /// Whether each has been reported to have arrived at its target, and not to have left.
    pub(crate) home: Vec<bool>,
    /// Whether each one's target is its own.
    pub(crate) claimed: Vec<bool>,
    /// Whether each has been home since it claimed its target.
    pub(crate) settled: Vec<bool>,
    pub(crate) progress: Vec<Progress>,
    pub(crate) roaming: Vec<Roaming>,
    /// Whether each one's goal could not be reached when its target was chosen.
    pub(crate) cut_off: Vec<bool>,
    /// The first tick at which each may step again.
    pub(crate) ready: Vec<u64>,
    pub(crate) profile: Vec<ProfileId>,
    pub(crate) speed: Vec<u8>,
    pub(crate) user: Vec<u64>,
    /// Whether the planner moves it.
    pub(crate) controlled: Vec<bool>,
    pub(crate) alive: Vec<bool>,
    /// Those alive, in the order of their numbers.
    pub(crate) living: Vec<AgentId>,
}

impl Agents {
    pub(crate) fn push(&mut self, spec: AgentSpec, at: Cell) -> AgentId {
        let id = AgentId(self.at.len() as u32);
        self.at.push(at);
        self.goal.push(None);
        self.target.push(None);
        self.home.push(false);
        self.claimed.push(false);
        self.settled.push(false);
        self.progress.push(Progress::default());
        self.roaming.push(Roaming::default());
        self.cut_off.push(false);
        self.ready.push(0);
        self.profile.push(spec.profile);
        self.speed.push(spec.speed.max(1));
        self.user.push(spec.user);
        self.controlled.push(true);
        self.alive.push(true);
        self.living.push(id);
        id
    }

    pub(crate) fn remove(&mut self, id: AgentId) {
        self.alive[id.index()] = false;
        if let Ok(place) = self.living.binary_search(&id) {
            self.living.remove(place);
        }
    }

    pub(crate) fn is_alive(&self, id: AgentId) -> bool {
        self.alive.get(id.index()).is_some_and(|&alive| alive)
    }
}
