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
//! four, up to 32, because finding none means having searched the whole map.

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_crowd::{AgentId, Change, Claims, Moves, Occupant, Planner, Sharing, View, Work, share_out};
use throng_grid::{Cell, Cost, Grid, Ground, Pos};
use throng_search::frontier::Buckets;
use throng_search::spec::{Kind, MILLION, Parameter, Values};
use throng_search::{
    ANY_CORNERS, Arena, BestFirst, EmptyMap, Expansion, Heuristic, Policy, Space, Status, Successor, span,
};

use crate::registry::PlannerInfo;

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
    sight: i64,
    agitation: bool,
    /// The cells of the map.
    cells: u64,
    rows: Vec<Row>,
    claims: Claims,
    order: Vec<AgentId>,
    jobs: Vec<Job>,
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

/// A search for one agent, which goes on from round to round until it is done or the work of the tick is.
#[derive(Debug)]
struct Job {
    agent: AgentId,
    search: BestFirst<Arena, Buckets>,
    /// What the last round came to; nothing before the first.
    status: Option<Status>,
    path: Vec<Cell>,
    shut_by: Option<(Cost, Cell)>,
    spent: u64,
}

impl Job {
    fn new() -> Self {
        let search = BestFirst::new(Arena::default(), Buckets::default(), Policy::default());
        Self { agent: AgentId(0), search, status: None, path: Vec::new(), shut_by: None, spent: 0 }
    }

    fn assign(&mut self, agent: AgentId) {
        (self.agent, self.status, self.shut_by) = (agent, None, None);
    }

    fn is_done(&self) -> bool {
        !matches!(self.status, None | Some(Status::Paused))
    }

    /// Searches on for so many expansions.
    fn go_on(&mut self, space: &mut Neighbourhood<'_>, limit: u64) {
        let (target, search) = (space.target.0, &mut self.search);
        let mut heuristic = EmptyMap::to_cell(space.ground, space.target);
        if self.status.is_none() {
            let (range, shift) = span(space.ground);
            search.fit((range + space.most_noise(), shift));
            search.begin(space);
            search.add_source(space.from.0, 0, &mut heuristic);
        }
        let before = search.expansions();
        space.shut_by = self.shut_by;
        self.status = Some(search.resume(space, &mut heuristic, |node| node == target, limit, &mut ()));
        self.shut_by = space.shut_by;
        self.spent = search.expansions() - before;
    }

    /// A path to the target, or towards it as far as the search has come, backwards; empty when there is none.
    fn trace(&mut self, space: &Neighbourhood<'_>) {
        self.path.clear();
        let end = match self.status {
            Some(Status::Found(node)) => Some(node),
            Some(Status::Paused) => self.search.first().map(|first| first.node),
            _ => None,
        };
        if let Some(end) = end {
            self.search.trace(space, end, &mut self.path);
        }
        self.path.reverse();
    }
}

impl Lra {
    fn new(values: &Values, grid: &Grid) -> Self {
        let radius = u128::from(values.get("radius"));
        Self {
            sight: (radius * radius / u128::from(MILLION * MILLION)) as i64,
            agitation: values.choice("agitation") == "on",
            cells: grid.size().area() as u64,
            rows: Vec::new(),
            claims: Claims::default(),
            order: Vec::new(),
            jobs: Vec::new(),
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

    /// Plans for as many as there is work for. Whose search is not done by then goes as far as it has come.
    fn repair(&mut self, view: &View<'_>, work: &mut Work<'_>) {
        self.jobs.resize_with(LOT, Job::new);
        let (mut running, mut next) = (0, 0);
        loop {
            let affordable = usize::try_from(work.left() / LEAST).unwrap_or(LOT).clamp(1, LOT);
            while running < affordable && next < self.order.len() {
                self.jobs[running].assign(self.order[next]);
                (running, next) = (running + 1, next + 1);
            }
            let share = SLICE.min(work.left() / running.max(1) as u64);
            if running == 0 || share == 0 || !work.round(share * running as u64) {
                break;
            }
            self.round(view, work, running, share);
            running = self.jobs[..running].partition_point(|job| !job.is_done());
        }
        for i in 0..running {
            if self.jobs[i].status.is_some() {
                self.take(view, i);
            }
        }
    }

    /// One round of the first `count` searches, which do not depend on each other; those done are put last.
    fn round(&mut self, view: &View<'_>, work: &mut Work<'_>, count: usize, limit: u64) {
        let (sight, rows) = (self.sight, &self.rows);
        let each = |job: &mut Job, (): &mut ()| {
            job.go_on(&mut Neighbourhood::new(view, job.agent, sight, rows), limit);
        };
        share_out(view.executor(), &mut self.jobs[..count], &mut Vec::new(), || (), each);
        self.jobs[..count].iter().for_each(|job| work.spend(job.spent));
        self.jobs[..count].sort_by_key(Job::is_done);
        for i in 0..count {
            if self.jobs[i].is_done() {
                self.take(view, i);
            }
        }
    }

    /// Takes over what a search came to.
    fn take(&mut self, view: &View<'_>, i: usize) {
        let job = &mut self.jobs[i];
        job.trace(&Neighbourhood::new(view, job.agent, self.sight, &self.rows));
        let row = &mut self.rows[job.agent.index()];
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
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        let mut reader = Reader::new(bytes);
        self.rows.clear();
        for _ in 0..reader.length("the number of agents")? {
            let since = reader.number("a tick")?.checked_sub(1);
            let again = reader.number("a tick")?;
            let failures = reader.number_to(u64::from(u32::MAX), "a number of failures")? as u32;
            let agitation = reader.number_to(u64::from(MOST_AGITATED), "an agitation")? as u32;
            let nearest = reader.number_to(u64::from(Cost::MAX), "a distance")? as Cost;
            let shut_by = reader.number_to(self.cells, "a cell")?.checked_sub(1);
            let shut_by = shut_by.map(|cell| Cell(cell as u32));
            let length = reader.length("the length of a path")?;
            let mut cell = || reader.number_to(self.cells - 1, "a cell");
            let path = (0..length).map(|_| cell().map(|cell| Cell(cell as u32))).collect::<Result<_, _>>()?;
            self.rows.push(Row { path, since, failures, again, agitation, nearest, shut_by });
        }
        if reader.is_done() { Ok(()) } else { Err(reader.damaged("the end")) }
    }

    fn bytes(&self) -> usize {
        let cells: usize = self.rows.iter().map(|row| row.path.capacity()).sum();
        cells * size_of::<Cell>() + self.rows.capacity() * size_of::<Row>()
    }
}

/// The map with the agents that one of them sees as walls, and its agitation as noise.
struct Neighbourhood<'a> {
    view: View<'a>,
    ground: &'a Ground,
    agent: AgentId,
    from: Cell,
    here: Pos,
    target: Cell,
    sight: i64,
    agitation: u32,
    shift: u32,
    /// The most promising held cell that the search came to, and the way over it.
    shut_by: Option<(Cost, Cell)>,
}

impl<'a> Neighbourhood<'a> {
    fn new(view: &View<'a>, agent: AgentId, sight: i64, rows: &[Row]) -> Self {
        let (ground, from) = (view.ground(agent), view.at(agent));
        let (target, agitation) = (view.target(agent).unwrap_or(from), rows[agent.index()].agitation);
        let (here, shift) = (ground.pos(from), span(ground).1);
        Self { view: *view, ground, agent, from, here, target, sight, agitation, shift, shut_by: None }
    }

    #[inline]
    fn is_held(&self, cell: Cell) -> bool {
        if self.view.occupancy().is_free(cell) || cell == self.target {
            return false;
        }
        let pos = self.ground.pos(cell);
        let (dx, dy) = (i64::from(pos.x - self.here.x), i64::from(pos.y - self.here.y));
        dx * dx + dy * dy <= self.sight
    }

    /// The most that agitation adds to a step.
    fn most_noise(&self) -> Cost {
        throng_grid::moves::STRAIGHT / 8 * self.agitation
    }

    /// What agitation adds to a step into a cell.
    #[inline]
    fn noise(&self, cell: Cell) -> Cost {
        if self.agitation == 0 {
            return 0;
        }
        let whim = self.view.whim(self.agent, u64::from(self.agitation) << 32 | u64::from(cell.0));
        // As coarse as the costs themselves, for the open list's sake.
        (whim % u64::from(self.most_noise() + 1)) as Cost >> self.shift << self.shift
    }
}

impl Space for Neighbourhood<'_> {
    fn nodes(&self) -> usize {
        self.ground.size().area()
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let cell = Cell(at.node);
        for (direction, to) in self.ground.neighbours(cell) {
            let cost = self.ground.cost(cell, direction) + self.noise(to);
            let g = at.known.g.saturating_add(cost);
            if self.is_held(to) {
                let left = EmptyMap::to_cell(self.ground, self.target).lower(to.0);
                let over = (g.saturating_add(left), to);
                self.shut_by = Some(self.shut_by.map_or(over, |best| best.min(over)));
            } else {
                propose(Successor { node: to.0, g, parent: at.node, tag: direction as u8 });
            }
        }
    }
}
