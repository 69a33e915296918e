//! The options of planners that repair paths.

use throng_crowd::View;
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
    /// With partial refinement: the fraction of each piece that is kept, in millionths. `None` with full refinement.
    pub(crate) cut: Option<u64>,
    /// Whether an agent that cannot enter the next node of its route aims at the node after it.
    pub(crate) skip: bool,
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

    /// Returns true with partial refinement: paths are planned one piece at a time, within expansion limits.
    pub(super) fn is_partial(&self) -> bool {
        self.sectors.is_some_and(|sectors| sectors.cut.is_some())
    }
}

impl SectorOptions {
    /// Returns the most expansions of a piece before any doubling: several times the number of cells that a path through
    /// three sectors can need.
    pub(super) fn max_piece_expansions(self) -> u64 {
        (8 * u64::from(self.side).pow(2)).max(2_048)
    }
}

/// Returns the square of a distance in millionths, rounded down.
pub(crate) fn square(millionths: u64) -> u64 {
    (u128::from(millionths).pow(2) / u128::from(MILLION).pow(2)) as u64
}
