//! The graph of an RTAA* search: the legal moves, without pruned cells and cells in which the agent sees another unit.

use throng_grid::{Cell, Cost, Direction, DirectionSet, Ground};
use throng_search::{Expansion, Heuristic, Space, Successor, for_each_move, useful_among_occupied};
use throng_toolkit::{Flow, StepPenalties, VisibleAgents};

/// A move against a preferred street costs more by this fraction of its cost: one part in eight. A larger part separates
/// the streams more and makes paths longer: with the whole cost, agents completed less on eight of the ten maps of the
/// paper on BMAA* (200 and 1,000 agents, 2,000 and 1,000 ticks, one instance).
const AGAINST: Cost = 8;

/// The legal moves of an agent, without pruned cells and cells in which it sees another unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RtaaSpace<'a> {
    pub(crate) ground: &'a Ground,
    /// The units that block cells.
    pub(crate) others: VisibleAgents<'a>,
    /// The one-way streets, if there are any.
    pub(crate) flow: Option<&'a Flow>,
    /// Whether moves against the streets are allowed at a higher cost. Otherwise the streets restrict the moves.
    pub(crate) prefers_flow: bool,
    /// The extra costs of steps against a direction map, if there is one.
    pub(crate) step_penalties: Option<StepPenalties<'a>>,
    /// The cells that the agent has pruned, in ascending order.
    pub(crate) pruned: &'a [Cell],
    /// The agent's cell.
    pub(crate) from: Cell,
    /// The agent's goal. It never counts as occupied.
    pub(crate) goal: Cell,
    /// The square of the distance up to which the agent sees other units, in cells.
    pub(crate) sight: u64,
}

impl RtaaSpace<'_> {
    /// Returns true if the agent sees another unit in a cell other than its goal.
    #[inline]
    pub(crate) fn is_occupied(&self, cell: Cell) -> bool {
        let is_seen = || self.ground.pos(cell).distance_squared(self.ground.pos(self.from)) <= self.sight;
        self.others.hold(cell) && cell != self.goal && is_seen()
    }

    /// Returns the occupied neighbour of the agent's cell with the smallest estimate.
    pub(crate) fn nearest_occupied(&self, mut heuristic: impl Heuristic) -> Option<Cell> {
        let neighbours = self.ground.neighbours(self.from).map(|(_, cell)| cell);
        neighbours.filter(|&cell| self.is_occupied(cell)).min_by_key(|cell| heuristic.lower(cell.0))
    }

    /// Returns true if a search may enter a cell.
    #[inline]
    pub(super) fn is_open(&self, cell: Cell) -> bool {
        !self.is_occupied(cell) && (self.pruned.is_empty() || self.pruned.binary_search(&cell).is_err())
    }

    /// Returns the moves out of a cell, including those into cells that are left out.
    #[inline]
    pub(super) fn moves(&self, cell: Cell) -> DirectionSet {
        let restricts = self.flow.filter(|_| !self.prefers_flow);
        restricts.map_or_else(|| self.ground.moves(cell), |flow| flow.moves(cell))
    }

    /// Returns what a move costs beyond its length: against a preferred street, and against a direction map.
    fn extra_cost(&self, cell: Cell, to: Cell, direction: Direction) -> Cost {
        let is_against = |flow: &Flow| self.prefers_flow && flow.moves(cell) & direction.bit() == 0;
        let against =
            if self.flow.is_some_and(is_against) { self.ground.cost(cell, direction) / AGAINST } else { 0 };
        let penalties = self.step_penalties.as_ref();
        penalties.map_or(against, |penalties| against.saturating_add(penalties.of(cell, to, direction)))
    }

    /// Returns true if no option changes moves or costs and all ground costs the same. A [`PlainSpace`] is then the same.
    pub(super) fn is_plain(&self) -> bool {
        self.is_uniform() && self.pruned.is_empty()
    }

    /// Returns true if a move costs the same wherever it is made.
    #[inline]
    fn is_uniform(&self) -> bool {
        self.flow.is_none() && self.step_penalties.is_none() && self.ground.halves().is_empty()
    }

    /// Calls `visit` with the successor of each of the given moves.
    #[inline]
    pub(super) fn for_each_move(&self, at: Expansion, moves: DirectionSet, mut visit: impl FnMut(Successor)) {
        let has_extra_costs = self.prefers_flow || self.step_penalties.is_some();
        for_each_move(self.ground, at, moves, |mut successor, direction| {
            if has_extra_costs {
                let extra = self.extra_cost(Cell(at.node), Cell(successor.node), direction);
                successor.g = successor.g.saturating_add(extra);
            }
            visit(successor);
        });
    }
}

impl Space for RtaaSpace<'_> {
    fn nodes(&self) -> usize {
        self.ground.size().area()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        // A cell that is left out is left out for the parent as well.
        let mut moves = self.moves(Cell(at.node));
        if self.is_uniform() {
            moves = useful_among_occupied(at, moves);
        }
        self.for_each_move(at, moves, |successor| {
            if self.is_open(Cell(successor.node)) {
                propose(successor);
            }
        });
    }
}

/// A space for which [`RtaaSpace::is_plain`] holds, without tests for options in the inner loop.
pub(super) struct PlainSpace<'a>(pub(super) RtaaSpace<'a>);

impl Space for PlainSpace<'_> {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let ground = self.0.ground;
        for_each_move(ground, at, useful_among_occupied(at, ground.moves(Cell(at.node))), |successor, _| {
            if !self.0.is_occupied(Cell(successor.node)) {
                propose(successor);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;
    use throng_crowd::{Occupancy, Occupant};
    use throng_grid::{Corners, Grid, MoveRules, Size, Terrain, Tiles};
    use throng_search::open_list::Heap;
    use throng_search::real_time::{HeuristicWithLearning, Increments};
    use throng_search::{BestFirst, DenseStore, OctileDistance, Policy};
    use throng_toolkit::LearnedHeuristic;

    /// The same graph without pruning.
    struct Unpruned<'a>(RtaaSpace<'a>);

    impl Space for Unpruned<'_> {
        fn nodes(&self) -> usize {
            self.0.nodes()
        }

        fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
            self.0.for_each_move(at, self.0.moves(Cell(at.node)), |successor| {
                if self.0.is_open(Cell(successor.node)) {
                    propose(successor);
                }
            });
        }
    }

    /// Returns the expanded nodes, in order, and the node that would be expanded next.
    fn expansion_order(
        mut space: impl Space,
        mut heuristic: HeuristicWithLearning<'_, OctileDistance, LearnedHeuristic>,
        from: Cell,
        goal: Cell,
    ) -> (Vec<u32>, Option<u32>) {
        let mut search = BestFirst::new(DenseStore::default(), Heap::default(), Policy::default());
        search.begin(&space);
        search.add_source(from.0, 0, &mut heuristic);
        search.resume(&mut space, &mut heuristic, |node| node == goal.0, 60, &mut ());
        (search.closed().to_vec(), search.first().map(|first| first.node))
    }

    #[test]
    fn a_move_against_a_preferred_street_costs_more() {
        let grid = Grid::new(Tiles::picture("....\n....\n....\n...."), MoveRules::default());
        let (ground, flow) = (grid.ground(), Flow::of(grid.ground()));
        let cell = Cell(2 * 4 + 2);
        let occupancy = Occupancy::new(16);
        let space = |prefers_flow| RtaaSpace {
            ground,
            others: VisibleAgents::Now(&occupancy),
            flow: Some(&flow),
            prefers_flow,
            step_penalties: None,
            pruned: &[],
            from: cell,
            goal: Cell(0),
            sight: 2,
        };
        let streets = Direction::West.bit() | Direction::North.bit();
        assert_eq!(space(false).moves(cell), streets);
        assert_eq!(space(true).moves(cell), DirectionSet::MAX);
        for direction in Direction::ALL {
            let to = ground.step(cell, direction);
            let extra = space(true).extra_cost(cell, to, direction);
            assert_eq!(extra > 0, streets & direction.bit() == 0, "{direction:?}");
            assert_eq!(space(false).extra_cost(cell, to, direction), 0);
        }
    }

    /// Random walls, agents, pruned cells and learned increments.
    #[test]
    fn pruned_moves_do_not_change_the_order_of_expansions() {
        let size = Size::new(16, 12).unwrap();
        for seed in 0..3_000 {
            let mut random = Pcg32::seed_from_u64(seed);
            let mut roll = |sides: u32| random.next_u32() % sides;
            let rules = [
                MoveRules::eight_way(Corners::Forbid),
                MoveRules::eight_way(Corners::Allow),
                MoveRules::eight_way(Corners::Mixed),
                MoveRules::FOUR_WAY,
            ][seed as usize % 4];
            let terrain =
                size.cells().map(|_| if roll(4) == 0 { Terrain::Wall } else { Terrain::Ground }).collect();
            let mut grid = Grid::new(Tiles::from_terrain(size, terrain).unwrap(), rules);
            let mut occupancy = Occupancy::new(size.area());
            let (mut learned, mut pruned) = (LearnedHeuristic::default(), Vec::new());
            for cell in size.cells() {
                match roll(10) {
                    0 => assert!(grid.block(size.pos(cell)) <= 1),
                    1 | 2 => occupancy.set(cell, Occupant::Foreign),
                    3 => learned.set(size, cell, roll(20_000)),
                    4 if seed % 2 == 0 => pruned.push(cell),
                    _ => {}
                }
            }
            let (from, goal) = (Cell(roll(192)), Cell(roll(192)));
            let ground = grid.ground();
            let sight = [0, 2, 9, 1_000][roll(4) as usize];
            let others = VisibleAgents::Now(&occupancy);
            let space = RtaaSpace {
                ground,
                others,
                flow: None,
                prefers_flow: false,
                step_penalties: None,
                pruned: &pruned,
                from,
                goal,
                sight,
            };
            let initial = OctileDistance::to_cell(ground, goal);
            let heuristic = HeuristicWithLearning { initial, learned: &learned };
            let order = expansion_order(space, heuristic, from, goal);
            assert_eq!(order, expansion_order(Unpruned(space), heuristic, from, goal), "seed {seed}");
            if space.is_plain() {
                assert_eq!(order, expansion_order(PlainSpace(space), heuristic, from, goal), "seed {seed}");
            }
        }
    }
}
