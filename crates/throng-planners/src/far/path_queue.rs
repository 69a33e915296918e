//! The path queue of FAR: time-sliced searches for the paths that agents need.
//!
//! A search that is not finished when the budget is spent goes on in the next tick, unless its agent has changed, or the
//! map has in a tile that the search has read. A path that was found is kept as long as its next moves are legal: a wall
//! far ahead may be gone when the agent gets there, and no agent replans because a shorter path may have opened.

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_crowd::{AgentId, Occupant, View, Work};
use throng_grid::{Cell, Direction, Pos, Size};
use throng_search::open_list::Buckets;
use throng_search::{OctileDistance, Status};
use throng_toolkit::{
    DirectionLearner, DirectionMapVersion, PausedSearch, SearchQueue, SlicedSearch, Slicing, TimeSliced,
};

use super::roads::{Roads, Streets};
use super::walker::Walker;

/// Eight searches share the work, so that short paths do not wait for a long one. Each gets whole slices.
const SLICING: Slicing = Slicing { at_once: 8, slice: 512, min_share: 512 };

/// Ticks before an agent searches again after a search without a result.
const RETRY: u64 = 16;

/// How far around an agent a detour looks for units that never give way, in columns and rows.
const DETOUR_SIGHT: i32 = 8;

/// What all searches read.
#[derive(Clone, Copy)]
struct SearchInputs<'a> {
    view: &'a View<'a>,
    streets: &'a Streets,
    learner: Option<&'a DirectionLearner>,
}

/// The search for one agent's path.
#[derive(Debug)]
struct PathSearch {
    paused: PausedSearch,
    /// The cells of units that never give way, for a path around them. Empty for other paths.
    avoid: Vec<Cell>,
    /// The direction map as the agent sees it, where there is one.
    seen: DirectionMapVersion,
    search: SlicedSearch<Buckets>,
    status: Status,
    path: Vec<Cell>,
}

impl Default for PathSearch {
    fn default() -> Self {
        Self {
            paused: PausedSearch::default(),
            avoid: Vec::new(),
            seen: DirectionMapVersion::default(),
            search: SlicedSearch::default(),
            status: Status::Paused,
            path: Vec::new(),
        }
    }
}

impl TimeSliced for PathSearch {
    fn agent(&self) -> AgentId {
        self.paused.agent
    }

    fn is_done(&self) -> bool {
        self.status != Status::Paused
    }

    fn release(&mut self) {
        self.seen.forget();
    }
}

impl PathSearch {
    /// Begins a search for an agent that has a target.
    fn begin(&mut self, view: &View<'_>, agent: AgentId, target: Cell, detour: bool) {
        self.paused.begin(view, agent, target);
        self.search.restart(0);
        self.status = Status::Paused;
        self.seen.forget();
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
        let mut roads = roads.with(self.seen.step_penalties(around.learner, agent));
        let mut heuristic = OctileDistance::to_cell(ground, target);
        let (f_range, before) = (roads.f_range(), self.search.expansions());
        let ends = (self.paused.from.0, |node| node == target.0);
        self.status = self.search.advance(&mut roads, &mut heuristic, ends, f_range, limit);
        if let Status::Found(node) = self.status {
            self.search.search().trace(&roads, node, &mut self.path);
        }
        self.search.expansions() - before
    }

    /// Returns true if the query and the tiles that were read have not changed.
    fn is_current(&mut self, view: &View<'_>, streets: &Streets) -> bool {
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
        self.seen.keep(around.learner);
    }

    /// Gives the agent the path that was found.
    fn deliver(&self, size: Size, tick: u64, walker: &mut Walker) {
        walker.forget_path();
        walker.detour = false;
        if !matches!(self.status, Status::Found(_)) {
            walker.rest = tick + RETRY;
            return;
        }
        let steps = self.path.windows(2);
        let step = |pair: &[Cell]| Direction::between(size.pos(pair[0]), size.pos(pair[1]));
        walker.path.extend(steps.filter_map(step).map(Direction::number));
        walker.to = Some(self.paused.target);
    }
}

/// The searches in progress.
#[derive(Debug, Default)]
pub(super) struct PathQueue(SearchQueue<PathSearch>);

/// Returns true if an agent needs a path and may search for one.
fn needs_path(view: &View<'_>, agent: AgentId, walker: &Walker) -> bool {
    let target = view.target(agent);
    target.is_some()
        && target != Some(walker.at)
        && walker.to != target
        && walker.reserved == 0
        && walker.rest <= view.tick()
        && view.is_controlled(agent)
}

impl PathQueue {
    /// Searches for the paths that are missing, as far as the budget goes. The agent that starts first changes with each
    /// tick.
    pub(super) fn run(
        &mut self,
        view: &View<'_>,
        work: &mut Work<'_>,
        (streets, learner): (&mut Streets, Option<&DirectionLearner>),
        walkers: &mut [Walker],
    ) {
        let queue = &mut self.0;
        queue.searches().iter().for_each(|search| streets.prepare(view.ground(search.paused.agent)));
        queue.retain(|search| {
            let walker = &walkers[search.paused.agent.index()];
            needs_path(view, search.paused.agent, walker) && search.is_current(view, streets)
        });
        let (agents, mut next) = (view.agents(), 0);
        loop {
            while queue.len() < SLICING.at_once && next < agents.len() {
                let agent = agents[(next + view.tick() as usize) % agents.len()];
                next += 1;
                let walker = &walkers[agent.index()];
                if let Some(target) = view.target(agent)
                    && !queue.is_running(agent)
                    && needs_path(view, agent, walker)
                {
                    streets.prepare(view.ground(agent));
                    queue.start().begin(view, agent, target, walker.detour);
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
                let walker = &mut walkers[search.paused.agent.index()];
                search.deliver(view.grid().size(), view.tick(), walker);
            });
        }
    }

    pub(super) fn save(&self, learner: Option<&DirectionLearner>, bytes: &mut Vec<u8>) {
        put(bytes, self.0.len() as u64);
        for search in self.0.searches() {
            search.paused.save(bytes);
            put(bytes, search.search.expansions());
            put(bytes, search.avoid.len() as u64);
            search.avoid.iter().for_each(|cell| put(bytes, u64::from(cell.0)));
            search.seen.save(learner, bytes);
        }
    }

    /// Reads what [`PathQueue::save`] wrote, for a map of this size and number of agents.
    pub(super) fn load(
        reader: &mut Reader<'_>,
        (size, agents): (Size, usize),
        learner: Option<&DirectionLearner>,
    ) -> Result<Self, Damaged> {
        let cells = size.area() as u64;
        let count = reader.number_to(SLICING.at_once as u64, "searches")? as usize;
        let mut searches = Vec::new();
        for _ in 0..count {
            let mut search =
                PathSearch { paused: PausedSearch::load(reader, size, agents)?, ..PathSearch::default() };
            search.search.restart(reader.number_to(cells, "expansions")?);
            for _ in 0..reader.length("cells to avoid")? {
                search.avoid.push(Cell(reader.number_to(cells - 1, "a cell")? as u32));
            }
            search.seen = DirectionMapVersion::load(reader, learner)?;
            searches.push(search);
        }
        Ok(Self(searches.into()))
    }

    /// Returns the bytes of memory held, as far as they grow with the map.
    pub(super) fn memory_bytes(&self) -> usize {
        let bytes = |search: &PathSearch| {
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
