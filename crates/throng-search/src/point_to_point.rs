//! Point-to-point queries: one run of the search loop from a start to a goal, and the searches composed of it.

use throng_grid::{Cell, Ground};

use crate::best_first::{BestFirst, Policy, Status};
use crate::heuristic::Heuristic;
use crate::node_store::{DenseStore, NodeStore};
use crate::open_list::OpenList;
use crate::path_search::{PathSearch, SearchResult, Trace};
use crate::space::Space;

/// A search over cells: the search loop with an open list, and the function that runs one query on it.
struct GridSearch<F, Q> {
    search: BestFirst<DenseStore, F>,
    query: Q,
}

/// Returns a search over cells with an open list and a policy. `query` finds a path between two cells with the search
/// loop.
pub(crate) fn grid_search<F, Q>(open_list: F, policy: Policy, query: Q) -> Box<dyn PathSearch>
where
    F: OpenList + Send + 'static,
    Q: Fn(&mut BestFirst<DenseStore, F>, &Ground, (Cell, Cell), &mut Vec<Cell>) -> SearchResult,
    Q: Send + 'static,
{
    Box::new(GridSearch { search: BestFirst::new(DenseStore::default(), open_list, policy), query })
}

impl<F, Q> PathSearch for GridSearch<F, Q>
where
    F: OpenList + Send,
    Q: Fn(&mut BestFirst<DenseStore, F>, &Ground, (Cell, Cell), &mut Vec<Cell>) -> SearchResult + Send,
{
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        (self.query)(&mut self.search, ground, (from, to), path)
    }

    fn expanded(&self) -> &[u32] {
        self.search.closed()
    }

    fn set_tracing(&mut self, on: bool) {
        self.search.set_tracing(on);
    }

    fn trace(&self) -> Trace<'_> {
        Trace { bounds: self.search.bounds(), walk: None }
    }
}

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
    let mut cost = None;
    if let Status::Found(node) = status {
        search.trace(space, node, path);
        cost = search.node(node).map(|node| node.g);
    }
    SearchResult { cost, lower_bound: search.lower_bound(), expansions: search.expansions() }
}

/// Returns the range of the `f` values in an open list on a ground, and their common divisor as a shift. Valid for
/// consistent heuristics: a step raises `f` by at most twice its cost.
pub fn f_range(ground: &Ground) -> (u32, u32) {
    let profile = ground.profile();
    let longest = throng_grid::moves::DIAGONAL / 2 * u32::from(ground.max_halves());
    let shift = if ground.is_uniform() { (2 * u32::from(profile.min_halves())).trailing_zeros() } else { 0 };
    (2 * longest, shift)
}
