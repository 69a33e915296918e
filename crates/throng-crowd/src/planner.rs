//! Planners: the interface between the world and the algorithms that move agents.
//!
//! In each tick a planner reads a [`View`] of the world, does as much work as [`Work`] grants, and proposes a next cell
//! per agent in [`Moves`]. The referee judges the proposals. A planner sees the map, all agents with their positions,
//! targets and speeds, the occupied cells, the tick number and a seed. It sees neither goals nor claims nor a clock.

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Grid, Ground, MoveRules, Profile, ProfileId, Size};

use crate::fog::{Fog, Knowledge, Sight};
use crate::world::agents::Agents;
use crate::world::cell_map::CellMap;
use crate::{
    AgentRow, Certainty, Crossings, Executor, Limits, MapKnowledge, Occupancy, PlannerLayer, PlannerMark,
    Speed, StateError, StepTime, Work,
};

/// How much agents may share with each other. A planner states what it requires, a world what it grants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Sharing {
    /// Nothing: an agent only sees the units around it.
    Nothing,
    /// Agents may request other agents to move aside.
    MoveRequests,
    /// Agents may reserve cells for coming ticks.
    Reservations,
    /// One planner plans for all agents jointly.
    #[default]
    Everything,
}

impl Sharing {
    /// Returns the name for messages and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::MoveRequests => "move requests",
            Self::Reservations => "reservations",
            Self::Everything => "everything",
        }
    }
}

/// A change of an agent that the planner did not cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentChange {
    /// The agent is new.
    Spawned,
    /// The agent was removed. A later agent may get its row: the planner forgets everything about the row.
    Despawned,
    /// The agent has another target, or none any more.
    Retasked,
    /// The agent was moved without a step.
    Relocated,
    /// The agent has another profile: it may enter other cells, or at other costs.
    Reprofiled,
}

/// Decides the next cell of each agent.
///
/// A planner does not move agents itself. It has no clock, no threads and no random source of its own; the [`View`] and
/// [`Work`] provide them, so that equal inputs give equal decisions.
pub trait Planner: Send + Sync {
    /// Returns a copy that makes the same decisions from now on, for [`World::clone`](crate::World). What it reads and does not
    /// change, such as what it computed about the map, should be shared with the original by [`Arc`](std::sync::Arc).
    fn clone_box(&self) -> Box<dyn Planner>;

    /// Returns a planner that decides as one that is newly made for a map, and takes over what this one has computed about the
    /// map, so that [`World::restore_like`](crate::World::restore_like) does not compute it again. `None`: the caller makes one.
    fn renewed(&self, grid: &Grid) -> Option<Box<dyn Planner>> {
        let _ = grid;
        None
    }

    /// Returns how much the planner requires agents to share.
    fn required_sharing(&self) -> Sharing;

    /// Returns how much of the map the planner requires to know. A planner that requires less than the whole map reads it
    /// by [`View::ground`] only, keeps nothing about the map that it was created with, and reports discovered walls by
    /// [`Moves::discover`].
    fn required_map(&self) -> MapKnowledge {
        MapKnowledge::Whole
    }

    /// Returns the most general time of steps that the planner supports. One that supports [`StepTime::Cost`] assumes of no
    /// step that it lasts as long as another: it asks [`View::step_ticks`].
    fn step_time(&self) -> StepTime {
        StepTime::Uniform
    }

    /// Returns the units of work that one of its expansions costs, see [`Budget::Units`](crate::Budget::Units).
    fn expansion_price(&self) -> u64 {
        1
    }

    /// Proposes the next cell of each agent in [`View::movers`]. An agent without a proposal stays.
    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves);

    /// Notifies the planner of a change of an agent between two ticks.
    fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        let _ = (agent, change);
    }

    /// Emits the marks of a debug layer, in a fixed order; nothing for a layer that the planner does not have. The view is
    /// that of the world between two ticks.
    fn inspect(&self, view: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        let _ = (view, layer, emit);
    }

    /// Emits the cells that an agent will enter after its own, in the order of its steps, as far as the planner knows, until
    /// `emit` returns false. The view is that of the world between two ticks. Steps that are not legal, and cells beyond the
    /// target, are ignored; the agent's own cell may be emitted. The work is at most proportional to the number of cells.
    fn preview(&self, view: &View<'_>, agent: AgentRow, emit: &mut dyn FnMut(Cell, Certainty) -> bool) {
        let _ = (view, agent, emit);
    }

    /// Appends everything that the next decisions depend on.
    fn save(&self, bytes: &mut Vec<u8>);

    /// Restores what [`Planner::save`] wrote, for a world within the limits.
    ///
    /// # Errors
    /// When the bytes are not what it writes, or a value does not fit the world.
    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError>;

    /// Returns the bytes of memory held, as far as they grow with agents and map.
    fn memory_bytes(&self) -> usize {
        0
    }
}

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

/// The proposals of a planner for one tick, one per agent.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    proposals: Vec<Proposal>,
    /// Agents that discovered that a cell of their path is blocked, and the cell.
    pub(crate) discoveries: Vec<(AgentRow, Cell)>,
    /// What the planner reports about itself.
    pub(crate) notices: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Proposal {
    /// The proposed cell; `None` if the agent stays.
    pub(crate) to: Option<Cell>,
    /// The cell that the agent wanted and did not get, and the agent that holds or enters it.
    pub(crate) wanted: Option<(Cell, Option<AgentRow>)>,
    /// The agent for which it makes room.
    pub(crate) pushed_by: Option<AgentRow>,
}

impl Moves {
    pub(crate) fn clear(&mut self, id_limit: usize) {
        self.discoveries.clear();
        self.notices.clear();
        self.proposals.clear();
        self.proposals.resize(id_limit, Proposal { to: None, wanted: None, pushed_by: None });
    }

    pub(crate) fn proposal(&self, agent: AgentRow) -> Proposal {
        self.proposals[agent.index()]
    }

    /// Proposes that the agent steps to a neighbouring cell, or stays if that is its own cell.
    #[inline]
    pub fn go(&mut self, agent: AgentRow, to: Cell) {
        self.proposals[agent.index()].to = Some(to);
    }

    /// Reports that the agent stays although it wanted a cell, because a unit holds it, or another agent enters it or
    /// crosses the step. `by` is `None` for a foreign unit.
    #[inline]
    pub fn wait(&mut self, agent: AgentRow, wanted: Cell, by: Option<AgentRow>) {
        let proposal = &mut self.proposals[agent.index()];
        proposal.to = None;
        proposal.wanted = Some((wanted, by));
    }

    /// Proposes that the agent steps aside for another.
    #[inline]
    pub fn push(&mut self, agent: AgentRow, to: Cell, by: AgentRow) {
        let proposal = &mut self.proposals[agent.index()];
        proposal.to = Some(to);
        proposal.pushed_by = Some(by);
    }

    /// Replaces whatever was proposed for the agent by a step to a neighbouring cell, or to its own. For planners that
    /// change the proposals of another planner.
    #[inline]
    pub fn replace(&mut self, agent: AgentRow, to: Cell) {
        self.proposals[agent.index()] = Proposal { to: Some(to), wanted: None, pushed_by: None };
    }

    /// Reports that the agent has discovered that the step of its path into a cell is not possible.
    pub fn discover(&mut self, agent: AgentRow, cell: Cell) {
        self.discoveries.push((agent, cell));
    }

    /// Reports something about the planner itself, such as a choice and its reasons, as [`Event::Notice`](crate::Event::Notice).
    pub fn notice(&mut self, text: impl Into<String>) {
        self.notices.push(text.into());
    }

    /// Returns the proposed cell of an agent.
    pub fn to(&self, agent: AgentRow) -> Option<Cell> {
        self.proposals[agent.index()].to
    }
}

/// A planner that moves no agent. The world uses it while the real planner is borrowed, and playback uses it
/// throughout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stationary;

impl Planner for Stationary {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(*self)
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn required_map(&self) -> MapKnowledge {
        MapKnowledge::Own
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn plan(&mut self, _: &View<'_>, _: &mut Work<'_>, _: &mut Moves) {}

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &[u8], _: &Limits) -> Result<(), StateError> {
        Ok(())
    }
}

/// A planner made of a closure that proposes the moves. It has no state to save.
#[derive(Clone, Copy)]
pub struct Scripted<F>(pub F);

impl<F: FnMut(&View<'_>, &mut Moves) + Clone + Send + Sync + 'static> Planner for Scripted<F> {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn required_map(&self) -> MapKnowledge {
        MapKnowledge::Own
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn plan(&mut self, view: &View<'_>, _: &mut Work<'_>, moves: &mut Moves) {
        (self.0)(view, moves);
    }

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &[u8], _: &Limits) -> Result<(), StateError> {
        Ok(())
    }
}

/// A planner and its specification, such as `far:reserve=2`. A snapshot stores the name, and only a planner of the same
/// name may continue it.
#[derive(Clone)]
pub struct NamedPlanner {
    /// The specification; empty for a planner that is not in a registry.
    pub name: String,
    /// The planner.
    pub planner: Box<dyn Planner>,
    /// The map that it was made for; `None` if it works on any.
    pub map: Option<MapShape>,
}

/// What planners that are made for a map keep of it: its size, rules and profiles. Terrain and blocked cells may change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapShape {
    /// The width and height.
    pub size: Size,
    /// The rules of movement.
    pub rules: MoveRules,
    /// The profiles, by number.
    pub profiles: Vec<Profile>,
}

impl MapShape {
    /// Returns the shape of a grid.
    pub fn of(grid: &Grid) -> Self {
        let profiles = grid.grounds().iter().map(Ground::profile).collect();
        Self { size: grid.size(), rules: grid.rules(), profiles }
    }

    /// Returns in which respect a planner for this shape cannot work on another; `None` if it can.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        if self.size != other.size {
            let text = |size: Size| format!("{}×{} cells", size.width(), size.height());
            return Some(format!(
                "it has {}, the map of the world has {}",
                text(self.size),
                text(other.size)
            ));
        }
        if self.rules != other.rules {
            return Some("their rules of movement differ".to_owned());
        }
        let counts = (self.profiles.len(), other.profiles.len());
        if counts.0 != counts.1 {
            return Some(format!("it has {} profiles, the map of the world has {}", counts.0, counts.1));
        }
        let differs = (0..counts.0).find(|&i| self.profiles[i] != other.profiles[i])?;
        Some(format!("profile {differs} is another one"))
    }
}

impl NamedPlanner {
    /// Names a planner.
    pub fn new(name: impl Into<String>, planner: Box<dyn Planner>) -> Self {
        Self { name: name.into(), planner, map: None }
    }

    /// Sets the grid that the planner was made for. A world with a map of another shape refuses it.
    #[must_use]
    pub fn made_for(self, grid: &Grid) -> Self {
        Self { map: Some(MapShape::of(grid)), ..self }
    }
}

impl std::fmt::Debug for NamedPlanner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("NamedPlanner").field(&self.name).finish()
    }
}

impl Clone for Box<dyn Planner> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

impl From<Box<dyn Planner>> for NamedPlanner {
    fn from(planner: Box<dyn Planner>) -> Self {
        Self::new("", planner)
    }
}

impl<P: Planner + 'static> From<Box<P>> for NamedPlanner {
    fn from(planner: Box<P>) -> Self {
        Self::new("", planner)
    }
}
