//! The interface of searches for one path: create a search by name, run queries, read the results.

use throng_grid::{Cell, Cost, Ground};

use crate::best_first::Bounds;
use crate::real_time::WalkTrace;
use crate::registry::{SearchInfo, Unsupported};

/// The result of one query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchResult {
    /// Cost of the path found; `None` if there is no path.
    pub cost: Option<Cost>,
    /// A proven lower bound of the cost of any path. Valid only if a path was found.
    pub lower_bound: Cost,
    /// Nodes expanded.
    pub expansions: u64,
}

/// A search for a path between two cells. Implementations keep their buffers between queries.
///
/// Callers guarantee that both cells are free and that the search's [`SearchInfo`] supports the ground.
/// [`RegisteredSearch`] checks both.
pub trait PathSearch: Send {
    /// Writes a legal path from `from` to `to`, both included, cell by cell into `path`, which is empty.
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult;

    /// Computes the data that the search stores for a ground. [`PathSearch::find`] does this too if necessary; calling
    /// it first keeps the cost out of the first query.
    fn prepare(&mut self, ground: &Ground) {
        let _ = ground;
    }

    /// Returns a restriction of the last result, such as that its bound is weaker than usual and why.
    fn caveat(&self) -> Option<&'static str> {
        None
    }

    /// Returns the largest multiple of the cost of a shortest path that a path may cost, for a real-time search. An agent
    /// that would walk more has not arrived, and [`PathSearch::find`] returns no path.
    fn cap(&self) -> Option<u64> {
        None
    }

    /// Returns the cells expanded by the last query, in order; empty for searches whose nodes are not cells, and for real-time
    /// searches that search again after each step, unless they are traced.
    fn expanded(&self) -> &[u32] {
        &[]
    }

    /// Sets whether queries record their [`Trace`].
    fn set_tracing(&mut self, on: bool) {
        let _ = on;
    }

    /// Returns the trace of the last query; empty unless the search was told to record it.
    fn trace(&self) -> Trace<'_> {
        Trace::default()
    }
}

/// How a query went, beside the cells that it expanded: for tools that show a search step by step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trace<'a> {
    /// The bounds at each expansion; empty for searches that prove none meanwhile.
    pub bounds: &'a [Bounds],
    /// What the agent of a real-time search did; `None` for other searches.
    pub walk: Option<&'a WalkTrace>,
}

/// A search together with its registry entry. Checks the arguments of every query and, in debug builds, the results.
pub struct RegisteredSearch {
    info: &'static SearchInfo,
    search: Box<dyn PathSearch>,
}

impl std::fmt::Debug for RegisteredSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegisteredSearch").field("name", &self.info.name).finish_non_exhaustive()
    }
}

impl RegisteredSearch {
    /// Combines a search with its registry entry.
    pub fn new(info: &'static SearchInfo, search: Box<dyn PathSearch>) -> Self {
        Self { info, search }
    }

    /// Returns the registry entry of the search.
    pub fn info(&self) -> &'static SearchInfo {
        self.info
    }

    /// Finds a path and writes it into `path`, both ends included. `path` is empty if there is no path that costs less
    /// than 2³² units.
    ///
    /// # Errors
    /// If the search does not support the ground's move rules or terrain.
    pub fn find(
        &mut self,
        ground: &Ground,
        from: Cell,
        to: Cell,
        path: &mut Vec<Cell>,
    ) -> Result<SearchResult, Unsupported> {
        self.info.supports(ground)?;
        path.clear();
        if !ground.is_free(from) || !ground.is_free(to) {
            return Ok(SearchResult::default());
        }
        let answer = self.search.find(ground, from, to, path);
        if answer.cost.is_none() {
            path.clear();
        }
        if cfg!(debug_assertions) {
            self.check(ground, from, to, path, answer);
        }
        Ok(answer)
    }

    /// Computes the data that the search stores for a ground; [`RegisteredSearch::find`] does this too if necessary.
    ///
    /// # Errors
    /// If the search does not support the ground's move rules or terrain.
    pub fn prepare(&mut self, ground: &Ground) -> Result<(), Unsupported> {
        self.info.supports(ground)?;
        self.search.prepare(ground);
        Ok(())
    }

    /// Returns a restriction of the last result, such as that its bound is weaker than usual and why.
    pub fn caveat(&self) -> Option<&'static str> {
        self.search.caveat()
    }

    /// Returns the largest multiple of the cost of a shortest path that a path may cost; `None` unless this is a real-time
    /// search.
    pub fn cap(&self) -> Option<u64> {
        self.search.cap()
    }

    /// Returns the cells expanded by the last query, in order; empty for searches whose nodes are not cells, and for real-time
    /// searches that search again after each step, unless they are traced.
    pub fn expanded(&self) -> &[u32] {
        self.search.expanded()
    }

    /// Sets whether queries record their [`Trace`].
    pub fn set_tracing(&mut self, on: bool) {
        self.search.set_tracing(on);
    }

    /// Returns the trace of the last query; empty unless the search was told to record it.
    pub fn trace(&self) -> Trace<'_> {
        self.search.trace()
    }

    /// Panics if the result is wrong, which is a bug of the search.
    fn check(&self, ground: &Ground, from: Cell, to: Cell, path: &[Cell], answer: SearchResult) {
        let name = self.info.name;
        if let Some(cost) = answer.cost {
            assert_eq!(path.first(), Some(&from), "{name}'s path does not begin at the start");
            assert_eq!(path.last(), Some(&to), "{name}'s path does not end at the goal");
            assert_eq!(ground.path_cost(path), Some(cost), "{name}'s path is illegal or its cost is wrong");
            assert!(answer.lower_bound <= cost, "{name}'s lower bound exceeds the cost of its path");
        }
    }
}
