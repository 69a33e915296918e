//! Point-to-point queries: one run of the search loop from a start to a goal.

use throng_grid::{Cell, Ground};

use crate::best_first::{BestFirst, Status};
use crate::heuristic::Heuristic;
use crate::node_store::NodeStore;
use crate::open_list::OpenList;
use crate::path_search::SearchResult;
use crate::space::Space;

/// Searches from one cell to another without an expansion limit, and writes the path.
pub(crate) fn point_to_point<S: NodeStore, F: OpenList>(
    search: &mut BestFirst<S, F>,
    space: &mut impl Space,
    heuristic: &mut impl Heuristic,
    (from, to): (Cell, Cell),
    path: &mut Vec<Cell>,
) -> SearchResult {
    search.begin(space);
    search.add_source(from.0, 0, heuristic);
    let status = search.resume(space, heuristic, |node| node == to.0, u64::MAX, &mut ());
    let cost = match status {
        Status::Found(node) => {
            search.trace(space, node, path);
            search.node(node).map(|node| node.g)
        }
        _ => None,
    };
    SearchResult { cost, lower_bound: search.lower_bound(), expansions: search.expansions() }
}

/// Returns the range of the `f` values in an open list on a ground, and their common divisor as a shift. Valid for
/// consistent heuristics: a step raises `f` by at most twice its cost.
pub fn f_range(ground: &Ground) -> (u32, u32) {
    let profile = ground.profile();
    let longest = throng_grid::moves::DIAGONAL / 2 * u32::from(profile.max_halves());
    let shift = if profile.is_uniform() { (2 * u32::from(profile.min_halves())).trailing_zeros() } else { 0 };
    (2 * longest, shift)
}
