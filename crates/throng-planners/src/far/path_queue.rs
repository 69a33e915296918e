//! The path queue of FAR: time-sliced searches for the paths that agents need.
//!
//! A search that is not finished when the budget is spent goes on in the next tick, unless its agent has changed, or the
//! map has in a tile that the search has read. A path that was found is kept as long as its next moves are legal: a wall
//! far ahead may be gone when the agent gets there, and no agent replans because a shorter path may have opened.

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, Occupant, StateError, Validate, View, Work};
use throng_grid::{Cell, Direction, Pos, Size};
use throng_search::open_list::Buckets;
use throng_search::{OctileDistance, Status};
use throng_toolkit::{
    DirectionLearner, DirectionMapVersion, Flows, PausedSearch, SavedDirectionMapVersion, SearchQueue,
    SlicedSearch, Slicing, TimeSliced,
};

use super::agent_state::FarAgent;
use super::roads::Roads;

/// Eight searches share the work, so that short paths do not wait for a long one. Each gets whole slices.
pub(super) const SLICING: Slicing = Slicing { at_once: 8, slice: 512, min_share: 512 };

/// Ticks before an agent searches again after a search without a result, which has expanded every reachable cell. A longer
/// pause saves such searches, a shorter one notices sooner that a path has opened.
pub(super) const RETRY: u64 = 16;

/// How far around an agent a detour looks for units that never give way, in columns and rows. A larger area avoids more of
/// them at once, and makes detours around units that will be gone.
const DETOUR_SIGHT: i32 = 8;

/// What all searches read.
#[derive(Clone, Copy)]
struct SearchInputs<'a> {
    view: &'a View<'a>,
    streets: &'a Flows,
    learner: Option<&'a DirectionLearner>,
}

/// The search for one agent's path.
#[derive(Clone, Debug, Default)]
pub(super) struct FarSearch {
    paused: PausedSearch,
    /// The cells of units that never give way, for a path around them. Empty for other paths.
    avoid: Vec<Cell>,
    /// The version of the direction map that the search depends on, if there is one.
    version: DirectionMapVersion,
    search: SlicedSearch<Buckets>,
    status: Status,
    path: Vec<Cell>,
}

impl TimeSliced for FarSearch {
    fn agent(&self) -> AgentRow {
        self.paused.agent
    }

    fn is_done(&self) -> bool {
        self.status != Status::Paused
    }

    fn release(&mut self) {
        self.version.forget();
    }

    fn expanded(&self) -> &[u32] {
        self.search.expanded()
    }
}

impl FarSearch {
    /// Begins a search for an agent that has a target.
    fn begin(&mut self, view: &View<'_>, agent: AgentRow, target: Cell, detour: bool) {
        self.paused.begin(view, agent, target);
        self.search.restart(0);
        self.status = Status::Paused;
        self.version.forget();
        self.avoid.clear();
        if detour {
            self.avoid.extend(immovable_around(view, view.at(agent)).filter(|&cell| cell != target));
        }
    }

    /// Searches for at most `limit` expansions and returns how many were made.
    fn advance(&mut self, around: SearchInputs<'_>, limit: u64) -> u64 {
        let (agent, target) = (self.paused.agent, self.paused.target);
        let ground = around.view.ground(agent);
        let roads = Roads::new(ground, around.streets.of(ground), &self.avoid);
        let mut roads = roads.with(self.version.step_penalties(around.learner, agent));
        let mut heuristic = OctileDistance::to_cell(ground, target);
        let (f_range, before) = (roads.f_range(), self.search.expansions());
        let ends = (self.paused.from.0, |node| node == target.0);
        self.status = self.search.advance(&mut roads, &mut heuristic, ends, f_range, limit);
        if let Status::Found(node) = self.status {
            self.search.search().trace(&roads, node, &mut self.path);
        }
        // An altered snapshot may ask to repeat more expansions than there are.
        self.search.expansions().saturating_sub(before)
    }

    /// Returns true if the query and the tiles that were read have not changed.
    fn is_current(&mut self, view: &View<'_>, streets: &Flows) -> bool {
        let ground = view.ground(self.paused.agent);
        let roads = Roads::new(ground, streets.of(ground), &self.avoid);
        self.paused.is_same_query(view)
            && self.paused.are_tiles_current(ground, |tile| roads.tile_fingerprint(tile))
    }

    /// Pauses the search at the end of a tick.
    fn pause(&mut self, around: SearchInputs<'_>) {
        let ground = around.view.ground(self.paused.agent);
        let roads = Roads::new(ground, around.streets.of(ground), &self.avoid);
        self.paused.record_tiles(ground, self.search.expanded(), |tile| roads.tile_fingerprint(tile));
        self.version.keep(around.learner);
    }

    /// Gives the agent the path that was found.
    fn deliver(&self, size: Size, tick: u64, state: &mut FarAgent) {
        state.forget_path();
        state.detour = false;
        if !matches!(self.status, Status::Found(_)) {
            state.rest = tick + RETRY;
            return;
        }
        let steps = self.path.windows(2);
        let step = |pair: &[Cell]| Direction::between(size.pos(pair[0]), size.pos(pair[1]));
        state.path.extend(steps.filter_map(step).map(Direction::number));
        state.to = Some(self.paused.target);
    }
}

/// The searches in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct PathQueue(pub(super) SearchQueue<FarSearch>);

/// A search as a snapshot holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SavedFarSearch {
    paused: PausedSearch,
    expansions: u64,
    avoid: Vec<Cell>,
    version: SavedDirectionMapVersion,
}

impl Validate for SavedFarSearch {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        // The version is compared with the direction map when it is restored.
        let Self { paused, expansions, avoid, version: _ } = self;
        paused.validate(limits)?;
        limits.at_most_cells(*expansions, "the expansions of a search")?;
        avoid.validate(limits)?;
        limits.require(avoid.is_sorted(), "the cells that a path avoids are not in order")
    }
}

/// Returns true if an agent needs a path and may search for one.
fn needs_path(view: &View<'_>, agent: AgentRow, state: &FarAgent) -> bool {
    let target = view.target(agent);
    target.is_some()
        && target != Some(state.at)
        && state.to != target
        && state.reserved == 0
        && state.rest <= view.tick()
        && view.is_controlled(agent)
}

impl PathQueue {
    /// Searches for the paths that are missing, as far as the budget goes. The agent that starts first changes with each
    /// tick.
    pub(super) fn run(
        &mut self,
        view: &View<'_>,
        work: &mut Work<'_>,
        (streets, learner): (&mut Flows, Option<&DirectionLearner>),
        states: &mut [FarAgent],
    ) {
        let queue = &mut self.0;
        queue.searches().iter().for_each(|search| streets.prepare(view.ground(search.paused.agent)));
        queue.retain(|search| {
            let state = &states[search.paused.agent.index()];
            needs_path(view, search.paused.agent, state) && search.is_current(view, streets)
        });
        let (agents, mut next) = (view.agents(), 0);
        loop {
            while queue.len() < SLICING.at_once && next < agents.len() {
                let agent = agents[(next + view.tick() as usize) % agents.len()];
                next += 1;
                let state = &states[agent.index()];
                if let Some(target) = view.target(agent)
                    && !queue.is_running(agent)
                    && needs_path(view, agent, state)
                {
                    streets.prepare(view.ground(agent));
                    queue.start().begin(view, agent, target, state.detour);
                }
            }
            let around = SearchInputs { view, streets, learner };
            let Some(grant) = SLICING.grant(work, work.left(), queue.len()) else {
                return queue.searches_mut().iter_mut().for_each(|search| search.pause(around));
            };
            let spent =
                queue.advance(view.executor(), grant, |search, (), limit| search.advance(around, limit));
            work.spend(spent);
            queue.deliver(|search| {
                let state = &mut states[search.paused.agent.index()];
                search.deliver(view.grid().size(), view.tick(), state);
            });
        }
    }

    pub(super) fn saved(&self, learner: Option<&DirectionLearner>) -> Vec<SavedFarSearch> {
        let saved = |search: &FarSearch| SavedFarSearch {
            paused: search.paused.clone(),
            expansions: search.search.expansions(),
            avoid: search.avoid.clone(),
            version: search.version.saved(learner),
        };
        self.0.searches().iter().map(saved).collect()
    }

    /// Restores what [`PathQueue::saved`] returned. The learner has been restored before.
    pub(super) fn restored(
        searches: Vec<SavedFarSearch>,
        learner: Option<&DirectionLearner>,
    ) -> Result<Self, StateError> {
        let restored = |saved: SavedFarSearch| {
            let SavedFarSearch { paused, expansions, avoid, version } = saved;
            let version = DirectionMapVersion::restored(&version, learner)?;
            let mut search = FarSearch { paused, avoid, version, ..FarSearch::default() };
            search.search.restart(expansions);
            Ok(search)
        };
        Ok(Self(searches.into_iter().map(restored).collect::<Result<Vec<_>, StateError>>()?.into()))
    }

    /// Returns the bytes of memory held, as far as they grow with the map.
    pub(super) fn memory_bytes(&self) -> usize {
        let bytes = |search: &FarSearch| {
            let lists = (search.path.capacity() + search.avoid.capacity()) * size_of::<Cell>();
            search.search.memory_bytes() + search.paused.memory_bytes() + lists
        };
        self.0.slots().iter().map(bytes).sum()
    }
}

/// Returns the cells around a cell that hold units which never give way: foreign units and uncontrolled agents.
fn immovable_around<'a>(view: &'a View<'a>, at: Cell) -> impl Iterator<Item = Cell> + 'a {
    let size = view.grid().size();
    let here = size.pos(at);
    let offsets = -DETOUR_SIGHT..=DETOUR_SIGHT;
    let around = offsets.clone().flat_map(move |dy| offsets.clone().map(move |dx| (dx, dy)));
    around.filter_map(move |(dx, dy)| size.cell(Pos::new(here.x + dx, here.y + dy))).filter(move |&cell| {
        match view.occupancy().at(cell) {
            Occupant::Nobody => false,
            Occupant::Foreign => true,
            Occupant::Agent(agent) => !view.is_controlled(agent),
        }
    })
}
