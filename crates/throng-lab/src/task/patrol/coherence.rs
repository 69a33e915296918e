//! An observer that learns a direction map from the moves of any planner: its coherence says how far agents walk in lanes.
//!
//! It learns at the rate of one half, like the agents of the thesis, whatever the planner itself learns. The coherence is
//! sampled each time the agents have done one more loop on average, and at equal steps of time for a curve.

use throng::Event;
use throng::grid::Size;
use throng_toolkit::{DirectionMap, Rate};

use super::TIME_PER_TICK;
use crate::stats::TimeSeries;

/// The weight of an observed move.
const RATE: Rate = Rate::millionths(500_000);

/// The number of ticks between two samples of the curve: about seven per loop on the maps of the thesis.
const CURVE_TICKS: u64 = 20;

/// Teaches a direction map the moves of a tick.
pub fn learn_moves(map: &mut DirectionMap, events: &[Event]) {
    for event in events {
        if let Event::Moved { from, to, .. } = *event
            && let (Some(from), Some(to)) = (map.size().cell(from), map.size().cell(to))
        {
            map.learn(from, to, RATE);
        }
    }
}

/// A direction map of all moves, and its coherence over time.
#[derive(Clone, Debug)]
pub(super) struct CoherenceObserver {
    pub(super) map: DirectionMap,
    /// The coherence after each loop of the average agent.
    pub(super) coherence: Vec<f64>,
    /// The coherence at equal steps of simulation time.
    pub(super) curve: TimeSeries,
    ticks: u64,
}

impl CoherenceObserver {
    pub(super) fn new(size: Size) -> Self {
        let curve = TimeSeries::new(CURVE_TICKS as f64 * TIME_PER_TICK);
        Self { map: DirectionMap::new(size), coherence: Vec::new(), curve, ticks: 0 }
    }

    /// Samples the coherence after a tick if a step of the curve has passed or another loop of the average agent is done;
    /// `loops` is the number of these loops.
    pub(super) fn sample(&mut self, loops: u64) {
        self.ticks += 1;
        if self.ticks.is_multiple_of(CURVE_TICKS) {
            self.curve.push(self.now());
        }
        while (self.coherence.len() as u64) < loops {
            self.coherence.push(self.now());
        }
    }

    /// Returns the coherence of the map, from 0 to 1.
    pub(super) fn now(&self) -> f64 {
        self.map.coherence().millionths().unwrap_or(0) as f64 / 1e6
    }

    /// Returns the coherence after a percentage of all loops; none if the run ended before.
    pub(super) fn at_percent(&self, percent: u64, loops: u64) -> Option<f64> {
        let loops = (loops * percent).div_ceil(100).max(1);
        self.coherence.get(loops as usize - 1).copied()
    }

    /// Returns the mean without the first and the last loop.
    pub(super) fn mean(&self, loops: u64) -> Option<f64> {
        let last = self.coherence.len().min(loops as usize - 1);
        let counted = self.coherence.get(1..last).filter(|counted| !counted.is_empty())?;
        Some(counted.iter().sum::<f64>() / counted.len() as f64)
    }
}
