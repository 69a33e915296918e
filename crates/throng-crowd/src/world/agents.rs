//! The agents of a world, as columns: one vector per property, indexed by row.

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Pos, ProfileId};

use crate::goals::arrival::Arrival;
use crate::goals::groups::GroupId;
use crate::world::ids::{AgentId, Found, Rows};
use crate::world::input::WorldError;
use crate::world::step_time::{LastStep, Speed};

/// An agent as planners know it: its row, which is the index of arrays with one entry per agent.
///
/// A row belongs to one agent at a time. When the agent is removed, the planner is notified
/// ([`AgentChange::Despawned`](crate::AgentChange)), and a later agent gets the row. Games know agents by [`AgentId`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentRow(pub u32);

impl AgentRow {
    /// Returns the row as an array index.
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
    /// How fast the agent steps.
    pub speed: Speed,
    /// A value for the game's own use.
    pub user: u64,
}

impl AgentSpec {
    /// Describes an agent of the first profile that may step in every tick.
    pub const fn at(x: i32, y: i32) -> Self {
        Self { at: Pos::new(x, y), profile: ProfileId(0), speed: Speed::NORMAL, user: 0 }
    }

    /// Sets the profile.
    #[must_use]
    pub const fn profile(self, profile: ProfileId) -> Self {
        Self { profile, ..self }
    }

    /// Sets the number of ticks per step; 0 counts as 1.
    #[must_use]
    pub const fn speed(self, ticks: u8) -> Self {
        self.at_speed(Speed::one_step_in(ticks as u16))
    }

    /// Sets the speed.
    #[must_use]
    pub const fn at_speed(self, speed: Speed) -> Self {
        Self { speed, ..self }
    }

    /// Sets the value for the game's own use.
    #[must_use]
    pub const fn user(self, user: u64) -> Self {
        Self { user, ..self }
    }
}

/// The agents of a world, by row. The entries of a row without an agent are those of the agent that had it last.
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
    pub(crate) speed: Vec<Speed>,
    /// The last step of each agent.
    pub(crate) last_step: Vec<LastStep>,
    pub(crate) user: Vec<u64>,
    /// The priority of each agent: the higher goes first.
    pub(crate) priority: Vec<i8>,
    /// The number of agents whose priority is not 0.
    pub(crate) prioritized: u32,
    /// Whether the planner moves the agent.
    pub(crate) controlled: Vec<bool>,
    /// Whether the agent may not be moved while it rests.
    pub(crate) holds: Vec<bool>,
    /// The group whose order each agent follows.
    pub(crate) group: Vec<Option<GroupId>>,
    /// Which rows have an agent, and its generation.
    pub(crate) rows: Rows,
    /// The rows with an agent, in ascending order.
    pub(crate) living: Vec<AgentRow>,
    /// The ids of `living`, in the same order.
    pub(crate) living_ids: Vec<AgentId>,
}

impl Agents {
    /// Adds an agent in the lowest free row.
    pub(crate) fn push(&mut self, spec: AgentSpec, at: Cell) -> AgentRow {
        let (row, generation) = self.rows.take();
        let agent = AgentRow(row);
        if agent.index() == self.at.len() {
            self.add_row();
        }
        let i = agent.index();
        self.at[i] = at;
        self.goal[i] = None;
        self.target[i] = None;
        self.arrival[i] = Arrival::default();
        self.ready[i] = 0;
        self.profile[i] = spec.profile;
        self.speed[i] = spec.speed;
        self.last_step[i] = LastStep::default();
        self.user[i] = spec.user;
        self.set_priority(agent, 0);
        self.controlled[i] = true;
        self.holds[i] = false;
        self.group[i] = None;
        let place = self.living.partition_point(|&other| other < agent);
        self.living.insert(place, agent);
        self.living_ids.insert(place, AgentId::new(row, generation));
        agent
    }

    /// Adds an entry to each column. The caller sets it.
    fn add_row(&mut self) {
        self.at.push(Cell::default());
        self.goal.push(None);
        self.target.push(None);
        self.arrival.push(Arrival::default());
        self.ready.push(0);
        self.profile.push(ProfileId(0));
        self.speed.push(Speed::NORMAL);
        self.last_step.push(LastStep::default());
        self.user.push(0);
        self.priority.push(0);
        self.controlled.push(false);
        self.holds.push(false);
        self.group.push(None);
    }

    /// Sets the priority of an agent.
    pub(crate) fn set_priority(&mut self, agent: AgentRow, priority: i8) {
        let before = std::mem::replace(&mut self.priority[agent.index()], priority);
        self.prioritized = self.prioritized + u32::from(priority != 0) - u32::from(before != 0);
    }

    /// Adds a row that has no agent, with the generation of the agent that had it last.
    pub(crate) fn push_free(&mut self, generation: u32) {
        self.add_row();
        self.rows.push(generation, false);
    }

    /// Adds a row with an agent of this generation.
    pub(crate) fn push_living(&mut self, generation: u32) -> AgentRow {
        let agent = AgentRow(self.at.len() as u32);
        self.add_row();
        self.rows.push(generation, true);
        self.living.push(agent);
        self.living_ids.push(AgentId::new(agent.0, generation));
        agent
    }

    /// Returns the cell that an agent still holds besides its own in a tick, because it is not across.
    #[inline]
    pub(crate) fn tail(&self, agent: AgentRow, tick: u64) -> Option<Cell> {
        let is_held = self.ready[agent.index()] > tick + 1;
        is_held.then(|| self.last_step[agent.index()].from)
    }

    /// Removes an agent and frees its row.
    pub(crate) fn remove(&mut self, agent: AgentRow) {
        self.rows.free(agent.0);
        self.set_priority(agent, 0);
        if let Ok(place) = self.living.binary_search(&agent) {
            self.living.remove(place);
            self.living_ids.remove(place);
        }
    }

    /// Returns true if the planner may move an agent: it controls it, and the agent does not hold its position.
    #[inline]
    pub(crate) fn is_movable(&self, agent: AgentRow) -> bool {
        let i = agent.index();
        self.controlled[i] && !(self.holds[i] && self.target[i].is_none_or(|target| target == self.at[i]))
    }

    /// Returns true if a row has an agent.
    pub(crate) fn is_alive(&self, agent: AgentRow) -> bool {
        self.rows.is_taken(agent.0)
    }

    /// Returns the id of the agent in a row.
    pub(crate) fn id(&self, agent: AgentRow) -> AgentId {
        AgentId::new(agent.0, self.rows.generation(agent.0))
    }

    /// Returns the row of an agent.
    pub(crate) fn row(&self, id: AgentId) -> Result<AgentRow, WorldError> {
        match self.rows.find(id.row(), id.generation()) {
            Found::Present => Ok(AgentRow(id.row())),
            Found::Removed => Err(WorldError::RemovedAgent(id)),
            Found::Never => Err(WorldError::NoSuchAgent(id)),
        }
    }
}
