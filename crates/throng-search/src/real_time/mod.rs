//! Real-time searches: an agent moves after a bounded amount of search, and learns, until it stands on its goal.
//!
//! A path is what the agent has walked. It can be many times longer than a shortest one, so walks have a limit: `cap` times
//! the cost of a shortest path. Most walks end below `cap` times the distance on an empty map, which is known at once; only
//! then is the shortest path computed.

use throng_grid::{Cell, Cost, Ground};

use crate::astar::astar;
use crate::heuristic::{Heuristic, OctileDistance};
use crate::open_list::Buckets;
use crate::path_search::{PathSearch, SearchResult};
use crate::spec::{Kind, Parameter};

mod expendable;
pub mod rths;
#[cfg(test)]
mod tests;

pub use expendable::is_connected;
pub use rths::{LearningOperator, Rths, RthsParameters};

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
}

/// A real-time search.
pub trait Walker {
    /// Walks from one cell to another, which a path connects, and calls `visit` with every cell in order. Gives up above a
    /// cost.
    fn walk(&mut self, ground: &Ground, ends: (Cell, Cell), max_cost: u64, visit: impl FnMut(Cell)) -> Walk;
}

/// A real-time search behind the interface of searches.
pub(crate) struct CappedWalks<W> {
    walker: W,
    /// The limit, in multiples of the cost of a shortest path.
    cap: u64,
    shortest: Box<dyn PathSearch>,
    capped: bool,
}

impl<W: Walker + Send + 'static> CappedWalks<W> {
    pub(crate) fn boxed(walker: W, cap: u64) -> Box<dyn PathSearch> {
        Box::new(Self { walker, cap, shortest: astar(Buckets::default()), capped: false })
    }

    /// Walks below a limit. Writes the cells into `path`.
    fn walk(&mut self, ground: &Ground, ends: (Cell, Cell), max_cost: u64, path: &mut Vec<Cell>) -> Walk {
        path.clear();
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
        let mut walk = self.walk(ground, (from, to), self.cap * u64::from(lower_bound), path);
        if !walk.arrived {
            // The same walk again, with the limit that counts.
            let shortest = self.shortest.find(ground, from, to, &mut Vec::new()).cost.unwrap_or(lower_bound);
            walk = self.walk(ground, (from, to), self.cap * u64::from(shortest), path);
        }
        self.capped = !walk.arrived;
        let cost = Cost::try_from(walk.cost).ok().filter(|_| walk.arrived);
        SearchResult { cost, lower_bound, expansions: walk.steps }
    }

    fn caveat(&self) -> Option<&'static str> {
        self.capped.then_some("the agent did not arrive before its path was as long as the cap allows")
    }
}
