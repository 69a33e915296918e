//! The version of a direction map that a search spanning several ticks depends on.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::learner::DirectionLearner;
use super::map::DirectionMap;
use super::saved::SavedVectors;
use super::step_penalties::StepPenalties;
use throng_crowd::{AgentRow, Limits, StateError, Validate};

/// The direction map and the sector map at the start of a search. Empty while the search uses the present maps.
#[derive(Clone, Debug, Default)]
pub struct DirectionMapVersion([Option<Arc<DirectionMap>>; 2]);

/// Returns the learners of the direction map and of the sector map.
fn layers(learner: Option<&DirectionLearner>) -> [Option<&DirectionLearner>; 2] {
    [learner, learner.and_then(DirectionLearner::sectors)]
}

impl DirectionMapVersion {
    /// Drops the maps. The next search uses the present ones.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Keeps the present maps for a search that continues in the next tick. Maps kept earlier stay.
    pub fn keep(&mut self, learner: Option<&DirectionLearner>) {
        if self.0[0].is_none() {
            self.0 = layers(learner).map(|layer| layer.map(|layer| Arc::clone(&layer.map)));
        }
    }

    /// Returns the step penalties of the searching agent, or `None` without a learner.
    pub fn step_penalties<'a>(
        &'a self,
        learner: Option<&'a DirectionLearner>,
        agent: AgentRow,
    ) -> Option<StepPenalties<'a>> {
        learner.map(|learner| learner.step_penalties(self.0[0].as_deref(), agent))
    }

    /// Returns the penalties of moves between sectors, or `None` if sectors have no vectors. Sectors are the cells of their
    /// map, numbered row by row.
    pub fn sector_penalties<'a>(
        &'a self,
        learner: Option<&'a DirectionLearner>,
        agent: AgentRow,
    ) -> Option<StepPenalties<'a>> {
        let sectors = learner.and_then(DirectionLearner::sectors);
        sectors.map(|sectors| sectors.step_penalties(self.0[1].as_deref(), agent))
    }

    /// Returns how the maps that a paused search depends on differ from the present ones.
    pub fn saved(&self, learner: Option<&DirectionLearner>) -> SavedDirectionMapVersion {
        let [map, sector_map] = layers(learner);
        let difference = |layer: Option<&DirectionLearner>, seen: &Option<Arc<DirectionMap>>| {
            layer.map(|layer| layer.map.difference(seen.as_ref().unwrap_or(&layer.map)))
        };
        SavedDirectionMapVersion([difference(map, &self.0[0]), difference(sector_map, &self.0[1])])
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
        let [map, sector_map] = layers(learner);
        Ok(Self([restored(map, &saved.0[0])?, restored(sector_map, &saved.0[1])?]))
    }
}

/// The direction maps of a paused search as they are saved: their differences to the present ones.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SavedDirectionMapVersion([Option<SavedVectors>; 2]);

impl Validate for SavedDirectionMapVersion {
    fn validate(&self, _: &Limits) -> Result<(), StateError> {
        // The vectors are checked when they are restored, against the size of their map.
        Ok(())
    }
}
