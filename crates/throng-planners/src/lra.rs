//! Local repair A* (LRA*): follow a shortest path, and plan again when an agent blocks it.
//!
//! Described by D. Silver, *Cooperative Pathfinding*, AIIDE 2005, and M. R. Jansen, N. R. Sturtevant, *Direction Maps
//! for Cooperative Pathfinding*, AIIDE 2008, whose version this is; the engine is [`Repair`]. With `agitation`,
//! Silver's remedy against cycles, every failure adds noise to an agent's costs, until the agent is nearer to its target
//! than ever before.

use throng_crowd::{MapKnowledge, Sharing};
use throng_search::spec::{Kind, MILLION, Parameter};

use crate::directions::{ALPHA, DIRECTIONS, W_MAX, chosen};
use crate::registry::PlannerInfo;
use crate::repair::{DirectionOptions, Repair, RepairOptions};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "lra",
    summary: "LRA*: follow a shortest path, plan again when an agent blocks it",
    idea: "Each agent plans by itself; nearby agents count as obstacles. It follows its path until the next cell is \
           occupied, waits, and plans again. With agitation, failures add noise to the costs.",
    reference: "M. R. Jansen, N. R. Sturtevant: Direction Maps for Cooperative Pathfinding. AIIDE 2008",
    parameters: &[
        RADIUS,
        Parameter::switch("agitation", "whether failures add noise to the costs"),
        DIRECTIONS,
        ALPHA,
        W_MAX,
    ],
    needs: Sharing::Nothing,
    needs_map: MapKnowledge::Own,
    needs_control: false,
    prepares: |_| false,
    has_goals: true,
    build: |values, grid, resources| {
        let agitation = values.is_on("agitation");
        let follow = |learning| DirectionOptions { learning, window: None, predict: false, leader: false };
        let directions = chosen(values).map(follow);
        Box::new(Repair::new(
            RepairOptions { agitation, directions, ..RepairOptions::plain(values) },
            grid,
            resources,
        ))
    },
};

/// The distance up to which agents see each other.
pub(crate) const RADIUS: Parameter = Parameter {
    name: "radius",
    summary: "distance up to which agents are seen, in cells",
    kind: Kind::Decimal { min: 0, max: 1_000 * MILLION, default: 5 * MILLION },
};
