//! Direction maps (`dm`): agents learn in which direction cells are walked, plan along it, and form lanes.
//!
//! M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, University of Alberta, 2008, chapters 3
//! and 5; M. R. Jansen, N. R. Sturtevant, *Direction Maps for Cooperative Pathfinding*, AIIDE 2008. Local repair A*
//! ([`Repair`]) with a step penalty that grows with the angle between the step and the direction map
//! ([`DirectionMap`](throng_toolkit::DirectionMap)), which is learned from the steps that agents made.
//!
//! What the thesis leaves open: a cell without a vector costs half of the penalty, as the formula gives it
//! (`unknown=half`), or none; with `surround` the cells around the cell entered learn, not the cell left, which has
//! learned already; a partial refinement keeps three fifths of its path; an agent that cannot leave its sector skips the
//! next sector when it plans again, which breaks the deadlock of the thesis (figure 3.13).
//!
//! Departure: the moves of a tick are learned before the next tick, not one by one while agents act.

mod greedy;

pub(crate) use greedy::INFO as GREEDY;

use throng_crowd::{MapKnowledge, Sharing};
use throng_search::spec::{Kind, MILLION, Parameter, Values};
use throng_toolkit::{Learning, Rate, Unknown};

use crate::directions::{self, ALPHA, W_MAX};
use crate::lra::RADIUS;
use crate::registry::PlannerInfo;
use crate::repair::{DirectionOptions, Repair, RepairOptions, SectorOptions, square};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "dm",
    summary: "direction maps: agents learn in which direction cells are walked, plan along it, and form lanes",
    idea: "Local repair A* on a map of directions. Every step of an agent turns the vectors of its two cells towards its \
           direction. Searches add a penalty for steps against the vectors, larger where the vectors are longer. So \
           agents walk where others have walked in the same direction, and lanes form. They share nothing else.",
    reference: "M. R. Jansen: Multi-Agent Pathfinding with Direction Maps. Master's thesis, University of Alberta, 2008",
    parameters: &[
        RADIUS,
        ALPHA,
        W_MAX,
        Parameter {
            name: "weight",
            summary: "weight of the heuristic, as in weighted A*",
            kind: Kind::Decimal { min: MILLION, max: 100 * MILLION, default: MILLION },
        },
        UNKNOWN,
        Parameter {
            name: "surround",
            summary: "learning rate of the cells around a cell entered; 0 for none",
            kind: Kind::Decimal { min: 0, max: MILLION, default: 0 },
        },
        Parameter {
            name: "distance",
            summary: "with surround: the distance up to which cells learn",
            kind: Kind::Integer { min: 1, max: 16, default: 1 },
        },
        Parameter {
            name: "window",
            summary: "distance up to which searches see vectors and paths are kept; 0 for everywhere",
            kind: Kind::Decimal { min: 0, max: 1_000 * MILLION, default: 0 },
        },
        Parameter {
            name: "local",
            summary: "distance up to which an agent sees vectors; each agent keeps its own copy of the map; 0 for one shared map",
            kind: Kind::Integer { min: 0, max: 1_000, default: 0 },
        },
        Parameter {
            name: "sector",
            summary: "side of the sectors of the abstraction over which paths are planned; 0 for none",
            kind: Kind::Integer { min: 0, max: 64, default: 0 },
        },
        Parameter {
            name: "refine",
            summary: "with sectors: refine the whole path at once (full), or one piece at a time (partial)",
            kind: Kind::Choice(&["full", "partial"]),
        },
        Parameter::switch(
            "abstract",
            "with sectors: whether each sector has a vector that abstract paths follow",
        ),
        Parameter {
            name: "decay",
            summary: "fraction of their length that vectors lose per tick",
            kind: Kind::Decimal { min: 0, max: MILLION, default: 0 },
        },
        Parameter::switch(
            "predict",
            "whether agents that will move away according to the map are no obstacles, unless they are adjacent",
        ),
        Parameter::switch(
            "leader",
            "whether agents with nearby starts and targets follow the path of the first of them without penalty",
        ),
        Parameter::switch(
            "reward",
            "whether a trip is learned at its end, by its quality, instead of step by step; without surround and regions",
        ),
        Parameter::switch(
            "regions",
            "whether a step in a corridor or door one cell wide turns the vectors of all cells of the corridor",
        ),
    ],
    needs: Sharing::Nothing,
    needs_map: MapKnowledge::Own,
    needs_control: false,
    prepares: |_| true,
    has_goals: true,
    build: |values, grid, resources| Box::new(Repair::new(options(values), grid, resources)),
};

const UNKNOWN: Parameter = Parameter {
    name: "unknown",
    summary: "penalty of a cell without a vector: half of the maximum, or zero",
    kind: Kind::Choice(&["half", "zero"]),
};

/// Fraction of its path that a partial refinement keeps, in millionths. The thesis gives no value.
const CUT: u64 = 600_000;

fn options(values: &Values) -> RepairOptions {
    let positive = |name: &str| Some(values.get(name)).filter(|&value| value > 0);
    let unknown = if values.choice("unknown") == "zero" { Unknown::Zero } else { Unknown::Half };
    let around = |rate: u64| (Rate::millionths(rate), values.get("distance") as u32);
    let learning = Learning {
        around: positive("surround").map(around),
        fade: positive("decay").map(Rate::millionths),
        local: positive("local").map(|radius| radius as u32),
        corridors: values.is_on("regions"),
        sector: positive("sector").filter(|_| values.is_on("abstract")).map(|side| side as u32),
        by_trip: values.is_on("reward"),
        ..directions::learning(values, unknown)
    };
    let sectors = |side: u64| SectorOptions {
        side: side as u32,
        cut: (values.choice("refine") == "partial").then_some(CUT),
        skip: true,
    };
    RepairOptions {
        weight: values.get("weight"),
        directions: Some(DirectionOptions {
            learning,
            window: positive("window").map(square),
            predict: values.is_on("predict"),
            leader: values.is_on("leader"),
        }),
        sectors: positive("sector").map(sectors),
        ..RepairOptions::plain(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resources;
    use throng_crowd::{AgentSpec, Budget, Settings, World};
    use throng_grid::{Grid, MoveRules, Pos, Tiles};

    /// Figure 3.13 of the thesis: two agents face each other across the border of two sectors, each on the cell of the
    /// other's next sector that is nearest to it. Returns true if both arrive.
    fn both_arrive(parameters: &str, skip: bool) -> bool {
        let tiles = Tiles::picture(
            "................
             ................
             ................
             ................",
        );
        let grid = Grid::new(tiles, MoveRules::default());
        let values = Values::parse(INFO.name, INFO.parameters, parameters).unwrap();
        let mut options = options(&values);
        options.sectors = options.sectors.map(|sectors| SectorOptions { skip, ..sectors });
        let planner = Box::new(Repair::new(options, &grid, &mut Resources::default()));
        let mut world = World::new(grid, planner, Settings::default()).unwrap();
        for (from, to) in [(7, 15), (8, 0)] {
            let agent = world.spawn(AgentSpec::at(from, 1)).unwrap();
            world.send(agent, Pos::new(to, 1)).unwrap();
        }
        for _ in 0..100 {
            world.tick(Budget::Unlimited, &mut Vec::new());
        }
        world.agents().iter().all(|&agent| world.has_arrived(agent))
    }

    #[test]
    fn agents_that_block_each_others_sectors_skip_one() {
        assert!(!both_arrive("sector=4", false), "the deadlock of the thesis");
        assert!(both_arrive("sector=4", true));
        assert!(both_arrive("sector=4,refine=partial", true));
    }
}
