//! The agents of a world, as columns: one vector per property, indexed by agent number.

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Pos, ProfileId};

use crate::goals::arrival::Arrival;

/// An agent of one world. Numbers are given in the order of spawning and never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(pub u32);

impl AgentId {
    /// Returns the agent's number as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The properties of an agent when it is spawned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentSpec {
    /// The start position.
    pub at: Pos,
    /// The profile: which terrain the agent may enter, and at what cost.
    pub profile: ProfileId,
    /// The number of ticks per step; 1 is the fastest.
    pub speed: u8,
    /// A value for the game's own use.
    pub user: u64,
}

impl AgentSpec {
    /// Describes an agent of the first profile that may step in every tick.
    pub const fn at(x: i32, y: i32) -> Self {
        Self { at: Pos::new(x, y), profile: ProfileId(0), speed: 1, user: 0 }
    }

    /// Sets the profile.
    #[must_use]
    pub const fn profile(self, profile: ProfileId) -> Self {
        Self { profile, ..self }
    }

    /// Sets the number of ticks per step; 0 counts as 1.
    #[must_use]
    pub const fn speed(self, ticks: u8) -> Self {
        Self { speed: if ticks == 0 { 1 } else { ticks }, ..self }
    }

    /// Sets the value for the game's own use.
    #[must_use]
    pub const fn user(self, user: u64) -> Self {
        Self { user, ..self }
    }
}

/// All agents ever spawned. The entries of despawned agents stay, with `alive` false.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Agents {
    /// Positions.
    pub(crate) at: Vec<Cell>,
    /// The place that each agent was sent to.
    pub(crate) goal: Vec<Option<Pos>>,
    /// The cell that each agent heads for.
    pub(crate) target: Vec<Option<Cell>>,
    pub(crate) arrival: Vec<Arrival>,
    /// The first tick in which each agent may step again.
    pub(crate) ready: Vec<u64>,
    pub(crate) profile: Vec<ProfileId>,
    /// Ticks per step, at least 1.
    pub(crate) speed: Vec<u8>,
    pub(crate) user: Vec<u64>,
    /// Whether the planner moves the agent.
    pub(crate) controlled: Vec<bool>,
    pub(crate) alive: Vec<bool>,
    /// The agents that are alive, in the order of their numbers.
    pub(crate) living: Vec<AgentId>,
}

impl Agents {
    pub(crate) fn push(&mut self, spec: AgentSpec, at: Cell) -> AgentId {
        let id = AgentId(self.at.len() as u32);
        self.at.push(at);
        self.goal.push(None);
        self.target.push(None);
        self.arrival.push(Arrival::default());
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
        if let Ok(index) = self.living.binary_search(&id) {
            self.living.remove(index);
        }
    }

    pub(crate) fn is_alive(&self, id: AgentId) -> bool {
        self.alive.get(id.index()).is_some_and(|&alive| alive)
    }
}
