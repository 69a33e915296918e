//! What a planner sees of the world.

use throng_grid::{Cell, Grid, Ground, ProfileId};

use crate::fog::{Fog, Knowledge, Sight};
use crate::world::agents::Agents;
use crate::world::cell_map::CellMap;
use crate::{AgentRow, Crossings, Executor, MapKnowledge, Occupancy, Sharing, Speed, StepTime};

/// Ticks without progress after which an agent pushes agents in place in a crowd. More disturbs fewer of them and lets
/// agents wait longer.
const PATIENCE: u32 = 8;

/// The world as a planner sees it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(crate) tick: u64,
    pub(crate) seed: u64,
    /// The map; with fog, the one that all agents share, or one without a wall.
    pub(crate) grid: &'a Grid,
    /// What agents know of the map, `None` without fog.
    pub(crate) knowledge: Option<&'a Knowledge>,
    pub(crate) agents: &'a Agents,
    pub(crate) occupancy: &'a Occupancy,
    pub(crate) goal_counts: &'a CellMap,
    pub(crate) movers: &'a [AgentRow],
    pub(crate) executor: &'a dyn Executor,
    pub(crate) sharing: Sharing,
    pub(crate) crossings: Crossings,
    pub(crate) step_time: StepTime,
}

impl<'a> View<'a> {
    /// Returns how much the world lets agents share.
    #[inline]
    pub fn granted_sharing(&self) -> Sharing {
        self.sharing
    }

    /// Returns whether two agents may cross within a tick.
    #[inline]
    pub fn crossings(&self) -> Crossings {
        self.crossings
    }

    /// Returns the cells beside a diagonal step whose occupants may not exchange them meanwhile: [`Crossings::guarded`].
    #[inline]
    pub fn guarded(&self, from: Cell, to: Cell) -> Option<[Cell; 2]> {
        self.crossings.guarded(self.grid.size(), from, to)
    }

    /// Returns how much of the map the world lets a planner know.
    #[inline]
    pub fn granted_map(&self) -> MapKnowledge {
        Fog::grants(self.knowledge.map(|knowledge| knowledge.fog))
    }

    /// Returns the number of the tick; the first is 1.
    #[inline]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Returns the seed of the world, for random values.
    #[inline]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the map. If agents know only what they have seen, this is the map that they share; if each has a map of
    /// its own, a map without walls.
    #[inline]
    pub fn grid(&self) -> &'a Grid {
        self.grid
    }

    /// Returns the map as an agent knows it: its legal moves and costs for the agent's profile.
    #[inline]
    pub fn ground(&self, agent: AgentRow) -> &'a Ground {
        if let Some(knowledge) = self.knowledge {
            return knowledge.ground(agent, self.profile(agent));
        }
        self.grid.ground_of(self.agents.profile[agent.index()]).unwrap_or_else(|| self.grid.ground())
    }

    /// Returns a number that changes whenever the map of some agent changes.
    #[inline]
    pub fn map_revision(&self) -> u64 {
        self.knowledge.map_or_else(|| self.grid.revision(), Knowledge::revision)
    }

    /// Returns true if agents know only what they have seen, and the map of an agent has changed since the last tick.
    #[inline]
    pub fn has_discovered(&self, agent: AgentRow) -> bool {
        // Agents look around at the end of the last tick, between the ticks, and when an edit takes effect in this one.
        self.knowledge.is_some_and(|knowledge| knowledge.changed_at(agent) + 1 >= self.tick)
    }

    /// Returns true if an agent sees a cell; without fog it sees the whole map. Lines of sight are not modelled.
    #[inline]
    pub fn sees(&self, agent: AgentRow, cell: Cell) -> bool {
        let fog = self.knowledge.map(|knowledge| knowledge.fog);
        Sight::new(self.grid.size(), self.at(agent), fog).reaches(cell)
    }

    /// Returns the square of the distance up to which agents see other units; no limit without fog.
    #[inline]
    pub fn max_sight_squared(&self) -> u64 {
        self.knowledge.map_or(u64::MAX, |knowledge| u64::from(knowledge.fog.radius).pow(2))
    }

    /// Returns the profile of an agent. Agents of one profile see the same ground, unless each knows only what it has
    /// seen itself.
    #[inline]
    pub fn profile(&self, agent: AgentRow) -> ProfileId {
        self.agents.profile[agent.index()]
    }

    /// Returns a random value that is fixed for an agent and a tick.
    #[inline]
    pub fn random_per_tick(&self, agent: AgentRow) -> u64 {
        crate::world::hash::number(
            crate::world::hash::number(self.seed ^ self.tick.rotate_left(32)) ^ u64::from(agent.0),
        )
    }

    /// Returns the agents that may step in this tick, in the order of their rows.
    #[inline]
    pub fn movers(&self) -> &'a [AgentRow] {
        self.movers
    }

    /// Returns all living agents, in the order of their rows.
    #[inline]
    pub fn agents(&self) -> &'a [AgentRow] {
        &self.agents.living
    }

    /// Returns one more than the highest row so far: the length of arrays indexed by agent.
    #[inline]
    pub fn id_limit(&self) -> usize {
        self.agents.at.len()
    }

    /// Returns true if an agent has the row.
    #[inline]
    pub fn is_alive(&self, agent: AgentRow) -> bool {
        self.agents.is_alive(agent)
    }

    /// Returns the position of an agent.
    #[inline]
    pub fn at(&self, agent: AgentRow) -> Cell {
        self.agents.at[agent.index()]
    }

    /// Returns the cell that an agent heads for, which it can reach as far as it knows. Far from their goal several agents may have the
    /// same target; near the goal each has its own.
    #[inline]
    pub fn target(&self, agent: AgentRow) -> Option<Cell> {
        self.agents.target[agent.index()]
    }

    /// Returns true if an agent stands on its target.
    #[inline]
    pub fn is_at_target(&self, agent: AgentRow) -> bool {
        self.target(agent) == Some(self.at(agent))
    }

    /// Returns true if an agent should go around another rather than push it: the other is at its target in a crowd around
    /// a shared goal. If it is a crowd with the agent's own goal, the world lets the agents in its way shift by one;
    /// another crowd is pushed when the agent has made no progress for some ticks.
    #[inline]
    pub fn goes_around(&self, agent: AgentRow, other: AgentRow) -> bool {
        let (i, o, agents) = (agent.index(), other.index(), self.agents);
        let Some(goal) = agents.goal[o].filter(|_| self.is_at_target(other)) else { return false };
        if agents.goal[i] == Some(goal) && agents.profile[i] == agents.profile[o] {
            return true;
        }
        let is_shared = self.grid.cell(goal).is_some_and(|goal| self.goal_counts.get(goal) > Some(1));
        is_shared && agents.arrival[i].effort.ticks_since_closest < PATIENCE
    }

    /// Returns true if an agent may step in this tick.
    #[inline]
    pub fn may_step(&self, agent: AgentRow) -> bool {
        self.agents.is_movable(agent) && self.agents.ready[agent.index()] <= self.tick
    }

    /// Returns true if the planner may move an agent: it controls it, and the agent does not hold its position at rest. Any
    /// other agent is an obstacle.
    #[inline]
    pub fn is_controlled(&self, agent: AgentRow) -> bool {
        self.agents.is_movable(agent)
    }

    /// Returns the speed of an agent.
    #[inline]
    pub fn speed(&self, agent: AgentRow) -> Speed {
        self.agents.speed[agent.index()]
    }

    /// Returns the priority of an agent. Agents of a higher priority go first; 0 is the usual one.
    #[inline]
    pub fn priority(&self, agent: AgentRow) -> i8 {
        self.agents.priority[agent.index()]
    }

    /// Returns true if some agent has a priority other than 0, so that agents have to be ordered by it.
    #[inline]
    pub fn has_priorities(&self) -> bool {
        self.agents.prioritized > 0
    }

    /// Returns the occupied cells at the start of the tick. An agent in the middle of a step that lasts several ticks
    /// occupies the cell that it leaves, too, except in the last of these ticks: [`View::standing`] excludes that cell.
    #[inline]
    pub fn occupancy(&self) -> &'a Occupancy {
        self.occupancy
    }

    /// Returns a random value that is fixed for an agent and a salt, the same in every tick.
    #[inline]
    pub fn random_per_agent(&self, agent: AgentRow, salt: u64) -> u64 {
        crate::world::hash::number(
            crate::world::hash::number(self.seed ^ u64::from(agent.0).rotate_left(32)) ^ salt,
        )
    }

    /// Returns what runs independent work, possibly in parallel.
    #[inline]
    pub fn executor(&self) -> &'a dyn Executor {
        self.executor
    }
}
