//! The world: a grid, agents on it, and the planner that moves them. Games talk to this.
//!
//! Between two ticks the game changes the world by the commands in `commands.rs` and `foreign.rs`. [`World::tick`] lets
//! the planner propose moves, has the referee judge them, and returns events.

mod basics;

mod accessors;
pub(crate) mod agents;
pub(crate) mod cell_map;
mod commands;
mod copies;
mod edits;
pub(crate) mod event;
pub(crate) mod foreign;
pub(crate) mod hash;
pub(crate) mod ids;
pub(crate) mod input;
pub(crate) mod motion;
pub(crate) mod occupancy;
pub(crate) mod occupied_next;
pub(crate) mod preview;
mod queries;
mod referee;
pub(crate) mod settings;
pub(crate) mod speed_and_profile;
pub(crate) mod state_of_agent;
pub(crate) mod step_time;
mod stuck;
pub(crate) mod tick;

use std::sync::Arc;

use throng_grid::{Cell, Grid, Ground, Pos};
use throng_search::Scratch;

use crate::fog::Knowledge;
use crate::goals::enclosure::EnclosureTest;
use crate::goals::groups::Member;
use crate::goals::rings::RingCache;
use crate::orders::OrderBook;
use crate::planner::{Moves, Planner, View};
use crate::record::Recorder;
use crate::work::{Executor, Sequential};
use crate::world::agents::Agents;
use crate::world::cell_map::CellMap;
use crate::world::foreign::ForeignUnits;
use crate::world::input::WorldError;
use crate::world::referee::Referee;
use crate::{AgentRow, DebugLayer, DebugMark, Occupancy, Settings, Totals, Unit};

/// A grid, the agents on it, and the planner that moves them.
pub struct World {
    /// The true map, shared with copies of the world until one of them changes it.
    pub(crate) grid: Arc<Grid>,
    /// What agents know of the map, `None` if they know all of it.
    pub(crate) knowledge: Option<Arc<Knowledge>>,
    pub(crate) settings: Settings,
    pub(crate) planner: Box<dyn Planner>,
    /// The specification of the planner, or of the planner that made the recording that is replayed.
    pub(crate) planner_name: String,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) tick: u64,
    pub(crate) agents: Agents,
    pub(crate) occupancy: Occupancy,
    /// The agent that claims each cell as its own target. No cell has two, no agent more than one.
    pub(crate) claims: CellMap,
    /// The number of agents whose goal is each cell.
    pub(crate) goal_counts: CellMap,
    pub(crate) ring_cache: RingCache,
    pub(crate) enclosure: Scratch<EnclosureTest>,
    /// Scratch: the agents that claim a cell in this tick, with their steps to the goal.
    pub(crate) near: Vec<(u32, AgentRow)>,
    /// The number of groups that have been formed.
    pub(crate) next_group: u64,
    /// Scratch: the members of all groups.
    pub(crate) members: Vec<Member>,
    /// Scratch: the cells of settled agents that shift by one.
    pub(crate) crossed: Vec<Cell>,
    pub(crate) foreign: ForeignUnits,
    /// What agents do after their goals.
    pub(crate) orders: OrderBook,
    /// The revision of the grid for which targets have been reviewed.
    pub(crate) handled_revision: u64,
    /// The overlay revision of the grid at that time.
    pub(crate) handled_overlay: u64,
    /// False if the target of no agent has to be reviewed.
    pub(crate) has_reviews: bool,
    /// The row at which reviews go on.
    pub(crate) next_review: AgentRow,
    /// The agent whose progress is tested first in the next tick, because the work of the last did not suffice.
    pub(crate) next_test: AgentRow,
    pub(crate) totals: Totals,
    /// The part of the state hash that agents and foreign units contribute.
    pub(crate) units_hash: u64,
    /// Agents to report at the next tick because their goal cannot be reached or they have no target.
    pub(crate) pending_reports: Vec<AgentRow>,
    pub(crate) moves: Moves,
    pub(crate) referee: Referee,
    /// The agents that may step in this tick.
    pub(crate) movers: Vec<AgentRow>,
    pub(crate) recorder: Option<Box<Recorder>>,
    /// True during a tick; and for ever if one panicked.
    pub(crate) is_in_tick: bool,
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
    /// Creates a world without agents and without any check.
    pub(crate) fn empty(
        grid: Arc<Grid>,
        planner_name: String,
        planner: Box<dyn Planner>,
        settings: Settings,
    ) -> Self {
        let cells = grid.size().area();
        Self {
            handled_revision: grid.revision(),
            handled_overlay: grid.overlay_revision(),
            knowledge: settings.fog.map(|fog| Arc::new(Knowledge::new(&grid, fog))),
            grid,
            settings,
            planner_name,
            planner,
            executor: Arc::new(Sequential),
            tick: 0,
            agents: Agents::default(),
            occupancy: Occupancy::new(cells),
            claims: CellMap::default(),
            goal_counts: CellMap::default(),
            ring_cache: RingCache::default(),
            enclosure: Scratch::default(),
            near: Vec::new(),
            next_group: 0,
            members: Vec::new(),
            crossed: Vec::new(),
            foreign: ForeignUnits::default(),
            orders: OrderBook::default(),
            has_reviews: false,
            next_review: AgentRow(0),
            next_test: AgentRow(0),
            totals: Totals::default(),
            units_hash: 0,
            pending_reports: Vec::new(),
            moves: Moves::default(),
            referee: Referee::with_capacity(cells),
            movers: Vec::new(),
            recorder: None,
            is_in_tick: false,
        }
    }

    /// Returns true if an earlier tick panicked. The world may be inconsistent then: [`World::tick`] and [`World::snapshot`]
    /// panic. Continue from a copy or a snapshot of before, and report the panic: it is a bug of the planner or of this library.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// assert!(!world.is_poisoned());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_poisoned(&self) -> bool {
        self.is_in_tick
    }

    /// Panics if an earlier tick panicked.
    #[track_caller]
    pub(crate) fn assert_not_poisoned(&self) {
        assert!(
            !self.is_in_tick,
            "the world is poisoned: tick {} panicked. Continue from a copy or a snapshot of before",
            self.tick
        );
    }

    /// Sets what runs independent searches, for example a thread pool. Results do not depend on it.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// use throng::Executor;
    ///
    /// /// Runs the pieces one after the other. `throng::Pool` has threads (feature `threads`).
    /// struct Alone;
    /// impl Executor for Alone {
    ///     fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
    ///         (0..count).for_each(piece);
    ///     }
    /// }
    /// world.set_executor(Box::new(Alone));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_executor(&mut self, executor: Box<dyn Executor>) {
        self.executor = executor.into();
    }

    /// Returns the map as an agent knows it.
    pub(crate) fn view_ground(&self, agent: AgentRow) -> &Ground {
        known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent)
    }

    /// Returns the true map for the profile of an agent.
    pub(crate) fn true_ground(&self, agent: AgentRow) -> &Ground {
        known_ground(&self.grid, None, &self.agents, agent)
    }

    /// Returns the map.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// world.block(Pos::new(2, 0));
    /// assert_eq!(world.grid().size().width(), 5);
    /// assert!(world.grid().is_blocked(Pos::new(2, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns what the planner reported about itself in the last tick; [`Event::Notice`](crate::Event::Notice) has the
    /// positions in this list.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let mut events = Vec::new();
    /// world.tick(Budget::Unlimited, &mut events);
    /// for event in &events {
    ///     if let Event::Notice { number } = event {
    ///         println!("{}", world.notices()[*number]);
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn notices(&self) -> &[String] {
        &self.moves.notices
    }

    /// Returns the number of ticks so far.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// assert_eq!(world.ticks(), 0);
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// assert_eq!(world.ticks(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// Returns true if an agent is in place: it stands on its own target, which is one of the final cells of its group.
    pub(crate) fn is_in_place(&self, agent: AgentRow) -> bool {
        self.stands_on_own_cell(agent) && !self.agents.arrival[agent.index()].short
    }

    /// Returns true if an agent stands on its own target, and the step onto it is done.
    pub(crate) fn stands_on_own_cell(&self, agent: AgentRow) -> bool {
        let i = agent.index();
        let is_at_target = self.agents.target[i] == Some(self.agents.at[i]);
        is_at_target && self.agents.arrival[i].stage.has_claim() && self.agents.ready[i] <= self.tick + 1
    }

    /// Returns the unit that holds a position, `None` if there is none or the position is outside the map. An agent
    /// that takes several ticks for a step holds both cells until the last of them.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// let cart = world.place_foreign(Pos::new(1, 0))?;
    /// assert_eq!(world.occupant(Pos::new(0, 0)), Some(Unit::Agent(agent)));
    /// assert_eq!(world.occupant(Pos::new(1, 0)), Some(Unit::Foreign(cart)));
    /// assert_eq!(world.occupant(Pos::new(2, 0)), None);
    /// assert_eq!(world.occupant(Pos::new(-1, 0)), None); // outside the map
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn occupant(&self, pos: Pos) -> Option<Unit> {
        self.grid.cell(pos).and_then(|cell| self.unit_at(cell))
    }

    /// Returns the position of a cell.
    pub(crate) fn pos(&self, cell: Cell) -> Pos {
        self.grid.size().pos(cell)
    }

    /// Returns the planner.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let world = World::new(grid, planner, Settings::default())?;
    /// // Whether the planner may be used in fog, where agents know only what they have seen.
    /// println!("{:?}", world.planner().required_map());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn planner(&self) -> &dyn Planner {
        self.planner.as_ref()
    }

    /// Emits the marks of a debug layer, in a fixed order; nothing for a layer that the planner does not have.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// use throng::{DebugLayer, DebugMark};
    ///
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// let mut cells = Vec::new();
    /// world.inspect(DebugLayer::Paths, &mut |mark| {
    ///     if let DebugMark::Path { cell, .. } = mark {
    ///         cells.push(cell); // draw it
    ///     }
    /// })?;
    /// assert!(!cells.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the layer is that of an agent that does not exist.
    pub fn inspect(&self, layer: DebugLayer, emit: &mut dyn FnMut(DebugMark)) -> Result<(), WorldError> {
        let layer = layer.of_row(|agent| self.agents.row(agent))?;
        let mut emit_by_id = |mark: DebugMark<AgentRow>| emit(mark.of_id(|row| self.agents.id(row)));
        self.planner.inspect(&self.view(), layer, &mut emit_by_id);
        Ok(())
    }

    /// Returns the specification of the planner: [`NamedPlanner::name`](crate::NamedPlanner::name).
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let world = World::new(grid, planner, Settings::default())?;
    /// assert_eq!(world.planner_name(), "surge");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn planner_name(&self) -> &str {
        &self.planner_name
    }

    /// Returns the counts since the world was created.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// for _ in 0..3 {
    ///     world.tick(Budget::Unlimited, &mut Vec::new());
    /// }
    /// assert_eq!(world.totals().overruled, 0); // no proposal of the planner was illegal
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    ///   `four_way << 2 | corners` (forbid 0, allow 1, mixed 2), and `n(extra << 40 | cell << 8 | halves << 1 | blocked)` for
    ///   each cell whose terrain the profile may enter, with the cost in halves and what cost overlays add to it (at most
    ///   so much that the cost is 16); a door that the profile may not pass is blocked;
    /// - for each agent `n(n(row << 32 | cell) ^ generation << 32 ^ target)`, the target cell counted from 1, or 0
    ///   without a target;
    /// - for each agent that may not step in the next tick because its step is not done, or whose last step has left
    ///   units of time for the next one, `n(n(n(row << 32 | cell)) ^ first ^ units << 32)`: the cell that it left, counted
    ///   from 1, and the first tick in which it may step again, or 0 for both if the step is done;
    /// - for each foreign unit `n(!(row << 32 | cell) ^ generation * 0x9E3779B97F4A7C15)`.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// // Two players whose games had the same inputs.
    /// let mut other = world.clone();
    /// world.tick(Budget::Unlimited, &mut Vec::new());
    /// other.tick(Budget::Unlimited, &mut Vec::new());
    /// assert_eq!(world.state_hash(), other.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn state_hash(&self) -> u64 {
        let grounds = self.grid.grounds().iter().zip(0..);
        let map = grounds.fold(0, |hash, (ground, profile)| hash ^ ground.fingerprint().rotate_left(profile));
        hash::number(self.tick) ^ map ^ self.units_hash ^ self.steps_hash()
    }

    /// Returns the world as its planner sees it between two ticks.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// let row = world.row(agent)?;
    /// let view = world.view();
    /// assert_eq!(view.grid().size().pos(view.at(row)), Pos::new(0, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn view(&self) -> View<'_> {
        View {
            tick: self.tick,
            seed: self.settings.seed,
            grid: self.knowledge.as_ref().map_or(&self.grid, |knowledge| &knowledge.grid),
            knowledge: self.knowledge.as_deref(),
            agents: &self.agents,
            occupancy: &self.occupancy,
            goal_counts: &self.goal_counts,
            movers: &self.movers,
            executor: self.executor.as_ref(),
            sharing: self.settings.sharing,
            crossings: self.settings.crossings,
            step_time: self.settings.step_time,
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
    agent: AgentRow,
) -> &'a Ground {
    let profile = agents.profile[agent.index()];
    match knowledge {
        Some(knowledge) => knowledge.ground(agent, profile),
        None => grid.ground_of(profile).unwrap_or_else(|| grid.ground()),
    }
}
