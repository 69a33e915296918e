//! Direction maps as they were when a search began that goes on in later ticks.

use std::sync::Arc;

use super::learner::DirectionLearner;
use super::map::DirectionMap;
use super::step_penalties::StepPenalties;
use throng_crowd::AgentId;
use throng_crowd::bytes::{Damaged, Reader};

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

    /// Writes the maps that a half-done search depends on.
    pub fn save(&self, learner: Option<&DirectionLearner>, bytes: &mut Vec<u8>) {
        let layers = [(learner, &self.map), (learner.and_then(DirectionLearner::above), &self.above)];
        for (layer, seen) in layers {
            if let Some(layer) = layer {
                layer.map.save_difference(seen.as_ref().unwrap_or(&layer.map), bytes);
            }
        }
    }

    /// Reads what [`DirectionMapVersion::save`] wrote.
    ///
    /// # Errors
    /// When the bytes are not what it writes.
    pub fn load(reader: &mut Reader<'_>, learner: Option<&DirectionLearner>) -> Result<Self, Damaged> {
        let mut layer = |layer: Option<&DirectionLearner>| {
            layer.map(|layer| layer.map.load_difference(reader).map(Arc::new)).transpose()
        };
        Ok(Self { map: layer(learner)?, above: layer(learner.and_then(DirectionLearner::above))? })
    }
}
