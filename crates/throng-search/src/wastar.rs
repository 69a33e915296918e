//! Weighted A*: expand the node with the smallest `f = g + w h` first.
//!
//! I. Pohl, *Heuristic Search Viewed as Path Finding in a Graph*, Artificial Intelligence 1(3), 1970. With a consistent
//! heuristic the path costs at most `w` times the minimum, even without re-expansions.

use throng_grid::{Cell, Ground};

use crate::best_first::{BestFirst, Policy};
use crate::heuristic::{OctileDistance, Weighted};
use crate::node_store::DenseStore;
use crate::open_list::Heap;
use crate::path_search::{PathSearch, SearchResult};
use crate::point_to_point::point_to_point;
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::GridSpace;
use crate::spec::{Kind, MILLION, Parameter};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "wastar",
    summary: "weighted A*: a path within a factor of the shortest, with fewer expansions",
    idea: "Expands the node with the smallest g + weight * h. The path costs at most `weight` times the minimum.",
    reference: "I. Pohl: Heuristic Search Viewed as Path Finding in a Graph. Artificial Intelligence 1(3), 1970",
    parameters: &[Parameter {
        name: "weight",
        summary: "factor of the heuristic, and bound of the path's cost over the minimum",
        kind: Kind::Decimal { min: MILLION, max: 100 * MILLION, default: 2 * MILLION },
    }],
    optimal: false,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| Box::new(WeightedAstar::new(values.get("weight"))),
};

/// Weighted A*.
#[derive(Clone, Debug)]
pub struct WeightedAstar {
    search: BestFirst<DenseStore, Heap>,
    weight: u64,
}

impl WeightedAstar {
    /// Returns a search with a weight in millionths, at least one million.
    pub fn new(weight: u64) -> Self {
        Self { search: BestFirst::new(DenseStore::default(), Heap::default(), Policy::default()), weight }
    }
}

impl PathSearch for WeightedAstar {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        let mut space = GridSpace::new(ground);
        let mut heuristic =
            Weighted { inner: OctileDistance::to_cell(ground, to), millionths: self.weight, shift: 0 };
        let result = point_to_point(&mut self.search, &mut space, &mut heuristic, (from, to), path);
        let proven = result.cost.map_or(0, |cost| u64::from(cost) * MILLION / self.weight);
        SearchResult { lower_bound: proven as u32, ..result }
    }

    fn expanded(&self) -> &[u32] {
        self.search.closed()
    }
}
