//! Cells at times: the space in which one agent plans around the reservations of the others.
//!
//! D. Silver, *Cooperative Pathfinding*, AIIDE 2005. A node is a cell at a time; from it an agent waits or makes a
//! legal move, to cells that nobody has reserved for the next time, unless that were to change places with somebody.
//! A move costs its length, waiting as much as a straight step on the cheapest terrain, and nothing in the agent's
//! own place, so that agents which have arrived go on planning, step aside and come back.
//!
//! Beyond the paper: an agent that steps once in `pace` ticks is `pace` times later in the next cell and holds it
//! all that while; units that are not ours to move block their cell at every time.

use throng_grid::{Cell, Cost, Ground};
use throng_search::{Distance, EmptyMap, Expansion, Heuristic, Rra, Space, Successor};

use crate::{AgentId, Occupancy, Occupant, Timetable};

/// The cells of a ground at `now` and the `depth` times after it, as one agent may use them. Node `t * area + cell`
/// is a cell at time `now + t`.
#[derive(Clone, Copy, Debug)]
pub struct SpaceTime<'a> {
    /// The map as the agent sees it.
    pub ground: &'a Ground,
    /// Who stands where now.
    pub occupancy: &'a Occupancy,
    /// By agents' numbers: those that stay where they are, for all that is known.
    pub fixed: &'a [bool],
    /// What the others have reserved; what the agent itself has does not matter.
    pub timetable: &'a Timetable,
    /// Who plans.
    pub agent: AgentId,
    /// It steps once in this many ticks.
    pub pace: u32,
    /// Waiting here costs nothing.
    pub place: Cell,
    /// The time of the agents' present positions.
    pub now: u64,
    /// How many times there are after it.
    pub depth: u32,
}

impl SpaceTime<'_> {
    /// The cell of a node.
    #[inline]
    pub fn cell(&self, node: u32) -> Cell {
        Cell(node % self.ground.size().area() as u32)
    }

    /// How many times after now a node is.
    #[inline]
    pub fn time(&self, node: u32) -> u32 {
        node / self.ground.size().area() as u32
    }

    /// Whether the agent may be in a cell at a time after now, for all that others have reserved.
    #[inline]
    pub fn is_open(&self, cell: Cell, time: u32) -> bool {
        self.timetable.at(cell, self.now + u64::from(time)).is_none_or(|other| other == self.agent)
    }

    /// Whether the agent, at a time, may step from a cell to a neighbouring one.
    #[inline]
    pub fn may_step(&self, from: Cell, to: Cell, time: u32) -> bool {
        let last = (time + self.pace).min(self.depth.max(time + 1));
        (time + 1..=last).all(|time| self.is_open(to, time))
            && !self.is_fixed(to)
            && !self.swaps(from, to, time)
    }

    /// Whether whoever is in a cell now stays there.
    #[inline]
    fn is_fixed(&self, cell: Cell) -> bool {
        match self.occupancy.at(cell) {
            Occupant::Nobody => false,
            Occupant::Foreign => true,
            Occupant::Agent(other) => other != self.agent && self.fixed[other.index()],
        }
    }

    #[inline]
    fn swaps(&self, from: Cell, to: Cell, time: u32) -> bool {
        if time > 0 {
            return self.timetable.swaps(from, to, self.now + u64::from(time));
        }
        let next = self.timetable.at(from, self.now + 1);
        next.is_some_and(|other| self.occupancy.agent(to) == Some(other))
    }

    /// What waiting for one time costs, away from the agent's place.
    #[inline]
    fn patience(&self) -> Cost {
        throng_grid::moves::STRAIGHT / 2 * Cost::from(self.ground.profile().least_halves())
    }
}

impl Space for SpaceTime<'_> {
    fn nodes(&self) -> usize {
        self.ground.size().area() * (self.depth as usize + 1)
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let area = self.ground.size().area() as u32;
        let (cell, time) = (self.cell(at.node), self.time(at.node));
        if time == self.depth {
            return;
        }
        let mut reach = |cell: Cell, time: u32, cost: Cost| {
            let node = time * area + cell.0;
            propose(Successor { node, g: at.known.g.saturating_add(cost), parent: at.node, tag: 0 });
        };
        if self.is_open(cell, time + 1) {
            reach(cell, time + 1, if cell == self.place { 0 } else { self.patience() });
        }
        for (direction, to) in self.ground.neighbours(cell) {
            if self.may_step(cell, to, time) {
                reach(to, (time + self.pace).min(self.depth), self.ground.cost(cell, direction));
            }
        }
    }

    fn unpack(&self, parent: u32, node: u32, _: u8, cells: &mut Vec<Cell>) {
        // A slow agent is in the next cell all the while.
        for _ in self.time(parent)..self.time(node) {
            cells.push(self.cell(node));
        }
    }
}

/// The way that is left from a cell, whatever the time: exactly, as far as a reverse search knows it or may still find
/// it out, otherwise as on an empty map.
#[derive(Debug)]
pub struct WayLeft<'a> {
    ground: &'a Ground,
    empty: EmptyMap,
    exact: Option<(&'a mut Rra, u64)>,
}

impl<'a> WayLeft<'a> {
    /// To a place, by a reverse search that may expand so many nodes more.
    pub fn new(ground: &'a Ground, place: Cell, exact: Option<(&'a mut Rra, u64)>) -> Self {
        Self { ground, empty: EmptyMap::to_cell(ground, place), exact }
    }
}

impl Heuristic for WayLeft<'_> {
    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        let cell = Cell(node % self.ground.size().area() as u32);
        let Some((rra, left)) = &mut self.exact else { return self.empty.lower(cell.0) };
        let before = rra.expansions();
        let distance = rra.distance(self.ground, cell, *left);
        *left -= rra.expansions() - before;
        match distance {
            Distance::Exactly(cost) => cost,
            Distance::NotYet | Distance::Unreachable => self.empty.lower(cell.0),
        }
    }
}
