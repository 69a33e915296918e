//! What a planner is: it reads a view of the world and writes down where each agent should go next.

use throng_grid::{Cell, Grid, Ground, ProfileId};

use crate::agent::Agents;
use crate::{AgentId, Executor, Occupancy, Work};

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
#[non_exhaustive]
pub enum Change {
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
    /// What it is and with which parameters, as one asks for it: `far:reserve=2`. Snapshots hold it, so that a run is not
    /// continued by another planner than the one that began it.
    fn name(&self) -> &str {
        Default::default()
    }

    /// How much it needs agents to share.
    fn needs(&self) -> Sharing;

    /// Proposes the next cell of each agent in [`View::movers`]; who is not mentioned stays.
    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves);

    /// Hears of what happened to an agent between two ticks.
    fn notice(&mut self, agent: AgentId, change: Change) {
        let _ = (agent, change);
    }

    /// The cell an agent is heading for now, for debugging views.
    fn intent(&self, agent: AgentId) -> Option<Cell> {
        let _ = agent;
        None
    }

    /// The direction map that it has learned or follows, if it has one.
    fn directions(&self) -> Option<&crate::DirectionMap> {
        None
    }

    /// Begins with a direction map that was learned before; false when it uses none, or the map is of another size.
    fn set_directions(&mut self, map: crate::DirectionMap) -> bool {
        drop(map);
        false
    }

    /// Gives it first moves that somebody knows, such as a path database; false when it has no use for any. On a map
    /// that has changed since, it does without.
    fn set_first_moves(&mut self, moves: std::sync::Arc<dyn throng_search::FirstMoves>) -> bool {
        drop(moves);
        false
    }

    /// Writes everything that its next decisions depend on.
    fn save(&self, bytes: &mut Vec<u8>);

    /// Takes back what [`Planner::save`] wrote.
    ///
    /// # Errors
    /// When the bytes are not what it writes.
    fn load(&mut self, bytes: &[u8]) -> Result<(), crate::bytes::Damaged>;

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
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The world's seed, for planners that draw lots.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The map.
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
    pub fn lot(&self, agent: AgentId) -> u64 {
        crate::hash::number(crate::hash::number(self.seed ^ self.tick.rotate_left(32)) ^ u64::from(agent.0))
    }

    /// The agents that may step now, in the order of their numbers.
    pub fn movers(&self) -> &'a [AgentId] {
        self.movers
    }

    /// Every agent, in the order of their numbers.
    pub fn agents(&self) -> &'a [AgentId] {
        &self.agents.living
    }

    /// One more than the highest number of any agent so far.
    pub fn numbers(&self) -> usize {
        self.agents.at.len()
    }

    /// Whether there is such an agent.
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
    pub fn is_home(&self, agent: AgentId) -> bool {
        self.target(agent) == Some(self.at(agent))
    }

    /// Whether an agent may step now.
    pub fn may_step(&self, agent: AgentId) -> bool {
        self.agents.controlled[agent.index()] && self.agents.ready[agent.index()] <= self.tick
    }

    /// Whether an agent is the planner's to move at all; one that is not is an obstacle.
    pub fn is_controlled(&self, agent: AgentId) -> bool {
        self.agents.controlled[agent.index()]
    }

    /// An agent may step once in this many ticks.
    pub fn speed(&self, agent: AgentId) -> u8 {
        self.agents.speed[agent.index()]
    }

    /// Who stands where, at the start of the tick.
    pub fn occupancy(&self) -> &'a Occupancy {
        self.occupancy
    }

    /// A number drawn for an agent and a question of its own, in every tick the same.
    pub fn whim(&self, agent: AgentId, question: u64) -> u64 {
        crate::hash::number(crate::hash::number(self.seed ^ u64::from(agent.0).rotate_left(32)) ^ question)
    }

    /// Where independent work may run side by side.
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

/// Moves nobody: stands in while the real planner is at work.
pub(crate) struct Nobody;

impl Planner for Nobody {
    fn needs(&self) -> Sharing {
        Sharing::Nothing
    }

    fn plan(&mut self, _: &View<'_>, _: &mut Work<'_>, _: &mut Moves) {}

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &[u8]) -> Result<(), crate::bytes::Damaged> {
        Ok(())
    }
}
