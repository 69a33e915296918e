//! What is kept of each agent: what it heads for, and for which state its neighbour costs were looked up.

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate};
use throng_grid::Cell;

use super::super::neighbour_costs::NeighbourCosts;

/// What an agent heads for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) enum Heading {
    /// Nothing: no field covers its cell.
    #[default]
    Nowhere,
    /// The waypoint of a part.
    Waypoint(u32),
    /// Its target.
    Target,
}

/// Where the path leads that an agent follows, the best last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub(super) enum Path {
    /// There is no row yet: beyond the fields around the agent the path is unknown.
    #[default]
    Unknown,
    /// To the centre of the target's region.
    ToRegion,
    /// To the target.
    ToTarget,
}

/// The guidance of one agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one agent")]
pub(super) struct AgentGuide {
    pub(super) heading: Heading,
    /// The sector in which it chose its heading.
    pub(super) sector: u32,
    /// The estimated distance from what it heads for to its target.
    pub(super) beyond: u32,
    /// The path by which it chose its heading.
    pub(super) path: Path,
    /// True if it is in the rectangle of its target's field.
    pub(super) is_near: bool,
    pub(super) waits_for_region: bool,
    pub(super) waits_for_row: bool,
    /// True if it is near to the centre of its target's region, so that the row of its target was requested again.
    pub(super) is_urgent: bool,
    /// True if it has become urgent in this tick.
    #[serde(skip)]
    pub(super) gets_urgent: bool,
    pub(super) waits_for_field: bool,
    /// True if it has chosen its heading in this tick.
    #[serde(skip)]
    pub(super) has_chosen: bool,
    /// The place of its target's field.
    pub(super) target_field: Option<u32>,
    /// The part of its target, and the target and the number of map changes for which it was looked up.
    #[serde(skip)]
    pub(super) part: Option<(u32, Cell, u32)>,
    /// The neighbour costs, if it is under way.
    #[serde(skip)]
    pub(super) costs: NeighbourCosts,
    /// The agent's cell and target, and the number of map changes, for which the costs were looked up.
    #[serde(skip)]
    pub(super) costs_of: Option<(Cell, Cell, u32)>,
}

impl AgentGuide {
    /// Returns true if nothing has changed since the costs were looked up, given the agent's cell and target and the number
    /// of map changes, and the agent waits for nothing.
    #[inline]
    pub(super) fn is_settled(&self, state: (Cell, Cell, u32)) -> bool {
        let is_final = match self.heading {
            Heading::Nowhere => false,
            Heading::Waypoint(_) => !self.is_near,
            Heading::Target => true,
        };
        self.costs_of == Some(state) && self.path == Path::ToTarget && is_final
    }

    /// Returns the part of the agent's target. `look_up` finds it if the target or the map has changed.
    #[inline]
    pub(super) fn target_part(&mut self, target: Cell, version: u32, look_up: impl FnOnce() -> u32) -> u32 {
        match self.part {
            Some((part, of, at)) if (of, at) == (target, version) => part,
            _ => self.part.insert((look_up(), target, version)).0,
        }
    }

    /// Returns true if the distance to its target is known.
    pub(super) fn is_exact(&self) -> bool {
        self.path == Path::ToTarget || self.heading == Heading::Target
    }
}

impl Validate for AgentGuide {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { heading, sector: _, beyond: _, .. } = self;
        match heading {
            Heading::Waypoint(part) => limits.at_most_cells(u64::from(*part) + 1, "the number of a waypoint"),
            Heading::Nowhere | Heading::Target => Ok(()),
        }
    }
}
