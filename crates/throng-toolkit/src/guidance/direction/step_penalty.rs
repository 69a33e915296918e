//! The penalty of a step that does not follow the direction map.

use throng_grid::{Cost, Direction, moves};

use super::vector::Vector;

/// The penalty of cells without a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// Half of the maximum, as for a vector orthogonal to the step, which is what the formula yields. Cells that no agent
    /// has passed then cost more than a lane, so lanes attract agents.
    Half,
    /// No penalty.
    Zero,
}

/// Computes the penalty of a step: zero along the vectors of its two cells, the maximum against both.
#[derive(Clone, Copy, Debug)]
pub struct StepPenalty {
    /// Largest penalty in units of cost. It may exceed [`Cost::MAX`].
    max: u64,
    /// Agreement of an unknown vector with any step, in units of 1 / [`Vector::ONE`].
    unknown: i32,
}

impl StepPenalty {
    /// Creates the penalty with this maximum in millionths of the cost of a straight step (`w_max` in the thesis).
    pub const fn new(millionths: u64, unknown: Unknown) -> Self {
        let unknown = match unknown {
            Unknown::Half => 0,
            Unknown::Zero => Vector::ONE as i32,
        };
        let max = (millionths as u128 * moves::STRAIGHT as u128 / 1_000_000) as u64;
        Self { max, unknown }
    }

    /// Returns the largest possible penalty.
    pub const fn max(self) -> Cost {
        if self.max > Cost::MAX as u64 { Cost::MAX } else { self.max as Cost }
    }

    /// Returns the agreement of a vector with a step, from -1 to 1 in units of 1 / [`Vector::ONE`].
    #[inline]
    fn agreement(self, vector: Vector, direction: Direction) -> i32 {
        if vector.is_known() { vector.along(direction) } else { self.unknown }
    }

    #[inline]
    pub(super) fn between(self, from: Vector, to: Vector, direction: Direction) -> Cost {
        // The weight of a cell is (1 - agreement) / 2, and that of a step the mean of both cells.
        let agreement = self.agreement(from, direction).wrapping_add(self.agreement(to, direction));
        let weight = (2 * i32::from(Vector::ONE)).wrapping_sub(agreement).max(0) as u64;
        let whole = 4 * Vector::ONE as u64;
        ((self.max * weight + whole / 2) / whole) as Cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: fn(Direction) -> Option<Vector> = |direction| Some(Vector::step(direction));

    impl StepPenalty {
        /// Returns the penalty of a step between cells with these vectors; `None` stands for no vector.
        fn of_vectors(self, from: Option<Vector>, to: Option<Vector>, direction: Direction) -> Cost {
            let stored = |vector: Option<Vector>| vector.unwrap_or(Vector::UNKNOWN);
            self.between(stored(from), stored(to), direction)
        }
    }

    /// Example of section 3.2 of the thesis: the first vector is at 45° to the step, the second one is orthogonal.
    #[test]
    fn the_penalty_is_the_mean_of_two_weights() {
        let step_penalty = StepPenalty::new(1_000_000, Unknown::Half);
        let east = Direction::East;
        let penalty = step_penalty.of_vectors(STEP(Direction::NorthEast), STEP(Direction::North), east);
        let cost = f64::from(moves::STRAIGHT + penalty) / f64::from(moves::STRAIGHT);
        assert!((cost - 1.3232).abs() < 0.0005, "{cost}");
        // A thousandfold penalty shows digits below the unit of cost.
        let penalty = StepPenalty::new(1_000_000_000, Unknown::Half).of_vectors(
            STEP(Direction::NorthEast),
            STEP(Direction::North),
            east,
        );
        let weight = f64::from(penalty) / 1000.0 / f64::from(moves::STRAIGHT);
        assert!((weight - 0.323_2).abs() < 0.000_1, "{weight}");
    }

    #[test]
    fn penalties_range_from_zero_along_vectors_to_the_maximum_against_them() {
        let step_penalty = StepPenalty::new(10_000_000, Unknown::Half);
        let max = 10 * moves::STRAIGHT;
        assert_eq!(step_penalty.max(), max);
        for direction in Direction::ALL {
            let (along, against) = (STEP(direction), STEP(direction.opposite()));
            assert!(step_penalty.of_vectors(along, along, direction) <= 1);
            assert!(max - step_penalty.of_vectors(against, against, direction) <= 1);
            assert!(step_penalty.of_vectors(along, against, direction).abs_diff(max / 2) <= 1);
            assert_eq!(step_penalty.of_vectors(None, None, direction), max / 2);
            let free = StepPenalty::new(10_000_000, Unknown::Zero);
            assert_eq!(free.of_vectors(None, None, direction), 0);
            assert!(free.of_vectors(None, against, direction).abs_diff(max / 2) <= 1);
            assert_eq!(free.of_vectors(Some(Vector::ZERO), Some(Vector::ZERO), direction), max / 2);
        }
    }
}
