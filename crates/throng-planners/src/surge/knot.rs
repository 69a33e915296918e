//! A knot: a few agents in each other's way, in a place where priorities alone do not part them.
//!
//! At the end of a passage two agents may have to change their order: both come out, and go in again the other way
//! round. Each of them alone would turn back at once. So the few are planned for together, in the cells around them,
//! by a best-first search over where all of them stand; whoever else stands there is a wall. The way that is found is
//! carried out step by step before anybody else decides.

use throng_crowd::bytes::{Damaged, Reader, put, put_fixed};
use throng_crowd::{AgentId, View};
use throng_grid::{Cell, Cost, Ground};
use throng_search::frontier::Heap;
use throng_search::{BestFirst, Expansion, Heuristic, Policy, Space, Sparse, Status, Successor};

/// Agents that are planned for together, at most: a byte each in a node's number.
pub(super) const MOST: usize = 3;
/// Cells looked at, at most.
const CELLS: usize = 120;
/// How far the cells reach beyond the agents and their targets.
const MARGIN: i32 = 4;
/// Joint steps looked at before a knot is given up.
const EXPANSIONS: u64 = 1_500;
/// No cell.
const NONE: u8 = u8::MAX;

/// What came of planning for a while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// Where the members are after each step, one after the other.
    Found(Vec<Cell>),
    /// There is no way, or it takes too long to find.
    Hopeless,
    /// The map has changed meanwhile.
    Outdated,
    /// It goes on with the next work granted.
    NotYet,
}

/// Plans for one knot after the other; keeps its memory.
#[derive(Debug)]
pub(super) struct Untangler {
    members: Vec<AgentId>,
    /// Where they stood when planning began; they wait meanwhile.
    starts: Vec<Cell>,
    /// The cells around them.
    cells: Vec<Cell>,
    /// The next cells of each cell, itself included.
    next: Vec<[u8; 9]>,
    /// Steps to each member's goal.
    left: [Vec<Cost>; MOST],
    search: BestFirst<Sparse, Heap>,
    /// The map that is planned for.
    ground: u64,
    /// Loaded: how many expansions to do again once the map is at hand.
    redo: Option<u64>,
}

impl Untangler {
    pub(super) fn new() -> Self {
        let policy = Policy { history: false, ..Policy::default() };
        let search = BestFirst::new(Sparse::default(), Heap::default(), policy);
        Self {
            members: Vec::new(),
            starts: Vec::new(),
            cells: Vec::new(),
            next: Vec::new(),
            left: Default::default(),
            search,
            ground: 0,
            redo: None,
        }
    }

    /// Those who are being planned for.
    pub(super) fn members(&self) -> &[AgentId] {
        &self.members
    }

    /// Stops planning.
    pub(super) fn give_up(&mut self) {
        self.members.clear();
        self.redo = None;
    }

    /// Begins to plan for agents that are close together, to reach those of their targets that are; for nobody when
    /// none of these is open to them.
    pub(super) fn begin(&mut self, view: &View<'_>, members: &[AgentId]) {
        self.members.clear();
        self.members.extend_from_slice(members);
        self.survey(view);
        self.starts.clear();
        self.starts.extend(members.iter().map(|&member| view.at(member)));
        if !self.prepare(view) {
            self.give_up();
        }
    }

    /// Sets the search up from the cells and the members' places.
    fn prepare(&mut self, view: &View<'_>) -> bool {
        let ground = view.ground(self.members[0]);
        self.ground = ground.fingerprint();
        self.link(ground);
        let mut start = 0;
        let mut wanted = false;
        for i in 0..self.members.len() {
            let Some(at) = self.place(self.starts[i]) else { return false };
            start |= (at as u32) << (8 * i);
            let goal = view.target(self.members[i]).and_then(|target| self.place(target));
            wanted |= goal.is_some_and(|goal| goal != at);
            self.measure(i, goal);
        }
        let count = self.members.len();
        self.search.begin(&Joint { next: &self.next, left: &self.left[..count] });
        self.search.add_source(start, 0, &mut WayLeft(&self.left[..count]));
        wanted
    }

    /// Units of work that one expansion counts: it looks at nine steps of each with nine of each other. Measured: 2 µs
    /// for two members and 16 µs for three, where a unit is 0.08 µs.
    pub(super) fn price(&self) -> u64 {
        9_u64.pow(self.members.len() as u32) * 3 / 10
    }

    /// Goes on for so many expansions; answers how many of them were not needed, and what came of it.
    pub(super) fn go_on(&mut self, view: &View<'_>, count: u64) -> (u64, Outcome) {
        if view.ground(self.members[0]).fingerprint() != self.ground {
            return (count, Outcome::Outdated);
        }
        if let Some(expansions) = self.redo.take() {
            if !self.prepare(view) {
                return (count, Outcome::Hopeless);
            }
            self.expand(expansions);
        }
        let before = self.search.expansions();
        let status = self.expand(count.min(EXPANSIONS - before.min(EXPANSIONS)));
        let unused = count - (self.search.expansions() - before);
        let outcome = match status {
            Status::Found(node) => Outcome::Found(self.steps(node)),
            Status::Paused if self.search.expansions() < EXPANSIONS => Outcome::NotYet,
            _ => Outcome::Hopeless,
        };
        (unused, outcome)
    }

    fn expand(&mut self, limit: u64) -> Status {
        let count = self.members.len();
        let left = &self.left[..count];
        let is_goal = |node: u32| (0..count).all(|i| left[i][byte(node, i)] == 0);
        let mut space = Joint { next: &self.next, left };
        self.search.resume(&mut space, &mut WayLeft(left), is_goal, limit, &mut ())
    }

    fn steps(&self, node: u32) -> Vec<Cell> {
        let count = self.members.len();
        let mut path = Vec::new();
        self.search.trace(&Joint { next: &self.next, left: &self.left[..count] }, node, &mut path);
        path[1..].iter().flat_map(|at| (0..count).map(|i| self.cells[byte(at.0, i)])).collect()
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.search.store().bytes() + self.search.bytes()
    }

    /// Writes what the plan under way has to be made again from.
    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.members.len() as u64);
        if self.members.is_empty() {
            return;
        }
        let expansions = self.redo.unwrap_or(self.search.expansions());
        self.members.iter().for_each(|member| put(bytes, u64::from(member.0)));
        self.starts.iter().for_each(|cell| put(bytes, u64::from(cell.0)));
        put(bytes, self.cells.len() as u64);
        self.cells.iter().for_each(|cell| put(bytes, u64::from(cell.0)));
        put_fixed(bytes, self.ground);
        put(bytes, expansions);
    }

    /// Takes back what [`Untangler::save`] wrote.
    pub(super) fn load(&mut self, reader: &mut Reader<'_>, area: usize) -> Result<(), Damaged> {
        let what = "a knot that is being planned for";
        let (number, last) = (u64::from(u32::MAX), (area as u64).saturating_sub(1));
        let count = reader.number_to(MOST as u64, what)?;
        if count == 0 {
            return Ok(());
        }
        for _ in 0..count {
            self.members.push(AgentId(reader.number_to(number, what)? as u32));
        }
        for _ in 0..count {
            self.starts.push(Cell(reader.number_to(last, what)? as u32));
        }
        for _ in 0..reader.number_to(CELLS as u64, what)? {
            self.cells.push(Cell(reader.number_to(last, what)? as u32));
        }
        self.ground = reader.fixed(what)?;
        self.redo = Some(reader.number_to(EXPANSIONS, what)?);
        Ok(())
    }

    fn place(&self, cell: Cell) -> Option<usize> {
        self.cells.iter().position(|&known| known == cell)
    }

    /// Gathers the cells around the members that nobody else stands on, nearest to the first of them first.
    fn survey(&mut self, view: &View<'_>) {
        self.cells.clear();
        let members = &self.members;
        let first = members[0];
        let (ground, at) = (view.ground(first), view.ground(first).pos(view.at(first)));
        let near = |cell: Cell| {
            let pos = ground.pos(cell);
            (pos.x - at.x).abs().max((pos.y - at.y).abs()) <= 8
        };
        let places =
            members.iter().flat_map(|&member| [Some(view.at(member)), view.target(member)]).flatten();
        let (mut least, mut most) = (at, at);
        for pos in places.filter(|&cell| near(cell)).map(|cell| ground.pos(cell)) {
            (least.x, least.y) = (least.x.min(pos.x), least.y.min(pos.y));
            (most.x, most.y) = (most.x.max(pos.x), most.y.max(pos.y));
        }
        let inside = |cell: Cell| {
            let pos = ground.pos(cell);
            pos.x >= least.x - MARGIN
                && pos.x <= most.x + MARGIN
                && pos.y >= least.y - MARGIN
                && pos.y <= most.y + MARGIN
        };
        let open = |cell: Cell| match view.occupancy().agent(cell) {
            Some(other) => members.contains(&other),
            None => view.occupancy().is_free(cell),
        };
        self.cells.push(view.at(first));
        let mut done = 0;
        while done < self.cells.len() {
            let cell = self.cells[done];
            for (_, to) in ground.neighbours(cell) {
                if self.cells.len() < CELLS && inside(to) && open(to) && !self.cells.contains(&to) {
                    self.cells.push(to);
                }
            }
            done += 1;
        }
    }

    /// Which cells can be reached from which in one step.
    fn link(&mut self, ground: &Ground) {
        self.next.clear();
        for (i, &cell) in self.cells.iter().enumerate() {
            let mut next = [NONE; 9];
            next[0] = i as u8;
            for (slot, (_, to)) in next[1..].iter_mut().zip(ground.neighbours(cell)) {
                *slot = self.cells.iter().position(|&known| known == to).map_or(NONE, |place| place as u8);
            }
            self.next.push(next);
        }
    }

    /// Steps to a member's goal from each cell; without a goal it may be anywhere.
    fn measure(&mut self, member: usize, goal: Option<usize>) {
        let left = &mut self.left[member];
        left.clear();
        left.resize(self.cells.len(), if goal.is_some() { Cost::MAX } else { 0 });
        let Some(goal) = goal else { return };
        left[goal] = 0;
        let mut wave = vec![goal as u8];
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

/// The cell of a member in a node's number.
#[inline]
const fn byte(node: u32, member: usize) -> usize {
    (node >> (8 * member) & 0xFF) as usize
}

/// Joint steps. A member that is not at its goal, or leaves it, costs 1.
struct Joint<'a> {
    next: &'a [[u8; 9]],
    left: &'a [Vec<Cost>],
}

impl Joint<'_> {
    fn step(&self, at: Expansion, member: usize, so_far: (u32, Cost), propose: &mut impl FnMut(Successor)) {
        let (chosen, cost) = so_far;
        if member == self.left.len() {
            return propose(Successor { node: chosen, g: at.known.g + cost, parent: at.node, tag: 0 });
        }
        let from = byte(at.node, member);
        for &to in self.next[from].iter().filter(|&&to| to != NONE) {
            let to = usize::from(to);
            let clash = (0..member).any(|other| {
                let (was, is) = (byte(at.node, other), byte(chosen, other));
                is == to || (is == from && was == to)
            });
            if !clash && self.left[member][to] != Cost::MAX {
                let rests = to == from && self.left[member][to] == 0;
                self.step(
                    at,
                    member + 1,
                    (chosen | (to as u32) << (8 * member), cost + Cost::from(!rests)),
                    propose,
                );
            }
        }
    }
}

impl Space for Joint<'_> {
    fn nodes(&self) -> usize {
        1 << (8 * self.left.len())
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        self.step(at, 0, (0, 0), &mut propose);
    }
}

/// The steps that all members together have left at least.
struct WayLeft<'a>(&'a [Vec<Cost>]);

impl Heuristic for WayLeft<'_> {
    fn lower(&mut self, node: u32) -> Cost {
        (0..self.0.len()).map(|i| self.0[i][byte(node, i)]).fold(0, Cost::saturating_add)
    }
}
