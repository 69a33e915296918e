//! A*: expand the node with the smallest `f = g + h` first.
//!
//! P. E. Hart, N. J. Nilsson, B. Raphael, *A Formal Basis for the Heuristic Determination of Minimum Cost Paths*,
//! IEEE Transactions on Systems Science and Cybernetics 4(2), 1968. The heuristic is the distance on an empty map.

use crate::best_first::Policy;
use crate::heuristic::OctileDistance;
use crate::open_list::{Buckets, Heap, OpenList};
use crate::path_search::PathSearch;
use crate::point_to_point::{f_range, grid_search, point_to_point};
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
    real_time: false,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| match values.choice("ties") {
        "paper" => astar(Heap::default()),
        _ => astar(Buckets::default()),
    },
};

/// Returns A* with an open list.
pub fn astar<F: OpenList + Send + 'static>(open_list: F) -> Box<dyn PathSearch> {
    grid_search(open_list, Policy::default(), |search, ground, ends, path| {
        search.set_f_range(f_range(ground));
        let mut heuristic = OctileDistance::to_cell(ground, ends.1);
        point_to_point(search, &mut GridSpace::new(ground), &mut heuristic, ends, path)
    })
}
