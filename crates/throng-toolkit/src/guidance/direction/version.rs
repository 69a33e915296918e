//! The version of a direction map that a search spanning several ticks depends on.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::learner::DirectionLearner;
use super::map::DirectionMap;
use super::saved::SavedVectors;
use super::step_penalties::StepPenalties;
use throng_crowd::{AgentId, Limits, StateError, Validate};

/// The direction map and the sector map at the start of a search. Empty while the search uses the present maps.
#[derive(Clone, Debug, Default)]
pub struct DirectionMapVersion {
    map: Option<Arc<DirectionMap>>,
    sector_map: Option<Arc<DirectionMap>>,
}

impl DirectionMapVersion {
    /// Drops the maps. The next search uses the present ones.
    pub fn forget(&mut self) {
        (self.map, self.sector_map) = (None, None);
    }

    /// Keeps the present maps for a search that continues in the next tick. Maps kept earlier stay.
    pub fn keep(&mut self, learner: Option<&DirectionLearner>) {
        if self.map.is_none() {
            self.map = learner.map(|learner| Arc::clone(&learner.map));
            self.sector_map =
                learner.and_then(DirectionLearner::sectors).map(|sectors| Arc::clone(&sectors.map));
        }
    }

    /// Returns the step penalties of the searching agent, or `None` without a learner.
    pub fn step_penalties<'a>(
        &'a self,
        learner: Option<&'a DirectionLearner>,
        agent: AgentId,
    ) -> Option<StepPenalties<'a>> {
        learner.map(|learner| learner.step_penalties(self.map.as_deref(), agent))
    }

    /// Returns the penalties of moves between sectors, or `None` if sectors have no vectors. Sectors are the cells of their
    /// map, numbered row by row.
    pub fn sector_penalties<'a>(
        &'a self,
        learner: Option<&'a DirectionLearner>,
        agent: AgentId,
    ) -> Option<StepPenalties<'a>> {
        let sectors = learner.and_then(DirectionLearner::sectors);
        sectors.map(|sectors| sectors.step_penalties(self.sector_map.as_deref(), agent))
    }

    /// Returns how the maps that a paused search depends on differ from the present ones.
    pub fn saved(&self, learner: Option<&DirectionLearner>) -> SavedDirectionMapVersion {
        let differences = |layer: Option<&DirectionLearner>, seen: &Option<Arc<DirectionMap>>| {
            layer.map(|layer| layer.map.difference(seen.as_ref().unwrap_or(&layer.map)))
        };
        SavedDirectionMapVersion {
            map: differences(learner, &self.map),
            sector_map: differences(learner.and_then(DirectionLearner::sectors), &self.sector_map),
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
            sector_map: restored(learner.and_then(DirectionLearner::sectors), &saved.sector_map)?,
        })
    }
}

/// The direction maps of a paused search as they are saved: their differences to the present ones.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SavedDirectionMapVersion {
    map: Option<SavedVectors>,
    sector_map: Option<SavedVectors>,
}

impl Validate for SavedDirectionMapVersion {
    fn validate(&self, _: &Limits) -> Result<(), StateError> {
        // The vectors are checked when they are restored, against the size of their map.
        let Self { map: _, sector_map: _ } = self;
        Ok(())
    }
}
