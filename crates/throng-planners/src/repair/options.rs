//! The settings of planners that repair paths.

use throng_search::spec::{MILLION, Values};
use throng_toolkit::Learning;

/// The settings of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// The square of the radius, rounded down: what squares of distances are compared with.
    pub(crate) sight: u64,
    /// Whether failures make costs noisy.
    pub(crate) agitation: bool,
    /// How much more the estimate counts than the cost so far, in millionths.
    pub(crate) weight: u64,
    /// The direction map, if there is one.
    pub(crate) directions: Option<Directions>,
    /// The abstraction, if paths are planned over one.
    pub(crate) sectors: Option<SectorOptions>,
}

/// How a direction map is learned and used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Directions {
    pub(crate) learning: Learning,
    /// The square of the distance up to which an agent that plans sees the map; it walks no further before it plans
    /// again.
    pub(crate) window: Option<u64>,
    /// Whether an agent that is seen is a wall only where it is likely to come nearer.
    pub(crate) predict: bool,
    /// Whether whoever goes with a group follows the way of the first of it.
    pub(crate) leader: bool,
}

/// How paths are planned over an abstraction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectorOptions {
    pub(crate) side: u32,
    /// With partial refinement: the share of each piece that is kept, in millionths.
    pub(crate) cut: Option<u64>,
    /// Whether an agent that finds the part before it shut heads for the next but one.
    pub(crate) skip: bool,
}

impl Options {
    /// Local repair A*, from a radius.
    pub(crate) fn plain(values: &Values) -> Self {
        Self {
            sight: square(values.get("radius")),
            agitation: false,
            weight: MILLION,
            directions: None,
            sectors: None,
        }
    }
}

impl Options {
    /// Whether whoever goes with a group follows the way of the first of it.
    pub(super) fn has_leaders(&self) -> bool {
        self.directions.is_some_and(|directions| directions.leader)
    }

    /// Whether paths are planned a piece at a time, within limits.
    pub(super) fn is_patient(&self) -> bool {
        self.sectors.is_some_and(|sectors| sectors.cut.is_some())
    }
}

impl SectorOptions {
    /// The most expansions of a piece at the first attempt: several times the cells that a way through three sectors may
    /// need.
    pub(super) fn longest_piece(self) -> u64 {
        (8 * u64::from(self.side).pow(2)).max(2_048)
    }
}

/// The square of a distance in millionths, rounded down.
pub(crate) fn square(millionths: u64) -> u64 {
    (u128::from(millionths).pow(2) / u128::from(MILLION).pow(2)) as u64
}
