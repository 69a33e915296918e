//! What a step costs more because it does not follow the map of directions.

use throng_grid::{Cell, Cost, Direction, moves};

use super::map::DirectionMap;
use super::vector::Vector;

/// What is assumed of cells that nobody has passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// Half of the penalty, as of a vector across the step: the letter of the formula. Virgin ground is dearer than a
    /// lane, which is what makes lanes attractive.
    Half,
    /// No penalty.
    Zero,
}

/// The penalty of a step: nothing along the vectors of its two cells, the most against both.
#[derive(Clone, Copy, Debug)]
pub struct StepPenalty {
    /// The most, in units of cost.
    most: u64,
    /// How much an unknown vector agrees with any step.
    unknown: i32,
}

impl StepPenalty {
    /// At most so many millionths of a straight step: the thesis's `w_max`.
    pub const fn new(millionths: u64, unknown: Unknown) -> Self {
        let unknown = match unknown {
            Unknown::Half => 0,
            Unknown::Zero => Vector::ONE as i32,
        };
        let most = (millionths as u128 * moves::STRAIGHT as u128 / 1_000_000) as u64;
        Self { most, unknown }
    }

    /// The largest penalty there is.
    pub const fn most(self) -> Cost {
        if self.most > Cost::MAX as u64 { Cost::MAX } else { self.most as Cost }
    }

    /// How much the vector of a cell agrees with a step: from -1 to 1, in fixed point.
    #[inline]
    fn agreement(self, vector: Vector, direction: Direction) -> i32 {
        if vector.is_known() { vector.along(direction) } else { self.unknown }
    }

    /// The penalty of a step between two cells.
    #[inline]
    pub fn of(self, map: &DirectionMap, from: Cell, to: Cell, direction: Direction) -> Cost {
        self.between(map.stored(from), map.stored(to), direction)
    }

    /// The same for vectors; `None` where nobody has passed.
    pub fn of_vectors(self, from: Option<Vector>, to: Option<Vector>, direction: Direction) -> Cost {
        let stored = |vector: Option<Vector>| vector.unwrap_or(Vector::UNKNOWN);
        self.between(stored(from), stored(to), direction)
    }

    #[inline]
    pub(super) fn between(self, from: Vector, to: Vector, direction: Direction) -> Cost {
        // Each cell weighs (1 - agreement) / 2, and the step the mean of both.
        let agreement = self.agreement(from, direction) + self.agreement(to, direction);
        let weight = (2 * i32::from(Vector::ONE) - agreement).max(0) as u64;
        let whole = 4 * Vector::ONE as u64;
        ((self.most * weight + whole / 2) / whole) as Cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: fn(Direction) -> Option<Vector> = |direction| Some(Vector::step(direction));

    /// The thesis's example of a cost, section 3.2: the first vector is half against the step, the second one across.
    #[test]
    fn the_penalty_is_the_mean_of_two_weights() {
        let step_penalty = StepPenalty::new(1_000_000, Unknown::Half);
        let east = Direction::East;
        let penalty = step_penalty.of_vectors(STEP(Direction::NorthEast), STEP(Direction::North), east);
        let cost = f64::from(moves::STRAIGHT + penalty) / f64::from(moves::STRAIGHT);
        assert!((cost - 1.3232).abs() < 0.0005, "{cost}");
        // Finer than the units of cost: a penalty a thousand times as large.
        let penalty = StepPenalty::new(1_000_000_000, Unknown::Half).of_vectors(
            STEP(Direction::NorthEast),
            STEP(Direction::North),
            east,
        );
        let weight = f64::from(penalty) / 1000.0 / f64::from(moves::STRAIGHT);
        assert!((weight - 0.323_2).abs() < 0.000_1, "{weight}");
    }

    #[test]
    fn along_costs_nothing_against_costs_the_most_and_unknown_as_is_chosen() {
        let step_penalty = StepPenalty::new(10_000_000, Unknown::Half);
        let most = 10 * moves::STRAIGHT;
        assert_eq!(step_penalty.most(), most);
        for direction in Direction::ALL {
            let (along, against) = (STEP(direction), STEP(direction.opposite()));
            assert!(step_penalty.of_vectors(along, along, direction) <= 1);
            assert!(most - step_penalty.of_vectors(against, against, direction) <= 1);
            assert!(step_penalty.of_vectors(along, against, direction).abs_diff(most / 2) <= 1);
            assert_eq!(step_penalty.of_vectors(None, None, direction), most / 2);
            let free = StepPenalty::new(10_000_000, Unknown::Zero);
            assert_eq!(free.of_vectors(None, None, direction), 0);
            assert!(free.of_vectors(None, against, direction).abs_diff(most / 2) <= 1);
            assert_eq!(free.of_vectors(Some(Vector::ZERO), Some(Vector::ZERO), direction), most / 2);
        }
    }
}
