//! Joint search for a few agents that block each other where priorities alone do not resolve the deadlock.
//!
//! At the end of a corridor two agents may have to change their order: both leave it and enter it again in the other
//! order. Each of them alone would turn back at once. So the few agents are planned for together, in the cells around
//! them, by a best-first search over their joint positions. All other agents are obstacles. The path found is executed
//! step by step before all other agents decide.

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Crossings, Limits, StateError, Validate, View};
use throng_grid::{Cell, Cost, Ground};
use throng_search::open_list::Heap;
use throng_search::{BestFirst, Policy, SparseStore, Status};
use throng_toolkit::TimeSliced;

use super::exits::exits;
use super::guidance::Guidance;
use super::joint_space::{JointSpace, NONE, Packing, StepsLeft};

/// Most agents that are planned for together. Four members in the open have 6,561 joint steps, in corridors 81.
pub(super) const MAX_MEMBERS: usize = 4;
/// Most agents that are planned for together if some cell has more than [`NARROW`] moves.
const MAX_MEMBERS_IN_THE_OPEN: usize = 3;
/// Most moves of a cell, waiting included, that counts as narrow.
const NARROW: u64 = 5;
/// Most cells of a joint search. Fewer with many members, so that the number of a node fits [`Packing`].
const MAX_CELLS: usize = 200;
/// Work after which a joint search is given up the first time. Its members wait meanwhile.
const FIRST_MAX_UNITS: u64 = 50_000;
/// After each failure the limit doubles, this often.
const DOUBLINGS: u32 = 3;
const LAST_MAX_UNITS: u64 = FIRST_MAX_UNITS << DOUBLINGS;
/// Every sixth time only the first member has to reach its goal, at the cost of the others.
const SELFISH_PERIOD: u32 = 6;
/// No expansion costs more units of work.
const MAX_EXPANSION_PRICE: u64 = 1 << 20;

/// The result of a slice of the search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum JointResult {
    /// The cells of all members after each step.
    Found(Vec<Cell>),
    /// There is no joint path, or it takes too much work.
    Failed,
    /// The map has changed.
    Outdated,
    /// The search needs more work.
    #[default]
    Paused,
}

/// Plans for one group of agents after the other and keeps its memory.
///
/// After loading, the next [`JointSearch::advance`] makes the expansions again that were paid for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct JointSearch {
    /// The agents that are planned for, and their cells, in which they wait until the search is done.
    members: Vec<(AgentRow, Cell)>,
    /// The cells around the members.
    cells: Vec<Cell>,
    /// The fingerprint of the map.
    #[serde(with = "postcard::fixint::le")]
    map: u64,
    /// By member and index: the steps to the member's goal.
    steps_left: Vec<Vec<Cost>>,
    /// Price of one expansion, in units of work.
    price: u64,
    /// Units of work after which the search is given up.
    max_units: u64,
    /// The number of expansions made.
    expansions: u64,
    /// By cell of the map: its index in `cells`; [`NONE`] for other cells.
    #[serde(skip)]
    places: Vec<u8>,
    /// By index: the indices of the cell itself and its neighbours. Empty after loading.
    #[serde(skip)]
    next: Vec<[u8; 9]>,
    #[serde(skip, default = "new_search")]
    search: BestFirst<SparseStore, Heap>,
    #[serde(skip)]
    result: JointResult,
}

fn new_search() -> BestFirst<SparseStore, Heap> {
    let policy = Policy { history: false, ..Policy::default() };
    BestFirst::new(SparseStore::default(), Heap::default(), policy)
}

impl Default for JointSearch {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            cells: Vec::new(),
            map: 0,
            steps_left: Vec::new(),
            price: 1,
            max_units: FIRST_MAX_UNITS,
            expansions: 0,
            places: Vec::new(),
            next: Vec::new(),
            search: new_search(),
            result: JointResult::Paused,
        }
    }
}

impl TimeSliced for JointSearch {
    fn agent(&self) -> AgentRow {
        self.members[0].0
    }

    fn is_done(&self) -> bool {
        self.result != JointResult::Paused
    }
}

impl JointSearch {
    /// Returns the agents that are planned for.
    pub(super) fn members(&self) -> impl Iterator<Item = AgentRow> {
        self.members.iter().map(|&(member, _)| member)
    }

    /// Starts a search for agents that are close together. The goals are their targets, or the exits towards them: for all
    /// members, or for the first one only. Returns false if no member has to move.
    pub(super) fn start(
        &mut self,
        view: &View<'_>,
        guidance: &Guidance,
        members: &[AgentRow],
        failed: u32,
    ) -> bool {
        self.max_units = FIRST_MAX_UNITS << failed.min(DOUBLINGS);
        self.members.clear();
        self.members.extend(members.iter().map(|&member| (member, view.at(member))));
        let ground = view.ground(members[0]);
        self.gather_cells(view);
        if !self.link_cells(ground) && members.len() > MAX_MEMBERS_IN_THE_OPEN {
            self.members.truncate(MAX_MEMBERS_IN_THE_OPEN);
            self.gather_cells(view);
            self.link_cells(ground);
        }
        self.steps_left.resize_with(self.members.len(), Vec::new);
        for i in 0..self.members.len() {
            self.find_steps_left(view, guidance, i, i == 0 || failed % SELFISH_PERIOD != SELFISH_PERIOD - 1);
        }
        (self.map, self.expansions, self.result) = (ground.fingerprint(), 0, JointResult::Paused);
        self.prepare()
    }

    /// Sets up the open list. Returns true if any member has to move.
    fn prepare(&mut self) -> bool {
        let (mut start, mut any_moves) = (0, false);
        let packing = Packing::of(self.members.len());
        for (i, &(_, cell)) in self.members.iter().enumerate() {
            let Some(at) = self.place(cell) else { return false };
            start |= packing.put(i, at);
            any_moves |= self.steps_left[i][at] != 0;
        }
        let space = JointSpace::new(&self.next, &self.steps_left);
        self.search.begin(&space);
        self.search.add_source(start, 0, &mut StepsLeft(space));
        any_moves
    }

    /// Takes the result of a finished search.
    pub(super) fn take_result(&mut self) -> JointResult {
        std::mem::replace(&mut self.result, JointResult::Paused)
    }

    /// Returns the price of one expansion, in units of work.
    pub(super) fn price(&self) -> u64 {
        self.price
    }

    /// Continues for at most `limit` expansions and returns how many it made.
    pub(super) fn advance(&mut self, view: &View<'_>, limit: u64) -> u64 {
        let ground = view.ground(self.agent());
        if ground.fingerprint() != self.map {
            self.result = JointResult::Outdated;
            return 0;
        }
        if self.next.is_empty() && !self.resume(view) {
            self.result = JointResult::Failed;
            return 0;
        }
        let max_expansions = self.max_units / self.price;
        let before = self.search.expansions();
        let status = self.expand(view, limit.min(max_expansions - before.min(max_expansions)));
        self.expansions = self.search.expansions();
        self.result = match status {
            Status::Found(node) => JointResult::Found(self.steps(node)),
            Status::Paused if self.expansions < max_expansions => JointResult::Paused,
            _ => JointResult::Failed,
        };
        self.expansions - before
    }

    /// After loading: makes the expansions again. Returns false if there is nothing to search.
    fn resume(&mut self, view: &View<'_>) -> bool {
        let ground = view.ground(self.agent());
        self.places.resize(ground.size().area(), NONE);
        for cell in std::mem::take(&mut self.cells) {
            self.add(cell);
        }
        self.link_cells(ground);
        let any_moves = self.prepare();
        if any_moves {
            self.expand(view, self.expansions);
        }
        any_moves
    }

    fn expand(&mut self, view: &View<'_>, limit: u64) -> Status {
        let mut space = JointSpace::new(&self.next, &self.steps_left);
        if view.crossings() == Crossings::Forbid {
            space = space.without_crossings(&self.cells, view.grid().size());
        }
        let is_goal = |node: u32| space.is_goal(node);
        self.search.resume(&mut { space }, &mut StepsLeft(space), is_goal, limit, &mut ())
    }

    fn steps(&self, node: u32) -> Vec<Cell> {
        let (mut path, space) = (Vec::new(), JointSpace::new(&self.next, &self.steps_left));
        self.search.trace(&space, node, &mut path);
        let cell = |at: Cell, member| self.cells[space.packing.place(at.0, member)];
        path[1..].iter().flat_map(|&at| (0..self.members.len()).map(move |i| cell(at, i))).collect()
    }

    /// Returns the memory held, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.search.store().memory_bytes() + self.search.memory_bytes() + self.places.capacity()
    }

    fn place(&self, cell: Cell) -> Option<usize> {
        let place = *self.places.get(cell.index())?;
        (place != NONE).then_some(usize::from(place))
    }

    fn add(&mut self, cell: Cell) {
        self.places[cell.index()] = self.cells.len() as u8;
        self.cells.push(cell);
    }

    /// Gathers the cells around the members that no other unit occupies, breadth first.
    fn gather_cells(&mut self, view: &View<'_>) {
        let ground = view.ground(self.agent());
        let max_cells = MAX_CELLS.min(Packing::of(self.members.len()).cells());
        self.clear_cells(ground);
        for i in 0..self.members.len() {
            self.add(self.members[i].1);
        }
        let mut done = 0;
        while done < self.cells.len() {
            for (_, to) in ground.neighbours(self.cells[done]) {
                let open = match view.occupancy().agent(to) {
                    Some(other) => self.members().any(|member| member == other),
                    None => view.occupancy().is_free(to),
                };
                if self.cells.len() < max_cells && open && self.place(to).is_none() {
                    self.add(to);
                }
            }
            done += 1;
        }
    }

    fn clear_cells(&mut self, ground: &Ground) {
        self.places.resize(ground.size().area(), NONE);
        for cell in self.cells.drain(..) {
            self.places[cell.index()] = NONE;
        }
    }

    /// Finds the moves between the cells and the price of an expansion, which combines the moves of all members. Measured:
    /// 2 µs for two members and 16 µs for three in the open; a unit is 0.08 µs. Returns true if all cells are narrow; then
    /// the average number of moves counts instead of the largest.
    fn link_cells(&mut self, ground: &Ground) -> bool {
        self.next.clear();
        let (mut moves, mut max_moves) = (0, 0);
        for (i, &cell) in self.cells.iter().enumerate() {
            let mut next = [NONE; 9];
            next[0] = i as u8;
            for (slot, (_, to)) in next[1..].iter_mut().zip(ground.neighbours(cell)) {
                *slot = self.places[to.index()];
            }
            let count = next.iter().filter(|&&to| to != NONE).count() as u64;
            (moves, max_moves) = (moves + count, max_moves.max(count));
            self.next.push(next);
        }
        let narrow = max_moves <= NARROW;
        let tenfold = if narrow { 10 * moves / self.cells.len().max(1) as u64 } else { 10 * max_moves };
        let count = self.members.len() as u32;
        self.price = tenfold.pow(count) * 3 / 10_u64.pow(count + 1) + 8;
        narrow
    }

    /// Finds the steps from each cell to a member's target, or to where its path leaves the cells. Without either, or if
    /// the member has no goal, all cells are its goal.
    fn find_steps_left(&mut self, view: &View<'_>, guidance: &Guidance, member: usize, has_goal: bool) {
        let (agent, _) = self.members[member];
        let target = view.target(agent).filter(|_| has_goal);
        let mut wave: Vec<u8> =
            target.and_then(|target| self.place(target)).map(|place| place as u8).into_iter().collect();
        if wave.is_empty() && target.is_some() {
            wave.extend(exits(view, guidance, agent, &self.cells).into_iter().map(|place| place as u8));
        }
        let left = &mut self.steps_left[member];
        left.clear();
        left.resize(self.cells.len(), if wave.is_empty() { 0 } else { Cost::MAX });
        for &place in &wave {
            left[usize::from(place)] = 0;
        }
        let mut done = 0;
        while done < wave.len() {
            let at = usize::from(wave[done]);
            done += 1;
            for &to in self.next[at].iter().filter(|&&to| to != NONE) {
                if left[usize::from(to)] == Cost::MAX {
                    left[usize::from(to)] = left[at] + 1;
                    wave.push(to);
                }
            }
        }
    }
}

impl Validate for JointSearch {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { members, cells, map: _, steps_left, price, max_units, expansions, .. } = self;
        members.validate(limits)?;
        cells.validate(limits)?;
        let distinct = |list: &mut dyn Iterator<Item = u32>| {
            let mut list: Vec<u32> = list.collect();
            list.sort_unstable();
            list.is_sorted_by(|a, b| a < b)
        };
        limits.require(
            distinct(&mut members.iter().map(|member| member.0.0)),
            "an agent is in a joint search twice",
        )?;
        limits
            .require(distinct(&mut cells.iter().map(|cell| cell.0)), "a cell is in a joint search twice")?;
        limits.require(
            (1..=MAX_MEMBERS).contains(&members.len()),
            "a joint search has no or too many agents",
        )?;
        let max_cells = MAX_CELLS.min(Packing::of(members.len()).cells());
        limits.at_most(cells.len() as u64, max_cells as u64, "the cells of a joint search")?;
        let is_distance = |&steps: &Cost| steps == Cost::MAX || steps as usize <= cells.len();
        let fits = |steps: &Vec<Cost>| steps.len() == cells.len() && steps.iter().all(is_distance);
        limits.require(
            steps_left.len() == members.len() && steps_left.iter().all(fits),
            "a joint search lacks distances",
        )?;
        limits.require((1..=MAX_EXPANSION_PRICE).contains(price), "an expansion has an impossible price")?;
        limits.at_most(*max_units, LAST_MAX_UNITS, "the work of a joint search")?;
        limits.at_most(*expansions, LAST_MAX_UNITS, "the work of a joint search")
    }
}
