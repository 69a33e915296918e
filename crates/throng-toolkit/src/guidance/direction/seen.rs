//! Direction maps as they were when a search began that goes on in later ticks.

use std::sync::Arc;

use super::map::DirectionMap;
use super::tolls::StepPenalties;
use super::traces::Traces;
use throng_crowd::AgentId;
use throng_crowd::bytes::{Damaged, Reader};

/// The direction map as it was when a search began that goes on in later ticks, and that of sectors.
#[derive(Clone, Debug, Default)]
pub struct SeenMap {
    map: Option<Arc<DirectionMap>>,
    above: Option<Arc<DirectionMap>>,
}

impl SeenMap {
    /// Another search begins, on the maps as they are now; or there is none.
    pub fn forget(&mut self) {
        (self.map, self.above) = (None, None);
    }

    /// The tick ends before the search does.
    pub fn keep(&mut self, traces: Option<&Traces>) {
        if self.map.is_none() {
            self.map = traces.map(|traces| Arc::clone(&traces.map));
            self.above = traces.and_then(Traces::above).map(|above| Arc::clone(&above.map));
        }
    }

    /// What the agent whose search it is pays, where there is a direction map.
    pub fn tolls<'a>(&'a self, traces: Option<&'a Traces>, agent: AgentId) -> Option<StepPenalties<'a>> {
        traces.map(|traces| traces.tolls(self.map.as_deref(), agent))
    }

    /// What it pays for steps from sector to sector, where these have vectors; sectors are cells there, numbered in row order.
    pub fn tolls_above<'a>(
        &'a self,
        traces: Option<&'a Traces>,
        agent: AgentId,
    ) -> Option<StepPenalties<'a>> {
        let above = traces.and_then(Traces::above);
        above.map(|above| above.tolls(self.above.as_deref(), agent))
    }

    /// Writes the maps that a half-done search depends on.
    pub fn save(&self, traces: Option<&Traces>, bytes: &mut Vec<u8>) {
        let layers = [(traces, &self.map), (traces.and_then(Traces::above), &self.above)];
        for (layer, seen) in layers {
            if let Some(layer) = layer {
                layer.map.save_difference(seen.as_ref().unwrap_or(&layer.map), bytes);
            }
        }
    }

    /// Reads what [`SeenMap::save`] wrote.
    ///
    /// # Errors
    /// When the bytes are not what it writes.
    pub fn load(reader: &mut Reader<'_>, traces: Option<&Traces>) -> Result<Self, Damaged> {
        let mut layer = |layer: Option<&Traces>| {
            layer.map(|layer| layer.map.load_difference(reader).map(Arc::new)).transpose()
        };
        Ok(Self { map: layer(traces)?, above: layer(traces.and_then(Traces::above))? })
    }
}
