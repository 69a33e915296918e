//! How far the crowd walks in lanes: an observer that learns a direction map from the moves of any planner.
//!
//! It learns at the rate of one half, as the thesis's agents do, whatever the planner itself learns or does not learn. The
//! map's coherence is looked at each time that another loop an agent was walked on average.

use throng::Event;
use throng::grid::Size;
use throng::toolkit::{DirectionMap, Rate};

/// How much an observed move counts.
const RATE: Rate = Rate::millionths(500_000);

/// Has an onlooker's direction map learn the moves of a tick.
pub fn learn_moves(map: &mut DirectionMap, events: &[Event]) {
    for event in events {
        if let Event::Moved { from, to, .. } = *event {
            map.learn(from, to, RATE);
        }
    }
}

/// A direction map of what was seen, and its coherence over time.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    pub(super) map: DirectionMap,
    /// After each loop an agent.
    pub(super) coherence: Vec<f64>,
}

impl Lanes {
    pub(super) fn new(size: Size) -> Self {
        Self { map: DirectionMap::new(size), coherence: Vec::new() }
    }

    /// So many loops an agent were walked so far: looks at the coherence if another is full.
    pub(super) fn sample(&mut self, loops: u64) {
        while (self.coherence.len() as u64) < loops {
            let coherence = self.map.coherence().millionths().unwrap_or(0);
            self.coherence.push(coherence as f64 / 1e6);
        }
    }

    /// The coherence when a share of all loops was walked, in percent; nothing if the run ended before.
    pub(super) fn at_percent(&self, percent: u64, loops: u64) -> Option<f64> {
        let loops = (loops * percent).div_ceil(100).max(1);
        self.coherence.get(loops as usize - 1).copied()
    }

    /// The mean without the first and the last loop.
    pub(super) fn mean(&self, loops: u64) -> Option<f64> {
        let last = self.coherence.len().min(loops as usize - 1);
        let counted = self.coherence.get(1..last).filter(|counted| !counted.is_empty())?;
        Some(counted.iter().sum::<f64>() / counted.len() as f64)
    }
}
