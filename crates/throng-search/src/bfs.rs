//! Breadth-first search: a path of the fewest moves, whatever they cost.
//!
//! E. F. Moore, *The Shortest Path Through a Maze*, International Symposium on the Theory of Switching, 1959.

use throng_grid::{Cell, Ground};

use crate::best_first::{BestFirst, Policy};
use crate::heuristic::Blind;
use crate::node_store::DenseStore;
use crate::open_list::Buckets;
use crate::path_search::{PathSearch, SearchResult};
use crate::point_to_point::point_to_point;
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::{Expansion, GridSpace, Space, Successor};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "bfs",
    summary: "breadth-first search: a path of the fewest moves",
    idea: "Counts every move as one, so the path has the fewest moves but, with diagonals or terrain, not the \
           least cost.",
    reference: "E. F. Moore: The Shortest Path Through a Maze. International Symposium on the Theory of \
                Switching, 1959",
    parameters: &[],
    optimal: false,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |_| Box::new(Bfs::default()),
};

/// The moves of a ground, each at cost one.
struct Hops<'a>(GridSpace<'a>);

impl Space for Hops<'_> {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        self.0.expand(at, |successor| propose(Successor { g: at.known.g + 1, ..successor }));
    }
}

/// Breadth-first search.
#[derive(Clone, Debug)]
pub struct Bfs {
    search: BestFirst<DenseStore, Buckets>,
}

impl Default for Bfs {
    fn default() -> Self {
        Self { search: BestFirst::new(DenseStore::default(), Buckets::new(1, 0), Policy::default()) }
    }
}

impl PathSearch for Bfs {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        let mut space = Hops(GridSpace::new(ground));
        let answer = point_to_point(&mut self.search, &mut space, &mut Blind, (from, to), path);
        // Moves were counted: the cost is the path's, and of costs nothing was proven.
        SearchResult { cost: answer.cost.and_then(|_| ground.path_cost(path)), lower_bound: 0, ..answer }
    }

    fn expanded(&self) -> &[u32] {
        self.search.closed()
    }
}
