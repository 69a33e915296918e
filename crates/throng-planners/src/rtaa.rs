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
//! distance on an empty map, or negative. An estimate is never set below that distance; the number of such cases is
//! counted. With `learning=monotone` estimates never fall.

mod space;

pub(crate) use space::RtaaSpace;

use throng_crowd::{MapKnowledge, Sharing};
use throng_grid::{Cell, Cost, Ground};
use throng_search::open_list::Heap;
use throng_search::spec::{Kind, Parameter};
use throng_search::{Expansion, OctileDistance, Status};
use throng_toolkit::{HeuristicWithLearning, LearnedHeuristic, SlicedSearch};

use crate::bmaa::{Bmaa, Options};
use crate::registry::PlannerInfo;

pub(crate) const EXPANSIONS: Parameter = Parameter {
    name: "expansions",
    summary: "maximum expansions per search",
    kind: Kind::Integer { min: 1, max: 1_000_000, default: 32 },
};

/// The largest value of `moves`.
pub(crate) const MAX_MOVES: u64 = 1_000_000;

pub(crate) const MOVES: Parameter = Parameter {
    name: "moves",
    summary: "maximum ticks for which an agent follows a path before it searches again",
    kind: Kind::Integer { min: 1, max: MAX_MOVES, default: 32 },
};

pub(crate) const LEARNING: Parameter = Parameter {
    name: "learning",
    summary: "plain: a learned estimate may fall again, as published; monotone: it never falls",
    kind: Kind::Choice(&["plain", "monotone"]),
};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "rtaa",
    summary: "real-time adaptive A*, each agent on its own",
    idea: "Each agent runs a short A* search, follows its path, and raises the learned heuristic of the expanded \
           cells. Searches ignore other agents: an agent whose next cell is occupied waits until it is free, without \
           a limit. Designed for a single agent; bmaa adds the avoidance of other agents.",
    reference: "S. Koenig, M. Likhachev: Real-Time Adaptive A*. AAMAS 2006",
    parameters: &[EXPANSIONS, MOVES, LEARNING],
    needs: Sharing::Nothing,
    needs_map: MapKnowledge::Own,
    needs_control: false,
    prepares: |_| false,
    has_goals: true,
    build: |values, grid, resources| Box::new(Bmaa::new(Options::rtaa(values), grid, resources)),
};

/// The limits of a search, and its learning rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RtaaLimits {
    /// Maximum expansions.
    pub(crate) expansions: u64,
    /// Maximum steps of the path that are kept.
    pub(crate) moves: usize,
    /// Whether learned estimates never fall.
    pub(crate) monotone: bool,
}

/// The result of a search, besides the path and the learned estimates.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct RtaaOutcome {
    /// The number of nodes whose new estimate would have been less than the distance on an empty map.
    pub(crate) clamped: u64,
    /// If occupied cells enclose the agent: the occupied cell with the smallest `f`.
    pub(crate) blocked_by: Option<Cell>,
}

/// The working memory of one RTAA* search at a time.
#[derive(Debug, Default)]
pub(crate) struct RtaaSearch {
    search: SlicedSearch<Heap>,
    status: Status,
    cells: Vec<Cell>,
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
        self.search.memory_bytes() + self.cells.capacity() * size_of::<Cell>()
    }

    /// Continues the search for at most `limit` expansions. Returns the number made.
    pub(crate) fn advance(
        &mut self,
        space: &mut RtaaSpace<'_>,
        learned: &LearnedHeuristic,
        limit: u64,
    ) -> u64 {
        let mut heuristic = heuristic_of(space, learned);
        let (from, goal, before) = (space.from.0, space.goal.0, self.search.expansions());
        // A heap ignores the expected range of f.
        let ends = (from, |node| node == goal);
        self.status = self.search.advance(space, &mut heuristic, ends, (0, 0), limit);
        self.search.expansions() - before
    }

    /// Ends the search: updates the learned estimates and writes the path, last cell first.
    pub(crate) fn conclude(
        &mut self,
        space: RtaaSpace<'_>,
        learned: &mut LearnedHeuristic,
        limits: RtaaLimits,
        path: &mut Vec<Cell>,
    ) -> RtaaOutcome {
        path.clear();
        let mut outcome = RtaaOutcome::default();
        match self.search.first() {
            Some(first) if self.status != Status::Exhausted => {
                self.search.search().trace(&space, first.node, &mut self.cells);
                let kept = self.cells.len().min(limits.moves + 1);
                path.extend(self.cells[1..kept].iter().rev());
                outcome.clamped = self.learn(space.ground, learned, first.f(), limits.monotone);
            }
            _ => outcome.blocked_by = self.best_occupied(space, heuristic_of(&space, learned)),
        }
        outcome
    }

    /// Sets `h(n) <- f* - g(n)` for every closed node. Returns how often that was less than the distance on an empty
    /// map.
    fn learn(&self, ground: &Ground, learned: &mut LearnedHeuristic, f: Cost, monotone: bool) -> u64 {
        let mut clamped = 0;
        for &number in self.search.expanded() {
            let Some(node) = self.search.search().node(number) else { continue };
            let known = learned.increment(Cell(number));
            let empty = node.h.saturating_sub(known);
            let estimate = f.saturating_sub(node.g);
            clamped += u64::from(estimate < empty);
            let increment = estimate.saturating_sub(empty);
            learned.set(ground.size(), Cell(number), if monotone { increment.max(known) } else { increment });
        }
        clamped
    }

    /// Returns the occupied cell with the smallest `f` among the successors of the expanded nodes.
    fn best_occupied(&self, space: RtaaSpace<'_>, mut heuristic: HeuristicWithLearning<'_>) -> Option<Cell> {
        use throng_search::Heuristic as _;
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

/// Returns the heuristic of the searching agent: the distance on an empty map plus the learned increments.
fn heuristic_of<'a>(space: &RtaaSpace<'_>, learned: &'a LearnedHeuristic) -> HeuristicWithLearning<'a> {
    HeuristicWithLearning { empty: OctileDistance::to_cell(space.ground, space.goal), learned }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::Occupancy;
    use throng_grid::moves::STRAIGHT;
    use throng_grid::{Grid, MoveRules, Tiles};
    use throng_toolkit::VisibleAgents;

    /// Searches from cell 5 to cell 11 of a corridor. The learned increment of cell 6 is ten steps.
    fn corridor(monotone: bool) -> (LearnedHeuristic, RtaaOutcome, Vec<Cell>) {
        let grid = Grid::new(Tiles::picture("............"), MoveRules::default());
        let mut learned = LearnedHeuristic::default();
        learned.set(grid.size(), Cell(6), 10 * STRAIGHT);
        let space = RtaaSpace {
            ground: grid.ground(),
            others: VisibleAgents::Now(&Occupancy::new(grid.size().area())),
            flow: None,
            step_penalties: None,
            from: Cell(5),
            goal: Cell(11),
            sight: 2,
        };
        let (limits, mut path) = (RtaaLimits { expansions: 7, moves: 9, monotone }, Vec::new());
        let (mut search, mut space) = (RtaaSearch::default(), space);
        assert_eq!(search.advance(&mut space, &learned, limits.expansions), 7);
        let outcome = search.conclude(space, &mut learned, limits, &mut path);
        (learned, outcome, path)
    }

    #[test]
    fn estimates_do_not_fall_below_the_distance_on_an_empty_map() {
        // The cells to the west have a smaller f than cell 6 and are expanded before it. Cell 7 is next.
        let (learned, outcome, path) = corridor(false);
        assert_eq!((outcome.clamped, outcome.blocked_by), (5, None));
        assert_eq!(path, [Cell(7), Cell(6)]);
        assert!((0..12).all(|cell| learned.increment(Cell(cell)) == 0));
    }

    #[test]
    fn monotone_estimates_never_fall() {
        let (learned, outcome, _) = corridor(true);
        assert_eq!(outcome.clamped, 5);
        assert_eq!(learned.increment(Cell(6)), 10 * STRAIGHT);
    }
}
