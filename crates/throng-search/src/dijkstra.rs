//! Dijkstra's algorithm: best-first search without a heuristic.
//!
//! E. W. Dijkstra, *A Note on Two Problems in Connexion with Graphs*, Numerische Mathematik 1, 1959.

use crate::best_first::Policy;
use crate::heuristic::Blind;
use crate::open_list::Buckets;
use crate::point_to_point::{f_range, grid_search, point_to_point};
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
    real_time: false,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |_| {
        grid_search(Buckets::default(), Policy::default(), |search, ground, ends, path| {
            search.set_f_range(f_range(ground));
            point_to_point(search, &mut GridSpace::new(ground), &mut Blind, ends, path)
        })
    },
};
