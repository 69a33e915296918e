//! The time of a step: whole ticks, from the cost of the step and the speed of the agent.
//!
//! An agent that makes `steps` straight steps on plain ground in `ticks` ticks needs `cost * ticks / steps` units of time for
//! a step, and a tick has 1632 of them, the cost of such a step. What a step needs beyond whole ticks is carried over to the
//! next step, so that the mean speed is exact. A step lasts at least one tick, however fast the agent is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use throng_grid::moves::STRAIGHT;
use throng_grid::spec::SpecError;
use throng_grid::{Cell, Cost, Ground};

/// How long the steps of one agent last, compared with each other. A world has one, and a planner states the most general
/// one that it supports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub enum StepTime {
    /// All steps last equally long, whatever they cost, as in the papers on grid maps.
    #[default]
    Uniform,
    /// A step lasts as long as it costs: a diagonal one about 1.41 times as long as a straight one, and both as long as
    /// the terrain costs, averaged over the two cells. Cost overlays slow nobody down.
    Cost,
}

impl StepTime {
    /// All values.
    pub const ALL: [Self; 2] = [Self::Uniform, Self::Cost];

    /// Returns the name of the value, for options and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Cost => "cost",
        }
    }

    /// Returns the cost that the duration of a legal step follows.
    pub(crate) fn cost(self, ground: &Ground, from: Cell, to: Cell) -> Cost {
        match self {
            Self::Uniform => STRAIGHT,
            Self::Cost => {
                ground.legal_step(from, to).map_or(STRAIGHT, |direction| ground.terrain_cost(from, direction))
            }
        }
    }
}

impl fmt::Display for StepTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for StepTime {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let found = Self::ALL.into_iter().find(|time| time.name() == text);
        found.ok_or_else(|| SpecError::unknown("time of a step", text, Self::ALL.map(Self::name)))
    }
}

/// The speed of an agent: a number of straight steps on plain ground in a number of ticks.
///
/// A step lasts at least one tick. So a speed above one step per tick helps only where steps last longer than that of
/// plain ground ([`StepTime::Cost`]).
///
/// ```
/// use throng_crowd::Speed;
///
/// let walker = Speed::new(2, 3).unwrap();
/// assert_eq!((walker.steps(), walker.ticks()), (2, 3));
/// assert_eq!(Speed::per_tick(1), Some(Speed::NORMAL));
/// assert_eq!(Speed::new(0, 1), None, "an agent that never steps is not controlled instead");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "(u16, u16)", into = "(u16, u16)")]
pub struct Speed {
    steps: u16,
    ticks: u16,
}

impl Speed {
    /// One step per tick.
    pub const NORMAL: Self = Self { steps: 1, ticks: 1 };

    /// Returns the speed of `steps` steps in `ticks` ticks; `None` if one of them is 0.
    pub const fn new(steps: u16, ticks: u16) -> Option<Self> {
        if steps == 0 || ticks == 0 { None } else { Some(Self { steps, ticks }) }
    }

    /// Returns the speed of `steps` steps per tick; `None` for 0.
    pub const fn per_tick(steps: u16) -> Option<Self> {
        Self::new(steps, 1)
    }

    /// Returns the speed of one step in `ticks` ticks; 0 counts as 1.
    pub const fn one_step_in(ticks: u16) -> Self {
        Self { steps: 1, ticks: if ticks == 0 { 1 } else { ticks } }
    }

    /// Returns the number of steps in [`Speed::ticks`] ticks.
    pub const fn steps(self) -> u16 {
        self.steps
    }

    /// Returns the number of ticks in which the agent makes [`Speed::steps`] steps.
    pub const fn ticks(self) -> u16 {
        self.ticks
    }

    /// Returns the units of time in a tick, for steps that need `cost * ticks`.
    pub(crate) fn tick_units(self) -> u64 {
        u64::from(STRAIGHT) * u64::from(self.steps)
    }

    /// Returns how many ticks a step of a cost lasts after a step that left `carry` units, and the units that it leaves.
    pub(crate) fn duration(self, cost: Cost, carry: u32) -> (u32, u32) {
        let needed = u64::from(cost) * u64::from(self.ticks) + u64::from(carry);
        let ticks = needed / self.tick_units();
        if ticks == 0 { (1, 0) } else { (ticks as u32, (needed % self.tick_units()) as u32) }
    }

    /// Returns the units that are left of a step when the speed changes.
    pub(crate) fn convert(self, carry: u32, to: Self) -> u32 {
        (u64::from(carry) * to.tick_units() / self.tick_units()) as u32
    }

    /// Returns true if every step of this cost lasts one tick.
    pub(crate) fn is_unit(self, cost: Cost) -> bool {
        // With a carry that is never left, or with time to spare.
        u64::from(cost) * u64::from(self.ticks) <= self.tick_units()
    }
}

impl Default for Speed {
    fn default() -> Self {
        Self::NORMAL
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.steps, self.ticks)
    }
}

impl From<Speed> for (u16, u16) {
    fn from(speed: Speed) -> Self {
        (speed.steps, speed.ticks)
    }
}

impl TryFrom<(u16, u16)> for Speed {
    type Error = &'static str;

    fn try_from((steps, ticks): (u16, u16)) -> Result<Self, Self::Error> {
        Self::new(steps, ticks).ok_or("a speed of no steps or in no ticks")
    }
}

/// The last step of an agent, and what it leaves for the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct LastStep {
    /// The cell that it left. The agent holds it until the last tick of the step.
    pub(crate) from: Cell,
    /// The number of ticks that it lasts; 0 if the agent has not stepped since it was put on its cell.
    pub(crate) ticks: u32,
    /// The units of time that it left for the next step.
    pub(crate) carry: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::moves::DIAGONAL;

    /// Returns the durations of steps.
    fn durations(speed: Speed, costs: impl IntoIterator<Item = Cost>) -> Vec<u32> {
        let mut carry = 0;
        let mut next = |cost| {
            let ticks;
            (ticks, carry) = speed.duration(cost, carry);
            ticks
        };
        costs.into_iter().map(&mut next).collect()
    }

    #[test]
    fn the_mean_speed_is_exact() {
        for (steps, ticks) in [(1, 1), (2, 3), (1, 4), (3, 7), (5, 6), (999, 1000)] {
            let speed = Speed::new(steps, ticks).unwrap();
            let count = usize::from(steps) * 50;
            let total: u32 = durations(speed, std::iter::repeat_n(STRAIGHT, count)).iter().sum();
            assert_eq!(total, u32::from(ticks) * 50, "{speed}");
        }
        let total: u32 = durations(Speed::NORMAL, std::iter::repeat_n(DIAGONAL, 1_632)).iter().sum();
        assert_eq!(total, 2_308);
    }

    #[test]
    fn a_step_lasts_at_least_one_tick_and_saves_no_time() {
        let fast = Speed::per_tick(3).unwrap();
        assert_eq!(durations(fast, [STRAIGHT, STRAIGHT, 8 * STRAIGHT, STRAIGHT]), [1, 1, 2, 1]);
    }

    #[test]
    fn the_slowest_step_does_not_overflow() {
        let slow = Speed::one_step_in(u16::MAX);
        assert_eq!(slow.duration(127 * DIAGONAL, 0).0, (127 * u64::from(DIAGONAL) * 65_535 / 1_632) as u32);
    }
}
