//! Breadth-first search: a path with the fewest moves, regardless of their cost.
//!
//! E. F. Moore, *The Shortest Path Through a Maze*, International Symposium on the Theory of Switching, 1959.

use crate::best_first::Policy;
use crate::heuristic::Blind;
use crate::open_list::Buckets;
use crate::path_search::SearchResult;
use crate::point_to_point::{grid_search, point_to_point};
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::{Expansion, GridSpace, Space, Successor};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "bfs",
    summary: "breadth-first search: a path with the fewest moves",
    idea: "Every move counts one. The path has the fewest moves, but not the minimum cost if moves are diagonal or \
           terrain costs differ.",
    reference: "E. F. Moore: The Shortest Path Through a Maze. International Symposium on the Theory of \
                Switching, 1959",
    parameters: &[],
    optimal: false,
    real_time: false,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |_| {
        grid_search(Buckets::default(), Policy::default(), |search, ground, ends, path| {
            let mut space = UnitCostSpace(GridSpace::new(ground));
            let result = point_to_point(search, &mut space, &mut Blind, ends, path);
            // The search counts moves, so it proves no bound of the cost.
            SearchResult { cost: result.cost.and_then(|_| ground.path_cost(path)), lower_bound: 0, ..result }
        })
    },
};

/// The moves of a ground, each with cost one.
struct UnitCostSpace<'a>(GridSpace<'a>);

impl Space for UnitCostSpace<'_> {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        self.0.expand(at, |successor| propose(Successor { g: at.known.g + 1, ..successor }));
    }
}
