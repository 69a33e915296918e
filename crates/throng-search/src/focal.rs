//! Focal search: among all nodes whose `f` is within a factor of the smallest, expand the one nearest the goal.
//!
//! J. Pearl and J. H. Kim, *Studies in Semi-Admissible Heuristics*, IEEE Transactions on Pattern Analysis and
//! Machine Intelligence 4(4), 1982. FOCAL is ordered by `h`. Nodes are expanded with costs that may still fall, so
//! closed nodes are opened again when they do, or the bound would be lost.

use throng_grid::{Cell, Ground};

use crate::best_first::{BestFirst, Policy};
use crate::heuristic::OctileDistance;
use crate::node_store::DenseStore;
use crate::open_list::Focal;
use crate::path_search::{PathSearch, SearchResult};
use crate::point_to_point::point_to_point;
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::GridSpace;
use crate::spec::{Kind, MILLION, Parameter};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "focal",
    summary: "focal search: a path within a proven factor of the shortest",
    idea: "OPEN orders nodes by f and gives the lower bound; FOCAL holds those within epsilon of it and is \
           searched greedily towards the goal. The answer carries the bound it proved. Where the straight way \
           leads into dead ends, nodes are opened again and again, and it may expand more than A*.",
    reference: "J. Pearl, J. H. Kim: Studies in Semi-Admissible Heuristics. IEEE Transactions on Pattern Analysis \
                and Machine Intelligence 4(4), 1982",
    parameters: &[Parameter {
        name: "epsilon",
        summary: "the path costs at most this many times the least",
        kind: Kind::Decimal { min: MILLION, max: 100 * MILLION, default: 1_100_000 },
    }],
    optimal: false,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| Box::new(FocalSearch::new(values.get("epsilon"))),
};

/// Focal search.
#[derive(Clone, Debug)]
pub struct FocalSearch {
    search: BestFirst<DenseStore, Focal>,
}

impl FocalSearch {
    /// With a factor in millionths, at least one million.
    pub fn new(epsilon: u64) -> Self {
        let policy = Policy { reopen: true, ..Policy::default() };
        Self { search: BestFirst::new(DenseStore::default(), Focal::new(epsilon), policy) }
    }
}

impl PathSearch for FocalSearch {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        let (mut space, mut heuristic) = (GridSpace::new(ground), OctileDistance::to_cell(ground, to));
        let answer = point_to_point(&mut self.search, &mut space, &mut heuristic, (from, to), path);
        // A node before the goal may have been reached more cheaply since the goal was: the path is what counts.
        SearchResult { cost: answer.cost.and_then(|_| ground.path_cost(path)), ..answer }
    }

    fn expanded(&self) -> &[u32] {
        self.search.closed()
    }
}
