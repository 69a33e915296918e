//! Local repair A*: walk a shortest path, and plan anew when somebody stands in it.
//!
//! Described by D. Silver, *Cooperative Pathfinding*, AIIDE 2005, and M. R. Jansen, N. R. Sturtevant, *Direction Maps
//! for Cooperative Pathfinding*, AIIDE 2008, whose version this is: agents within a radius count as walls when a
//! path is planned, those further away do not, and neither does whoever stands on the target. Agents act in the order
//! of their numbers; one whose next cell is held stays and plans again. With `agitation`, Silver's remedy against
//! going round and round, every such failure makes an agent's costs noisier, until it gets nearer to its target than
//! it ever was.
//!
//! Where we depart: an agent that finds no way at all tries again after one tick, as in the paper, then after two,
//! four, up to 32, because finding none means having searched the whole map. A search that the work of a tick does not
//! suffice for goes on in the next, on what its agent saw when it began.

mod job;
mod neighbourhood;

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_crowd::{AgentId, Change, Claims, Moves, Occupant, Planner, Sharing, View, Work, share_out};
use throng_grid::{Cell, Cost, Grid, Size};
use throng_search::spec::{Kind, MILLION, Parameter, Values};
use throng_search::{ANY_CORNERS, EmptyMap, Heuristic};

use crate::registry::PlannerInfo;
use job::Job;

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "lra",
    summary: "LRA*: walk a shortest path, plan anew when somebody stands in it",
    idea: "Each agent plans by itself; agents nearby count as walls while it does. It follows its path until the \
           next cell is held by somebody, stays, and plans again. With agitation, failures make costs noisy.",
    reference: "M. R. Jansen, N. R. Sturtevant: Direction Maps for Cooperative Pathfinding. AIIDE 2008",
    parameters: &[
        Parameter {
            name: "radius",
            summary: "how far away agents are seen, in cells",
            kind: Kind::Decimal { min: 0, max: 1_000 * MILLION, default: 5 * MILLION },
        },
        Parameter {
            name: "agitation",
            summary: "whether failures make costs noisy",
            kind: Kind::Choice(&["off", "on"]),
        },
    ],
    needs: Sharing::Nothing,
    needs_control: false,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values, grid| Box::new(Lra::new(values, grid)),
};

/// Agents that plan side by side, at most.
const LOT: usize = 4;
/// Expansions for each of them in one round of work, which is short, so that a clock between rounds is obeyed.
const SLICE: u64 = 2048;
/// Expansions for each of them, at least, where work is short.
const LEAST: u64 = 256;
/// Agitation does not grow beyond this; a step of it is worth an eighth of a straight step.
const MOST_AGITATED: u32 = 16;

/// The planner.
#[derive(Debug)]
struct Lra {
    /// The square of the radius, rounded down: what squares of distances are compared with.
    sight: u64,
    agitation: bool,
    size: Size,
    rows: Vec<Row>,
    claims: Claims,
    order: Vec<AgentId>,
    /// The first `running` searches are under way; the others are spare memory.
    jobs: Vec<Job>,
    running: usize,
}

/// What an agent has in mind.
#[derive(Clone, Debug)]
struct Row {
    /// The rest of its path, from where it stands, backwards: the next cell is the last but one.
    path: Vec<Cell>,
    /// The tick since which it wants another path.
    since: Option<u64>,
    /// How often it has found none, and when it tries again.
    failures: u32,
    again: u64,
    agitation: u32,
    /// The least that was ever left to its target.
    nearest: Cost,
    /// When it has found no way: the held cell that it would have liked best.
    shut_by: Option<Cell>,
}

const FRESH: Row = Row {
    path: Vec::new(),
    since: None,
    failures: 0,
    again: 0,
    agitation: 0,
    nearest: Cost::MAX,
    shut_by: None,
};

impl Row {
    /// The next cell, if the path begins where the agent stands.
    fn next(&self, at: Cell) -> Option<Cell> {
        let [.., next, here] = self.path[..] else { return None };
        (here == at).then_some(next)
    }
}

impl Lra {
    fn new(values: &Values, grid: &Grid) -> Self {
        let radius = u128::from(values.get("radius"));
        Self {
            sight: (radius * radius / u128::from(MILLION * MILLION)) as u64,
            agitation: values.choice("agitation") == "on",
            size: grid.size(),
            rows: Vec::new(),
            claims: Claims::default(),
            order: Vec::new(),
            jobs: Vec::new(),
            running: 0,
        }
    }

    /// Sees who wants another path: who has waited longest comes first.
    fn begin(&mut self, view: &View<'_>) {
        self.rows.resize(view.numbers(), FRESH);
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
            let left = EmptyMap::to_cell(view.ground(agent), target).lower(at.0);
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

    /// Plans for as many as there is work for. Searches that are not done by then go on in the next tick.
    fn repair(&mut self, view: &View<'_>, work: &mut Work<'_>) {
        self.jobs.resize_with(LOT.max(self.jobs.len()), Job::new);
        let wants = |rows: &[Row], agent: AgentId| rows[agent.index()].since.is_some();
        self.keep(|job, rows| job.kept.is_current(view) && wants(rows, job.kept.agent));
        let mut next = 0;
        loop {
            let affordable = usize::try_from(work.left() / LEAST).unwrap_or(LOT).clamp(1, LOT);
            while self.running < affordable && next < self.order.len() {
                self.assign(view, self.order[next]);
                next += 1;
            }
            let count = self.running.min(affordable);
            let share = SLICE.min(work.left() / count.max(1) as u64);
            if count == 0 || share == 0 || !work.round(share * count as u64) {
                break;
            }
            self.round(view, work, count, share);
        }
        self.keep(|job, _| job.has_begun());
        self.jobs[..self.running].iter_mut().for_each(|job| job.pause(view, self.sight));
    }

    /// Begins a search for an agent, unless one is under way.
    fn assign(&mut self, view: &View<'_>, agent: AgentId) {
        let under_way = self.jobs[..self.running].iter().any(|job| job.kept.agent == agent);
        if let Some(target) = view.target(agent).filter(|_| !under_way) {
            self.jobs[self.running].assign(view, agent, target, self.rows[agent.index()].agitation);
            self.running += 1;
        }
    }

    /// One round of the first `count` searches, which do not depend on each other.
    fn round(&mut self, view: &View<'_>, work: &mut Work<'_>, count: usize, limit: u64) {
        let sight = self.sight;
        let each = |job: &mut Job, (): &mut ()| job.go_on(view, sight, limit);
        share_out(view.executor(), &mut self.jobs[..count], &mut Vec::new(), || (), each);
        self.jobs[..count].iter().for_each(|job| work.spend(job.spent));
        for i in 0..count {
            if self.jobs[i].is_done() {
                self.take(view, i);
            }
        }
        self.keep(|job, _| !job.is_done());
    }

    /// Of the searches under way, those that pass a test stay, in their order; the others are spare memory.
    fn keep(&mut self, test: impl Fn(&mut Job, &[Row]) -> bool) {
        let mut kept = 0;
        for i in 0..self.running {
            if test(&mut self.jobs[i], &self.rows) {
                self.jobs.swap(kept, i);
                kept += 1;
            }
        }
        self.running = kept;
    }

    /// Takes over what a search came to.
    fn take(&mut self, view: &View<'_>, i: usize) {
        let job = &mut self.jobs[i];
        let row = &mut self.rows[job.kept.agent.index()];
        if job.path.len() < 2 {
            // No way: whatever it had in mind before is still the best it has.
            row.again = view.tick() + (1 << row.failures.min(5));
            row.failures += 1;
            row.shut_by = job.shut_by.map(|(_, cell)| cell);
            return;
        }
        std::mem::swap(&mut row.path, &mut job.path);
        (row.since, row.failures, row.again, row.shut_by) = (None, 0, 0, None);
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
                    row.since = row.since.filter(|_| row.failures > 0);
                    continue;
                }
                Occupant::Agent(other) => Some(other),
                Occupant::Foreign => None,
            };
            moves.wait(agent, next, by);
            row.since.get_or_insert(view.tick() + 1);
            if self.agitation {
                row.agitation = (row.agitation + 1).min(MOST_AGITATED);
            }
        }
    }
}

impl Planner for Lra {
    fn needs(&self) -> Sharing {
        Sharing::Nothing
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.begin(view);
        self.repair(view, work);
        self.walk(view, moves);
    }

    fn notice(&mut self, agent: AgentId, _: Change) {
        self.keep(|job, _| job.kept.agent != agent);
        if let Some(row) = self.rows.get_mut(agent.index()) {
            let mut path = std::mem::take(&mut row.path);
            path.clear();
            *row = Row { path, ..FRESH };
        }
    }

    fn intent(&self, agent: AgentId) -> Option<Cell> {
        self.rows.get(agent.index())?.path.first().copied()
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.rows.len() as u64);
        for row in &self.rows {
            put(bytes, row.since.map_or(0, |tick| tick + 1));
            put(bytes, row.again);
            put(bytes, u64::from(row.failures));
            put(bytes, u64::from(row.agitation));
            put(bytes, u64::from(row.nearest));
            put(bytes, row.shut_by.map_or(0, |cell| u64::from(cell.0) + 1));
            put(bytes, row.path.len() as u64);
            row.path.iter().for_each(|cell| put(bytes, u64::from(cell.0)));
        }
        put(bytes, self.running as u64);
        self.jobs[..self.running].iter().for_each(|job| job.save(bytes));
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        let (mut reader, cells) = (Reader::new(bytes), self.size.area() as u64);
        self.rows.clear();
        for _ in 0..reader.length("the number of agents")? {
            let since = reader.number("a tick")?.checked_sub(1);
            let again = reader.number("a tick")?;
            let failures = reader.number_to(u64::from(u32::MAX), "a number of failures")? as u32;
            let agitation = reader.number_to(u64::from(MOST_AGITATED), "an agitation")? as u32;
            let nearest = reader.number_to(u64::from(Cost::MAX), "a distance")? as Cost;
            let shut_by = reader.number_to(cells, "a cell")?.checked_sub(1);
            let shut_by = shut_by.map(|cell| Cell(cell as u32));
            let length = reader.length("the length of a path")?;
            let mut cell = || reader.number_to(cells - 1, "a cell");
            let path = (0..length).map(|_| cell().map(|cell| Cell(cell as u32))).collect::<Result<_, _>>()?;
            self.rows.push(Row { path, since, failures, again, agitation, nearest, shut_by });
        }
        self.running = reader.number_to(LOT as u64, "searches under way")? as usize;
        let mut job = || Job::load(&mut reader, self.size, self.rows.len());
        self.jobs = (0..self.running).map(|_| job()).collect::<Result<_, _>>()?;
        if reader.is_done() { Ok(()) } else { Err(reader.damaged("the end")) }
    }

    fn bytes(&self) -> usize {
        let cells: usize = self.rows.iter().map(|row| row.path.capacity()).sum();
        let jobs: usize = self.jobs.iter().map(Job::bytes).sum();
        let order = self.order.capacity() * size_of::<AgentId>();
        let rows = cells * size_of::<Cell>() + self.rows.capacity() * size_of::<Row>();
        rows + jobs + order + self.claims.bytes()
    }
}
