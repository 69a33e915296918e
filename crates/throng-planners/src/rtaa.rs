//! RTAA*, Real-Time Adaptive A*: an A* search that stops after a fixed number of expansions and then raises the
//! heuristic of the closed nodes.
//!
//! S. Koenig, M. Likhachev, *Real-Time Adaptive A\**, AAMAS 2006; as used by D. Sigurdson, V. Bulitko, W. Yeoh,
//! C. Hernández, S. Koenig, *Multi-Agent Pathfinding with Real-Time Heuristic Search*, CIG 2018, algorithms 4 and 5.
//!
//! The search starts in the agent's cell. Let `f*` be the smallest `f` in the open list when it stops. If the heuristic
//! was admissible, every closed node `n` is at least `f* - g(n)` away from the goal, and this becomes its learned
//! estimate. The agent follows the path to the node that would have been expanded next.
//!
//! Departures: other units move, so a learned estimate can be too high later, and `f* - g(n)` can be less than the
//! initial heuristic, or negative. An estimate is never set below that; the number of such cases is counted. With
//! `learning=monotone` estimates never fall.
//!
//! What the agent learns and where it goes are those of the searches for single agents ([`throng_search::real_time`]).
//!
//! What the paper on BMAA* names as future work, each off by default:
//! - `core=da-rtaa`: the agent goes to the open node whose estimate was raised least ([`least_raised`]). `f*` stays that of
//!   the node that would have been expanded next;
//! - `core=lss-lrta`: LSS-LRTA* learns from the border of the searched region ([`BorderDistances`]);
//! - `prune=on`: raised cells that are not needed are left out of later searches ([`PrunedCells`]);
//! - `landmarks=N`: the initial heuristic is better than the distance on an empty map ([`throng_toolkit::Landmarks`]);
//! - `abstraction=SIDE`: it is at least the distance over an abstract graph ([`throng_toolkit::Abstractions`]). This heuristic
//!   is neither admissible nor consistent. So a learned estimate can exceed the distance to the goal also if no other
//!   unit is in sight, a lookahead over the whole map need not find a shortest path, and more estimates are clamped.
//!
//! The paper orders nodes with the same `f` by largest `g`, then first in first out. `ties` has other orders. They apply to the
//! open list, not to the choice of `core=da-rtaa`.

mod expendable;
mod options;
mod space;

pub(crate) use expendable::PrunedCells;
pub(crate) use options::{
    ABSTRACTION, CORE, Core, EXPANSIONS, LANDMARKS, LEARNING, MAX_MOVES, MOVES, PRUNE, RtaaLimits, TIES,
};
use space::PlainSpace;
pub(crate) use space::RtaaSpace;

use throng_crowd::{MapKnowledge, Sharing};
use throng_grid::{Cell, Cost, Ground};
use throng_search::open_list::{Heap, Ties};
use throng_search::real_time::{BorderDistances, HeuristicWithLearning, learn, least_raised};
use throng_search::{Expansion, Heuristic, Node, Space, Status};
use throng_toolkit::{Flow, InitialHeuristic, LearnedHeuristic, SlicedSearch};

use crate::bmaa::{Bmaa, Options};
use crate::registry::PlannerInfo;

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "rtaa",
    summary: "real-time adaptive A*, each agent on its own",
    idea: "Each agent runs a short A* search, follows its path, and raises the learned heuristic of the expanded \
           cells. Searches ignore other agents: an agent whose next cell is occupied waits until it is free, without \
           a limit. Designed for a single agent; bmaa adds the avoidance of other agents.",
    reference: "S. Koenig, M. Likhachev: Real-Time Adaptive A*. AAMAS 2006",
    parameters: &[EXPANSIONS, MOVES, TIES, LEARNING, CORE, PRUNE, LANDMARKS, ABSTRACTION],
    needs: Sharing::Nothing,
    needs_map: MapKnowledge::Own,
    needs_control: false,
    prepares: |values| Options::rtaa(values).prepares(),
    has_goals: true,
    build: |values, grid, resources| Box::new(Bmaa::new(Options::rtaa(values), grid, resources)),
};

/// The result of a search, besides the path and the learned estimates.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct RtaaOutcome {
    /// The number of nodes whose new estimate would have been less than the initial one.
    pub(crate) clamped: u64,
    /// If occupied cells enclose the agent: the occupied cell with the smallest `f`.
    pub(crate) blocked_by: Option<Cell>,
}

/// The working memory of one RTAA* search at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct RtaaSearch {
    search: SlicedSearch<Heap>,
    status: Status,
    /// What LSS-LRTA* learns.
    border: BorderDistances,
    cells: Vec<Cell>,
    /// The cells whose estimates the last search raised.
    raised: Vec<Cell>,
}

impl RtaaSearch {
    /// Starts a new search with the next slice. It first repeats the `replay` expansions that were made before a
    /// snapshot.
    pub(crate) fn restart(&mut self, replay: u64) {
        self.search.restart(replay);
        self.status = Status::Paused;
    }

    /// Returns the expanded nodes, in order.
    pub(crate) fn expanded(&self) -> &[u32] {
        self.search.expanded()
    }

    /// Returns the number of expansions made.
    pub(crate) fn expansions(&self) -> u64 {
        self.search.expansions()
    }

    /// Returns true if the search has neither reached the goal nor run out of nodes.
    pub(crate) fn is_paused(&self) -> bool {
        self.status == Status::Paused
    }

    /// Returns the memory held, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let cells = self.cells.capacity() + self.raised.capacity();
        self.search.memory_bytes() + self.border.memory_bytes() + cells * size_of::<Cell>()
    }

    /// Continues the search for at most `limit` expansions. Returns the number made. Initial heuristic and tie-break must be
    /// the same for every slice of a search.
    pub(crate) fn advance(
        &mut self,
        space: RtaaSpace<'_>,
        initial: InitialHeuristic<'_>,
        learned: &LearnedHeuristic,
        ties: Ties,
        limit: u64,
    ) -> u64 {
        if let Some(open_list) = self.search.open_list_mut() {
            open_list.set_ties(ties);
        }
        let before = self.search.expansions();
        let ends = (space.from, space.goal);
        // A search without options is compiled by itself, so that they cost nothing in its inner loop.
        self.status = if initial.is_empty_map() && space.is_plain() {
            let heuristic = HeuristicWithLearning { initial: initial.empty, learned };
            self.run(PlainSpace(space), heuristic, ends, limit)
        } else {
            self.run(space, HeuristicWithLearning { initial, learned }, ends, limit)
        };
        self.search.expansions() - before
    }

    fn run(
        &mut self,
        mut space: impl Space,
        mut heuristic: impl Heuristic,
        (from, goal): (Cell, Cell),
        limit: u64,
    ) -> Status {
        // A heap ignores the expected range of f.
        self.search.advance(&mut space, &mut heuristic, (from.0, |node| node == goal.0), (0, 0), limit)
    }

    /// Ends the search: updates the learned estimates and writes the path, last cell first.
    pub(crate) fn conclude(
        &mut self,
        space: RtaaSpace<'_>,
        initial: InitialHeuristic<'_>,
        learned: &mut LearnedHeuristic,
        limits: RtaaLimits,
        path: &mut Vec<Cell>,
    ) -> RtaaOutcome {
        path.clear();
        self.raised.clear();
        let mut outcome = RtaaOutcome::default();
        match self.search.first() {
            Some(first) if self.status != Status::Exhausted => {
                let leaves = limits.core == Core::DaRtaa && first.node != space.goal.0;
                let search = self.search.search();
                let last =
                    if leaves { least_raised(search, &mut { space }, learned, first) } else { first.node };
                search.trace(&space, last, &mut self.cells);
                let kept = self.cells.len().min(limits.moves + 1);
                path.extend(self.cells[1..kept].iter().rev());
                outcome.clamped = self.learn(space, learned, first.f(), limits);
            }
            _ => outcome.blocked_by = self.best_occupied(space, HeuristicWithLearning { initial, learned }),
        }
        outcome
    }

    /// Updates the estimates of the closed nodes. Returns how often a new one was less than the initial estimate.
    fn learn(
        &mut self,
        mut space: RtaaSpace<'_>,
        learned: &mut LearnedHeuristic,
        f: Cost,
        limits: RtaaLimits,
    ) -> u64 {
        let (search, size) = (self.search.search(), space.ground.size());
        let raised = |cell| {
            if limits.prune {
                self.raised.push(cell);
            }
        };
        if limits.core == Core::LssLrta {
            self.border.compute(search, &mut space);
            return learn(search, (size, learned), limits.monotone, |node, _| self.border.of(node), raised);
        }
        let estimate = |_, node: Node| Some(f.saturating_sub(node.g));
        learn(search, (size, learned), limits.monotone, estimate, raised)
    }

    /// Prunes the raised cells that are expendable, those last expanded first, but neither the agent's cell nor its goal nor
    /// the cells of its path: the agent must never stand among pruned cells only.
    pub(crate) fn prune(
        &self,
        (ground, flow): (&Ground, Option<&Flow>),
        (from, goal): (Cell, Cell),
        path: &[Cell],
        pruned: &mut PrunedCells,
    ) {
        for &cell in self.raised.iter().rev() {
            if cell != from && cell != goal && !path.contains(&cell) {
                pruned.prune(ground, flow, cell);
            }
        }
    }

    /// Returns the occupied cell with the smallest `f` among the successors of the expanded nodes.
    fn best_occupied(&self, space: RtaaSpace<'_>, mut heuristic: impl Heuristic) -> Option<Cell> {
        let mut best: Option<(Cost, u32)> = None;
        for &node in self.search.expanded() {
            let Some(known) = self.search.search().node(node) else { continue };
            space.for_each_move(Expansion { node, known }, space.moves(Cell(node)), |next| {
                if next.node != space.from.0 && space.is_occupied(Cell(next.node)) {
                    let f = next.g.saturating_add(heuristic.lower(next.node));
                    best = Some(best.map_or((f, next.node), |best| best.min((f, next.node))));
                }
            });
        }
        best.map(|(_, node)| Cell(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::Occupancy;
    use throng_grid::moves::STRAIGHT;
    use throng_grid::{Grid, MoveRules, Tiles};
    use throng_search::OctileDistance;
    use throng_search::real_time::Increments;
    use throng_toolkit::VisibleAgents;

    use super::options::TieBreak;

    const LIMITS: RtaaLimits = RtaaLimits {
        expansions: 7,
        moves: 9,
        monotone: false,
        core: Core::Rtaa,
        prune: false,
        ties: TieBreak::Fixed(Ties::LARGEST_G),
    };

    /// Searches from cell 5 to cell 11 of a corridor. The learned increment of cell 6 is given in steps.
    fn corridor(limits: RtaaLimits, steps: Cost) -> (LearnedHeuristic, RtaaOutcome, Vec<Cell>) {
        let grid = Grid::new(Tiles::picture("............"), MoveRules::default());
        let mut learned = LearnedHeuristic::default();
        learned.set(grid.size(), Cell(6), steps * STRAIGHT);
        let space = RtaaSpace {
            ground: grid.ground(),
            others: VisibleAgents::Now(&Occupancy::new(grid.size().area())),
            flow: None,
            prefers_flow: false,
            step_penalties: None,
            pruned: &[],
            from: Cell(5),
            goal: Cell(11),
            sight: 2,
        };
        let (mut search, mut path) = (RtaaSearch::default(), Vec::new());
        let initial = empty_map(&space);
        let ties = limits.ties.of(|| 0);
        assert_eq!(search.advance(space, initial, &learned, ties, limits.expansions), limits.expansions);
        let outcome = search.conclude(space, initial, &mut learned, limits, &mut path);
        (learned, outcome, path)
    }

    fn empty_map(space: &RtaaSpace<'_>) -> InitialHeuristic<'static> {
        let empty = OctileDistance::to_cell(space.ground, space.goal);
        InitialHeuristic { empty, landmarks: None, abstraction: None }
    }

    #[test]
    fn estimates_do_not_fall_below_the_distance_on_an_empty_map() {
        // The cells to the west have a smaller f than cell 6 and are expanded before it. Cell 7 is next.
        let (learned, outcome, path) = corridor(LIMITS, 10);
        assert_eq!((outcome.clamped, outcome.blocked_by), (5, None));
        assert_eq!(path, [Cell(7), Cell(6)]);
        assert!((0..12).all(|cell| learned.increment(Cell(cell)) == 0));
    }

    #[test]
    fn monotone_estimates_never_fall() {
        let (learned, outcome, _) = corridor(RtaaLimits { monotone: true, ..LIMITS }, 10);
        assert_eq!(outcome.clamped, 5);
        assert_eq!(learned.increment(Cell(6)), 10 * STRAIGHT);
    }

    /// After one expansion cells 4 and 6 are open, with f of 8 and 7 steps; cell 6 was raised by one of them.
    #[test]
    fn the_agent_goes_to_the_cell_raised_least_and_learns_from_the_first_open_node() {
        for (core, next) in [(Core::Rtaa, Cell(6)), (Core::LssLrta, Cell(6)), (Core::DaRtaa, Cell(4))] {
            let (learned, _, path) = corridor(RtaaLimits { expansions: 1, core, ..LIMITS }, 1);
            assert_eq!(path, [next]);
            assert_eq!(learned.increment(Cell(5)), STRAIGHT, "f* is 7 steps, 6 of them were known");
        }
    }
}
