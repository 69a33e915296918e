//! Weighted A*: expand the node with the smallest `f = g + w h` first.
//!
//! I. Pohl, *Heuristic Search Viewed as Path Finding in a Graph*, Artificial Intelligence 1(3), 1970. With a consistent
//! heuristic the path costs at most `w` times the minimum, even without re-expansions.

use crate::best_first::Policy;
use crate::heuristic::{OctileDistance, Weighted};
use crate::open_list::Heap;
use crate::path_search::SearchResult;
use crate::point_to_point::{grid_search, point_to_point};
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
    real_time: false,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| {
        let millionths = values.get("weight");
        grid_search(Heap::default(), Policy::default(), move |search, ground, ends, path| {
            let inner = OctileDistance::to_cell(ground, ends.1);
            let mut heuristic = Weighted { inner, millionths, shift: 0 };
            let result = point_to_point(search, &mut GridSpace::new(ground), &mut heuristic, ends, path);
            let proven = result.cost.map_or(0, |cost| u64::from(cost) * MILLION / millionths);
            SearchResult { lower_bound: proven as u32, ..result }
        })
    },
};
