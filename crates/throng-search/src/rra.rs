//! Reverse resumable A*: exact distances to one goal, computed as far as they are asked for.
//!
//! D. Silver, *Cooperative Pathfinding*, AIIDE 2005. The search starts at the goal and aims at the cell that asked
//! first; whoever asks about a cell that it has not closed yet makes it go on until it has. With a consistent
//! heuristic closed costs are exact, whoever asks, so all who share a goal share one search.
//!
//! Edits of the map make it stale only in tiles that it has looked at: [`TouchedTiles`] says why the rest is exact still.

use throng_grid::{Cell, Cost, Ground};

use crate::best_first::{BestFirst, Policy, Status};
use crate::heuristic::OctileDistance;
use crate::node_store::{NO_NODE, PagedStore};
use crate::open_list::Buckets;
use crate::path_search::{PathSearch, SearchResult};
use crate::point_to_point::f_range;
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::GridSpace;
use crate::touched_tiles::{TouchProbe, TouchedTiles};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "rra",
    summary: "reverse resumable A*: exact distances to a goal, shared by all who ask for it",
    idea: "Searches from the goal towards the first who asks and stops when it has reached them; the next one \
           who asks about the same goal is answered from what is known, or makes the search go on.",
    reference: "D. Silver: Cooperative Pathfinding. AIIDE 2005",
    parameters: &[],
    optimal: true,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |_| Box::new(RraCache::default()),
};

/// The exact distances to one goal, as far as they have been asked for. Keeps to pages, so that thousands can
/// live side by side.
#[derive(Clone, Debug)]
pub struct Rra {
    search: BestFirst<PagedStore, Buckets>,
    goal: Cell,
    toward: Cell,
    heuristic: OctileDistance,
    touched: TouchedTiles,
}

/// A distance, or why there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    /// This far.
    Exact(Cost),
    /// No way leads there.
    Unreachable,
    /// The limit was spent before it was known.
    Unknown,
}

impl Rra {
    /// Distances to `goal`, searched towards `toward` first.
    pub fn new(ground: &Ground, goal: Cell, toward: Cell) -> Self {
        Self::with(ground, goal, toward, Policy::default())
    }

    /// The same without a list of the cells expanded, for thousands side by side.
    pub fn without_history(ground: &Ground, goal: Cell, toward: Cell) -> Self {
        Self::with(ground, goal, toward, Policy { history: false, ..Policy::default() })
    }

    fn with(ground: &Ground, goal: Cell, toward: Cell, policy: Policy) -> Self {
        let (range, shift) = f_range(ground);
        let mut heuristic = OctileDistance::to_cell(ground, toward);
        let mut search = BestFirst::new(PagedStore::new(ground.size()), Buckets::new(range, shift), policy);
        search.begin(&GridSpace::new(ground));
        let mut touched = TouchedTiles::default();
        touched.begin(ground);
        touched.record(ground.size(), goal, |tile| ground.tile_fingerprint(tile));
        if ground.is_free(goal) {
            search.add_source(goal.0, 0, &mut heuristic);
        }
        Self { search, goal, toward, heuristic, touched }
    }

    /// The goal.
    pub fn goal(&self) -> Cell {
        self.goal
    }

    /// The cell it was searched towards first. With the goal, the ground and [`Rra::expansions`] it determines the
    /// whole state.
    pub fn toward(&self) -> Cell {
        self.toward
    }

    /// The tiles that it has looked at, and what they were like.
    pub fn touched(&self) -> &TouchedTiles {
        &self.touched
    }

    /// Goes on by so many expansions, whatever they reach. `ground` must be current.
    pub fn advance(&mut self, ground: &Ground, expansions: u64) {
        self.resume(ground, |_| false, expansions);
    }

    fn resume(&mut self, ground: &Ground, is_goal: impl Fn(u32) -> bool, limit: u64) -> Status {
        let fingerprint = |tile| ground.tile_fingerprint(tile);
        let mut probe = TouchProbe { touched: &mut self.touched, size: ground.size(), fingerprint };
        let mut space = GridSpace::new(ground);
        self.search.resume(&mut space, &mut self.heuristic, is_goal, limit, &mut probe)
    }

    /// Whether the distances are those of this ground as it is now: no tile that they were learned from has changed.
    pub fn is_current(&mut self, ground: &Ground) -> bool {
        self.touched.is_current(ground, |tile| ground.tile_fingerprint(tile))
    }

    /// Whether [`Rra::is_current`] has said so of this ground already.
    pub fn is_known_current(&self, ground: &Ground) -> bool {
        self.touched.is_known_current(ground)
    }

    /// The distance from a cell to the goal, for at most `limit` further expansions. `ground` must be current.
    pub fn distance(&mut self, ground: &Ground, from: Cell, limit: u64) -> Distance {
        if let Some(node) = self.search.node(from.0).filter(|node| node.is_closed()) {
            return Distance::Exact(node.g);
        }
        match self.resume(ground, |node| node == from.0, limit) {
            Status::Found(node) => {
                self.search.node(node).map_or(Distance::Unreachable, |node| Distance::Exact(node.g))
            }
            Status::Paused => Distance::Unknown,
            Status::Exhausted | Status::Incumbent(_) => Distance::Unreachable,
        }
    }

    /// The distance from a cell, if it is known already.
    pub fn known(&self, from: Cell) -> Option<Cost> {
        self.search.node(from.0).filter(|node| node.is_closed()).map(|node| node.g)
    }

    /// The next cell on a shortest way from a cell whose distance is known; `None` at the goal.
    pub fn next(&self, from: Cell) -> Option<Cell> {
        self.search.node(from.0).map(|node| node.parent).filter(|&parent| parent != NO_NODE).map(Cell)
    }

    /// Number of expansions so far.
    pub fn expansions(&self) -> u64 {
        self.search.expansions()
    }

    /// The cells expanded, in order; none of a [`lean`](Rra::without_history) one.
    pub fn expanded(&self) -> &[u32] {
        self.search.closed()
    }

    /// Bytes held by its pages and lists.
    pub fn memory_bytes(&self) -> usize {
        self.search.store().memory_bytes() + self.search.memory_bytes() + self.touched.memory_bytes()
    }
}

/// How many goals a [`RraCache`] remembers.
const GOALS: usize = 32;

/// Keeps the distances to the goals asked for last, the latest first.
#[derive(Debug, Default)]
struct RraCache {
    known: Vec<Rra>,
}

impl PathSearch for RraCache {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        let known = self.known.iter_mut().position(|rra| rra.goal() == to && rra.is_current(ground));
        if let Some(place) = known {
            self.known[..=place].rotate_right(1);
        } else {
            self.known.truncate(GOALS - 1);
            self.known.insert(0, Rra::new(ground, to, from));
        }
        let rra = &mut self.known[0];
        let before = rra.expansions();
        let distance = rra.distance(ground, from, u64::MAX);
        let expansions = rra.expansions() - before;
        let Distance::Exact(cost) = distance else {
            return SearchResult { expansions, ..SearchResult::default() };
        };
        path.extend(std::iter::successors(Some(from), |&cell| rra.next(cell)));
        SearchResult { cost: Some(cost), lower_bound: cost, expansions }
    }

    fn expanded(&self) -> &[u32] {
        self.known.first().map_or(&[], Rra::expanded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Grid, MoveRules, Tiles};

    #[test]
    fn goals_that_take_turns_share_what_is_known_until_the_map_changes() {
        let mut grid = Grid::new(Tiles::picture(&["........"; 8].join("\n")), MoveRules::default());
        let (mut search, mut path) = (RraCache::default(), Vec::new());
        let mut ask = |grid: &Grid, goal: u32| {
            path.clear();
            search.find(grid.ground(), Cell(0), Cell(goal), &mut path).expansions
        };
        assert!(ask(&grid, 63) > 0 && ask(&grid, 7) > 0);
        assert_eq!((ask(&grid, 63), ask(&grid, 7)), (0, 0));
        grid.block(throng_grid::Pos::new(3, 3));
        assert!(ask(&grid, 63) > 0);
    }

    #[test]
    fn a_limit_pauses_and_the_next_question_goes_on() {
        let tiles = Tiles::picture(
            "........
             .######.
             .#....#.
             ......#.",
        );
        let grid = Grid::new(tiles, MoveRules::default());
        let ground = grid.ground();
        let (goal, from) = (Cell(31), Cell(26));
        let mut whole = Rra::new(ground, goal, from);
        let exact = whole.distance(ground, from, u64::MAX);
        assert!(matches!(exact, Distance::Exact(_)));
        let mut sliced = Rra::new(ground, goal, from);
        let mut questions = 1;
        while sliced.distance(ground, from, 3) == Distance::Unknown {
            questions += 1;
        }
        assert_eq!(sliced.distance(ground, from, 0), exact);
        assert_eq!(sliced.expanded(), whole.expanded());
        assert_eq!(questions, whole.expansions().div_ceil(3));
        // What was grown to the same number of expansions is the same.
        let mut grown = Rra::new(ground, goal, whole.toward());
        grown.advance(ground, whole.expansions());
        assert_eq!((grown.expanded(), grown.memory_bytes()), (whole.expanded(), whole.memory_bytes()));
    }
}
