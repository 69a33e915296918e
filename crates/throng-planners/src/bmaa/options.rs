//! The settings of BMAA*, and its entry in the table of planners.

use throng_crowd::Sharing;
use throng_search::ANY_CORNERS;
use throng_search::spec::{Kind, MILLION, Parameter, Values};
use throng_toolkit::Learning;

use super::Bmaa;
use crate::directions::{ALPHA, DIRECTIONS, W_MAX, chosen};
use crate::registry::PlannerInfo;
use crate::rtaa::{Bounds, EXPANSIONS, LEARNING, MOVES};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "bmaa",
    summary: "bounded multi-agent A*: short searches, others are obstacles, asked to move at most",
    idea: "Each agent runs a short A* search that takes the agents it sees for walls, walks where it points, and \
           remembers that the cells it has looked at are farther from the goal than they seemed. Agents step one \
           after the other; one that finds its next cell held waits, or pushes the other off its goal.",
    reference: "D. Sigurdson, V. Bulitko, W. Yeoh, C. Hernández, S. Koenig: Multi-Agent Pathfinding with Real-Time \
                Heuristic Search. CIG 2018",
    parameters: &[
        EXPANSIONS,
        MOVES,
        Parameter {
            name: "vision",
            summary: "how far an agent sees others, in cells; distances are rounded to four decimals",
            kind: Kind::Decimal { min: 0, max: 1_000 * MILLION, default: 1_414_200 },
        },
        Parameter {
            name: "push",
            summary: "whether agents push others off their goals: on, those at rest; own-goal, who stands on theirs",
            kind: Kind::Choice(&["off", "on", "own-goal"]),
        },
        Parameter {
            name: "flow",
            summary: "whether searches keep to one-way streets",
            kind: Kind::Choice(&["off", "on"]),
        },
        Parameter {
            name: "blocked",
            summary: "what an agent does whose next cell is held: wait until its path expires, or search at once",
            kind: Kind::Choice(&["wait", "search"]),
        },
        LEARNING,
        Parameter {
            name: "order",
            summary: "who steps first: by number, or drawn each tick",
            kind: Kind::Choice(&["fixed", "random"]),
        },
        DIRECTIONS,
        ALPHA,
        W_MAX,
    ],
    needs: Sharing::MoveRequests,
    needs_control: false,
    prepares: false,
    has_goals: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values, grid, resources| Box::new(Bmaa::new(Options::new(values), grid, resources)),
};

/// Whom an agent may push.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Push {
    /// Nobody.
    Off,
    /// Who stands on its own goal or has none.
    On,
    /// Who stands on the pusher's goal.
    OwnGoal,
}

/// The settings of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(super) bounds: Bounds,
    /// The square of the distance up to which agents see each other.
    pub(super) sight: u64,
    pub(super) push: Push,
    pub(super) flow: bool,
    pub(super) search_when_blocked: bool,
    pub(super) random_order: bool,
    /// How the direction map is learned, if there is one.
    pub(super) directions: Option<Learning>,
}

impl Options {
    /// BMAA*'s settings.
    fn new(values: &Values) -> Self {
        Self {
            sight: sight(values.get("vision")),
            push: match values.choice("push") {
                "on" => Push::On,
                "own-goal" => Push::OwnGoal,
                _ => Push::Off,
            },
            flow: values.choice("flow") == "on",
            search_when_blocked: values.choice("blocked") == "search",
            random_order: values.choice("order") == "random",
            directions: chosen(values),
            ..Self::blind(values)
        }
    }

    /// RTAA*'s settings: nobody sees anybody.
    pub(crate) fn blind(values: &Values) -> Self {
        let bounds = Bounds {
            expansions: values.get("expansions"),
            moves: values.get("moves") as usize,
            monotone: values.choice("learning") == "monotone",
        };
        Self {
            bounds,
            sight: 0,
            push: Push::Off,
            flow: false,
            search_when_blocked: false,
            random_order: false,
            directions: None,
        }
    }

    /// Steps that a kept path may have, as long as that is not many.
    pub(super) fn longest_path(&self) -> usize {
        (self.bounds.expansions as usize).min(self.bounds.moves).min(256)
    }
}

/// The largest square of a whole-numbered distance that is in sight. Distances are rounded to four decimals first, so
/// that 1.4142 means the square root of two.
fn sight(millionths: u64) -> u64 {
    (millionths + 50).pow(2) / MILLION.pow(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_decimals_are_enough_to_say_how_far_agents_see() {
        for (vision, seen) in [
            (0, 0),
            (1_000_000, 1),
            (1_400_000, 1),
            (1_414_200, 2),
            (1_414_214, 2),
            (2_236_100, 5),
            (2_235_900, 4),
        ] {
            assert_eq!(sight(vision), seen, "{vision}");
        }
    }
}
