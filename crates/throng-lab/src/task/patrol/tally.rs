//! What loops came to: walked, waited and searched, an agent and loop on average.
//!
//! The first and the last loop of each agent do not count: in the first, all meet who have never met, and in the last,
//! those who are done are out of the way (Jansen 2008, section 4.1.1). Whose expansions a tick's are is not known: they
//! are shared out among the agents on patrol.

use std::ops::AddAssign;

/// What a loop, or several, came to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Walk {
    /// Length walked.
    pub distance: f64,
    /// Times it wanted a cell and stayed because somebody held or took it.
    pub failed_moves: f64,
    /// Its share of the expansions,
    pub expansions: f64,
    /// and of those that searched backwards from targets.
    pub backwards: f64,
}

impl AddAssign for Walk {
    fn add_assign(&mut self, other: Self) {
        self.distance += other.distance;
        self.failed_moves += other.failed_moves;
        self.expansions += other.expansions;
        self.backwards += other.backwards;
    }
}

/// Loops that count.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Tally {
    loops: u64,
    sum: Walk,
}

impl Tally {
    pub(super) fn add(&mut self, walk: Walk) {
        self.loops += 1;
        self.sum += walk;
    }

    /// A loop on average; nothing when there was none.
    pub(super) fn mean(&self) -> Option<Walk> {
        let count = self.loops as f64;
        let mean = Walk {
            distance: self.sum.distance / count,
            failed_moves: self.sum.failed_moves / count,
            expansions: self.sum.expansions / count,
            backwards: self.sum.backwards / count,
        };
        (self.loops > 0).then_some(mean)
    }
}
