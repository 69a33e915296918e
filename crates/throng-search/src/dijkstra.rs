//! Dijkstra's algorithm: best-first search without a heuristic.
//!
//! E. W. Dijkstra, *A Note on Two Problems in Connexion with Graphs*, Numerische Mathematik 1, 1959.

use throng_grid::{Cell, Ground};

use crate::best_first::{BestFirst, Policy};
use crate::heuristic::Blind;
use crate::node_store::DenseStore;
use crate::open_list::Buckets;
use crate::path_search::{PathSearch, SearchResult};
use crate::point_to_point::{f_range, point_to_point};
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::GridSpace;

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "dijkstra",
    summary: "Dijkstra's algorithm: a shortest path, without a heuristic",
    idea: "Expands nodes in the order of their distance from the start until the goal is next. It shows how many \
           expansions a heuristic saves.",
    reference: "E. W. Dijkstra: A Note on Two Problems in Connexion with Graphs. Numerische Mathematik 1, 1959",
    parameters: &[],
    optimal: true,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |_| Box::new(Dijkstra::default()),
};

/// Dijkstra's algorithm.
#[derive(Clone, Debug)]
pub struct Dijkstra {
    search: BestFirst<DenseStore, Buckets>,
}

impl Default for Dijkstra {
    fn default() -> Self {
        Self { search: BestFirst::new(DenseStore::default(), Buckets::default(), Policy::default()) }
    }
}

impl PathSearch for Dijkstra {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        self.search.set_f_range(f_range(ground));
        let mut space = GridSpace::new(ground);
        point_to_point(&mut self.search, &mut space, &mut Blind, (from, to), path)
    }

    fn expanded(&self) -> &[u32] {
        self.search.closed()
    }
}
