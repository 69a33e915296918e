//! Focal search: among the nodes whose `f` is within a factor of the smallest, expand the one with the smallest `h`.
//!
//! J. Pearl and J. H. Kim, *Studies in Semi-Admissible Heuristics*, IEEE Transactions on Pattern Analysis and Machine
//! Intelligence 4(4), 1982. A node may be expanded before its cost is minimal, so a closed node is reopened when a
//! cheaper path to it is found; without re-expansions the bound would not hold.

use crate::best_first::Policy;
use crate::heuristic::OctileDistance;
use crate::open_list::Focal;
use crate::path_search::SearchResult;
use crate::point_to_point::{grid_search, point_to_point};
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::GridSpace;
use crate::spec::{Kind, MILLION, Parameter};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "focal",
    summary: "focal search: a path within a proven factor of the shortest",
    idea: "OPEN orders nodes by f and gives the lower bound. FOCAL has the nodes within epsilon of it, ordered by h, and \
           is expanded first. The result includes the bound that was proved. Where the direct path leads into dead ends, \
           nodes are re-expanded many times, and the search can expand more than A*.",
    reference: "J. Pearl, J. H. Kim: Studies in Semi-Admissible Heuristics. IEEE Transactions on Pattern Analysis \
                and Machine Intelligence 4(4), 1982",
    parameters: &[Parameter {
        name: "epsilon",
        summary: "the path costs at most this many times the minimum",
        kind: Kind::Decimal { min: MILLION, max: 100 * MILLION, default: 1_100_000 },
    }],
    optimal: false,
    real_time: false,
    prepares: false,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| {
        let policy = Policy { reopen: true, ..Policy::default() };
        grid_search(Focal::new(values.get("epsilon")), policy, |search, ground, ends, path| {
            let mut heuristic = OctileDistance::to_cell(ground, ends.1);
            let result = point_to_point(search, &mut GridSpace::new(ground), &mut heuristic, ends, path);
            // The cost of a node on the path may have fallen after the goal was reached, so the cost is that of the path.
            SearchResult { cost: result.cost.and_then(|_| ground.path_cost(path)), ..result }
        })
    },
};
