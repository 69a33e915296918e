//! Looking for paths: several searches at a time, in slices, over as many ticks as the budget makes it take.
//!
//! Each round gives several searches the same number of expansions, so that they can run side by side; where work is
//! short, fewer of them, and those begun first. Those that are done make room for the next agents in line. What is not
//! done when the budget is spent goes on in the next tick, unless the agent has changed, or the map has in a tile that
//! the search has looked at. What was found is kept as long as the next moves of it are legal: a wall far ahead may be
//! gone when the agent comes there, and nobody plans again because a shorter way may have opened.

use throng_crowd::bytes::{Damaged, Reader, put, put_touched};
use throng_crowd::{AgentId, Occupant, View, Work};
use throng_grid::{Cell, Direction, Pos, Size};
use throng_search::open_list::Buckets;
use throng_search::{BestFirst, DenseStore, OctileDistance, Policy, Status, TouchProbe, TouchedTiles};
use throng_toolkit::{SeenMap, Traces, run_parallel};

use super::roads::{Roads, Streets};
use super::walker::Walker;

/// Searches under way at most.
const AT_ONCE: usize = 8;

/// Expansions of each of them in a round.
const SLICE: u64 = 512;

/// Ticks to wait after a search without a result.
const PAUSE: u64 = 16;

/// How far away a detour looks for those who never make way.
const SIGHT: i32 = 8;

/// A search for one agent's path.
#[derive(Debug)]
struct Errand {
    agent: AgentId,
    from: Cell,
    to: Cell,
    avoid: Vec<Cell>,
    /// The direction map as the agent sees it, where there is one.
    seen: SeenMap,
    /// What it has looked at.
    touched: TouchedTiles,
    search: BestFirst<DenseStore, Buckets>,
    /// Whether the search has begun. One that was restored has not, and makes up for the expansions it had done.
    begun: bool,
    owed: u64,
    status: Status,
    spent: u64,
    cells: Vec<Cell>,
}

impl Errand {
    fn new() -> Self {
        Self {
            agent: AgentId(0),
            from: Cell(0),
            to: Cell(0),
            avoid: Vec::new(),
            seen: SeenMap::default(),
            touched: TouchedTiles::default(),
            search: BestFirst::new(DenseStore::default(), Buckets::default(), Policy::default()),
            begun: false,
            owed: 0,
            status: Status::Paused,
            spent: 0,
            cells: Vec::new(),
        }
    }

    fn run(&mut self, view: &View<'_>, streets: &Streets, traces: Option<&Traces>, limit: u64) {
        let ground = view.ground(self.agent);
        let roads = Roads::new(ground, streets.of(ground), &self.avoid);
        let roads = roads.with(self.seen.tolls(traces, self.agent));
        let mut heuristic = OctileDistance::to_cell(ground, self.to);
        let to = self.to.0;
        if !self.begun {
            self.touched.begin(ground);
        }
        let fingerprint = |tile| roads.tile_fingerprint(tile);
        let mut probe = TouchProbe { touched: &mut self.touched, size: ground.size(), fingerprint };
        let mut space = roads;
        if !self.begun {
            self.begun = true;
            self.search.set_f_range(roads.f_range());
            self.search.begin(&space);
            self.search.add_source(self.from.0, 0, &mut heuristic);
            self.search.resume(&mut space, &mut heuristic, |node| node == to, self.owed, &mut probe);
        }
        let before = self.search.expansions();
        self.status = self.search.resume(&mut space, &mut heuristic, |node| node == to, limit, &mut probe);
        self.spent = self.search.expansions() - before;
        if let Status::Found(node) = self.status {
            self.search.trace(&roads, node, &mut self.cells);
        }
    }

    /// Whether the roads that it has looked at are as they were.
    fn is_current(&mut self, view: &View<'_>, streets: &Streets) -> bool {
        let ground = view.ground(self.agent);
        let roads = Roads::new(ground, streets.of(ground), &self.avoid);
        self.touched.is_current(ground, |tile| roads.tile_fingerprint(tile))
    }

    /// Gives the agent what was found.
    fn deliver(&self, size: Size, tick: u64, walker: &mut Walker) {
        walker.forget_path();
        walker.detour = false;
        if !matches!(self.status, Status::Found(_)) {
            walker.rest = tick + PAUSE;
            return;
        }
        let steps = self.cells.windows(2);
        let step = |pair: &[Cell]| Direction::between(size.pos(pair[0]), size.pos(pair[1]));
        walker.path.extend(steps.filter_map(step).map(Direction::number));
        walker.to = Some(self.to);
    }
}

/// All searches under way.
#[derive(Debug, Default)]
pub(super) struct Errands {
    /// The first `active` are under way; the others are spare memory.
    list: Vec<Errand>,
    active: usize,
    scratch: Vec<()>,
}

/// Whether an agent needs a path and may look for one.
fn needs_path(view: &View<'_>, agent: AgentId, walker: &Walker) -> bool {
    let target = view.target(agent);
    target.is_some()
        && target != Some(walker.at)
        && walker.to != target
        && walker.reserved == 0
        && walker.rest <= view.tick()
        && view.is_controlled(agent)
}

impl Errands {
    /// Looks for the paths that are missing, as far as the budget goes. Who looks first changes with each tick.
    pub(super) fn run(
        &mut self,
        view: &View<'_>,
        work: &mut Work<'_>,
        (streets, traces): (&mut Streets, Option<&Traces>),
        walkers: &mut [Walker],
    ) {
        self.look_for(view, work, (streets, traces), walkers);
        self.list[..self.active].iter_mut().for_each(|errand| errand.seen.keep(traces));
    }

    fn look_for(
        &mut self,
        view: &View<'_>,
        work: &mut Work<'_>,
        (streets, traces): (&mut Streets, Option<&Traces>),
        walkers: &mut [Walker],
    ) {
        for errand in &self.list[..self.active] {
            streets.prepare(view.ground(errand.agent));
        }
        self.drop_stale(view, streets, walkers);
        let (agents, mut line) = (view.agents(), 0);
        loop {
            while self.active < AT_ONCE && line < agents.len() {
                let agent = agents[(line + view.tick() as usize) % agents.len()];
                line += 1;
                let walker = &walkers[agent.index()];
                let running = self.list[..self.active].iter().any(|errand| errand.agent == agent);
                if !running && needs_path(view, agent, walker) {
                    streets.prepare(view.ground(agent));
                    self.begin(view, agent, walker);
                }
            }
            let left = work.left();
            let running = (left / SLICE).max(1).min(self.active as u64);
            if running == 0 {
                return;
            }
            let share = SLICE.min(left).max(1);
            if !work.round(share * running) {
                return;
            }
            let errands = &mut self.list[..running as usize];
            let streets = &*streets;
            run_parallel(
                view.executor(),
                errands,
                &mut self.scratch,
                || (),
                |errand, ()| {
                    errand.run(view, streets, traces, share);
                },
            );
            work.spend(errands.iter().map(|errand| errand.spent).sum());
            self.finish(view, walkers);
        }
    }

    /// Forgets the searches whose agent or map has changed.
    fn drop_stale(&mut self, view: &View<'_>, streets: &Streets, walkers: &[Walker]) {
        let current = |errand: &mut Errand| {
            let walker = &walkers[errand.agent.index()];
            walker.placed
                && walker.at == errand.from
                && view.target(errand.agent) == Some(errand.to)
                && needs_path(view, errand.agent, walker)
                && errand.is_current(view, streets)
        };
        self.keep(current);
    }

    /// Delivers what was found.
    fn finish(&mut self, view: &View<'_>, walkers: &mut [Walker]) {
        for errand in &self.list[..self.active] {
            if errand.status != Status::Paused {
                errand.deliver(view.grid().size(), view.tick(), &mut walkers[errand.agent.index()]);
            }
        }
        self.keep(|errand| errand.status == Status::Paused);
    }

    /// Moves the searches that fail a test to the spare ones; the others keep their order.
    fn keep(&mut self, test: impl Fn(&mut Errand) -> bool) {
        let mut kept = 0;
        for i in 0..self.active {
            if test(&mut self.list[i]) {
                self.list.swap(kept, i);
                kept += 1;
            } else {
                self.list[i].seen.forget();
            }
        }
        self.active = kept;
    }

    fn begin(&mut self, view: &View<'_>, agent: AgentId, walker: &Walker) {
        let Some(to) = view.target(agent) else { return };
        if self.active == self.list.len() {
            self.list.push(Errand::new());
        }
        let errand = &mut self.list[self.active];
        self.active += 1;
        (errand.agent, errand.from, errand.to) = (agent, walker.at, to);
        errand.touched.begin(view.ground(agent));
        (errand.begun, errand.owed, errand.status) = (false, 0, Status::Paused);
        errand.seen.forget();
        errand.avoid.clear();
        if walker.detour {
            errand.avoid.extend(immovable_around(view, walker.at).filter(|&cell| cell != to));
        }
    }

    pub(super) fn save(&self, traces: Option<&Traces>, bytes: &mut Vec<u8>) {
        put(bytes, self.active as u64);
        for errand in &self.list[..self.active] {
            put(bytes, u64::from(errand.agent.0));
            put(bytes, u64::from(errand.from.0));
            put(bytes, u64::from(errand.to.0));
            put_touched(bytes, &errand.touched);
            put(bytes, if errand.begun { errand.search.expansions() } else { errand.owed });
            put(bytes, errand.avoid.len() as u64);
            errand.avoid.iter().for_each(|cell| put(bytes, u64::from(cell.0)));
            errand.seen.save(traces, bytes);
        }
    }

    /// Reads what [`Errands::save`] wrote, for a grid of so many cells and so many agents.
    pub(super) fn load(
        reader: &mut Reader<'_>,
        (cells, agents): (u64, u64),
        traces: Option<&Traces>,
    ) -> Result<Self, Damaged> {
        let active = reader.number_to(AT_ONCE as u64, "searches")? as usize;
        let mut errands = Vec::new();
        for _ in 0..active {
            let mut errand = Errand::new();
            errand.agent = AgentId(reader.number_to(agents.saturating_sub(1), "an agent")? as u32);
            errand.from = Cell(reader.number_to(cells - 1, "a cell")? as u32);
            errand.to = Cell(reader.number_to(cells - 1, "a cell")? as u32);
            errand.touched = reader.touched()?;
            errand.owed = reader.number("expansions")?;
            for _ in 0..reader.length("cells to avoid")? {
                errand.avoid.push(Cell(reader.number_to(cells - 1, "a cell")? as u32));
            }
            errand.seen = SeenMap::load(reader, traces)?;
            errands.push(errand);
        }
        Ok(Self { list: errands, active, scratch: Vec::new() })
    }

    /// Bytes held, as far as they grow with the map.
    pub(super) fn memory_bytes(&self) -> usize {
        let errand = |errand: &Errand| {
            let lists = (errand.cells.capacity() + errand.avoid.capacity()) * size_of::<Cell>();
            errand.search.store().memory_bytes()
                + errand.search.memory_bytes()
                + errand.touched.memory_bytes()
                + lists
        };
        self.list.iter().map(errand).sum()
    }
}

/// The cells around a place that are held by those who never make way: foreign units, and agents that are not ours to
/// move.
fn immovable_around<'a>(view: &'a View<'a>, at: Cell) -> impl Iterator<Item = Cell> + 'a {
    let size = view.grid().size();
    let here = size.pos(at);
    let around = (-SIGHT..=SIGHT).flat_map(move |dy| (-SIGHT..=SIGHT).map(move |dx| (dx, dy)));
    around.filter_map(move |(dx, dy)| size.cell(Pos::new(here.x + dx, here.y + dy))).filter(move |&cell| {
        match view.occupancy().at(cell) {
            Occupant::Nobody => false,
            Occupant::Foreign => true,
            Occupant::Agent(agent) => !view.is_controlled(agent),
        }
    })
}
