//! A*: expand the node with the smallest `f = g + h` first.
//!
//! P. E. Hart, N. J. Nilsson, B. Raphael, *A Formal Basis for the Heuristic Determination of Minimum Cost Paths*,
//! IEEE Transactions on Systems Science and Cybernetics 4(2), 1968. The heuristic is the distance on an empty map.

use throng_grid::{Cell, Ground};

use crate::best_first::{BestFirst, Policy};
use crate::heuristic::OctileDistance;
use crate::node_store::DenseStore;
use crate::open_list::{Buckets, Heap, OpenList};
use crate::path_search::{PathSearch, SearchResult};
use crate::point_to_point::{f_range, point_to_point};
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::GridSpace;
use crate::spec::{Kind, Parameter};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "astar",
    summary: "A*: a shortest path, with octile distance as the heuristic",
    idea: "Expands the node with the smallest f = g + h, where g is the cost so far and h a lower bound of the remaining \
           cost. The open list is a bucket queue with a last-in-first-out tie-break. `ties=paper` selects a binary heap \
           that breaks ties by larger g, then first in first out.",
    reference: "P. E. Hart, N. J. Nilsson, B. Raphael: A Formal Basis for the Heuristic Determination of Minimum \
                Cost Paths. IEEE Transactions on Systems Science and Cybernetics 4(2), 1968",
    parameters: &[Parameter {
        name: "ties",
        summary: "tie-break among equal f: the fastest, or that of the BMAA* paper",
        kind: Kind::Choice(&["fast", "paper"]),
    }],
    optimal: true,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| match values.choice("ties") {
        "paper" => Box::new(Astar::new(Heap::default())),
        _ => Box::new(Astar::new(Buckets::default())),
    },
};

/// A* with a given open list.
#[derive(Clone, Debug)]
pub struct Astar<F> {
    search: BestFirst<DenseStore, F>,
}

impl<F: OpenList> Astar<F> {
    /// Returns a search that uses an open list.
    pub fn new(open_list: F) -> Self {
        Self { search: BestFirst::new(DenseStore::default(), open_list, Policy::default()) }
    }
}

impl<F: OpenList + Send> PathSearch for Astar<F> {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        self.search.set_f_range(f_range(ground));
        let (mut space, mut heuristic) = (GridSpace::new(ground), OctileDistance::to_cell(ground, to));
        point_to_point(&mut self.search, &mut space, &mut heuristic, (from, to), path)
    }

    fn expanded(&self) -> &[u32] {
        self.search.closed()
    }
}
