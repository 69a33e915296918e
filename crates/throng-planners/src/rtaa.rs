//! RTAA*, Real-Time Adaptive A*: an A* search that stops after a number of expansions, and learns from having
//! stopped.
//!
//! S. Koenig, M. Likhachev, *Real-Time Adaptive A\**, AAMAS 2006; as used by D. Sigurdson, V. Bulitko, W. Yeoh,
//! C. Hernández, S. Koenig, *Multi-Agent Pathfinding with Real-Time Heuristic Search*, CIG 2018, algorithms 4 and 5.
//!
//! The search expands the first nodes of an A* search from where the agent stands; let `f*` be the smallest `f` left
//! in the open list. Every closed node `n` is then known to be `f* - g(n)` away from the goal at least, as far as the
//! heuristic was right, and is remembered so. The agent walks towards the node that would have been expanded next.
//!
//! Departures: other units come and go, so that what was learned about a way around one may be too much, and
//! `f* - g(n)` may be less than the distance on an empty map, or negative. It is never taken to be less than that
//! distance, and how often this mattered is counted. With `learning=monotone` estimates never fall.

mod space;

pub(crate) use space::RtaaSpace;

use throng_crowd::Sharing;
use throng_grid::{Cell, Cost, Ground};
use throng_search::open_list::Heap;
use throng_search::spec::{Kind, Parameter};
use throng_search::{ANY_CORNERS, Expansion, OctileDistance, Status};
use throng_toolkit::{HeuristicWithLearning, LearnedHeuristic, SlicedSearch};

use crate::bmaa::{Bmaa, Options};
use crate::registry::PlannerInfo;

pub(crate) const EXPANSIONS: Parameter = Parameter {
    name: "expansions",
    summary: "nodes that a search may expand",
    kind: Kind::Integer { min: 1, max: 1_000_000, default: 32 },
};

/// The largest value of `moves`.
pub(crate) const MAX_MOVES: u64 = 1_000_000;

pub(crate) const MOVES: Parameter = Parameter {
    name: "moves",
    summary: "ticks for which an agent follows a path before it searches again",
    kind: Kind::Integer { min: 1, max: MAX_MOVES, default: 32 },
};

pub(crate) const LEARNING: Parameter = Parameter {
    name: "learning",
    summary: "whether a learned estimate may fall again, as published, or never does",
    kind: Kind::Choice(&["plain", "monotone"]),
};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "rtaa",
    summary: "real-time adaptive A* for each agent by itself",
    idea: "Each agent runs a short A* search, walks where it points, and remembers that the cells it has looked at \
           are farther from the goal than they seemed. Agents do not see each other when they search: one that finds \
           its next cell held waits for it, for ever if need be. Made for one agent; bmaa is it with open eyes.",
    reference: "S. Koenig, M. Likhachev: Real-Time Adaptive A*. AAMAS 2006",
    parameters: &[EXPANSIONS, MOVES, LEARNING],
    needs: Sharing::Nothing,
    needs_control: false,
    prepares: false,
    has_goals: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values, grid, resources| Box::new(Bmaa::new(Options::blind(values), grid, resources)),
};

/// How a search is bounded and what it learns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Nodes that it may expand.
    pub(crate) expansions: u64,
    /// Steps of its path that are kept.
    pub(crate) moves: usize,
    /// Whether learned estimates never fall.
    pub(crate) monotone: bool,
}

/// What a search came to.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct RtaaOutcome {
    /// Nodes whose new estimate would have been less than the distance on an empty map.
    pub(crate) clamped: u64,
    /// When every way out is held by others: the held cell that would have been the best.
    pub(crate) shut_by: Option<Cell>,
}

/// The working memory of RTAA* searches, one at a time.
#[derive(Debug)]
pub(crate) struct RtaaSearch {
    search: SlicedSearch<Heap>,
    status: Status,
    cells: Vec<Cell>,
}

impl Default for RtaaSearch {
    fn default() -> Self {
        Self { search: SlicedSearch::default(), status: Status::Paused, cells: Vec::new() }
    }
}

impl RtaaSearch {
    /// Begins another search with the next slice. It first repeats `replay` expansions, made before a snapshot.
    pub(crate) fn restart(&mut self, replay: u64) {
        self.search.restart(replay);
        self.status = Status::Paused;
    }

    /// What was expanded.
    pub(crate) fn expanded(&self) -> &[u32] {
        self.search.expanded()
    }

    /// How many expansions the search has made.
    pub(crate) fn expansions(&self) -> u64 {
        self.search.expansions()
    }

    /// Returns true if the search has neither reached the goal nor run out of nodes.
    pub(crate) fn is_paused(&self) -> bool {
        self.status == Status::Paused
    }

    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.search.memory_bytes() + self.cells.capacity() * size_of::<Cell>()
    }

    /// Searches for at most `limit` expansions and returns how many were made.
    pub(crate) fn advance(
        &mut self,
        space: &mut RtaaSpace<'_>,
        learned: &LearnedHeuristic,
        limit: u64,
    ) -> u64 {
        let mut heuristic = taught(space, learned);
        let (from, goal, before) = (space.from.0, space.goal.0, self.search.expansions());
        // A heap needs not know what to expect.
        let ends = (from, |node| node == goal);
        self.status = self.search.advance(space, &mut heuristic, ends, (0, 0), limit);
        self.search.expansions() - before
    }

    /// Takes from a search what the agent learns, and where it goes.
    pub(crate) fn conclude(
        &mut self,
        space: RtaaSpace<'_>,
        learned: &mut LearnedHeuristic,
        bounds: Bounds,
        path: &mut Vec<Cell>,
    ) -> RtaaOutcome {
        path.clear();
        let mut outcome = RtaaOutcome::default();
        match self.search.first() {
            Some(first) if self.status != Status::Exhausted => {
                self.search.search().trace(&space, first.node, &mut self.cells);
                let kept = self.cells.len().min(bounds.moves + 1);
                path.extend(self.cells[1..kept].iter().rev());
                outcome.clamped = self.learn(space.ground, learned, first.f(), bounds.monotone);
            }
            _ => outcome.shut_by = self.best_held(space, taught(&space, learned)),
        }
        outcome
    }

    /// `h(n) <- f* - g(n)` for every closed node; says how often that was less than the distance on an empty map.
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

    /// Of the held cells that the search came upon, the one with the smallest `f`.
    fn best_held(&self, space: RtaaSpace<'_>, mut heuristic: HeuristicWithLearning<'_>) -> Option<Cell> {
        use throng_search::Heuristic as _;
        let mut best: Option<(Cost, u32)> = None;
        for &node in self.search.expanded() {
            let Some(known) = self.search.search().node(node) else { continue };
            space.each(Expansion { node, known }, space.moves(Cell(node)), |held| {
                if held.node != space.from.0 && space.is_held(Cell(held.node)) {
                    let f = held.g.saturating_add(heuristic.lower(held.node));
                    best = Some(best.map_or((f, held.node), |best| best.min((f, held.node))));
                }
            });
        }
        best.map(|(_, node)| Cell(node))
    }
}

/// The heuristic of the agent whose search it is.
fn taught<'a>(space: &RtaaSpace<'_>, learned: &'a LearnedHeuristic) -> HeuristicWithLearning<'a> {
    HeuristicWithLearning { empty: OctileDistance::to_cell(space.ground, space.goal), learned }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::Occupancy;
    use throng_grid::moves::STRAIGHT;
    use throng_grid::{Grid, MoveRules, Tiles};
    use throng_toolkit::VisibleAgents;

    /// Searches from cell 5 to cell 11 of a corridor whose cell 6 was once learned to be ten steps farther.
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
        let (bounds, mut path) = (Bounds { expansions: 7, moves: 9, monotone }, Vec::new());
        let (mut search, mut space) = (RtaaSearch::default(), space);
        assert_eq!(search.advance(&mut space, &learned, bounds.expansions), 7);
        let outcome = search.conclude(space, &mut learned, bounds, &mut path);
        (learned, outcome, path)
    }

    #[test]
    fn estimates_fall_to_the_distance_on_an_empty_map_and_no_further() {
        // All cells to the west look nearer than cell 6 and are expanded, then it, and cell 7 is next.
        let (learned, outcome, path) = corridor(false);
        assert_eq!((outcome.clamped, outcome.shut_by), (5, None));
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
