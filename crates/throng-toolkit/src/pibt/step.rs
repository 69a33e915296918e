//! The PIBT step: one joint step of all agents by priority inheritance with backtracking.
//!
//! K. Okumura, M. Machida, X. Défago, Y. Tamura, *Priority Inheritance with Backtracking for Iterative Multi-Agent
//! Path Finding*, Artificial Intelligence 310, 2022. Agents decide in the order of their priorities. Each takes the
//! best cell that is still free in the next tick and to which its step crosses no other. If an undecided agent stands there, that agent inherits the priority and
//! decides next. If it finds no cell, the agent that pushed it tries its next best cell (backtracking).
//!
//! An agent that takes several ticks for its next step leaves its cell too late for an agent that wants it in this tick. That
//! agent still asks it to make room: it inherits the priority and decides, and then the other tries again, or the next cell.
//!
//! The recursion of the paper is a list here, so that a queue of ten thousand agents needs no deep stack. Every agent gets
//! a cell: one that finds nothing better stays, and its cell is taken.

use throng_grid::Cell;

use super::passage::{Passage, comes_to, exits};
use throng_crowd::OccupiedNext;
use throng_crowd::{AgentRow, Occupant};
use throng_crowd::{Moves, View};
use throng_search::Scratch;

/// Eight neighbours and the cell itself.
const CANDIDATES: usize = 9;

/// The number of agents whose memory is read before they decide. The lines that they read fit into the nearest cache.
const READ_AHEAD: usize = 32;
/// Maps with this many cells do not fit into caches: there the memory of agents is read ahead. On smaller maps that costs more than it saves.
const LARGE: usize = 1 << 20;

/// The next cells that an agent accepts, best first. A cell that is not listed is never taken.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    cells: [Cell; CANDIDATES],
    count: u8,
}

impl Default for Candidates {
    fn default() -> Self {
        Self { cells: [Cell(0); CANDIDATES], count: 0 }
    }
}

impl Candidates {
    /// Adds the next best cell.
    ///
    /// # Panics
    /// If there are more than nine, which is a bug of the planner.
    #[inline]
    pub fn push(&mut self, cell: Cell) {
        self.cells[usize::from(self.count)] = cell;
        self.count += 1;
    }

    /// Returns the cells, best first.
    #[inline]
    pub fn as_slice(&self) -> &[Cell] {
        &self.cells[..usize::from(self.count)]
    }

    /// Removes the cells that fail a test; the others keep their order.
    fn retain(&mut self, test: impl Fn(Cell) -> bool) {
        let mut kept = 0;
        for place in 0..usize::from(self.count) {
            let cell = self.cells[place];
            if test(cell) {
                self.cells[kept] = cell;
                kept += 1;
            }
        }
        self.count = kept as u8;
    }

    /// Reverses the order of preference.
    pub fn reverse(&mut self) {
        self.cells[..usize::from(self.count)].reverse();
    }
}

/// Sorts the cells around an agent: by distance to its target, then free cells before occupied ones, then at random.
#[derive(Clone, Copy, Debug)]
pub struct PreferenceList {
    random: u64,
    /// Distance, whether the cell is occupied, random bits, and the index of the cell, packed into one integer.
    keys: [u64; CANDIDATES],
    cells: [Cell; CANDIDATES],
    count: usize,
}

impl PreferenceList {
    /// Returns an empty list.
    pub fn new(view: &View<'_>, agent: AgentRow) -> Self {
        Self {
            random: view.random_per_tick(agent),
            keys: [0; CANDIDATES],
            cells: [Cell(0); CANDIDATES],
            count: 0,
        }
    }

    /// Adds a cell with its distance to the target. `number` is below nine and differs for each cell; it selects the random
    /// bits. `occupied` is true if another unit is in the cell.
    #[inline]
    pub fn add(&mut self, cell: Cell, number: u32, distance: i64, occupied: bool) {
        let random = self.random.rotate_right(7 * number) & 127;
        let key = ((distance + (1 << 40)) as u64) << 12
            | u64::from(occupied) << 11
            | random << 4
            | self.count as u64;
        self.cells[self.count] = cell;
        let mut slot = self.count;
        while slot > 0 && self.keys[slot - 1] > key {
            self.keys[slot] = self.keys[slot - 1];
            slot -= 1;
        }
        self.keys[slot] = key;
        self.count += 1;
    }

    /// Returns the cells, best first.
    pub fn sorted(&self) -> Candidates {
        let mut candidates = Candidates { count: self.count as u8, ..Candidates::default() };
        for (slot, key) in candidates.cells.iter_mut().zip(&self.keys[..self.count]) {
            *slot = self.cells[(key & 15) as usize];
        }
        candidates
    }
}

/// An agent that is deciding, and the number of cells it has tried.
#[derive(Clone, Copy, Debug)]
struct Deciding {
    agent: AgentRow,
    tried: u8,
    candidates: Candidates,
    /// The partner of a swap, which the agent pulls into the cell that it leaves.
    pulls: Option<AgentRow>,
    /// It keeps its cell for now, because an agent above it has only asked another to make room: it may have to stay.
    keeps: bool,
    /// Another agent has asked it to make room: it stays only if it finds nothing else.
    asked: bool,
}

/// The draft of a tick's joint step.
#[derive(Clone, Debug, Default)]
pub struct PibtStep {
    tick: u64,
    taken: Scratch<OccupiedNext>,
    /// The next cell of each agent, stamped with the tick.
    next: Vec<(u64, Cell)>,
    /// The agents that were pushed in this tick, and the agents that pushed them, in the order of the pushes.
    pushes: Vec<(AgentRow, AgentRow)>,
    /// The agent that pushed each agent last, stamped with the tick.
    pushed_by: Vec<(u64, AgentRow)>,
    deciding: Vec<Deciding>,
}

impl PibtStep {
    /// Allocates memory for a map with this many cells in advance.
    pub fn with_capacity(cells: usize) -> Self {
        Self { taken: OccupiedNext::with_capacity(cells).into(), ..Self::default() }
    }

    /// Begins the draft of a tick. Agents that may not step keep their cells.
    pub fn begin(&mut self, view: &View<'_>) {
        self.tick = view.tick();
        self.taken.begin(view.grid().size().area());
        self.next.resize(view.id_limit(), (0, Cell(0)));
        self.pushes.clear();
        self.pushed_by.resize(view.id_limit(), (0, AgentRow(0)));
        for &agent in view.agents() {
            if !view.may_step(agent) {
                self.take(agent, view.at(agent));
                view.tail(agent).into_iter().for_each(|tail| self.taken.set(tail, agent));
            }
        }
    }

    /// Returns the next cell of an agent, if it is decided.
    #[inline]
    pub fn next(&self, agent: AgentRow) -> Option<Cell> {
        let &(tick, cell) = self.next.get(agent.index())?;
        (tick == self.tick).then_some(cell)
    }

    /// Returns the next cell of each agent, by the agents' numbers.
    pub fn decided(&self) -> impl Iterator<Item = Option<Cell>> {
        (0..self.next.len() as u32).map(|agent| self.next(AgentRow(agent)))
    }

    /// Returns the agents that inherited a priority in this tick, each with the agent from which it did, in order.
    pub fn pushes(&self) -> &[(AgentRow, AgentRow)] {
        &self.pushes
    }

    /// Returns the agent that has taken a cell for the next tick.
    #[inline]
    pub fn next_occupant(&self, cell: Cell) -> Option<AgentRow> {
        self.taken.at(cell)
    }

    /// Returns the agent whose decided step crosses a step, where that is forbidden.
    #[inline]
    pub fn crossing(&self, view: &View<'_>, from: Cell, to: Cell) -> Option<AgentRow> {
        let [side, opposite] = view.guarded(from, to)?;
        let goes = |from, to| view.standing(from).filter(|&other| self.next(other) == Some(to));
        goes(side, opposite).or_else(|| goes(opposite, side)).or_else(|| view.crosses_step(from, to))
    }

    /// Takes a cell for an agent. The step must be legal, must not cross another, and the cell must not be taken.
    #[inline]
    pub fn take(&mut self, agent: AgentRow, cell: Cell) {
        self.taken.set(cell, agent);
        self.next[agent.index()] = (self.tick, cell);
    }

    /// Takes a cell for an agent like [`PibtStep::take`], and its present cell if it holds that in this tick.
    #[inline]
    pub fn go(&mut self, view: &View<'_>, agent: AgentRow, to: Cell) {
        let at = view.at(agent);
        if to != at && view.step_ticks(agent, to) > 1 {
            self.taken.set(at, agent);
        }
        self.take(agent, to);
    }

    /// Returns true if a step of an agent would hold its cell in this tick, and another agent has taken it.
    #[inline]
    pub fn is_too_slow(&self, view: &View<'_>, agent: AgentRow, to: Cell) -> bool {
        let at = view.at(agent);
        to != at
            && view.step_ticks(agent, to) > 1
            && self.next_occupant(at).is_some_and(|other| other != agent)
    }

    /// Keeps all other agents out of a cell that no agent has taken.
    pub fn close(&mut self, cell: Cell, by: AgentRow) {
        if self.next_occupant(cell).is_none() {
            self.taken.set(cell, by);
        }
    }

    /// Decides for all undecided agents: those of `order`, by descending priority, then all others that may step.
    pub fn decide_all(&mut self, view: &View<'_>, order: &[AgentRow], preferences: &impl Preferences) {
        let is_large = view.grid().size().area() >= LARGE;
        for agents in order.chunks(READ_AHEAD).chain(view.movers().chunks(READ_AHEAD)) {
            if is_large {
                self.read_ahead(view, agents, preferences);
            }
            for &agent in agents {
                if self.next(agent).is_some() {
                    continue;
                }
                // An agent at its target stays, unless another has taken its cell.
                let at = view.at(agent);
                if view.target(agent).is_none_or(|target| target == at) && self.next_occupant(at).is_none() {
                    self.take(agent, at);
                } else {
                    self.decide(view, agent, preferences);
                }
            }
        }
    }

    /// Reads what the decisions of these agents begin with. Agents decide one after the other, each in another place of the memory; here the reads
    /// do not depend on each other, so that the processor waits for all of them at once.
    fn read_ahead(&self, view: &View<'_>, agents: &[AgentRow], preferences: &impl Preferences) {
        let mut read = 0;
        for &agent in agents {
            let at = view.at(agent);
            let best = preferences.best(view, agent).unwrap_or(at);
            read ^= self.next[agent.index()].0 ^ u64::from(view.target(agent).is_some());
            read ^= u64::from(view.occupancy().is_free(best)) ^ u64::from(self.next_occupant(best).is_some());
            read ^= u64::from(self.next_occupant(at).is_some());
        }
        std::hint::black_box(read);
    }

    /// Decides for an undecided agent and for the agents that it pushes.
    fn decide(&mut self, view: &View<'_>, agent: AgentRow, preferences: &impl Preferences) {
        let mut deciding = std::mem::take(&mut self.deciding);
        deciding.clear();
        deciding.push(self.begin_deciding(view, agent, preferences));
        while let Some(last) = deciding.last_mut() {
            let (agent, at) = (last.agent, view.at(last.agent));
            let Some(&wanted) = last.candidates.as_slice().get(usize::from(last.tried)) else {
                // No candidate is left: the agent stays, and the one that wanted its cell tries the next candidate.
                self.take(agent, at);
                deciding.pop();
                continue;
            };
            last.tried += 1;
            if last.asked && wanted == at {
                continue;
            }
            let is_taken = self.next_occupant(wanted).is_some_and(|by| !(by == agent && last.keeps));
            if is_taken || self.crossing(view, at, wanted).is_some() || self.is_too_slow(view, agent, wanted)
            {
                continue;
            }
            match view.occupancy().at(wanted) {
                Occupant::Foreign => {}
                Occupant::Agent(other) if other != agent => match self.next(other) {
                    // A swap.
                    Some(to) if to == at => {}
                    Some(_) => {
                        self.go(view, agent, wanted);
                        self.succeed(view, &mut deciding);
                    }
                    None => {
                        let leaves_at_once = view.leaves_at_once(other);
                        if leaves_at_once {
                            self.go(view, agent, wanted);
                        } else {
                            last.tried -= 1;
                            self.ask(view, &mut deciding);
                        }
                        self.pushes.push((other, agent));
                        self.pushed_by[other.index()] = (self.tick, agent);
                        let next = self.begin_deciding(view, other, preferences);
                        deciding.push(Deciding { asked: !leaves_at_once, ..next });
                    }
                },
                _ => {
                    self.go(view, agent, wanted);
                    self.succeed(view, &mut deciding);
                }
            }
        }
        self.deciding = deciding;
    }

    /// Has the agent that decides stay for now. It tries the same cell again when the agent in it has decided. If nothing is
    /// found, those that wait for it to leave stay, too.
    fn ask(&mut self, view: &View<'_>, deciding: &mut [Deciding]) {
        let (kept, count) = (self.first_waiting(view, deciding), deciding.len());
        let asking = deciding[count - 1].agent;
        self.next[asking.index()] = (self.tick, view.at(asking));
        // The cells of the others are taken by those below them.
        let first = &mut deciding[kept];
        if self.next_occupant(view.at(first.agent)).is_none() {
            self.taken.set(view.at(first.agent), first.agent);
            first.keeps = true;
        }
    }

    /// Returns the place of the first of the agents that wait for the last one to leave: that above the last one that asks.
    fn first_waiting(&self, view: &View<'_>, deciding: &[Deciding]) -> usize {
        let is_asking = |waiting: &Deciding| self.next(waiting.agent) == Some(view.at(waiting.agent));
        let below = &deciding[..deciding.len() - 1];
        below.iter().rposition(is_asking).map_or(0, |place| place + 1)
    }

    /// Ends the decisions of the last agent, which has a cell, and of those that wait for it to leave. The next one that has
    /// only asked goes on.
    fn succeed(&mut self, view: &View<'_>, deciding: &mut Vec<Deciding>) {
        let first = self.first_waiting(view, deciding);
        let Deciding { agent, keeps, .. } = deciding[first];
        if keeps
            && let Some(to) = self.next(agent)
            && to != view.at(agent)
            && view.step_ticks(agent, to) == 1
        {
            self.taken.free(view.at(agent), agent);
        }
        self.pull(view, &deciding[first..]);
        deciding.truncate(first);
    }

    fn begin_deciding(
        &mut self,
        view: &View<'_>,
        agent: AgentRow,
        preferences: &impl Preferences,
    ) -> Deciding {
        let mut candidates = preferences.candidates(view, agent);
        let pulls = preferences
            .swaps(view, agent)
            .then(|| self.partner(view, agent, &candidates, preferences))
            .flatten();
        if pulls.is_some() {
            candidates.reverse();
        } else {
            let at_rest = |cell| view.occupancy().agent(cell).filter(|&other| other != agent);
            candidates.retain(|cell| !at_rest(cell).is_some_and(|other| view.goes_around(agent, other)));
        }
        Deciding { agent, tried: 0, candidates, pulls, keeps: false, asked: false }
    }

    /// Lets agents that stepped back for a swap pull their partners into the cells that they leave.
    fn pull(&mut self, view: &View<'_>, deciding: &[Deciding]) {
        for last in deciding {
            let at = view.at(last.agent);
            if let Some(other) = last.pulls
                && last.tried == 1
                && self.next(last.agent) != Some(at)
                && self.next(other).is_none()
                && self.next_occupant(at).is_none()
                && view.ground(other).legal_step(view.at(other), at).is_some()
                && self.crossing(view, view.at(other), at).is_none()
                && !self.is_too_slow(view, other, at)
            {
                self.go(view, other, at);
            }
        }
    }

    /// Returns the agent with which this one must swap cells, if the swap is possible.
    fn partner(
        &self,
        view: &View<'_>,
        agent: AgentRow,
        candidates: &Candidates,
        preferences: &impl Preferences,
    ) -> Option<AgentRow> {
        let (at, &best) = (view.at(agent), candidates.as_slice().first()?);
        if best == at {
            return None;
        }
        // Most agents are next to a junction, where nobody has to swap but with an agent at its target.
        let passage = Passage { view, preferences };
        let is_open = exits(view, view.ground(agent), best, at).0 > 1;
        if !(is_open && view.target(agent) != Some(at))
            && let Some(other) = view.standing(best)
            && self.next(other).is_none()
            && passage.must_swap(agent, other, at, best)
            && passage.can_swap(view.ground(agent), best, at)
        {
            return Some(other);
        }
        // An agent behind must get past this one, which makes room first, also if it is pushed by that agent.
        let behind = |(_, cell): (_, Cell)| view.standing(cell).filter(|_| cell != best);
        let may_meet = |other: &AgentRow| !is_open || comes_to(view, *other, agent);
        view.ground(agent).neighbours(at).filter_map(behind).filter(may_meet).find(|&other| {
            passage.must_swap(other, agent, at, best) && passage.can_swap(view.ground(agent), best, at)
        })
    }

    /// Proposes the decided move of every agent, or reports which unit blocks it. `wanted` returns the cell that an agent
    /// would enter if no other unit were there.
    pub fn propose_all(&self, view: &View<'_>, moves: &mut Moves, wanted: impl Fn(AgentRow) -> Option<Cell>) {
        for &agent in view.movers() {
            self.propose(view, moves, agent, &wanted);
        }
    }

    fn propose(
        &self,
        view: &View<'_>,
        moves: &mut Moves,
        agent: AgentRow,
        wanted: impl Fn(AgentRow) -> Option<Cell>,
    ) {
        let (at, Some(to)) = (view.at(agent), self.next(agent)) else { return };
        let resting = view.target(agent).is_none_or(|target| target == at);
        match self.pushed_by[agent.index()] {
            (tick, by) if tick == self.tick && to != at && resting => moves.push(agent, to, by),
            _ if to != at => moves.go(agent, to),
            _ if resting => {}
            _ => {
                let Some(wanted) = wanted(agent).filter(|&wanted| wanted != at) else { return };
                match (self.next_occupant(wanted), view.occupancy().at(wanted)) {
                    (Some(other), _) | (None, Occupant::Agent(other)) => {
                        moves.wait(agent, wanted, Some(other));
                    }
                    (None, Occupant::Foreign) => moves.wait(agent, wanted, None),
                    (None, Occupant::Nobody) => {
                        if let Some(other) = self.crossing(view, at, wanted) {
                            moves.wait(agent, wanted, Some(other));
                        }
                    }
                }
            }
        }
    }

    /// Returns the memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.taken.memory_bytes()
            + self.next.capacity() * size_of::<(u64, Cell)>()
            + self.pushes.capacity() * size_of::<(AgentRow, AgentRow)>()
            + self.pushed_by.capacity() * size_of::<(u64, AgentRow)>()
            + self.deciding.capacity() * size_of::<Deciding>()
    }
}

/// The preferences of the agents in a joint step.
pub trait Preferences {
    /// Returns the next cells that an agent accepts: legal steps and its own cell, best first.
    fn candidates(&self, view: &View<'_>, agent: AgentRow) -> Candidates;

    /// Returns the first of the [`Preferences::candidates`] of an agent if that is cheap to tell.
    fn best(&self, _view: &View<'_>, _agent: AgentRow) -> Option<Cell> {
        None
    }

    /// Returns the distance from a cell near an agent to the agent's target, if it is known. Distances are comparable only
    /// for the same agent.
    fn distance(&self, view: &View<'_>, agent: AgentRow, cell: Cell) -> Option<i64>;

    /// Returns true if an agent that meets another in a passage one cell wide may back out to swap with it.
    fn swaps(&self, view: &View<'_>, agent: AgentRow) -> bool;
}
