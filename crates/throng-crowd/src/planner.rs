//! What a planner is: it reads a view of the world and writes down where each agent should go next.

use throng_grid::{Cell, Grid, Ground, ProfileId};

use crate::world::agents::Agents;
use crate::{AgentId, DebugLayer, DebugMark, Executor, Limits, Occupancy, StateError, Work};

/// How much agents may tell each other. A planner states what it needs, a world what it grants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Sharing {
    /// Nothing: an agent sees who stands around it, and that is all.
    Nothing,
    /// Agents may ask others to move aside.
    MoveRequests,
    /// Agents may reserve cells for coming ticks.
    Reservations,
    /// One mind plans for all.
    #[default]
    Everything,
}

impl Sharing {
    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::MoveRequests => "move requests",
            Self::Reservations => "reservations",
            Self::Everything => "everything",
        }
    }
}

/// Something happened to an agent that its planner did not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentChange {
    /// It is new.
    Spawned,
    /// It is gone.
    Despawned,
    /// It has another target, or none any more.
    Retasked,
    /// It was set down elsewhere.
    Relocated,
}

/// Decides where agents go next.
///
/// A planner never moves anybody: it fills [`Moves`], and the referee judges. It has no clock, no thread and no
/// random source of its own; what it needs of these comes with the [`View`] and [`Work`].
pub trait Planner: Send + Sync {
    /// How much it needs agents to share.
    fn required_sharing(&self) -> Sharing;

    /// Proposes the next cell of each agent in [`View::movers`]; who is not mentioned stays.
    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves);

    /// Hears of what happened to an agent between two ticks.
    fn on_change(&mut self, agent: AgentId, change: AgentChange) {
        let _ = (agent, change);
    }

    /// Emits the marks of a debug layer, in a fixed order; nothing for a layer that the planner does not have.
    fn inspect(&self, layer: DebugLayer, emit: &mut dyn FnMut(DebugMark)) {
        let _ = (layer, emit);
    }

    /// Writes everything that its next decisions depend on.
    fn save(&self, bytes: &mut Vec<u8>);

    /// Restores what [`Planner::save`] wrote, for a world within the limits.
    ///
    /// # Errors
    /// When the bytes are not what it writes, or a value does not fit the world.
    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError>;

    /// Bytes of memory held, as far as it grows with agents and map.
    fn memory_bytes(&self) -> usize {
        0
    }
}

/// The world as a planner sees it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(crate) tick: u64,
    pub(crate) seed: u64,
    pub(crate) grid: &'a Grid,
    pub(crate) agents: &'a Agents,
    pub(crate) occupancy: &'a Occupancy,
    pub(crate) movers: &'a [AgentId],
    pub(crate) executor: &'a dyn Executor,
}

impl<'a> View<'a> {
    /// The number of the tick, from 1.
    #[inline]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The world's seed, for planners that draw lots.
    #[inline]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The map.
    #[inline]
    pub fn grid(&self) -> &'a Grid {
        self.grid
    }

    /// The map as an agent sees it.
    #[inline]
    pub fn ground(&self, agent: AgentId) -> &'a Ground {
        self.grid.ground_of(self.agents.profile[agent.index()]).unwrap_or_else(|| self.grid.ground())
    }

    /// The profile of an agent: agents of one profile see the same ground.
    #[inline]
    pub fn profile(&self, agent: AgentId) -> ProfileId {
        self.agents.profile[agent.index()]
    }

    /// A number drawn for an agent and a tick: the same whenever it is asked for, and unlike any other.
    #[inline]
    pub fn random_per_tick(&self, agent: AgentId) -> u64 {
        crate::world::hash::number(
            crate::world::hash::number(self.seed ^ self.tick.rotate_left(32)) ^ u64::from(agent.0),
        )
    }

    /// The agents that may step now, in the order of their numbers.
    #[inline]
    pub fn movers(&self) -> &'a [AgentId] {
        self.movers
    }

    /// Every agent, in the order of their numbers.
    #[inline]
    pub fn agents(&self) -> &'a [AgentId] {
        &self.agents.living
    }

    /// One more than the highest number of any agent so far.
    #[inline]
    pub fn id_limit(&self) -> usize {
        self.agents.at.len()
    }

    /// Whether there is such an agent.
    #[inline]
    pub fn is_alive(&self, agent: AgentId) -> bool {
        self.agents.is_alive(agent)
    }

    /// Where an agent stands.
    #[inline]
    pub fn at(&self, agent: AgentId) -> Cell {
        self.agents.at[agent.index()]
    }

    /// Where an agent goes, if anywhere. From afar several may head for one cell; whoever is near has its own.
    #[inline]
    pub fn target(&self, agent: AgentId) -> Option<Cell> {
        self.agents.target[agent.index()]
    }

    /// Whether an agent stands at its target.
    #[inline]
    pub fn is_at_target(&self, agent: AgentId) -> bool {
        self.target(agent) == Some(self.at(agent))
    }

    /// Whether an agent may step now.
    #[inline]
    pub fn may_step(&self, agent: AgentId) -> bool {
        self.agents.controlled[agent.index()] && self.agents.ready[agent.index()] <= self.tick
    }

    /// Whether an agent is the planner's to move at all; one that is not is an obstacle.
    #[inline]
    pub fn is_controlled(&self, agent: AgentId) -> bool {
        self.agents.controlled[agent.index()]
    }

    /// An agent may step once in this many ticks.
    #[inline]
    pub fn speed(&self, agent: AgentId) -> u8 {
        self.agents.speed[agent.index()]
    }

    /// Who stands where, at the start of the tick.
    #[inline]
    pub fn occupancy(&self) -> &'a Occupancy {
        self.occupancy
    }

    /// A number drawn for an agent and a question of its own, in every tick the same.
    #[inline]
    pub fn random_per_agent(&self, agent: AgentId, question: u64) -> u64 {
        crate::world::hash::number(
            crate::world::hash::number(self.seed ^ u64::from(agent.0).rotate_left(32)) ^ question,
        )
    }

    /// Where independent work may run side by side.
    #[inline]
    pub fn executor(&self) -> &'a dyn Executor {
        self.executor
    }
}

/// What a planner proposes for one tick, one row an agent.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Where it should be after the tick; `None` when it was not mentioned.
    pub(crate) to: Option<Cell>,
    /// What it wanted and did not get.
    pub(crate) wanted: Option<(Cell, Option<AgentId>)>,
    /// Who had it moved aside.
    pub(crate) pushed_by: Option<AgentId>,
}

impl Moves {
    pub(crate) fn clear(&mut self, numbers: usize) {
        self.rows.clear();
        self.rows.resize(numbers, Row { to: None, wanted: None, pushed_by: None });
    }

    pub(crate) fn row(&self, agent: AgentId) -> Row {
        self.rows[agent.index()]
    }

    /// The agent steps to a neighbouring cell, or stays where that is its own.
    #[inline]
    pub fn go(&mut self, agent: AgentId, to: Cell) {
        self.rows[agent.index()].to = Some(to);
    }

    /// The agent stays, although it wanted a cell: somebody holds or takes it (`None`: a foreign unit).
    #[inline]
    pub fn wait(&mut self, agent: AgentId, wanted: Cell, by: Option<AgentId>) {
        let row = &mut self.rows[agent.index()];
        row.to = None;
        row.wanted = Some((wanted, by));
    }

    /// The agent steps aside for another.
    #[inline]
    pub fn push(&mut self, agent: AgentId, to: Cell, by: AgentId) {
        let row = &mut self.rows[agent.index()];
        row.to = Some(to);
        row.pushed_by = Some(by);
    }

    /// Where the agent should go, if that was said.
    pub fn to(&self, agent: AgentId) -> Option<Cell> {
        self.rows[agent.index()].to
    }
}

/// A planner that moves no agent. The world uses it while the real planner is borrowed, and playback uses it throughout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stationary;

impl Planner for Stationary {
    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn plan(&mut self, _: &View<'_>, _: &mut Work<'_>, _: &mut Moves) {}

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &[u8], _: &Limits) -> Result<(), StateError> {
        Ok(())
    }
}

/// A planner made of a closure that proposes the moves. It has no state to save.
pub struct Scripted<F>(pub F);

impl<F: FnMut(&View<'_>, &mut Moves) + Send + Sync> Planner for Scripted<F> {
    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
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
pub struct NamedPlanner {
    /// The specification; empty for a planner that is not in a registry.
    pub name: String,
    /// The planner.
    pub planner: Box<dyn Planner>,
}

impl NamedPlanner {
    /// Names a planner.
    pub fn new(name: impl Into<String>, planner: Box<dyn Planner>) -> Self {
        Self { name: name.into(), planner }
    }
}

impl std::fmt::Debug for NamedPlanner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("NamedPlanner").field(&self.name).finish()
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
