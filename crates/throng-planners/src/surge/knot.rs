//! A knot: a few agents in each other's way, in a place where priorities alone do not part them.
//!
//! At the end of a passage two agents may have to change their order: both come out, and go in again the other way
//! round. Each of them alone would turn back at once. So the few are planned for together, in the cells around them,
//! by a best-first search over where all of them stand; whoever else stands there is a wall. The way that is found is
//! carried out step by step before anybody else decides.

use throng_crowd::bytes::{Damaged, Reader, put, put_fixed};
use throng_crowd::{AgentId, View};
use throng_grid::{Cell, Cost, Ground};
use throng_search::open_list::Heap;
use throng_search::{
    BestFirst, Expansion, Heuristic, Policy, Space, SparseStore, Status, Successor, f_range,
};

use super::field::farther;
use super::fields::Fields;

/// Agents that are planned for together, at most.
pub(super) const MOST: usize = 4;
/// The same where there is room on all sides, and joint steps are many.
const MOST_IN_THE_OPEN: usize = 3;
/// Steps from a cell, itself included, at most, where it is narrow.
const NARROW: u64 = 5;
/// Cells looked at, at most; fewer with many members, so that nodes' numbers have [`BITS`].
const CELLS: usize = 200;
const BITS: u32 = 24;
/// Who is going farther than these cells has to come this near to where its way leaves them, in steps.
const EXIT: u32 = 6;
/// Units of work after which a knot is given up, the first time and at last: its members wait meanwhile.
const UNITS: u64 = 50_000;
const LARGER: u32 = 3;
const MOST_UNITS: u64 = UNITS << LARGER;
/// How much more the steps that are left count than those that were made: a way at all is wanted, soon, not the shortest.
const WEIGHT: Cost = 12;
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
    /// Units of work after which they are given up.
    units: u64,
    /// The cells around them.
    cells: Vec<Cell>,
    /// Where on the map which of them lies; [`NONE`] elsewhere.
    places: Vec<u8>,
    /// The next cells of each cell, itself included.
    next: Vec<[u8; 9]>,
    /// Units of work that one expansion counts.
    price: u64,
    /// Steps to each member's goal.
    left: [Vec<Cost>; MOST],
    search: BestFirst<SparseStore, Heap>,
    /// The map that is planned for.
    ground: u64,
    /// Loaded: how many expansions to do again once the map is at hand.
    redo: Option<u64>,
}

impl Untangler {
    pub(super) fn new() -> Self {
        let policy = Policy { history: false, ..Policy::default() };
        let search = BestFirst::new(SparseStore::default(), Heap::default(), policy);
        Self {
            members: Vec::new(),
            starts: Vec::new(),
            units: UNITS,
            cells: Vec::new(),
            places: Vec::new(),
            price: 1,
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

    /// Begins to plan for agents that are close together, to get where they want to go as far as that is near: all of
    /// them, or the first whatever becomes of the others. For nobody when none of them has to move.
    pub(super) fn begin(&mut self, view: &View<'_>, fields: &Fields, members: &[AgentId], failed: u32) {
        self.units = UNITS << failed.min(LARGER);
        self.members.clear();
        self.members.extend_from_slice(members);
        self.starts.clear();
        self.starts.extend(members.iter().map(|&member| view.at(member)));
        self.survey(view);
        if !self.link(view.ground(members[0])) && members.len() > MOST_IN_THE_OPEN {
            self.members.truncate(MOST_IN_THE_OPEN);
            self.starts.truncate(MOST_IN_THE_OPEN);
            self.survey(view);
            self.link(view.ground(members[0]));
        }
        for i in 0..self.members.len() {
            // Where nothing was found for all, one is let through at the cost of the others.
            self.measure(view, fields, i, i == 0 || failed % 6 != 5);
        }
        if !self.prepare(view.ground(members[0])) {
            self.give_up();
        }
    }

    /// Sets the search up from the cells, the members' places and what they have left. Answers whether any has to move.
    fn prepare(&mut self, ground: &Ground) -> bool {
        self.ground = ground.fingerprint();
        let (mut start, mut wanted, count) = (0, false, self.members.len());
        let packing = Packing::of(count);
        for i in 0..count {
            let Some(at) = self.place(self.starts[i]) else { return false };
            start |= packing.put(i, at);
            wanted |= self.left[i][at] != 0;
        }
        self.search.begin(&Joint { next: &self.next, left: &self.left[..count], packing });
        self.search.add_source(start, 0, &mut WayLeft(&self.left[..count], packing));
        wanted
    }

    /// Units of work that one expansion counts.
    pub(super) fn price(&self) -> u64 {
        self.price
    }

    /// Goes on for so many expansions; answers how many of them were not needed, and what came of it.
    pub(super) fn go_on(&mut self, view: &View<'_>, count: u64) -> (u64, Outcome) {
        if view.ground(self.members[0]).fingerprint() != self.ground {
            return (count, Outcome::Outdated);
        }
        if let Some(expansions) = self.redo.take() {
            self.link(view.ground(self.members[0]));
            if !self.prepare(view.ground(self.members[0])) {
                return (count, Outcome::Hopeless);
            }
            self.expand(expansions);
        }
        let most = self.units / self.price;
        let before = self.search.expansions();
        let status = self.expand(count.min(most - before.min(most)));
        let unused = count - (self.search.expansions() - before);
        let outcome = match status {
            Status::Found(node) => Outcome::Found(self.steps(node)),
            Status::Paused if self.search.expansions() < most => Outcome::NotYet,
            _ => Outcome::Hopeless,
        };
        (unused, outcome)
    }

    fn expand(&mut self, limit: u64) -> Status {
        let count = self.members.len();
        let (left, packing) = (&self.left[..count], Packing::of(count));
        let is_goal = |node: u32| (0..count).all(|i| left[i][packing.place(node, i)] == 0);
        let mut space = Joint { next: &self.next, left, packing };
        self.search.resume(&mut space, &mut WayLeft(left, packing), is_goal, limit, &mut ())
    }

    fn steps(&self, node: u32) -> Vec<Cell> {
        let (count, packing) = (self.members.len(), Packing::of(self.members.len()));
        let mut path = Vec::new();
        self.search.trace(&Joint { next: &self.next, left: &self.left[..count], packing }, node, &mut path);
        path[1..].iter().flat_map(|at| (0..count).map(|i| self.cells[packing.place(at.0, i)])).collect()
    }

    /// Bytes of memory held.
    pub(super) fn memory_bytes(&self) -> usize {
        self.search.store().memory_bytes() + self.search.memory_bytes() + self.places.capacity()
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
        for left in self.left[..self.members.len()].iter().flatten() {
            put(bytes, u64::from(*left));
        }
        put(bytes, self.price);
        put(bytes, self.units);
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
        self.places.resize(area, NONE);
        let most = CELLS.min(Packing::of(count as usize).cells());
        for _ in 0..reader.number_to(most as u64, what)? {
            let cell = Cell(reader.number_to(last, what)? as u32);
            if self.place(cell).is_some() {
                return Err(reader.damaged("cells around a knot, each once"));
            }
            self.add(cell);
        }
        self.ground = reader.fixed(what)?;
        for left in &mut self.left[..count as usize] {
            for _ in 0..self.cells.len() {
                left.push(reader.number_to(number, what)? as Cost);
            }
        }
        self.price = reader.number_to(1 << 20, what)?.max(1);
        self.units = reader.number_to(MOST_UNITS, what)?;
        self.redo = Some(reader.number_to(MOST_UNITS, what)?);
        Ok(())
    }

    fn place(&self, cell: Cell) -> Option<usize> {
        let place = *self.places.get(cell.index())?;
        (place != NONE).then_some(usize::from(place))
    }

    fn add(&mut self, cell: Cell) {
        self.places[cell.index()] = self.cells.len() as u8;
        self.cells.push(cell);
    }

    /// Gathers the cells around the members that nobody else stands on, nearest first.
    fn survey(&mut self, view: &View<'_>) {
        let ground = view.ground(self.members[0]);
        let most = CELLS.min(Packing::of(self.members.len()).cells());
        self.forget_cells(ground);
        for i in 0..self.starts.len() {
            self.add(self.starts[i]);
        }
        let mut done = 0;
        while done < self.cells.len() {
            for (_, to) in ground.neighbours(self.cells[done]) {
                let open = match view.occupancy().agent(to) {
                    Some(other) => self.members.contains(&other),
                    None => view.occupancy().is_free(to),
                };
                if self.cells.len() < most && open && self.place(to).is_none() {
                    self.add(to);
                }
            }
            done += 1;
        }
    }

    fn forget_cells(&mut self, ground: &Ground) {
        for cell in self.cells.drain(..) {
            self.places[cell.index()] = NONE;
        }
        self.places.resize(ground.size().area(), NONE);
    }

    /// Which cells can be reached from which in one step, and what an expansion costs: it looks at the steps of each with
    /// those of each other. Measured: 2 µs for two members and 16 µs for three where all nine are open, and a unit is
    /// 0.08 µs. Answers whether it is narrow everywhere; there cells have about as many steps as on average.
    fn link(&mut self, ground: &Ground) -> bool {
        self.next.clear();
        let (mut steps, mut most) = (0, 0);
        for (i, &cell) in self.cells.iter().enumerate() {
            let mut next = [NONE; 9];
            next[0] = i as u8;
            for (slot, (_, to)) in next[1..].iter_mut().zip(ground.neighbours(cell)) {
                *slot = self.places[to.index()];
            }
            let count = next.iter().filter(|&&to| to != NONE).count() as u64;
            (steps, most) = (steps + count, most.max(count));
            self.next.push(next);
        }
        let narrow = most <= NARROW;
        let tenfold = if narrow { 10 * steps / self.cells.len().max(1) as u64 } else { 10 * most };
        let count = self.members.len() as u32;
        self.price = tenfold.pow(count) * 3 / 10_u64.pow(count + 1) + 8;
        narrow
    }

    /// Steps from each cell to a member's target, or to where its way leaves the cells; without either it may be
    /// anywhere.
    fn measure(&mut self, view: &View<'_>, fields: &Fields, member: usize, wanted: bool) {
        let agent = self.members[member];
        let target = view.target(agent).filter(|_| wanted);
        let mut wave: Vec<u8> =
            target.and_then(|target| self.place(target)).map(|place| place as u8).into_iter().collect();
        if let Some(field) = fields.of(agent).filter(|_| wave.is_empty() && target.is_some()) {
            let ground = view.ground(agent);
            let far = |place: usize| field.distance(ground.pos(self.cells[place]));
            let least =
                (0..self.cells.len()).filter_map(far).reduce(|a, b| if farther(b, a) < 0 { b } else { a });
            let near = ((EXIT * ground.profile().min_step_costs()[0]) >> f_range(ground).1) as i32;
            let is_exit = |&place: &usize| matches!((far(place), least), (Some(far), Some(least)) if farther(far, least) <= near);
            wave.extend((0..self.cells.len()).filter(is_exit).map(|place| place as u8));
        }
        let left = &mut self.left[member];
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

/// How a node's number is made up of the members' cells.
#[derive(Clone, Copy)]
struct Packing(u32);

impl Packing {
    fn of(members: usize) -> Self {
        Self((BITS / members.max(1) as u32).min(8))
    }

    /// Cells that it can tell apart.
    fn cells(self) -> usize {
        1 << self.0
    }

    #[inline]
    fn put(self, member: usize, place: usize) -> u32 {
        (place as u32) << (self.0 * member as u32)
    }

    /// The cell of a member.
    #[inline]
    fn place(self, node: u32, member: usize) -> usize {
        (node >> (self.0 * member as u32)) as usize & (self.cells() - 1)
    }
}

/// Joint steps. A member that is not at its goal, or leaves it, costs 1.
struct Joint<'a> {
    next: &'a [[u8; 9]],
    left: &'a [Vec<Cost>],
    packing: Packing,
}

impl Joint<'_> {
    fn step(&self, at: Expansion, member: usize, so_far: (u32, Cost), propose: &mut impl FnMut(Successor)) {
        let (chosen, cost) = so_far;
        if member == self.left.len() {
            return propose(Successor { node: chosen, g: at.known.g + cost, parent: at.node, tag: 0 });
        }
        let from = self.packing.place(at.node, member);
        for &to in self.next[from].iter().filter(|&&to| to != NONE) {
            let to = usize::from(to);
            let clash = (0..member).any(|other| {
                let (was, is) = (self.packing.place(at.node, other), self.packing.place(chosen, other));
                is == to || (is == from && was == to)
            });
            if !clash && self.left[member][to] != Cost::MAX {
                let rests = to == from && self.left[member][to] == 0;
                self.step(
                    at,
                    member + 1,
                    (chosen | self.packing.put(member, to), cost + Cost::from(!rests)),
                    propose,
                );
            }
        }
    }
}

impl Space for Joint<'_> {
    fn nodes(&self) -> usize {
        1 << (self.packing.0 * self.left.len() as u32)
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        self.step(at, 0, (0, 0), &mut propose);
    }
}

/// The steps that all members together have left at least, weighted.
struct WayLeft<'a>(&'a [Vec<Cost>], Packing);

impl Heuristic for WayLeft<'_> {
    fn lower(&mut self, node: u32) -> Cost {
        let left = (0..self.0.len()).map(|i| self.0[i][self.1.place(node, i)]).fold(0, Cost::saturating_add);
        left.saturating_mul(WEIGHT)
    }
}
