//! Reverse resumable A* (RRA*): exact distances to one goal, computed on demand.
//!
//! D. Silver, *Cooperative Pathfinding*, AIIDE 2005. The search runs backwards from the goal towards the first cell
//! that was queried. A query about a cell that is not closed resumes the search until it is. With a consistent
//! heuristic the costs of closed cells are exact for every query, so all agents with the same goal share one search.
//!
//! An edit invalidates the distances only if it changes a tile that the search has read: see [`TouchedTiles`].

use throng_grid::{Cell, Cost, Ground};

use crate::best_first::{BestFirst, Policy, Status};
use crate::heuristic::OctileDistance;
use crate::node_store::PagedStore;
use crate::open_list::Buckets;
use crate::path_search::{PathSearch, SearchResult};
use crate::point_to_point::f_range;
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::GridSpace;
use crate::touched_tiles::{TouchProbe, TouchedTiles};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "rra",
    summary: "reverse resumable A*: exact distances to a goal, shared by all queries to it",
    idea: "Searches from the goal towards the first start and stops when it reaches it. A later query to the same goal \
           reads its distance if it is known, and otherwise resumes the search.",
    reference: "D. Silver: Cooperative Pathfinding. AIIDE 2005",
    parameters: &[],
    optimal: true,
    real_time: false,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |_| Box::new(RraCache::default()),
};

/// The exact distances to one goal, as far as they have been computed. The storage is paged, so that thousands of
/// searches fit into memory.
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
    /// The cost of a shortest path.
    Exact(Cost),
    /// There is no path.
    Unreachable,
    /// The expansion limit was reached first.
    Unknown,
}

impl Rra {
    /// Returns the distances to `goal`; the search runs towards `toward` first.
    pub fn new(ground: &Ground, goal: Cell, toward: Cell) -> Self {
        Self::with(ground, goal, toward, Policy::default())
    }

    /// Returns the same without the list of expanded cells, which saves memory.
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

    /// Returns the goal.
    pub fn goal(&self) -> Cell {
        self.goal
    }

    /// Returns the cell that the heuristic aims at. With the goal, the ground and [`Rra::expansions`] it determines the
    /// whole state.
    pub fn toward(&self) -> Cell {
        self.toward
    }

    /// Returns the tiles that the search has read.
    pub fn touched(&self) -> &TouchedTiles {
        &self.touched
    }

    /// Runs a number of expansions without a target. The search must be current for `ground`.
    pub fn advance(&mut self, ground: &Ground, expansions: u64) {
        self.resume(ground, |_| false, expansions);
    }

    fn resume(&mut self, ground: &Ground, is_goal: impl Fn(u32) -> bool, limit: u64) -> Status {
        let fingerprint = |tile| ground.tile_fingerprint(tile);
        let mut probe = TouchProbe { touched: &mut self.touched, size: ground.size(), fingerprint };
        let mut space = GridSpace::new(ground);
        self.search.resume(&mut space, &mut self.heuristic, is_goal, limit, &mut probe)
    }

    /// Returns true if the distances are valid on this ground: no tile that the search has read has changed.
    pub fn is_current(&mut self, ground: &Ground) -> bool {
        self.touched.is_current(ground, |tile| ground.tile_fingerprint(tile))
    }

    /// Returns true if [`Rra::is_current`] has already returned true for this ground.
    pub fn is_known_current(&self, ground: &Ground) -> bool {
        self.touched.is_known_current(ground)
    }

    /// Returns the distance from a cell to the goal, after at most `limit` further expansions. The search must be
    /// current for `ground`.
    pub fn distance(&mut self, ground: &Ground, from: Cell, limit: u64) -> Distance {
        if let Some(cost) = self.known(from) {
            return Distance::Exact(cost);
        }
        match self.resume(ground, |node| node == from.0, limit) {
            Status::Found(node) => {
                self.search.node(node).map_or(Distance::Unreachable, |node| Distance::Exact(node.g))
            }
            Status::Paused => Distance::Unknown,
            Status::Exhausted | Status::Incumbent(_) => Distance::Unreachable,
        }
    }

    /// Returns the distance from a cell if it is already known.
    pub fn known(&self, from: Cell) -> Option<Cost> {
        self.search.node(from.0).filter(|node| node.is_closed()).map(|node| node.g)
    }

    /// Returns the next cell on a shortest path from a cell whose distance is known; `None` at the goal.
    pub fn next(&self, from: Cell) -> Option<Cell> {
        self.search.parent(from.0).map(Cell)
    }

    /// Returns the number of expansions so far.
    pub fn expansions(&self) -> u64 {
        self.search.expansions()
    }

    /// Returns the expanded cells in order; empty after [`Rra::without_history`].
    pub fn expanded(&self) -> &[u32] {
        self.search.closed()
    }

    /// Returns the bytes held by pages and lists.
    pub fn memory_bytes(&self) -> usize {
        self.search.store().memory_bytes() + self.search.memory_bytes() + self.touched.memory_bytes()
    }
}

/// Number of goals that an [`RraCache`] keeps.
const GOALS: usize = 32;

/// The searches for the goals of the latest queries.
#[derive(Debug, Default)]
struct RraCache {
    /// The latest first.
    searches: Vec<Rra>,
}

impl PathSearch for RraCache {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        let known = self.searches.iter_mut().position(|rra| rra.goal() == to && rra.is_current(ground));
        if let Some(place) = known {
            self.searches[..=place].rotate_right(1);
        } else {
            self.searches.truncate(GOALS - 1);
            self.searches.insert(0, Rra::new(ground, to, from));
        }
        let rra = &mut self.searches[0];
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
        self.searches.first().map_or(&[], Rra::expanded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Grid, MoveRules, Tiles};

    #[test]
    fn alternating_goals_reuse_their_searches_until_the_map_changes() {
        let mut grid = Grid::new(Tiles::picture(&["........"; 8].join("\n")), MoveRules::default());
        let (mut search, mut path) = (RraCache::default(), Vec::new());
        let mut expansions = |grid: &Grid, goal: u32| {
            path.clear();
            search.find(grid.ground(), Cell(0), Cell(goal), &mut path).expansions
        };
        assert!(expansions(&grid, 63) > 0 && expansions(&grid, 7) > 0);
        assert_eq!((expansions(&grid, 63), expansions(&grid, 7)), (0, 0));
        grid.block(throng_grid::Pos::new(3, 3));
        assert!(expansions(&grid, 63) > 0);
    }

    #[test]
    fn a_limit_pauses_the_search_and_the_next_query_resumes_it() {
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
        let mut queries = 1;
        while sliced.distance(ground, from, 3) == Distance::Unknown {
            queries += 1;
        }
        assert_eq!(sliced.distance(ground, from, 0), exact);
        assert_eq!(sliced.expanded(), whole.expanded());
        assert_eq!(queries, whole.expansions().div_ceil(3));
        // The number of expansions determines the state.
        let mut advanced = Rra::new(ground, goal, whole.toward());
        advanced.advance(ground, whole.expansions());
        assert_eq!((advanced.expanded(), advanced.memory_bytes()), (whole.expanded(), whole.memory_bytes()));
    }
}
