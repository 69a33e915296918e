//! Local repair A*: walk a shortest path, and plan anew when somebody stands in it.
//!
//! Described by D. Silver, *Cooperative Pathfinding*, AIIDE 2005, and M. R. Jansen, N. R. Sturtevant, *Direction Maps
//! for Cooperative Pathfinding*, AIIDE 2008, whose version this is; [`Repair`] does it. With `agitation`, Silver's
//! remedy against going round and round, every failure makes an agent's costs noisier, until it gets nearer to its
//! target than it ever was.

use throng_crowd::Sharing;
use throng_search::ANY_CORNERS;
use throng_search::spec::{Kind, MILLION, Parameter};

use crate::directions::{ALPHA, DIRECTIONS, W_MAX, chosen};
use crate::registry::PlannerInfo;
use crate::repair::{Directions, Options, Repair};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "lra",
    summary: "LRA*: walk a shortest path, plan anew when somebody stands in it",
    idea: "Each agent plans by itself; agents nearby count as walls while it does. It follows its path until the \
           next cell is held by somebody, stays, and plans again. With agitation, failures make costs noisy.",
    reference: "M. R. Jansen, N. R. Sturtevant: Direction Maps for Cooperative Pathfinding. AIIDE 2008",
    parameters: &[
        RADIUS,
        Parameter {
            name: "agitation",
            summary: "whether failures make costs noisy",
            kind: Kind::Choice(&["off", "on"]),
        },
        DIRECTIONS,
        ALPHA,
        W_MAX,
    ],
    needs: Sharing::Nothing,
    needs_control: false,
    prepares: false,
    has_goals: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values, grid, resources| {
        let agitation = values.choice("agitation") == "on";
        let follow = |learning| Directions { learning, window: None, predict: false, leader: false };
        let directions = chosen(values).map(follow);
        Box::new(Repair::new(Options { agitation, directions, ..Options::plain(values) }, grid, resources))
    },
};

/// How far agents see each other.
pub(crate) const RADIUS: Parameter = Parameter {
    name: "radius",
    summary: "how far away agents are seen, in cells",
    kind: Kind::Decimal { min: 0, max: 1_000 * MILLION, default: 5 * MILLION },
};
