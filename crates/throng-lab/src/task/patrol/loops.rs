//! Time, distance, failed moves and expansions per agent and loop.
//!
//! The first and the last loop of each agent are counted separately: in the first all agents meet for the first time, and in
//! the last agents that are done have left (Jansen 2008, section 4.1.1). Planners do not report expansions per agent: those
//! of a tick are split evenly among the agents that are not done.

use std::ops::AddAssign;

/// The measures of a loop, or their sum over several.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LoopMeasures {
    /// The simulation time.
    pub time: f64,
    /// The distance.
    pub distance: f64,
    /// The number of times the agent wanted another cell and stayed because another agent held or took it.
    pub failed_moves: f64,
    /// The share of the expansions.
    pub expansions: f64,
    /// The share of the expansions of backward searches, which are part of `expansions`.
    pub backwards: f64,
}

impl AddAssign for LoopMeasures {
    fn add_assign(&mut self, other: Self) {
        self.time += other.time;
        self.distance += other.distance;
        self.failed_moves += other.failed_moves;
        self.expansions += other.expansions;
        self.backwards += other.backwards;
    }
}

/// The number and the sum of some loops.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct LoopTotals {
    loops: u64,
    sum: LoopMeasures,
}

impl LoopTotals {
    fn add(&mut self, measures: LoopMeasures) {
        self.loops += 1;
        self.sum += measures;
    }

    /// Returns the mean per loop; none if there is no loop.
    pub(super) fn mean(&self) -> Option<LoopMeasures> {
        let count = self.loops as f64;
        let mean = LoopMeasures {
            time: self.sum.time / count,
            distance: self.sum.distance / count,
            failed_moves: self.sum.failed_moves / count,
            expansions: self.sum.expansions / count,
            backwards: self.sum.backwards / count,
        };
        (self.loops > 0).then_some(mean)
    }
}

/// The loops of all agents, by their place in the patrol.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct PatrolLoops {
    /// The first loop of each agent.
    pub(super) first: LoopTotals,
    /// The loops between the first and the last of each agent.
    pub(super) middle: LoopTotals,
    /// The last loop of each agent.
    pub(super) last: LoopTotals,
    /// The loops of `middle` that started after the change of the world.
    pub(super) late: LoopTotals,
}

impl PatrolLoops {
    /// Adds the loop with this number, counted from 1, of an agent that walks `of` loops.
    pub(super) fn add(&mut self, number: u64, of: u64, measures: LoopMeasures, is_late: bool) {
        if number == of {
            self.last.add(measures);
        } else if number == 1 {
            self.first.add(measures);
        } else {
            self.middle.add(measures);
            if is_late {
                self.late.add(measures);
            }
        }
    }
}
