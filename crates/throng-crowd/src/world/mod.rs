//! The world: a grid, agents on it, and the planner that moves them. Games talk to this.
//!
//! Between two ticks the game changes the world by the commands in `commands.rs` and `foreign.rs`. [`World::tick`] lets
//! the planner propose moves, has the referee judge them, and returns events.

pub(crate) mod agents;
mod commands;
pub(crate) mod event;
mod foreign;
pub(crate) mod hash;
pub(crate) mod input;
pub(crate) mod occupancy;
pub(crate) mod occupied_next;
mod referee;
pub(crate) mod settings;
mod stuck;
pub(crate) mod tick;

use throng_grid::{Cell, Grid, Ground, Pos};

use crate::fog::Knowledge;
use crate::goals::enclosure::EnclosureTest;
use crate::goals::rings::RingCache;
use crate::planner::{Moves, NamedPlanner, Planner, View};
use crate::record::Recorder;
use crate::work::{Executor, Sequential};
use crate::world::agents::Agents;
use crate::world::input::{SetupError, WorldError};
use crate::world::referee::Referee;
use crate::{AgentId, DebugLayer, DebugMark, Fog, Occupancy, Occupant, Settings, Sharing, Totals};

/// A grid, the agents on it, and the planner that moves them.
pub struct World {
    /// The true map.
    pub(crate) grid: Grid,
    /// What agents know of the map, `None` if they know all of it.
    pub(crate) knowledge: Option<Box<Knowledge>>,
    pub(crate) settings: Settings,
    pub(crate) planner: Box<dyn Planner>,
    /// The specification of the planner, or of the planner that made the recording that is replayed.
    pub(crate) planner_name: String,
    pub(crate) executor: Box<dyn Executor>,
    pub(crate) tick: u64,
    pub(crate) agents: Agents,
    pub(crate) occupancy: Occupancy,
    /// The agent that claims each cell as its own target. No cell has two, no agent more than one.
    pub(crate) claims: Occupancy,
    /// The number of agents whose goal is each cell.
    pub(crate) goal_counts: Vec<u32>,
    pub(crate) ring_cache: RingCache,
    pub(crate) enclosure: EnclosureTest,
    /// The cell of each foreign unit, `None` after it was removed.
    pub(crate) foreign: Vec<Option<Cell>>,
    /// The revision of the grid for which targets have been reviewed.
    pub(crate) handled_revision: u64,
    /// False if the target of no agent has to be reviewed.
    pub(crate) has_reviews: bool,
    /// The agent at which reviews go on.
    pub(crate) next_review: AgentId,
    pub(crate) totals: Totals,
    /// The part of the state hash that agents and foreign units contribute.
    pub(crate) units_hash: u64,
    /// Agents to report at the next tick because their goal cannot be reached or they have no target.
    pub(crate) pending_reports: Vec<AgentId>,
    pub(crate) moves: Moves,
    pub(crate) referee: Referee,
    /// The agents that may step in this tick.
    pub(crate) movers: Vec<AgentId>,
    pub(crate) recorder: Option<Box<Recorder>>,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("tick", &self.tick)
            .field("agents", &self.agents.living.len())
            .finish_non_exhaustive()
    }
}

impl World {
    /// Creates a world without agents.
    ///
    /// # Errors
    /// If the planner requires agents to share or to know more than the settings grant, or the settings contradict each
    /// other.
    pub fn new(grid: Grid, planner: impl Into<NamedPlanner>, settings: Settings) -> Result<Self, SetupError> {
        let NamedPlanner { name: planner_name, planner } = planner.into();
        let (required, granted) = (planner.required_sharing(), settings.sharing);
        if required > granted {
            return Err(SetupError::Sharing { required, granted });
        }
        let (required, granted) = (planner.required_map(), Fog::grants(settings.fog));
        if required > granted {
            return Err(SetupError::Map { planner: planner_name, required, granted });
        }
        if settings.fog.is_some_and(|fog| fog.shared) && settings.sharing == Sharing::Nothing {
            return Err(SetupError::SharedMap);
        }
        if settings.fog.is_some_and(|fog| fog.radius == 0) {
            return Err(SetupError::NoSight);
        }
        let cells = grid.size().area();
        Ok(Self {
            handled_revision: grid.revision(),
            knowledge: settings.fog.map(|fog| Box::new(Knowledge::new(&grid, fog))),
            grid,
            settings,
            planner_name,
            planner,
            executor: Box::new(Sequential),
            tick: 0,
            agents: Agents::default(),
            occupancy: Occupancy::new(cells),
            claims: Occupancy::new(cells),
            goal_counts: vec![0; cells],
            ring_cache: RingCache::default(),
            enclosure: EnclosureTest::default(),
            foreign: Vec::new(),
            has_reviews: false,
            next_review: AgentId(0),
            totals: Totals::default(),
            units_hash: 0,
            pending_reports: Vec::new(),
            moves: Moves::default(),
            referee: Referee::default(),
            movers: Vec::new(),
            recorder: None,
        })
    }

    /// Sets what runs independent searches, for example a thread pool. Results do not depend on it.
    pub fn set_executor(&mut self, executor: Box<dyn Executor>) {
        self.executor = executor;
    }

    fn require_alive(&self, agent: AgentId) -> Result<(), WorldError> {
        if self.agents.is_alive(agent) { Ok(()) } else { Err(WorldError::NoSuchAgent(agent)) }
    }

    /// Returns the map as an agent knows it.
    pub(crate) fn view_ground(&self, agent: AgentId) -> &Ground {
        known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent)
    }

    /// Returns the true map for the profile of an agent.
    pub(crate) fn true_ground(&self, agent: AgentId) -> &Ground {
        known_ground(&self.grid, None, &self.agents, agent)
    }

    /// Returns the map.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns what the planner reported about itself in the last tick; [`Event::Notice`](crate::Event::Notice) has the
    /// positions in this list.
    pub fn notices(&self) -> &[String] {
        &self.moves.notices
    }

    /// Returns the number of ticks so far.
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// Returns the living agents, in the order of their numbers.
    pub fn agents(&self) -> &[AgentId] {
        &self.agents.living
    }

    /// Returns the position of an agent, `None` if there is no such agent.
    pub fn position(&self, agent: AgentId) -> Option<Pos> {
        self.agents.is_alive(agent).then(|| self.grid.size().pos(self.agents.at[agent.index()]))
    }

    /// Returns the place that an agent was sent to.
    pub fn goal(&self, agent: AgentId) -> Option<Pos> {
        self.agents.is_alive(agent).then(|| self.agents.goal[agent.index()]).flatten()
    }

    /// Returns the cell that an agent heads for: its goal or the reachable cell nearest to it, which other agents may
    /// share; near the goal, a cell of its own.
    pub fn target(&self, agent: AgentId) -> Option<Cell> {
        self.agents.is_alive(agent).then(|| self.agents.target[agent.index()]).flatten()
    }

    /// Returns true if an agent stands on its own target.
    pub fn has_arrived(&self, agent: AgentId) -> bool {
        let i = agent.index();
        self.target(agent)
            .is_some_and(|target| target == self.agents.at[i] && self.agents.arrival[i].stage.has_claim())
    }

    /// Returns the value that the game gave an agent.
    pub fn user(&self, agent: AgentId) -> Option<u64> {
        self.agents.is_alive(agent).then(|| self.agents.user[agent.index()])
    }

    /// Returns the unit that occupies a cell.
    pub fn occupant(&self, cell: Cell) -> Occupant {
        self.occupancy.at(cell)
    }

    /// Returns the planner.
    pub fn planner(&self) -> &dyn Planner {
        self.planner.as_ref()
    }

    /// Emits the marks of a debug layer, in a fixed order; nothing for a layer that the planner does not have.
    pub fn inspect(&self, layer: DebugLayer, emit: &mut dyn FnMut(DebugMark)) {
        self.planner.inspect(&self.view(), layer, emit);
    }

    /// Returns the specification of the planner: [`NamedPlanner::name`].
    pub fn planner_name(&self) -> &str {
        &self.planner_name
    }

    /// Returns the counts since the world was created.
    pub fn totals(&self) -> Totals {
        Totals { crossings: self.referee.crossings, ..self.totals }
    }

    /// Returns a hash of the tick number, the map as each profile sees it, and the positions and targets of all units.
    /// It is equal on every machine after the same inputs, for any number of threads.
    ///
    /// With `n` for the finalizer of `SplitMix64` (its increment added first) and cells numbered in row order, it is
    /// the exclusive or of:
    /// - `n(tick)`;
    /// - for each profile, rotated left by the profile's number: `(width << 32 | height)` rotated left by 8, the rules
    ///   `four_way << 2 | corners` (forbid 0, allow 1, mixed 2), and `n(cell << 8 | halves << 1 | blocked)` for each
    ///   cell whose terrain the profile may enter, with the terrain's cost in halves;
    /// - for each agent `n(n(number << 32 | cell) ^ target)`, the target cell counted from 1, or 0 without a target;
    /// - for each foreign unit `n(!(number << 32 | cell))`.
    pub fn state_hash(&self) -> u64 {
        let grounds = self.grid.grounds().iter().zip(0..);
        let map = grounds.fold(0, |hash, (ground, profile)| hash ^ ground.fingerprint().rotate_left(profile));
        hash::number(self.tick) ^ map ^ self.units_hash
    }

    /// Returns the world as its planner sees it between two ticks.
    pub fn view(&self) -> View<'_> {
        View {
            tick: self.tick,
            seed: self.settings.seed,
            grid: self.knowledge.as_ref().map_or(&self.grid, |knowledge| &knowledge.grid),
            knowledge: self.knowledge.as_deref(),
            agents: &self.agents,
            occupancy: &self.occupancy,
            movers: &self.movers,
            executor: self.executor.as_ref(),
            sharing: self.settings.sharing,
        }
    }

    /// Returns the world as it is, for the referee.
    pub(crate) fn true_view(&self) -> View<'_> {
        View { grid: &self.grid, knowledge: None, ..self.view() }
    }
}

/// Returns the map as an agent knows it. A function of the parts of a world, so that the others can be changed meanwhile.
#[inline]
pub(crate) fn known_ground<'a>(
    grid: &'a Grid,
    knowledge: Option<&'a Knowledge>,
    agents: &Agents,
    agent: AgentId,
) -> &'a Ground {
    let profile = agents.profile[agent.index()];
    match knowledge {
        Some(knowledge) => knowledge.ground(agent, profile),
        None => grid.ground_of(profile).unwrap_or_else(|| grid.ground()),
    }
}
