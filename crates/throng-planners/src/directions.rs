//! Direction maps as an option of any planner: the parameters and what they mean.
//!
//! A planner with this option keeps a [`DirectionLearner`], lets it observe each tick, and adds the step penalties to the
//! costs of its searches.

use throng_crowd::StateError;
use throng_grid::Grid;
use throng_toolkit::{DirectionLearner, Learning, Rate, SavedDirectionLearner, StepPenalty, Unknown};

use crate::Resources;
use throng_search::spec::{Kind, MILLION, Parameter, Values};

/// Whether the planner uses a direction map.
pub(crate) const DIRECTIONS: Parameter = Parameter::switch(
    "directions",
    "whether searches follow a direction map, which agents learn as they walk: see dm",
);

pub(crate) const ALPHA: Parameter = Parameter {
    name: "alpha",
    summary: "with a direction map: how far the vectors of the cells left and entered turn at each step",
    kind: Kind::Decimal { min: 0, max: MILLION, default: 500_000 },
};

pub(crate) const W_MAX: Parameter = Parameter {
    name: "w_max",
    summary: "with a direction map: what a step against the vectors costs more, in straight steps",
    kind: Kind::Decimal { min: 0, max: 1_000 * MILLION, default: 10 * MILLION },
};

/// Returns how the map is learned, from `alpha` and `w_max`.
pub(crate) fn learning(values: &Values, unknown: Unknown) -> Learning {
    Learning::plain(StepPenalty::new(values.get("w_max"), unknown), Rate::millionths(values.get("alpha")))
}

/// Returns how the map is learned; `None` with `directions=off`.
pub(crate) fn chosen(values: &Values) -> Option<Learning> {
    values.is_on("directions").then(|| learning(values, Unknown::Half))
}

/// Returns a learner, which starts from the given direction map if its size fits.
pub(crate) fn learner(
    learning: Option<Learning>,
    grid: &Grid,
    resources: &mut Resources,
) -> Option<DirectionLearner> {
    let mut learner = DirectionLearner::new(grid, learning?);
    if let Some(map) = resources.direction_map.take_if(|map| map.size() == grid.size()) {
        learner.set_map(map);
    }
    Some(learner)
}

/// Restores a learned direction map; both or neither must exist.
pub(crate) fn restore(
    learner: Option<&mut DirectionLearner>,
    saved: Option<SavedDirectionLearner>,
) -> Result<(), StateError> {
    match (learner, saved) {
        (Some(learner), Some(saved)) => learner.restore(saved),
        (None, None) => Ok(()),
        _ => Err(StateError::invalid(
            "the planner learns a direction map and the saved one does not, or the reverse",
        )),
    }
}
