//! Direction maps (`dm`): agents learn in which direction cells are walked, plan along it, and form lanes.
//!
//! M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, University of Alberta, 2008, chapters 3
//! and 5; M. R. Jansen, N. R. Sturtevant, *Direction Maps for Cooperative Pathfinding*, AIIDE 2008. Local repair A*
//! ([`Repair`]) with a step penalty that grows with the angle between the step and the direction map
//! ([`DirectionMap`](throng_toolkit::DirectionMap)), which is learned from the steps that agents made.
//!
//! What the thesis leaves open: a cell without a vector costs half of the penalty, as the formula gives it
//! (`unknown=half`), or none; with `surround` the cells around the cell entered learn, not the cell left, which has
//! learned already; an agent that cannot leave its sector skips the next sector when it plans again, which breaks the
//! deadlock of the thesis (figure 3.13).
//!
//! Departures: the moves of a tick are learned before the next tick, not one by one while agents act. Partial refinement
//! (section 3.5) keeps the abstract path (`route`), and saves searches in jams (`detour`, `piece_limit`, `held_up_weight`);
//! the abstract search uses the octile distance (`abstract_heuristic`). The procedure of the thesis is
//! `refine=partial,route=new,detour=off,piece_limit=off,held_up_weight=1,abstract_heuristic=straight`.

mod greedy;
mod teachers;

pub(crate) use greedy::INFO as GREEDY;

use throng_crowd::{MapKnowledge, Sharing};
use throng_search::CenterMetric;
use throng_search::spec::{Kind, MILLION, Parameter, Values};
use throng_toolkit::{Learning, Parts, Rate, Surround, Unknown};

use crate::directions::{self, ALPHA, W_MAX};
use crate::lra::RADIUS;
use crate::registry::PlannerInfo;
use crate::repair::{DirectionOptions, PartialRefinement, Repair, RepairOptions, SectorOptions, square};

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
        FALLOFF,
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
        CUT,
        ROUTE,
        DETOUR,
        PIECE_LIMIT,
        HELD_UP_WEIGHT,
        ABSTRACT_HEURISTIC,
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
        PARTS,
        Parameter {
            name: "passage",
            summary: "with parts=narrow: the largest width of a passage, along its row or column",
            kind: Kind::Integer { min: 1, max: 64, default: 4 },
        },
        Parameter {
            name: "crowd",
            summary: "with parts=crowded: how many other units stand within two cells of a crowded cell",
            kind: Kind::Integer { min: 1, max: 24, default: 2 },
        },
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

/// Section 3.4 of the thesis suggests it, without a formula.
const FALLOFF: Parameter = Parameter {
    name: "falloff",
    summary: "with surround: the same rate up to the distance (off), or a rate that falls linearly with the distance",
    kind: Kind::Choice(&["off", "linear"]),
};

/// Section 5.6 of the thesis proposes it.
const PARTS: Parameter = Parameter {
    name: "parts",
    summary: "where vectors are stored: everywhere, in narrow passages, or where agents have passed in a crowd; \
              unknown says what the other cells cost",
    kind: Kind::Choice(&["all", "narrow", "crowded"]),
};

/// The thesis's value is 0.6 (section 4.4).
const CUT: Parameter = Parameter {
    name: "cut",
    summary: "with partial refinement: share of each piece that an agent walks before it plans the next",
    kind: Kind::Decimal { min: MILLION / 20, max: MILLION, default: 600_000 },
};

const ROUTE: Parameter = Parameter {
    name: "route",
    summary: "with partial refinement: keep the abstract path, or plan a new one with each piece, as the thesis does",
    kind: Kind::Choice(&["kept", "new"]),
};

const DETOUR: Parameter = Parameter {
    name: "detour",
    summary: "with partial refinement: whether a blocked agent waits for its path or searches a detour before it plans \
              again; off in the thesis",
    kind: Kind::Choice(&["on", "off"]),
};

const PIECE_LIMIT: Parameter = Parameter {
    name: "piece_limit",
    summary: "with partial refinement: whether the expansions of a piece are limited; off in the thesis",
    kind: Kind::Choice(&["on", "off"]),
};

/// Without learned vectors a step costs several times its length, so that the heuristic alone guides little and one search
/// after another floods the area around a jam. The factor trades longer paths for fewer expansions. Not tuned.
const HELD_UP_WEIGHT: Parameter = Parameter {
    name: "held_up_weight",
    summary: "with partial refinement: factor on the weight of the heuristic for an agent that was blocked; 1 in the thesis",
    kind: Kind::Decimal { min: MILLION, max: 100 * MILLION, default: 3 * MILLION },
};

const ABSTRACT_HEURISTIC: Parameter = Parameter {
    name: "abstract_heuristic",
    summary: "with sectors: heuristic of the abstract search, the octile distance or, as in the thesis, the straight line",
    kind: Kind::Choice(&["octile", "straight"]),
};

fn options(values: &Values) -> RepairOptions {
    let positive = |name: &str| Some(values.get(name)).filter(|&value| value > 0);
    let unknown = if values.choice("unknown") == "zero" { Unknown::Zero } else { Unknown::Half };
    let surround = |rate: u64| Surround {
        rate: Rate::millionths(rate),
        distance: values.get("distance") as u32,
        falls: values.choice("falloff") == "linear",
    };
    let learning = Learning {
        surround: positive("surround").map(surround),
        parts: match values.choice("parts") {
            "narrow" => Parts::Narrow { width: values.get("passage") as u32 },
            "crowded" => Parts::Crowded { others: values.get("crowd") as u32 },
            _ => Parts::All,
        },
        fade: positive("decay").map(Rate::millionths),
        local: positive("local").map(|radius| radius as u32),
        corridors: values.is_on("regions"),
        sector: positive("sector").filter(|_| values.is_on("abstract")).map(|side| side as u32),
        by_trip: values.is_on("reward"),
        ..directions::learning(values, unknown)
    };
    let partial = PartialRefinement {
        cut: values.get("cut"),
        keeps_route: values.choice("route") == "kept",
        detours: values.is_on("detour"),
        limits_pieces: values.is_on("piece_limit"),
        held_up_weight: values.get("held_up_weight"),
    };
    let straight = values.choice("abstract_heuristic") == "straight";
    let sectors = |side: u64| SectorOptions {
        side: side as u32,
        metric: if straight { CenterMetric::Straight } else { CenterMetric::Octile },
        partial: (values.choice("refine") == "partial").then_some(partial),
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
        world.agents().iter().all(|&agent| world.has_arrived(agent).unwrap())
    }

    #[test]
    fn agents_that_block_each_others_sectors_skip_one() {
        assert!(!both_arrive("sector=4", false), "the deadlock of the thesis");
        assert!(both_arrive("sector=4", true));
        assert!(both_arrive("sector=4,refine=partial", true));
        assert!(both_arrive("sector=4,refine=partial,detour=off,route=new", true));
    }
}
