//! The search of an agent that repairs its path, which goes on from round to round and from tick to tick until it is
//! done.
//!
//! Without an abstraction it is one search, to the target. With one, a way over the parts of sectors is found first
//! and then refined on the map: to the nearest cell of the next part, and from there to the one after it, or towards the
//! part after the next, of which way a share is kept. Whoever walks piece by piece and finds somebody in its way looks for a
//! way round first, back to its own path.

use throng_crowd::bytes::{Reader, put, put_state};
use throng_crowd::{AgentId, Limits, StateError, View};
use throng_grid::{Cell, Cost};
use throng_search::open_list::{Buckets, Heap};
use throng_search::spec::MILLION;
use throng_search::{CenterDistance, Sectors, Status, f_range};
use throng_toolkit::{DirectionLearner, DirectionMapVersion, PausedSearch, SlicedSearch, TimeSliced};

use super::above::Above;
use super::neighbourhood::{Goal, Neighbourhood};
use super::row::{Row, put_cells, read_cells};
use super::{MOST_AGITATED, Options};

/// The most expansions on the way round somebody.
const LONGEST_DETOUR: u64 = 64;
/// How much more the estimate counts for whoever walks piece by piece and is held up. Where nobody has walked, a step
/// costs several times its length, so that the estimate alone guides hardly, and one search after the other floods
/// the ground around a jam.
const HURRY: u64 = 3;

/// What all searches read.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) options: &'a Options,
    pub(super) learner: Option<&'a DirectionLearner>,
    /// The abstraction of each profile's ground, where there is one.
    pub(super) sectors: &'a [Option<Sectors>],
}

impl<'a> Surroundings<'a> {
    pub(super) fn new(
        view: &'a View<'a>,
        options: &'a Options,
        learner: Option<&'a DirectionLearner>,
        sectors: &'a [Option<Sectors>],
    ) -> Self {
        Self { view, options, learner, sectors }
    }
}

/// A search for one agent.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) kept: PausedSearch,
    /// How agitated the agent was when it began.
    agitation: u32,
    /// The cells of the way that its leader went then, in order.
    lead: Vec<Cell>,
    /// Those held by its company then, in order.
    company: Vec<Cell>,
    /// The direction map as it was then, for a search that goes on in a later tick.
    seen: DirectionMapVersion,
    /// Whether the way over the parts is still being looked for.
    above: bool,
    abstract_search: SlicedSearch<Heap>,
    search: SlicedSearch<Buckets>,
    pub(super) status: Status,
    /// A cell of each part on the way, in order.
    pub(super) route: Vec<Cell>,
    /// Whether the next part is to be left out.
    skip: bool,
    /// When only a way round somebody is looked for: the cell of the agent's path where it ends.
    pub(super) rejoin: Option<Cell>,
    /// The most expansions of one piece.
    most: u64,
    /// How much more the estimate counts than the cost so far, in millionths.
    weight: u64,
    /// The path so far, from where the agent stands.
    pub(super) path: Vec<Cell>,
    piece: Vec<Cell>,
    pub(super) shut_by: Option<(Cost, Cell)>,
    /// Expansions of the present slice.
    spent: u64,
}

impl Default for Job {
    fn default() -> Self {
        Self {
            kept: PausedSearch::default(),
            agitation: 0,
            lead: Vec::new(),
            company: Vec::new(),
            seen: DirectionMapVersion::default(),
            above: false,
            abstract_search: SlicedSearch::default(),
            search: SlicedSearch::default(),
            status: Status::Paused,
            route: Vec::new(),
            skip: false,
            rejoin: None,
            most: u64::MAX,
            weight: MILLION,
            path: Vec::new(),
            piece: Vec::new(),
            shut_by: None,
            spent: 0,
        }
    }
}

impl TimeSliced for Job {
    fn agent(&self) -> AgentId {
        self.kept.agent
    }

    fn is_done(&self) -> bool {
        self.status != Status::Paused
    }

    fn release(&mut self) {
        self.seen.forget();
    }
}

impl Job {
    /// Begins another search: for a path, or for a way round somebody to a cell of the path that the agent has.
    pub(super) fn assign(
        &mut self,
        around: Surroundings<'_>,
        (agent, target): (AgentId, Cell),
        row: &Row,
        rejoin: Option<Cell>,
    ) {
        self.kept.begin(around.view, agent, target);
        self.search.restart(0);
        self.abstract_search.restart(0);
        (self.status, self.shut_by, self.agitation) = (Status::Paused, None, row.agitation);
        self.seen.forget();
        self.lead.clear();
        self.company.clear();
        (self.skip, self.rejoin) = (row.skip, rejoin);
        let pieces = around.options.sectors.filter(|_| around.options.is_patient());
        let longest = pieces.map_or(u64::MAX, |sectors| sectors.longest_piece() << row.doublings());
        self.most = if rejoin.is_some() { LONGEST_DETOUR } else { longest };
        let held_up = pieces.is_some() && (row.failures > 0 || row.next(self.kept.from).is_some());
        self.weight = around.options.weight * if held_up { HURRY } else { 1 };
        self.path.clear();
        self.path.push(self.kept.from);
        self.route.clear();
        self.above = rejoin.is_none() && around.options.sectors.is_some();
        // Whoever goes on along its way over the parts needs no other.
        if self.above && pieces.is_some() {
            self.route.extend_from_slice(&row.route);
            self.above = self.place_on_route(around).is_none();
        }
    }

    /// Says which way a leader goes, whom the agent follows, and where those stand who go there too.
    pub(super) fn follow(&mut self, way: &[Cell], company: impl Iterator<Item = Cell>) {
        self.lead.extend_from_slice(way);
        self.lead.sort_unstable();
        self.company.extend(company);
        self.company.sort_unstable();
    }

    /// Whether any work has been done.
    pub(super) fn has_begun(&self) -> bool {
        self.path.len() > 1 || self.abstract_search.expansions() > 0 || self.search.expansions() > 0
    }

    /// Searches for at most `limit` expansions and returns how many were made.
    pub(super) fn advance(&mut self, around: Surroundings<'_>, limit: u64) -> u64 {
        self.spent = 0;
        loop {
            let left = limit - self.spent;
            let pauses = if self.above {
                self.advance_above(around, left);
                self.above
            } else {
                self.advance_below(around, left)
            };
            if pauses {
                return self.spent;
            }
        }
    }

    /// Looks for a way over the parts. When it is found, refinement begins.
    fn advance_above(&mut self, around: Surroundings<'_>, limit: u64) {
        let (ground, before) = (around.view.ground(self.kept.agent), self.abstract_search.expansions());
        let Some(sectors) = sectors_of(around, self.kept.agent) else {
            self.above = false;
            return;
        };
        let [from, to] = [self.kept.from, self.kept.target].map(|cell| sectors.node_of(ground, cell));
        let step_penalties = self.seen.sector_penalties(around.learner, self.kept.agent);
        let (mut graph, mut heuristic) =
            (Above::new(sectors, step_penalties), CenterDistance::new(sectors, to));
        let ends = (from, |node| node == to);
        let status = self.abstract_search.advance(&mut graph, &mut heuristic, ends, (0, 0), limit);
        self.spent += self.abstract_search.expansions() - before;
        match status {
            Status::Paused => {}
            Status::Found(node) => {
                self.abstract_search.search().trace(&graph, node, &mut self.piece);
                self.route.clear();
                self.route.extend(self.piece.iter().map(|node| sectors.sample(node.0)));
                self.above = false;
            }
            _ => (self.above, self.status) = (true, Status::Exhausted),
        }
    }

    /// Where on the route the path so far ends; nowhere when it has left the route, or the route is no way any more.
    fn place_on_route(&self, around: Surroundings<'_>) -> Option<usize> {
        let (ground, sectors) = (around.view.ground(self.kept.agent), sectors_of(around, self.kept.agent)?);
        let (end, &here) = (*self.route.last()?, self.path.last()?);
        let is_part = |cell: Cell, part: Cell| {
            ground.is_free(part) && sectors.node_of(ground, part) == sectors.node_of(ground, cell)
        };
        let leads_home =
            is_part(self.kept.target, end) && self.route.iter().all(|&cell| ground.is_free(cell));
        self.route.iter().rposition(|&part| is_part(here, part)).filter(|_| leads_home)
    }

    /// The part that comes next; none when that is where the target is.
    fn next_part<'a>(&self, around: Surroundings<'a>) -> Option<Goal<'a>> {
        let options = around.options.sectors?;
        let sectors = sectors_of(around, self.kept.agent)?;
        let at = self.place_on_route(around).unwrap_or(0);
        let first = self.path.len() == 1;
        let ahead = 1 + usize::from(options.cut.is_some()) + usize::from(self.skip && first);
        // The last part is entered at the target itself.
        let part = *self.route[..self.route.len().saturating_sub(1)].get(at + ahead)?;
        Some(Goal::Part(sectors, sectors.node_of(around.view.ground(self.kept.agent), part)))
    }

    /// Looks for the next piece of the path, and says whether there is nothing more to do now.
    fn advance_below(&mut self, around: Surroundings<'_>, limit: u64) -> bool {
        let next = if self.rejoin.is_none() { self.next_part(around) } else { None };
        let end = self.rejoin.unwrap_or(self.kept.target);
        let (from, goal) = (self.path[self.path.len() - 1], next.unwrap_or(Goal::Cell(end)));
        let mut space = space(around, &self.kept, &self.seen, goal);
        (space.agitation, space.shut_by) = (self.agitation, self.shut_by);
        (space.lead, space.company) = (&self.lead, &self.company);
        let (mut heuristic, expected) = (space.estimate(self.weight), space.f_range(self.weight));
        let (ground, before) = (space.ground, self.search.expansions());
        let ends = (from.0, |node| goal.is(ground, Cell(node)));
        let limit = limit.min(self.most - before.min(self.most));
        self.status = self.search.advance(&mut space, &mut heuristic, ends, expected, limit);
        self.shut_by = space.shut_by;
        if let Status::Found(node) = self.status {
            self.search.search().trace(&space, node, &mut self.piece);
        }
        self.spent += self.search.expansions() - before;
        if self.status == Status::Paused && self.search.expansions() >= self.most {
            self.status = Status::Exhausted;
        }
        if !matches!(self.status, Status::Found(_)) {
            return true;
        }
        self.path.extend_from_slice(&self.piece[1..]);
        let cut = around.options.sectors.and_then(|sectors| sectors.cut);
        if next.is_some() && cut.is_none() {
            // Another piece follows.
            self.search.restart(0);
            (self.status, self.shut_by) = (Status::Paused, None);
            return false;
        }
        self.shorten(around, cut.filter(|_| next.is_some()));
        true
    }

    /// Leaves of a path what is to be walked before planning again.
    fn shorten(&mut self, around: Surroundings<'_>, cut: Option<u64>) {
        if let Some(cut) = cut {
            let steps = (self.path.len() - 1) as u64;
            let kept = (steps * cut).div_ceil(MILLION).max(1) as usize;
            self.path.truncate(kept + 1);
        }
        if let Some(window) = around.options.directions.and_then(|directions| directions.window) {
            let size = around.view.grid().size();
            let here = size.pos(self.kept.from);
            let beyond = |&cell: &Cell| {
                let pos = size.pos(cell);
                let (dx, dy) = (u64::from(pos.x.abs_diff(here.x)), u64::from(pos.y.abs_diff(here.y)));
                dx * dx + dy * dy > window
            };
            let kept = self.path.iter().position(beyond).unwrap_or(self.path.len());
            self.path.truncate(kept.max(2));
        }
    }

    /// The tick ends before the search does.
    pub(super) fn pause(&mut self, around: Surroundings<'_>) {
        let everything = around.options.sectors.is_some();
        self.kept.pause(around.view, around.options.sight, self.search.expanded(), everything);
        self.seen.keep(around.learner);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let lists = [&self.path, &self.route, &self.piece, &self.lead, &self.company];
        let cells: usize = lists.iter().map(|list| list.capacity()).sum();
        let searches = self.search.memory_bytes() + self.abstract_search.memory_bytes();
        self.kept.memory_bytes() + searches + cells * size_of::<Cell>() + size_of::<Self>()
    }

    pub(super) fn save(&self, learner: Option<&DirectionLearner>, bytes: &mut Vec<u8>) {
        put(bytes, u64::from(self.agitation));
        put(bytes, u64::from(self.above));
        put(bytes, u64::from(self.skip));
        put(bytes, self.rejoin.map_or(0, |cell| u64::from(cell.0) + 1));
        put(bytes, self.most);
        put(bytes, self.weight);
        put(bytes, self.abstract_search.expansions());
        put(bytes, self.search.expansions());
        put_cells(bytes, &self.route);
        put_cells(bytes, &self.path);
        put_cells(bytes, &self.lead);
        put_cells(bytes, &self.company);
        put_state(bytes, &self.kept);
        put_state(bytes, &self.seen.saved(learner));
    }

    pub(super) fn load(
        reader: &mut Reader<'_>,
        limits: &Limits,
        learner: Option<&DirectionLearner>,
    ) -> Result<Self, StateError> {
        let cells = limits.size.area() as u64;
        let agitation = reader.number_to(u64::from(MOST_AGITATED), "an agitation")? as u32;
        let (above, skip) = (reader.flag("a flag")?, reader.flag("a flag")?);
        let rejoin = reader.number_to(cells, "a cell")?.checked_sub(1).map(|cell| Cell(cell as u32));
        let most = reader.number("a number of expansions")?;
        let weight = reader.number("a weight")?;
        let mut loaded = Self::default();
        loaded.abstract_search.restart(reader.number_to(cells, "a number of expansions")?);
        loaded.search.restart(reader.number_to(cells, "a number of expansions")?);
        let (route, path) = (read_cells(reader, cells)?, read_cells(reader, cells)?);
        if path.is_empty() {
            return Err(reader.damaged("a path that begins somewhere").into());
        }
        let (lead, company) = (read_cells(reader, cells)?, read_cells(reader, cells)?);
        let kept = reader.state(limits)?;
        let seen = DirectionMapVersion::restored(&reader.state(limits)?, learner)?;
        Ok(Self {
            kept,
            agitation,
            lead,
            company,
            seen,
            above,
            route,
            skip,
            rejoin,
            most,
            weight,
            path,
            ..loaded
        })
    }
}

/// What an agent's search searches.
fn space<'a>(
    around: Surroundings<'a>,
    kept: &'a PausedSearch,
    seen: &'a DirectionMapVersion,
    goal: Goal<'a>,
) -> Neighbourhood<'a> {
    let (view, agent) = (around.view, kept.agent);
    let ground = view.ground(agent);
    let here = ground.pos(kept.from);
    let window = around.options.directions.and_then(|directions| directions.window);
    let step_penalties = seen.step_penalties(around.learner, agent);
    let step_penalties = step_penalties
        .map(|step_penalties| window.map_or(step_penalties, |window| step_penalties.within(here, window)));
    Neighbourhood {
        view: *view,
        others: kept.visible_agents(view),
        ground,
        agent,
        here,
        goal,
        sight: around.options.sight,
        agitation: 0,
        step_penalties,
        predict: around.options.directions.is_some_and(|directions| directions.predict),
        lead: &[],
        company: &[],
        shift: f_range(ground).1,
        shut_by: None,
    }
}

/// The abstraction of an agent's ground.
fn sectors_of(around: Surroundings<'_>, agent: AgentId) -> Option<&Sectors> {
    around.sectors.get(usize::from(around.view.profile(agent).0))?.as_ref()
}
