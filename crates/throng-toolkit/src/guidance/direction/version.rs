//! Direction maps as they were when a search began that goes on in later ticks.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::learner::DirectionLearner;
use super::map::DirectionMap;
use super::saved::SavedVectors;
use super::step_penalties::StepPenalties;
use throng_crowd::{AgentId, Limits, StateError, Validate};

/// The direction map as it was when a search began that goes on in later ticks, and that of sectors.
#[derive(Clone, Debug, Default)]
pub struct DirectionMapVersion {
    map: Option<Arc<DirectionMap>>,
    above: Option<Arc<DirectionMap>>,
}

impl DirectionMapVersion {
    /// Another search begins, on the maps as they are now; or there is none.
    pub fn forget(&mut self) {
        (self.map, self.above) = (None, None);
    }

    /// The tick ends before the search does.
    pub fn keep(&mut self, learner: Option<&DirectionLearner>) {
        if self.map.is_none() {
            self.map = learner.map(|learner| Arc::clone(&learner.map));
            self.above = learner.and_then(DirectionLearner::above).map(|above| Arc::clone(&above.map));
        }
    }

    /// What the agent whose search it is pays, where there is a direction map.
    pub fn step_penalties<'a>(
        &'a self,
        learner: Option<&'a DirectionLearner>,
        agent: AgentId,
    ) -> Option<StepPenalties<'a>> {
        learner.map(|learner| learner.step_penalties(self.map.as_deref(), agent))
    }

    /// What it pays for steps from sector to sector, where these have vectors; sectors are cells there, numbered in row order.
    pub fn sector_penalties<'a>(
        &'a self,
        learner: Option<&'a DirectionLearner>,
        agent: AgentId,
    ) -> Option<StepPenalties<'a>> {
        let above = learner.and_then(DirectionLearner::above);
        above.map(|above| above.step_penalties(self.above.as_deref(), agent))
    }

    /// Returns how the maps that a paused search depends on differ from the present ones.
    pub fn saved(&self, learner: Option<&DirectionLearner>) -> SavedDirectionMapVersion {
        let differences = |layer: Option<&DirectionLearner>, seen: &Option<Arc<DirectionMap>>| {
            layer.map(|layer| layer.map.difference(seen.as_ref().unwrap_or(&layer.map)))
        };
        SavedDirectionMapVersion {
            map: differences(learner, &self.map),
            above: differences(learner.and_then(DirectionLearner::above), &self.above),
        }
    }

    /// Restores the maps of a paused search from the present ones.
    ///
    /// # Errors
    /// When the maps are not those of this planner.
    pub fn restored(
        saved: &SavedDirectionMapVersion,
        learner: Option<&DirectionLearner>,
    ) -> Result<Self, StateError> {
        let restored = |layer: Option<&DirectionLearner>, saved: &Option<SavedVectors>| match (layer, saved) {
            (Some(layer), Some(saved)) => {
                DirectionMap::clone(&layer.map).with_changes(saved).map(|map| Some(Arc::new(map)))
            }
            (None, None) => Ok(None),
            _ => Err(StateError::invalid("a search has seen another direction map")),
        };
        Ok(Self {
            map: restored(learner, &saved.map)?,
            above: restored(learner.and_then(DirectionLearner::above), &saved.above)?,
        })
    }
}

/// The direction maps of a paused search as they are saved: their differences to the present ones.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SavedDirectionMapVersion {
    map: Option<SavedVectors>,
    above: Option<SavedVectors>,
}

impl Validate for SavedDirectionMapVersion {
    fn validate(&self, _: &Limits) -> Result<(), StateError> {
        // The vectors are checked when they are restored, against the size of their map.
        let Self { map: _, above: _ } = self;
        Ok(())
    }
}
