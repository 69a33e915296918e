//! The options of planners that repair paths.

use throng_crowd::View;
use throng_search::CenterMetric;
use throng_search::spec::{MILLION, Values};
use throng_toolkit::Learning;

/// The options of a planner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepairOptions {
    /// The square of the distance up to which agents see each other, rounded down.
    pub(crate) sight_squared: u64,
    /// Whether failures add noise to the costs.
    pub(crate) agitation: bool,
    /// The weight of the heuristic, in millionths.
    pub(crate) weight: u64,
    /// How a direction map is learned and used; `None` without one.
    pub(crate) directions: Option<DirectionOptions>,
    /// How paths are planned over sectors; `None` without an abstraction.
    pub(crate) sectors: Option<SectorOptions>,
}

/// How a direction map is learned and used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectionOptions {
    pub(crate) learning: Learning,
    /// The square of the distance up to which a search sees vectors. The path beyond it is dropped.
    pub(crate) window: Option<u64>,
    /// Whether visible agents that will move away according to the map are no obstacles.
    pub(crate) predict: bool,
    /// Whether the agents of a group follow the path of the first of them.
    pub(crate) leader: bool,
}

/// How paths are planned over an abstraction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectorOptions {
    /// The side of a sector, in cells.
    pub(crate) side: u32,
    /// The heuristic of the abstract search.
    pub(crate) metric: CenterMetric,
    /// How paths are refined one piece at a time; `None` with full refinement.
    pub(crate) partial: Option<PartialRefinement>,
    /// Whether an agent that cannot enter the next node of its route aims at the node after it.
    pub(crate) skip: bool,
}

/// How paths are refined one piece at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartialRefinement {
    /// The fraction of each piece that is kept, in millionths.
    pub(crate) cut: u64,
    /// Whether an agent keeps its abstract path while it is on it. Otherwise it plans it again with each piece.
    pub(crate) keeps_route: bool,
    /// Whether a blocked agent waits until its path is free, or searches a short detour back to it, before it plans again.
    pub(crate) detours: bool,
    /// Whether the expansions of a piece are limited.
    pub(crate) limits_pieces: bool,
    /// The factor on the weight of the heuristic for an agent that was held up, in millionths.
    pub(crate) held_up_weight: u64,
}

impl RepairOptions {
    /// Returns the options of plain local repair A*, with the radius given.
    pub(crate) fn plain(values: &Values) -> Self {
        Self {
            sight_squared: square(values.get("radius")),
            agitation: false,
            weight: MILLION,
            directions: None,
            sectors: None,
        }
    }

    /// Returns the square of the distance up to which agents see each other in a world.
    pub(super) fn sight_in(&self, view: &View<'_>) -> u64 {
        self.sight_squared.min(view.max_sight_squared())
    }

    /// Returns true if the agents of a group follow the path of the first of them.
    pub(super) fn has_leaders(&self) -> bool {
        self.directions.is_some_and(|directions| directions.leader)
    }

    /// Returns how paths are refined one piece at a time; `None` if they are planned as a whole.
    pub(super) fn partial(&self) -> Option<PartialRefinement> {
        self.sectors?.partial
    }

    /// Returns true if a blocked agent waits for its path or searches a detour before it plans again.
    pub(super) fn has_detours(&self) -> bool {
        self.partial().is_some_and(|partial| partial.detours)
    }

    /// Returns the most expansions of a piece before any doubling; `None` if they are not limited.
    pub(super) fn max_piece_expansions(&self) -> Option<u64> {
        let sectors = self.sectors.filter(|sectors| sectors.partial.is_some_and(|it| it.limits_pieces));
        sectors.map(SectorOptions::max_piece_expansions)
    }
}

impl SectorOptions {
    /// Returns the most expansions of a piece before any doubling: several times the number of cells that a path through
    /// three sectors can need.
    fn max_piece_expansions(self) -> u64 {
        (8 * u64::from(self.side).pow(2)).max(2_048)
    }
}

/// Returns the square of a distance in millionths, rounded down.
pub(crate) fn square(millionths: u64) -> u64 {
    (u128::from(millionths).pow(2) / u128::from(MILLION).pow(2)) as u64
}
