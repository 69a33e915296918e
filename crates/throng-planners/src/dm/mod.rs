//! Direction maps: agents leave behind which way they walked, others plan along it, and lanes appear.
//!
//! M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, University of Alberta, 2008, chapters 3
//! and 5; M. R. Jansen, N. R. Sturtevant, *Direction Maps for Cooperative Pathfinding*, AIIDE 2008. Local repair A*
//! ([`Repair`]) whose steps cost more the more they go against the direction map
//! ([`DirectionMap`](throng_toolkit::DirectionMap)), which is learned from the steps that agents really made.
//!
//! What the thesis leaves open, and how it is settled: cells that nobody has passed cost half of the penalty, as the
//! formula has it (`unknown=half`), or none; the cells around the cell entered learn, not the cell left, which has
//! learned already; a partial refinement keeps three fifths of its way; an agent that is kept from leaving its part of
//! the abstraction leaves the next part out when it plans again, which breaks the thesis's deadlock (figure 3.13).
//!
//! Where we depart: a tick's moves are learned before the next tick, not one by one while agents act.

mod greedy;

pub(crate) use greedy::INFO as GREEDY;

use throng_crowd::Sharing;
use throng_search::ANY_CORNERS;
use throng_search::spec::{Kind, MILLION, Parameter, Values};
use throng_toolkit::{Learning, Rate, Unknown};

use crate::directions::{self, ALPHA, W_MAX};
use crate::lra::RADIUS;
use crate::registry::PlannerInfo;
use crate::repair::{Directions, Options, Repair, SectorOptions, square};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "dm",
    summary: "direction maps: agents leave learner, plan along those of others, and form lanes",
    idea: "Local repair A* on a map of directions. Every step that an agent makes turns the vectors of its two cells \
           towards its direction; whoever plans pays for steps against the vectors, most where they are long. So \
           agents walk where others have walked the same way, and lanes form. They share nothing but these learner.",
    reference: "M. R. Jansen: Multi-Agent Pathfinding with Direction Maps. Master's thesis, University of Alberta, 2008",
    parameters: &[
        RADIUS,
        ALPHA,
        W_MAX,
        Parameter {
            name: "weight",
            summary: "how much more the estimate counts than the cost so far: weighted A*",
            kind: Kind::Decimal { min: MILLION, max: 100 * MILLION, default: MILLION },
        },
        UNKNOWN,
        Parameter {
            name: "surround",
            summary: "how far the vectors around a cell entered turn at each step; 0: they do not",
            kind: Kind::Decimal { min: 0, max: MILLION, default: 0 },
        },
        Parameter {
            name: "distance",
            summary: "with surround: up to which distance they do",
            kind: Kind::Integer { min: 1, max: 16, default: 1 },
        },
        Parameter {
            name: "window",
            summary: "how far away vectors are seen by those who plan, who then walk no further; 0: everywhere",
            kind: Kind::Decimal { min: 0, max: 1_000 * MILLION, default: 0 },
        },
        Parameter {
            name: "local",
            summary: "how far away agents see vectors, of which each keeps a copy of its own; 0: all share one map",
            kind: Kind::Integer { min: 0, max: 1_000, default: 0 },
        },
        Parameter {
            name: "sector",
            summary: "side of the sectors of an abstraction over which paths are planned; 0: none",
            kind: Kind::Integer { min: 0, max: 64, default: 0 },
        },
        Parameter {
            name: "refine",
            summary: "with sectors: the whole path at once, or a piece of it at a time",
            kind: Kind::Choice(&["full", "partial"]),
        },
        Parameter {
            name: "abstract",
            summary: "with sectors: whether each has a vector of its own, which paths over sectors are planned along",
            kind: Kind::Choice(&["off", "on"]),
        },
        Parameter {
            name: "decay",
            summary: "the part of their length that vectors lose a tick",
            kind: Kind::Decimal { min: 0, max: MILLION, default: 0 },
        },
        Parameter {
            name: "predict",
            summary: "whether agents that the map says will move away are no walls, unless they are next to one",
            kind: Kind::Choice(&["off", "on"]),
        },
        Parameter {
            name: "leader",
            summary: "whether those who stand and go near each other follow the way of the first of them, on which they pay nothing",
            kind: Kind::Choice(&["off", "on"]),
        },
        Parameter {
            name: "reward",
            summary: "whether steps are learned at once, or trips when they are over, by how well they went, without the cells around or regions",
            kind: Kind::Choice(&["off", "on"]),
        },
        Parameter {
            name: "regions",
            summary: "whether a step in a corridor or door one cell wide turns the vectors of all its cells, each along it",
            kind: Kind::Choice(&["off", "on"]),
        },
    ],
    needs: Sharing::Nothing,
    needs_control: false,
    prepares: true,
    has_goals: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values, grid, resources| Box::new(Repair::new(options(values), grid, resources)),
};

const UNKNOWN: Parameter = Parameter {
    name: "unknown",
    summary: "what a cell that nobody has passed costs: half of the most, or nothing",
    kind: Kind::Choice(&["half", "zero"]),
};

/// The share of a piece that a partial refinement keeps.
const CUT: u64 = 600_000;

fn options(values: &Values) -> Options {
    let positive = |name: &str| Some(values.get(name)).filter(|&value| value > 0);
    let unknown = if values.choice("unknown") == "zero" { Unknown::Zero } else { Unknown::Half };
    let around = |rate: u64| (Rate::millionths(rate), values.get("distance") as u32);
    let learning = Learning {
        around: positive("surround").map(around),
        fade: positive("decay").map(Rate::millionths),
        local: positive("local").map(|radius| radius as u32),
        passages: values.choice("regions") == "on",
        sector: positive("sector").filter(|_| values.choice("abstract") == "on").map(|side| side as u32),
        by_trip: values.choice("reward") == "on",
        ..directions::learning(values, unknown)
    };
    let sectors = |side: u64| SectorOptions {
        side: side as u32,
        cut: (values.choice("refine") == "partial").then_some(CUT),
        skip: true,
    };
    Options {
        weight: values.get("weight"),
        directions: Some(Directions {
            learning,
            window: positive("window").map(square),
            predict: values.choice("predict") == "on",
            leader: values.choice("leader") == "on",
        }),
        sectors: positive("sector").map(sectors),
        ..Options::plain(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resources;
    use throng_crowd::{AgentSpec, Budget, Settings, World};
    use throng_grid::{Grid, MoveRules, Pos, Tiles};

    /// Figure 3.13 of the thesis: two agents face each other across the border of two sectors, each on the cell of the
    /// other's next part that is nearest to it. Says whether both get home.
    fn meet_at_a_border(parameters: &str, skip: bool) -> bool {
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
    fn agents_that_shut_each_others_sectors_leave_one_out() {
        assert!(!meet_at_a_border("sector=4", false), "the deadlock of the thesis");
        assert!(meet_at_a_border("sector=4", true));
        assert!(meet_at_a_border("sector=4,refine=partial", true));
    }
}
