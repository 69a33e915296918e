//! Agents that walk a path and repair it: plan anew when somebody stands in it. What `lra` and `dm` do.
//!
//! As in M. R. Jansen, N. R. Sturtevant, *Direction Maps for Cooperative Pathfinding*, AIIDE 2008, agents within a radius
//! count as walls when a path is planned, those further away do not, and neither does whoever stands on the target.
//! Agents act in the order of their numbers; one whose next cell is held stays and plans again.
//!
//! Where we depart: an agent that finds no way at all tries again after one tick, as in the paper, then after two,
//! four, up to 32, because finding none means having searched the whole map. A search that the work of a tick does not
//! suffice for goes on in the next, on what its agent saw when it began. Where paths are refined piece by piece, which is
//! for real time, an agent that finds its way held looks for a short way round first, back to its path, unless whoever
//! was there has gone on; only if there is none does it plan the piece anew, within a limit that grows slowly, and
//! with an estimate that counts more. In a jam nearly all work would be searches that find nothing. An agent that finds
//! its target held for long steps aside, since two that stand on each other's targets would never move again.

mod above;
mod job;
mod neighbourhood;
mod options;
mod row;

pub(crate) use options::{Directions, Options, SectorOptions, square};

use throng_crowd::MoveDraft;
use throng_crowd::bytes::{Reader, put, put_state};
use throng_crowd::{
    AgentChange, AgentId, DebugLayer, DebugMark, Limits, Moves, Occupant, Planner, Sharing, StateError, View,
    Work,
};
use throng_grid::{Cell, Grid, Size};
use throng_search::{Heuristic, OctileDistance, Sectors, Status};
use throng_toolkit::{DirectionLearner, SearchQueue, Slicing};

use crate::{Resources, directions, inspect};
use job::{Job, Surroundings};
use row::Row;

/// Four searches share the work. A search of many expansions gets long slices, and at least 256 expansions per round
/// when work is scarce, because a short slice costs as much as it gains.
const SLICING: Slicing = Slicing { at_once: 4, slice: 2048, min_share: 256 };
/// Agitation does not grow beyond this; a step of it is worth an eighth of a straight step.
const MOST_AGITATED: u32 = 16;

/// Agents go together that are no further apart than this, and whose targets are not either: in columns and rows.
const GROUP: u32 = 8;

/// So often an agent finds its target held before it steps aside; the next time twice as often, and so on.
const PATIENCE: u32 = 8;

/// The planner.
#[derive(Debug)]
pub(crate) struct Repair {
    options: Options,
    size: Size,
    /// The direction map, if there is one.
    learner: Option<DirectionLearner>,
    /// The abstraction of each profile's ground, if paths are planned over one.
    sectors: Vec<Option<Sectors>>,
    rows: Vec<Row>,
    claims: MoveDraft,
    order: Vec<AgentId>,
    /// The searches in progress.
    queue: SearchQueue<Job>,
}

impl Repair {
    pub(crate) fn new(options: Options, grid: &Grid, resources: &mut Resources) -> Self {
        let abstraction = |sectors: SectorOptions| {
            let mut abstraction = Sectors::new(sectors.side);
            abstraction.update(grid.ground());
            vec![Some(abstraction)]
        };
        let learning = options.directions.map(|directions| directions.learning);
        Self {
            options,
            size: grid.size(),
            learner: directions::learner(learning, grid, resources),
            sectors: options.sectors.map_or_else(Vec::new, abstraction),
            rows: Vec::new(),
            claims: MoveDraft::default(),
            order: Vec::new(),
            queue: SearchQueue::new(),
        }
    }

    /// Sees what has happened since the last tick: where agents went, and what became of the map.
    fn take_in(&mut self, view: &View<'_>) {
        if let Some(learner) = &mut self.learner {
            learner.observe(view);
        }
        let Some(sectors) = self.options.sectors else { return };
        let mut done = [false; 256];
        for &agent in view.movers() {
            let profile = usize::from(view.profile(agent).0);
            if std::mem::replace(&mut done[profile], true) {
                continue;
            }
            if self.sectors.len() <= profile {
                self.sectors.resize_with(profile + 1, || None);
            }
            let abstraction = self.sectors[profile].get_or_insert_with(|| Sectors::new(sectors.side));
            abstraction.update(view.ground(agent));
        }
    }

    /// Sees who wants another path: who has waited longest comes first.
    fn begin(&mut self, view: &View<'_>) {
        self.rows.resize(view.id_limit(), Row::FRESH);
        self.order.clear();
        for &agent in view.movers() {
            let (at, row) = (view.at(agent), &mut self.rows[agent.index()]);
            let Some(target) = view.target(agent).filter(|&target| target != at) else {
                row.path.clear();
                (row.since, row.shut_by) = (None, None);
                continue;
            };
            if row.next(at).is_none_or(|next| view.ground(agent).legal_step(at, next).is_none()) {
                row.path.clear();
                row.since.get_or_insert(view.tick());
            }
            let left = OctileDistance::to_cell(view.ground(agent), target).lower(at.0);
            if left < row.nearest {
                (row.nearest, row.agitation) = (left, 0);
            }
            if row.since.is_some() && row.again <= view.tick() {
                self.order.push(agent);
            }
        }
        let rows = &self.rows;
        self.order.sort_unstable_by_key(|agent| (rows[agent.index()].since, *agent));
    }

    /// Plans for as many agents as there is work for. Searches that are not finished by then go on in the next tick.
    fn repair(&mut self, view: &View<'_>, work: &mut Work<'_>) {
        let rows = &self.rows;
        self.queue.retain(|job| job.kept.is_current(view) && rows[job.kept.agent.index()].since.is_some());
        // An agent that follows a leader waits until the leader has a path.
        let at_once = if self.options.has_leaders() { 1 } else { SLICING.at_once };
        let (slicing, mut next) = (Slicing { at_once, ..SLICING }, 0);
        loop {
            while self.queue.len() < slicing.affordable(work.left()) && next < self.order.len() {
                self.assign(view, self.order[next]);
                next += 1;
            }
            let Some(grant) = slicing.grant(work, work.left(), self.queue.len()) else { break };
            let around = Surroundings::new(view, &self.options, self.learner.as_ref(), &self.sectors);
            let advance = |job: &mut Job, (): &mut (), limit| job.advance(around, limit);
            work.spend(self.queue.advance(view.executor(), grant, advance));
            let (rows, patient) = (&mut self.rows, self.options.is_patient());
            self.queue.deliver(|job| take(view, &mut rows[job.kept.agent.index()], job, patient));
        }
        self.queue.retain(|job| job.has_begun());
        let around = Surroundings::new(view, &self.options, self.learner.as_ref(), &self.sectors);
        self.queue.searches_mut().iter_mut().for_each(|job| job.pause(around));
    }

    /// Begins a search for an agent, unless one is under way or there is nothing to be found.
    fn assign(&mut self, view: &View<'_>, agent: AgentId) {
        let is_running = self.queue.is_running(agent);
        let Some(target) = view.target(agent).filter(|_| !is_running) else { return };
        let row = &mut self.rows[agent.index()];
        let may_go_round = self.options.is_patient() && row.failures == 0;
        let mut rejoin = None;
        if let Some(next) = row.next(view.at(agent)).filter(|_| may_go_round) {
            if view.occupancy().is_free(next) {
                // Whoever was in the way has gone on.
                return;
            }
            rejoin = row.rejoin(|cell| view.occupancy().is_free(cell));
            if rejoin.is_none() {
                return row.rest(view.tick(), 0);
            }
        }
        let around = Surroundings::new(view, &self.options, self.learner.as_ref(), &self.sectors);
        let job = self.queue.start();
        job.assign(around, (agent, target), &self.rows[agent.index()], rejoin);
        if self.options.has_leaders() {
            join(view, &self.rows, (agent, target), job);
        }
    }

    /// Whether an agent that cannot make a step is kept from leaving its part of the abstraction.
    fn is_shut(&self, view: &View<'_>, agent: AgentId, next: Cell) -> bool {
        let (ground, at) = (view.ground(agent), view.at(agent));
        let sectors = self.sectors.get(usize::from(view.profile(agent).0)).and_then(Option::as_ref);
        sectors.is_some_and(|sectors| sectors.node_of(ground, at) != sectors.node_of(ground, next))
    }

    /// Leaves the cell before its target to whoever holds the target, for that agent may want to go to just this cell: two
    /// that stand on each other's targets would wait for ever.
    fn step_aside(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentId) -> bool {
        let mut aside = view.ground(agent).neighbours(view.at(agent)).map(|(_, cell)| cell);
        let Some(cell) = aside.find(|&cell| self.claims.at(view, cell) == Occupant::Nobody) else {
            return false;
        };
        let row = &mut self.rows[agent.index()];
        row.path.clear();
        self.claims.go(view, moves, agent, cell);
        true
    }

    /// Everyone in turn makes its step, or finds somebody in the way.
    fn walk(&mut self, view: &View<'_>, moves: &mut Moves) {
        self.claims.begin(view);
        for &agent in view.movers() {
            let (at, row) = (view.at(agent), &mut self.rows[agent.index()]);
            let Some(next) = row.next(at) else {
                if let Some(held) = row.shut_by.filter(|&cell| !view.occupancy().is_free(cell)) {
                    moves.wait(agent, held, view.occupancy().agent(held));
                }
                continue;
            };
            let by = match self.claims.at(view, next) {
                Occupant::Nobody => {
                    row.path.pop();
                    self.claims.go(view, moves, agent, next);
                    // Its way is free again before its turn to plan has come.
                    if self.options.is_patient() {
                        (row.since, row.failures) = (None, 0);
                    }
                    row.since = row.since.filter(|_| row.failures > 0);
                    continue;
                }
                Occupant::Agent(other) => Some(other),
                Occupant::Foreign => None,
            };
            if view.target(agent) == Some(next) && by.is_some() {
                row.refused = row.refused.saturating_add(1);
                let is_time = row.refused >= PATIENCE && row.refused.is_power_of_two();
                if is_time && self.step_aside(view, moves, agent) {
                    continue;
                }
            }
            let row = &mut self.rows[agent.index()];
            moves.wait(agent, next, by);
            row.since.get_or_insert(view.tick() + 1);
            if self.options.agitation {
                row.agitation = (row.agitation + 1).min(MOST_AGITATED);
            }
            if self.options.sectors.is_some_and(|sectors| sectors.skip) {
                self.rows[agent.index()].skip = self.is_shut(view, agent, next);
            }
        }
    }
}

/// Has the search about to begin follow the first of those who go together with its agent and have a way, unless the
/// agent is the first itself, or nearly home, where everyone goes to a place of its own.
fn join(view: &View<'_>, rows: &[Row], (agent, target): (AgentId, Cell), job: &mut Job) {
    let (size, at) = (view.grid().size(), view.at(agent));
    let is_near = |a: Cell, b: Cell| {
        let (a, b) = (size.pos(a), size.pos(b));
        a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) <= GROUP
    };
    let goes_along = |&other: &AgentId| {
        is_near(view.at(other), at)
            && view.target(other).is_some_and(|end| is_near(end, target))
            && rows[other.index()].next(view.at(other)).is_some()
    };
    let mut company = view.movers().iter().copied().filter(goes_along);
    let leader = company.next().filter(|&leader| leader < agent && !is_near(at, target));
    if let Some(leader) = leader {
        let held = std::iter::once(leader).chain(company).map(|other| view.at(other));
        job.follow(&rows[leader.index()].path, held);
    }
}

/// Takes over what a search came to.
fn take(view: &View<'_>, row: &mut Row, job: &mut Job, patient: bool) {
    row.skip = false;
    if !matches!(job.status, Status::Found(_)) || job.path.len() < 2 {
        // No way: whatever it had in mind before is still the best it has.
        row.rest(view.tick(), if patient { row.doublings() } else { 0 });
        row.shut_by = job.shut_by.map(|(_, cell)| cell);
        if job.rejoin.is_none() {
            row.route.clear();
        }
        return;
    }
    job.path.reverse();
    if let Some(end) = job.rejoin {
        row.go_round(end, &job.path);
    } else {
        std::mem::swap(&mut row.path, &mut job.path);
        std::mem::swap(&mut row.route, &mut job.route);
    }
    (row.since, row.failures, row.again, row.shut_by) = (None, 0, 0, None);
}

impl Planner for Repair {
    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.take_in(view);
        self.begin(view);
        self.repair(view, work);
        self.walk(view, moves);
    }

    fn on_change(&mut self, agent: AgentId, change: AgentChange) {
        self.queue.retain(|job| job.kept.agent != agent);
        if let Some(row) = self.rows.get_mut(agent.index()) {
            row.forget();
        }
        if let Some(learner) = &mut self.learner {
            learner.on_change(agent, change);
        }
    }

    fn inspect(&self, layer: DebugLayer, emit: &mut dyn FnMut(DebugMark)) {
        inspect::paths(layer, self.rows.iter().map(|row| row.path.iter().rev().copied()), emit);
        inspect::directions(self.learner.as_ref().map(DirectionLearner::map), layer, emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.rows.len() as u64);
        self.rows.iter().for_each(|row| row.save(bytes));
        self.learner.iter().for_each(|learner| put_state(bytes, &learner.saved()));
        put(bytes, self.queue.len() as u64);
        self.queue.searches().iter().for_each(|job| job.save(self.learner.as_ref(), bytes));
    }

    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
        let (mut reader, cells) = (Reader::new(bytes), self.size.area() as u64);
        self.rows.clear();
        for _ in 0..reader.length("the number of agents")? {
            self.rows.push(Row::load(&mut reader, cells)?);
        }
        if let Some(learner) = &mut self.learner {
            learner.restore(reader.state(limits)?)?;
        }
        let searches = reader.number_to(SLICING.at_once as u64, "searches under way")? as usize;
        let mut job = || Job::load(&mut reader, limits, self.learner.as_ref());
        self.queue = (0..searches).map(|_| job()).collect::<Result<Vec<_>, _>>()?.into();
        if reader.is_done() { Ok(()) } else { Err(reader.damaged("the end").into()) }
    }

    fn memory_bytes(&self) -> usize {
        let rows =
            self.rows.iter().map(Row::memory_bytes).sum::<usize>() + self.rows.capacity() * size_of::<Row>();
        let jobs: usize = self.queue.slots().iter().map(Job::memory_bytes).sum();
        let sectors: usize = self.sectors.iter().flatten().map(Sectors::memory_bytes).sum();
        let order = self.order.capacity() * size_of::<AgentId>();
        let learner = self.learner.as_ref().map_or(0, DirectionLearner::memory_bytes);
        rows + jobs + sectors + order + learner + self.claims.memory_bytes()
    }
}
