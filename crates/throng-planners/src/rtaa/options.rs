//! The parameters of RTAA*, which BMAA* has too, and the limits of a search.

use throng_search::open_list::Ties;
use throng_search::spec::{Kind, Parameter, Values};

pub(crate) const EXPANSIONS: Parameter = Parameter {
    name: "expansions",
    summary: "maximum expansions per search",
    kind: Kind::Integer { min: 1, max: 1_000_000, default: 32 },
};

/// The largest value of `moves`.
pub(crate) const MAX_MOVES: u64 = 1_000_000;

pub(crate) const MOVES: Parameter = Parameter {
    name: "moves",
    summary: "maximum ticks for which an agent follows a path before it searches again",
    kind: Kind::Integer { min: 1, max: MAX_MOVES, default: 32 },
};

pub(crate) const LEARNING: Parameter = Parameter {
    name: "learning",
    summary: "plain: a learned estimate may fall again, as published; monotone: it never falls",
    kind: Kind::Choice(&["plain", "monotone"]),
};

/// The search of each agent.
pub(crate) const CORE: Parameter = Parameter {
    name: "core",
    summary: "search of each agent; rtaa: real-time adaptive A*, as published; da-rtaa: goes to the open node whose estimate \
              was raised least, then with the smallest f; lss-lrta: learns from the border of the searched region; tba: one \
              A* search that goes on from tick to tick, and that learning, prune and directions do not affect",
    kind: Kind::Choice(&["rtaa", "da-rtaa", "lss-lrta", "tba"]),
};

pub(crate) const PRUNE: Parameter = Parameter::switch(
    "prune",
    "whether an agent leaves out raised cells whose neighbours reach each other without them",
);

pub(crate) const LANDMARKS: Parameter = Parameter {
    name: "landmarks",
    summary: "landmarks per map that improve the initial heuristic; 0: the distance on an empty map. A change of the map \
              costs a search of the whole map per landmark",
    kind: Kind::Integer { min: 0, max: 64, default: 0 },
};

pub(crate) const ABSTRACTION: Parameter = Parameter {
    name: "abstraction",
    summary: "side of the sectors whose abstract distances improve the initial heuristic, which is then no longer \
              admissible; 0: the distance on an empty map. Each goal costs a search of the abstract graph",
    kind: Kind::Integer { min: 0, max: 64, default: 0 },
};

pub(crate) const TIES: Parameter = Parameter {
    name: "ties",
    summary: "order of open nodes with the same f; first: largest g, then first in first out, as published; last: largest g, \
              then last in first out; small-g: smallest g; random: at random in each search",
    kind: Kind::Choice(&["first", "last", "small-g", "random"]),
};

/// The search of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Core {
    /// RTAA*.
    Rtaa,
    /// RTAA* whose path ends at the open node whose estimate was raised least.
    DaRtaa,
    /// LSS-LRTA*.
    LssLrta,
    /// TBA*.
    Tba,
}

/// The kind of a search, its limits, its tie-break, its learning rule, and whether it prunes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RtaaLimits {
    /// Maximum expansions.
    pub(crate) expansions: u64,
    /// Maximum steps of the path that are kept.
    pub(crate) moves: usize,
    /// Whether learned estimates never fall.
    pub(crate) monotone: bool,
    /// The kind of search.
    pub(crate) core: Core,
    /// Whether raised cells that are expendable are left out of later searches.
    pub(crate) prune: bool,
    /// How open nodes with the same `f` are ordered.
    pub(crate) ties: TieBreak,
}

impl RtaaLimits {
    pub(crate) fn new(values: &Values) -> Self {
        Self {
            expansions: values.get("expansions"),
            moves: values.get("moves") as usize,
            monotone: values.choice("learning") == "monotone",
            core: match values.choice("core") {
                "da-rtaa" => Core::DaRtaa,
                "lss-lrta" => Core::LssLrta,
                "tba" => Core::Tba,
                _ => Core::Rtaa,
            },
            prune: values.is_on("prune"),
            ties: match values.choice("ties") {
                "last" => TieBreak::Fixed(Ties::LARGEST_G_LAST),
                "small-g" => TieBreak::Fixed(Ties::SMALLEST_G),
                "random" => TieBreak::Random,
                _ => TieBreak::Fixed(Ties::LARGEST_G),
            },
        }
    }
}

/// How the open nodes of a search with the same `f` are ordered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TieBreak {
    /// In the same way in all searches.
    Fixed(Ties),
    /// At random in each search.
    Random,
}

impl TieBreak {
    /// Returns the order for a search with this random value.
    pub(crate) fn of(self, random: impl FnOnce() -> u64) -> Ties {
        match self {
            Self::Fixed(ties) => ties,
            Self::Random => Ties::random(random()),
        }
    }
}
