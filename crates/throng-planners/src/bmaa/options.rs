//! The options of BMAA* and its registry entry.

use throng_crowd::{MapKnowledge, Sharing, View};
use throng_search::spec::{Kind, MILLION, Parameter, Values};
use throng_toolkit::Learning;

use super::Bmaa;
use crate::directions::{ALPHA, DIRECTIONS, W_MAX, chosen};
use crate::registry::PlannerInfo;
use crate::rtaa::{ABSTRACTION, CORE, EXPANSIONS, LANDMARKS, LEARNING, MOVES, PRUNE, RtaaLimits, TIES};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "bmaa",
    summary: "bounded multi-agent A*: short searches that treat visible agents as obstacles",
    idea: "Each agent runs a short A* search that treats visible agents as walls, follows its path, and raises the \
           learned heuristic of the expanded cells. Agents step one after the other. An agent whose next cell is \
           occupied waits, or pushes the occupant off its goal.",
    reference: "D. Sigurdson, V. Bulitko, W. Yeoh, C. Hernández, S. Koenig: Multi-Agent Pathfinding with Real-Time \
                Heuristic Search. CIG 2018",
    parameters: &[
        EXPANSIONS,
        MOVES,
        Parameter {
            name: "vision",
            summary: "distance up to which an agent sees others, in cells; rounded to four decimals",
            kind: Kind::Decimal { min: 0, max: 1_000 * MILLION, default: 1_414_200 },
        },
        Parameter {
            name: "push",
            summary: "which agents may be pushed; off: none; on: agents at rest; own-goal: the agent on the pusher's goal",
            kind: Kind::Choice(&["off", "on", "own-goal"]),
        },
        Parameter {
            name: "flow",
            summary: "one-way streets; on: searches follow them; preferred: a step against them costs an eighth more",
            kind: Kind::Choice(&["off", "on", "preferred"]),
        },
        Parameter {
            name: "blocked",
            summary: "when the next cell is occupied: wait until the path expires, or search again at once",
            kind: Kind::Choice(&["wait", "search"]),
        },
        TIES,
        LEARNING,
        CORE,
        PRUNE,
        LANDMARKS,
        ABSTRACTION,
        Parameter {
            name: "order",
            summary: "order in which agents step: by number, or random in each tick",
            kind: Kind::Choice(&["fixed", "random"]),
        },
        DIRECTIONS,
        ALPHA,
        W_MAX,
    ],
    needs: Sharing::MoveRequests,
    needs_map: MapKnowledge::Own,
    needs_control: false,
    prepares: |values| Options::new(values).prepares(),
    has_goals: true,
    build: |values, grid, resources| Box::new(Bmaa::new(Options::new(values), grid, resources)),
};

/// The agents that an agent may push.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Push {
    /// None.
    Off,
    /// Agents that are at their own goal or have none.
    On,
    /// The agent on the pusher's goal.
    OwnGoal,
}

/// How searches use one-way streets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FlowUse {
    /// They ignore them.
    Off,
    /// They follow them.
    Only,
    /// They may leave them at a higher cost.
    Preferred,
}

/// The options of BMAA* and RTAA*.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(super) search_limits: RtaaLimits,
    /// The number of landmarks per ground.
    pub(super) landmarks: usize,
    /// The side of the sectors of the abstraction; 0 for none.
    pub(super) abstraction: u32,
    /// The square of the distance up to which agents see each other, in cells.
    pub(super) sight: u64,
    pub(super) push: Push,
    pub(super) flow: FlowUse,
    pub(super) search_when_blocked: bool,
    pub(super) random_order: bool,
    /// The learning parameters of the direction map, if there is one.
    pub(super) directions: Option<Learning>,
}

impl Options {
    /// Returns the options of BMAA*.
    fn new(values: &Values) -> Self {
        Self {
            sight: squared_sight(values.get("vision")),
            push: match values.choice("push") {
                "on" => Push::On,
                "own-goal" => Push::OwnGoal,
                _ => Push::Off,
            },
            flow: match values.choice("flow") {
                "on" => FlowUse::Only,
                "preferred" => FlowUse::Preferred,
                _ => FlowUse::Off,
            },
            search_when_blocked: values.choice("blocked") == "search",
            random_order: values.choice("order") == "random",
            directions: chosen(values),
            ..Self::rtaa(values)
        }
    }

    /// Returns the options of RTAA*: agents do not see each other.
    pub(crate) fn rtaa(values: &Values) -> Self {
        Self {
            search_limits: RtaaLimits::new(values),
            landmarks: values.get("landmarks") as usize,
            abstraction: values.get("abstraction") as u32,
            sight: 0,
            push: Push::Off,
            flow: FlowUse::Off,
            search_when_blocked: false,
            random_order: false,
            directions: None,
        }
    }

    /// Returns the square of the distance up to which agents see each other in a world.
    pub(super) fn sight_in(&self, view: &View<'_>) -> u64 {
        self.sight.min(view.max_sight_squared())
    }

    /// Returns true if searches use something that is made from the whole map, once per profile.
    pub(crate) fn prepares(&self) -> bool {
        self.flow != FlowUse::Off || self.landmarks > 0 || self.abstraction > 0
    }

    /// Returns true if a search depends on more of the map than the tiles of the cells that it expands.
    pub(super) fn reads_whole_ground(&self) -> bool {
        self.prepares() || self.search_limits.prune
    }

    /// Returns how many steps to reserve memory for in a new path.
    pub(super) fn path_capacity(&self) -> usize {
        (self.search_limits.expansions as usize).min(self.search_limits.moves).min(256)
    }
}

/// Returns the largest squared distance within sight, for a distance in millionths of a cell. Distances are rounded to
/// four decimals first, so that 1.4142 means the square root of two.
fn squared_sight(millionths: u64) -> u64 {
    (millionths + 50).pow(2) / MILLION.pow(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vision_is_rounded_to_four_decimals() {
        for (vision, seen) in [
            (0, 0),
            (1_000_000, 1),
            (1_400_000, 1),
            (1_414_200, 2),
            (1_414_214, 2),
            (2_236_100, 5),
            (2_235_900, 4),
        ] {
            assert_eq!(squared_sight(vision), seen, "{vision}");
        }
    }
}
