//! Real-time searches: an agent moves after a bounded amount of search, and learns, until it stands on its goal.
//!
//! A path is what the agent has walked. It can be many times longer than a shortest one, so walks have a limit: `cap` times
//! the cost of a shortest path. Most walks end below `cap` times the distance on an empty map, which is known at once; only
//! then is the shortest path computed.

use throng_grid::{Cell, Cost, Ground};

use crate::astar::astar;
use crate::heuristic::{Heuristic, OctileDistance};
use crate::open_list::Buckets;
use crate::path_search::{PathSearch, SearchResult, Trace};
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::spec::{Kind, Parameter};

mod border;
pub(crate) mod da_rtaa;
mod estimates;
mod expendable;
mod increments;
mod lanes;
mod lookahead;
pub(crate) mod lss_lrta;
pub(crate) mod rtaa;
pub mod rths;
pub(crate) mod tba;
#[cfg(test)]
mod tests;
mod trace;

pub use border::BorderDistances;
pub use expendable::is_connected;
pub use increments::{HeuristicWithLearning, Increments, StampedIncrements};
pub use lookahead::{LearningRule, LookaheadRules, LookaheadWalker, learn, least_raised};
pub use rths::{LearningOperator, Rths, RthsParameters};
pub use tba::Tba;
pub use trace::{Turn, WalkTrace};

/// What the entries of all real-time searches have in common; each entry sets the other fields.
pub(crate) const REAL_TIME: SearchInfo = SearchInfo {
    name: "",
    summary: "",
    idea: "",
    reference: "",
    parameters: &[],
    optimal: false,
    real_time: true,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| CappedWalks::boxed(Rths::new(RthsParameters::default()), values.get("cap")),
};

/// The parameter of the limit.
pub(crate) const CAP: Parameter = Parameter {
    name: "cap",
    summary: "the agent gives up when its path costs more than this multiple of a shortest one",
    kind: Kind::Integer { min: 1, max: 1_000_000, default: 100 },
};

/// A walk of one agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Walk {
    /// Whether the agent arrived.
    pub arrived: bool,
    /// The cost of all its steps.
    pub cost: u64,
    /// The number of its steps.
    pub steps: u64,
    /// The number of expanded cells.
    pub expansions: u64,
}

impl Walk {
    /// Counts a step between two neighbour cells.
    fn step(&mut self, ground: &Ground, (from, to): (Cell, Cell)) {
        self.cost +=
            ground.legal_step(from, to).map_or(0, |direction| u64::from(ground.cost(from, direction)));
        self.steps += 1;
    }
}

/// A real-time search.
pub trait Walker {
    /// Walks from one cell to another, which a path connects, and calls `visit` with every cell in order. Gives up above a
    /// cost.
    fn walk(&mut self, ground: &Ground, ends: (Cell, Cell), max_cost: u64, visit: impl FnMut(Cell)) -> Walk;

    /// Returns the trace of the last walk; empty unless walks are traced.
    fn trace(&self) -> &WalkTrace;

    /// Sets whether walks are traced.
    fn set_tracing(&mut self, on: bool);

    /// Returns the cells that the last walk expanded, in order; empty if the search does not store them.
    fn expanded(&self) -> &[u32] {
        self.trace().expanded()
    }
}

/// A real-time search behind the interface of searches.
pub(crate) struct CappedWalks<W> {
    walker: W,
    /// The limit, in multiples of the cost of a shortest path.
    cap: u64,
    shortest: Box<dyn PathSearch>,
    capped: bool,
}

/// The greatest cost of a path.
const MAX_COST: u64 = Cost::MAX as u64 - 1;

impl<W: Walker + Send + 'static> CappedWalks<W> {
    pub(crate) fn boxed(walker: W, cap: u64) -> Box<dyn PathSearch> {
        Box::new(Self { walker, cap, shortest: astar(Buckets::default()), capped: false })
    }

    /// Walks at no more than the cap times a cost. Writes the cells into `path`.
    fn walk(&mut self, ground: &Ground, ends: (Cell, Cell), cost: Cost, path: &mut Vec<Cell>) -> Walk {
        path.clear();
        let max_cost = (self.cap * u64::from(cost)).min(MAX_COST);
        self.walker.walk(ground, ends, max_cost, |cell| path.push(cell))
    }
}

impl<W: Walker + Send + 'static> PathSearch for CappedWalks<W> {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        self.capped = false;
        if !ground.reachable(from, to) {
            return SearchResult::default();
        }
        let lower_bound = OctileDistance::to_cell(ground, to).lower(from.0);
        let mut walk = self.walk(ground, (from, to), lower_bound, path);
        if !walk.arrived {
            // The same walk again, with the limit that counts.
            path.clear();
            let shortest = self.shortest.find(ground, from, to, path).cost.unwrap_or(lower_bound);
            walk = self.walk(ground, (from, to), shortest, path);
        }
        self.capped = !walk.arrived;
        let cost = Cost::try_from(walk.cost).ok().filter(|_| walk.arrived);
        SearchResult { cost, lower_bound, expansions: walk.expansions }
    }

    fn caveat(&self) -> Option<&'static str> {
        self.capped.then_some("the agent did not arrive before its path was as long as the cap allows")
    }

    fn cap(&self) -> Option<u64> {
        Some(self.cap)
    }

    fn expanded(&self) -> &[u32] {
        self.walker.expanded()
    }

    fn set_tracing(&mut self, on: bool) {
        self.walker.set_tracing(on);
    }

    fn trace(&self) -> Trace<'_> {
        Trace { bounds: &[], walk: Some(self.walker.trace()) }
    }
}
