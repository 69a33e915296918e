//! Space-time: the graph in which one agent plans around the reservations of the others.
//!
//! D. Silver, *Cooperative Pathfinding*, AIIDE 2005. A node is a cell at a time; from it an agent waits or makes a
//! legal move, to a cell that is not reserved for the next time, and not by a swap or a forbidden crossing. A move costs its length. Waiting costs
//! as much as a straight step on the cheapest terrain, and nothing at the agent's own target, so that agents that have
//! arrived go on planning, step aside and come back.
//!
//! Beyond the paper: waiting costs half if a unit that will not leave occupies the target. An agent that steps once in
//! `ticks_per_step` ticks reaches the next cell that many ticks later. It occupies that cell during the whole step and the cell that it leaves until the last tick. Units that
//! are not controlled block their cell at every time.

use throng_grid::{Cell, Cost, Ground};
use throng_search::{Distance, Expansion, Heuristic, OctileDistance, Rra, Space, Successor};

use crate::ReservationTable;
use throng_crowd::{AgentRow, Crossings, Occupancy, Occupant, View};

/// The cells of a ground at `now` and the `depth` times after it, as one agent may use them. Node `t * area + cell` is a
/// cell at time `now + t`.
#[derive(Clone, Copy)]
pub struct SpaceTime<'a> {
    /// The map as the agent sees it.
    pub ground: &'a Ground,
    /// The present occupancy.
    pub occupancy: &'a Occupancy,
    /// By agent: whether it is expected to stay in its cell.
    pub fixed: &'a [bool],
    /// The reservations. Those of the agent itself are ignored.
    pub reservations: &'a ReservationTable,
    /// Whether agents may cross within a tick.
    pub crossings: Crossings,
    /// The agent that plans.
    pub agent: AgentRow,
    /// The world, if some agents may be in the middle of a step whose reservations have passed.
    pub view: Option<View<'a>>,
    /// The agent steps once in this many ticks.
    pub ticks_per_step: u32,
    /// The agent's target. Waiting there costs nothing.
    pub target: Cell,
    /// Whether a unit that will not leave occupies the target. Waiting elsewhere then costs half.
    pub target_is_blocked: bool,
    /// The time of the agents' present positions.
    pub now: u64,
    /// The number of times after it.
    pub depth: u32,
}

impl SpaceTime<'_> {
    /// Returns the cell of a node.
    #[inline]
    pub fn cell(&self, node: u32) -> Cell {
        Cell(node % self.ground.size().area() as u32)
    }

    /// Returns the time of a node, counted from now.
    #[inline]
    pub fn time(&self, node: u32) -> u32 {
        node / self.ground.size().area() as u32
    }

    /// Returns true if no other agent has reserved a cell at a time after now.
    #[inline]
    pub fn is_open(&self, cell: Cell, time: u32) -> bool {
        self.reservations.at(cell, self.now + u64::from(time)).is_none_or(|other| other == self.agent)
    }

    /// Returns true if the agent may step from a cell to a neighbouring one at a time.
    #[inline]
    pub fn may_step(&self, from: Cell, to: Cell, time: u32) -> bool {
        // Steps may end after the last time.
        let last = time + self.ticks_per_step;
        (time + 1..=last).all(|time| self.is_open(to, time))
            && (time + 1..last).all(|time| self.is_open(from, time))
            && !self.is_fixed(to)
            && !self.swaps(from, to, time)
            && !(time..last).any(|time| self.crosses(from, to, time))
    }

    /// Returns true if the unit in a cell stays there.
    #[inline]
    fn is_fixed(&self, cell: Cell) -> bool {
        match self.occupancy.at(cell) {
            Occupant::Nobody => false,
            Occupant::Foreign => true,
            Occupant::Agent(other) => other != self.agent && self.fixed[other.index()],
        }
    }

    /// Returns true if the agent in `to` at a time will be in `from` one time later.
    #[inline]
    fn swaps(&self, from: Cell, to: Cell, time: u32) -> bool {
        if time > 0 {
            return self.reservations.swaps(from, to, self.now + u64::from(time));
        }
        let next = self.reservations.at(from, self.now + 1);
        next.is_some_and(|other| self.occupancy.agent(to) == Some(other))
    }

    /// Returns true if another agent crosses a step, and that is forbidden.
    #[inline]
    fn crosses(&self, from: Cell, to: Cell, time: u32) -> bool {
        let Some([side, opposite]) = self.crossings.guarded(self.ground.size(), from, to) else {
            return false;
        };
        let under_way = self.view.filter(|_| time == 0).and_then(|view| view.crosses_step(from, to));
        self.swaps(side, opposite, time) || self.swaps(opposite, side, time) || under_way.is_some()
    }

    /// Returns the cost of waiting for one tick in a cell other than the target.
    #[inline]
    fn wait_cost(&self) -> Cost {
        // The open list needs costs that are multiples of a power of two. Half a step is such a multiple.
        self.ground.profile().min_step_costs()[0] >> u32::from(self.target_is_blocked)
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
            reach(cell, time + 1, if cell == self.target { 0 } else { self.wait_cost() });
        }
        for (direction, to) in self.ground.neighbours(cell) {
            if self.may_step(cell, to, time) {
                reach(to, (time + self.ticks_per_step).min(self.depth), self.ground.cost(cell, direction));
            }
        }
    }

    fn unpack(&self, parent: u32, node: u32, _: u8, cells: &mut Vec<Cell>) {
        // A slow agent is in the next cell during the whole step.
        for _ in self.time(parent)..self.time(node) {
            cells.push(self.cell(node));
        }
    }
}

/// The distance from a cell to the target at any time: exact if the reverse search finds it within its expansions, otherwise
/// that on an empty map.
#[derive(Debug)]
pub struct SpaceTimeHeuristic<'a> {
    ground: &'a Ground,
    empty: OctileDistance,
    exact: Option<(&'a mut Rra, u64)>,
}

impl<'a> SpaceTimeHeuristic<'a> {
    /// Returns the heuristic for a target. `exact` is a reverse search and the number of expansions it may still make.
    pub fn new(ground: &'a Ground, target: Cell, exact: Option<(&'a mut Rra, u64)>) -> Self {
        Self { ground, empty: OctileDistance::to_cell(ground, target), exact }
    }
}

impl Heuristic for SpaceTimeHeuristic<'_> {
    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        let cell = Cell(node % self.ground.size().area() as u32);
        let Some((rra, left)) = &mut self.exact else { return self.empty.lower(cell.0) };
        let before = rra.expansions();
        let distance = rra.distance(self.ground, cell, *left);
        *left -= rra.expansions() - before;
        match distance {
            Distance::Exact(cost) => cost,
            Distance::Unknown | Distance::Unreachable => self.empty.lower(cell.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;
    use throng_grid::{Grid, MoveRules, Pos, Size, Terrain, Tiles};
    use throng_search::open_list::Heap;
    use throng_search::{BestFirst, Policy, SparseStore, Status};

    /// Returns the reservations and the present cells of agents that walk at random. The last one is fixed.
    fn others(ground: &Ground, depth: u64, rng: &mut Pcg32) -> (ReservationTable, Occupancy, Vec<bool>) {
        let (mut table, mut occupancy) = (ReservationTable::default(), Occupancy::new(ground.size().area()));
        let mut fixed = vec![false];
        for number in 1..8 {
            let agent = AgentRow(number);
            let mut at = Cell(rng.next_u32() % ground.size().area() as u32);
            fixed.push(number == 7);
            if at == Cell(0) || !ground.is_free(at) || !occupancy.is_free(at) {
                continue;
            }
            occupancy.set(at, Occupant::Agent(agent));
            for time in 1..=depth {
                let steps: Vec<Cell> = ground.neighbours(at).map(|(_, to)| to).chain([at]).collect();
                let to = steps[rng.next_u32() as usize % steps.len()];
                let swaps = table.swaps(at, to, time - 1) || occupancy.agent(to).is_some();
                if fixed[number as usize] || table.at(to, time).is_some() || swaps {
                    break;
                }
                table.reserve(to, time, agent);
                at = to;
            }
        }
        (table, occupancy, fixed)
    }

    /// Returns the minimum of path cost plus remaining distance over all paths through the window, by dynamic programming
    /// over all cells and times, with its own implementation of the rules.
    fn min_cost(space: &SpaceTime<'_>, mut remaining: impl FnMut(Cell) -> Cost) -> Option<Cost> {
        let (ground, window) = (space.ground, space.depth as usize);
        let mut cost = vec![vec![None; ground.size().area()]; window + 1];
        cost[0][0] = Some(0);
        let agent_at = |cell: Cell, time: usize| match time {
            0 => space.occupancy.agent(cell),
            _ => space.reservations.at(cell, time as u64),
        };
        for time in 0..window {
            for cell in ground.size().cells() {
                let Some(known) = cost[time][cell.index()] else { continue };
                let wait_cost = throng_grid::moves::STRAIGHT / if space.target_is_blocked { 2 } else { 1 };
                let wait = if cell == space.target { 0 } else { wait_cost };
                let steps = ground
                    .neighbours(cell)
                    .map(|(direction, to)| (to, ground.cost(cell, direction), space.ticks_per_step as usize));
                for (to, step_cost, ticks) in steps.chain([(cell, wait, 1)]) {
                    let (end, last) = ((time + ticks).min(window), time + ticks);
                    let reserved = (time + 1..=last).any(|time| agent_at(to, time).is_some())
                        || (time + 1..last).any(|time| agent_at(cell, time).is_some());
                    let fixed = agent_at(to, 0).is_some_and(|other| space.fixed[other.index()]);
                    let swap = to != cell
                        && agent_at(to, time).is_some()
                        && agent_at(to, time) == agent_at(cell, time + 1);
                    let other_goes = |(a, b): (Pos, Pos)| {
                        let (a, b) = (ground.size().cell(a).unwrap(), ground.size().cell(b).unwrap());
                        let goes =
                            |time| agent_at(a, time).is_some() && agent_at(a, time) == agent_at(b, time + 1);
                        (time..last).any(goes)
                    };
                    let (p, q) = (ground.pos(cell), ground.pos(to));
                    let sides = (Pos::new(q.x, p.y), Pos::new(p.x, q.y));
                    let crossing = space.crossings == Crossings::Forbid
                        && (p.x != q.x && p.y != q.y)
                        && (other_goes(sides) || other_goes((sides.1, sides.0)));
                    if !reserved && !fixed && !swap && !crossing {
                        let best: &mut Option<Cost> = &mut cost[end][to.index()];
                        *best = Some(best.map_or(known + step_cost, |best| best.min(known + step_cost)));
                    }
                }
            }
        }
        let ends =
            ground.size().cells().filter_map(|cell| Some(cost[window][cell.index()]? + remaining(cell)));
        ends.min()
    }

    #[test]
    fn search_costs_equal_those_of_dynamic_programming() {
        let mut rng = Pcg32::seed_from_u64(5);
        let mut found = 0;
        for round in 0..400 {
            let size = Size::new(6, 5).unwrap();
            let wall = |cell: Cell, roll: u32| cell != Cell(0) && roll.is_multiple_of(4);
            let terrain = size
                .cells()
                .map(|cell| if wall(cell, rng.next_u32()) { Terrain::Wall } else { Terrain::Ground });
            let grid = Grid::new(Tiles::from_terrain(size, terrain.collect()).unwrap(), MoveRules::default());
            let (ground, depth, ticks_per_step) = (grid.ground(), 1 + round % 9, 1 + round % 3);
            let target = ground.nearest_reachable(Cell(0), size.pos(Cell(rng.next_u32() % 30))).unwrap();
            let (reservations, occupancy, fixed) = others(ground, u64::from(depth), &mut rng);
            let space = SpaceTime {
                ground,
                occupancy: &occupancy,
                fixed: &fixed,
                reservations: &reservations,
                crossings: [Crossings::Forbid, Crossings::Allow][round as usize / 2 % 2],
                agent: AgentRow(0),
                view: None,
                ticks_per_step,
                target,
                target_is_blocked: round % 2 == 1,
                now: 0,
                depth,
            };
            let mut rra = Rra::new(ground, target, Cell(0));
            let mut heuristic = SpaceTimeHeuristic::new(ground, target, Some((&mut rra, u64::MAX)));
            let mut search = BestFirst::new(SparseStore::default(), Heap::default(), Policy::default());
            search.begin(&space);
            search.add_source(0, 0, &mut heuristic);
            let ends = |node| space.time(node) == space.depth;
            let status = search.resume(&mut space.clone(), &mut heuristic, ends, u64::MAX, &mut ());
            let cost = match status {
                Status::Found(node) => search.node(node).map(|node| node.g + node.h),
                _ => None,
            };
            let mut remaining = |cell: Cell| heuristic.lower(cell.0);
            assert_eq!(cost, min_cost(&space, &mut remaining), "round {round}");
            found += usize::from(cost.is_some());
            if let Status::Found(node) = status {
                let mut cells = Vec::new();
                search.trace(&space, node, &mut cells);
                assert_eq!(cells.len(), depth as usize + 1, "one cell per time");
                assert!((1..).zip(&cells[1..]).all(|(time, &cell)| space.is_open(cell, time)));
            }
        }
        assert!(found > 300, "most have a path: {found}");
    }
}
