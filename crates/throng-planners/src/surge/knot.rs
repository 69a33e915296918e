//! A knot: a few agents in each other's way, in a place where priorities alone do not part them.
//!
//! At the end of a passage two agents may have to change their order: both come out, and go in again the other way
//! round. Each of them alone would turn back at once. So the few are planned for together, in the cells around them,
//! by a best-first search over where all of them stand; whoever else stands there is a wall. The way that is found is
//! carried out step by step before anybody else decides.

use throng_crowd::{AgentId, View};
use throng_grid::{Cell, Cost};
use throng_search::frontier::Heap;
use throng_search::{BestFirst, Expansion, Heuristic, Policy, Space, Sparse, Status, Successor};

/// Agents that are planned for together, at most: a byte each in a node's number.
pub(super) const MOST: usize = 3;
/// Cells looked at, at most.
const CELLS: usize = 120;
/// How far the cells reach beyond the agents and their targets.
const MARGIN: i32 = 4;
/// Joint steps looked at before a knot is given up.
const EXPANSIONS: u64 = 3_000;
/// Units of work that an expansion counts.
pub(super) const UNITS: u64 = 64;
/// No cell.
const NONE: u8 = u8::MAX;

/// Agents under way together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Knot {
    pub(super) members: Vec<AgentId>,
    /// Where the members are after each step, one after the other.
    pub(super) steps: Vec<Cell>,
    /// Steps carried out.
    pub(super) done: usize,
}

impl Knot {
    /// Where each member goes next.
    pub(super) fn next(&self) -> Option<&[Cell]> {
        self.steps.chunks_exact(self.members.len().max(1)).nth(self.done)
    }
}

/// Plans for knots; keeps its memory.
#[derive(Debug)]
pub(super) struct Untangler {
    search: BestFirst<Sparse, Heap>,
    cells: Vec<Cell>,
    /// The next cells of each cell, itself included.
    next: Vec<[u8; 9]>,
    left: [Vec<Cost>; MOST],
    pub(super) spent: u64,
}

impl Untangler {
    pub(super) fn new() -> Self {
        let policy = Policy { history: false, ..Policy::default() };
        let search = BestFirst::new(Sparse::default(), Heap::default(), policy);
        Self { search, cells: Vec::new(), next: Vec::new(), left: Default::default(), spent: 0 }
    }

    /// A way for agents that are close together to reach those of their targets that are.
    pub(super) fn untangle(&mut self, view: &View<'_>, members: &[AgentId]) -> Option<Knot> {
        self.spent = 0;
        self.survey(view, members);
        let mut start = 0;
        for (i, &member) in members.iter().enumerate() {
            start |= (self.place(view.at(member))? as u32) << (8 * i);
        }
        let mut wants_any = false;
        for (i, &member) in members.iter().enumerate() {
            let goal = view.target(member).and_then(|target| self.place(target));
            wants_any |= goal.is_some() && !view.is_home(member);
            self.measure(i, goal);
        }
        if !wants_any {
            return None;
        }
        let count = members.len();
        let mut space = Joint { next: &self.next, left: &self.left[..count] };
        let mut left = WayLeft(&self.left[..count]);
        self.search.begin(&space);
        self.search.add_source(start, 0, &mut left);
        let is_goal = |node: u32| (0..count).all(|i| self.left[i][byte(node, i)] == 0);
        let status = self.search.resume(&mut space, &mut left, is_goal, EXPANSIONS, &mut ());
        self.spent = self.search.expansions() * UNITS;
        let Status::Found(node) = status else { return None };
        let mut path = Vec::new();
        self.search.trace(&space, node, &mut path);
        let cells = &self.cells;
        let steps = path[1..].iter().flat_map(|at| (0..count).map(|i| cells[byte(at.0, i)])).collect();
        Some(Knot { members: members.to_vec(), steps, done: 0 })
    }

    fn place(&self, cell: Cell) -> Option<usize> {
        self.cells.iter().position(|&known| known == cell)
    }

    /// Gathers the cells around the members that nobody else stands on, nearest to the first of them first.
    fn survey(&mut self, view: &View<'_>, members: &[AgentId]) {
        self.cells.clear();
        self.next.clear();
        let first = members[0];
        let (ground, at) = (view.ground(first), view.ground(first).pos(view.at(first)));
        let near = |cell: Cell| {
            let pos = ground.pos(cell);
            (pos.x - at.x).abs().max((pos.y - at.y).abs()) <= 8
        };
        let places = members.iter().flat_map(|&member| [Some(view.at(member)), view.target(member)]).flatten();
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
                self.step(at, member + 1, (chosen | (to as u32) << (8 * member), cost + Cost::from(!rests)), propose);
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
