//! The face of every search that finds one path: ask by name, find, read the answer.

use throng_grid::{Cell, Cost, Ground};

use crate::registry::{SearchInfo, Unsupported};

/// What a search has to say about one question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchResult {
    /// Cost of the path found; `None` when there is none.
    pub cost: Option<Cost>,
    /// No path costs less than this, as far as the search can prove. Meaningful when a path was found.
    pub lower_bound: Cost,
    /// Nodes expanded.
    pub expansions: u64,
}

/// A search for a path between two cells. Implementations keep their scratch memory between questions.
///
/// Both cells are free, and the ground is one that the search's [`SearchInfo`] supports: [`RegisteredSearch`] sees to it.
pub trait PathSearch: Send {
    /// Writes a legal path from `from` to `to`, both included and cell by cell, into `path`, which comes empty.
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult;

    /// Computes whatever the search keeps for a ground. Searches do this themselves when they meet a new ground;
    /// calling it first keeps the cost out of the first question.
    fn prepare(&mut self, ground: &Ground) {
        let _ = ground;
    }

    /// What there is to say about the last answer besides it, such as that a bound is weaker than usual and why.
    fn caveat(&self) -> Option<&'static str> {
        None
    }

    /// The nodes expanded for the last question, in order, where they are cells; for pictures.
    fn expanded(&self) -> &[u32] {
        &[]
    }
}

/// A registered search, ready for questions.
pub struct RegisteredSearch {
    info: &'static SearchInfo,
    search: Box<dyn PathSearch>,
}

impl std::fmt::Debug for RegisteredSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegisteredSearch").field("search", &self.info.name).finish_non_exhaustive()
    }
}

impl RegisteredSearch {
    /// A search that is described by an entry of a registry.
    pub fn new(info: &'static SearchInfo, search: Box<dyn PathSearch>) -> Self {
        Self { info, search }
    }

    /// What the registry says of the search.
    pub fn info(&self) -> &'static SearchInfo {
        self.info
    }

    /// Finds a path and writes it into `path`, both ends included; empty when there is none, or none that costs less
    /// than 2³² units.
    ///
    /// # Errors
    /// When the search does not support the ground's moves or terrain.
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

    /// Computes whatever the search keeps for a ground; [`RegisteredSearch::find`] does it too when needed.
    ///
    /// # Errors
    /// When the search does not support the ground's moves or terrain.
    pub fn prepare(&mut self, ground: &Ground) -> Result<(), Unsupported> {
        self.info.supports(ground)?;
        self.search.prepare(ground);
        Ok(())
    }

    /// What there is to say about the last answer besides it.
    pub fn caveat(&self) -> Option<&'static str> {
        self.search.caveat()
    }

    /// The cells expanded for the last question, in order; empty for searches whose nodes are not cells.
    pub fn expanded(&self) -> &[u32] {
        self.search.expanded()
    }

    /// A path that is wrong is a bug of the search, found here in every debug build.
    fn check(&self, ground: &Ground, from: Cell, to: Cell, path: &[Cell], answer: SearchResult) {
        let name = self.info.name;
        if let Some(cost) = answer.cost {
            assert_eq!(path.first(), Some(&from), "{name}'s path starts elsewhere");
            assert_eq!(path.last(), Some(&to), "{name}'s path ends elsewhere");
            assert_eq!(
                ground.path_cost(path),
                Some(cost),
                "{name}'s path is illegal or costs something else"
            );
            assert!(answer.lower_bound <= cost, "{name}'s lower bound is above its path's cost");
        }
    }
}
