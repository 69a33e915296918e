//! Fixed-point vectors and learning rates.

use serde::{Deserialize, Serialize};
use throng_grid::Direction;

/// A vector in fixed point with unit [`Vector::ONE`]. `x` points to the right, `y` downwards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Vector {
    /// Component to the right.
    pub x: i16,
    /// Component downwards.
    pub y: i16,
}

/// Half of the square root of two: a component of a diagonal unit vector.
const DIAGONAL: i16 = 11_585;

/// Unit vectors by direction.
const STEPS: [Vector; 8] = {
    let mut steps = [Vector::ZERO; 8];
    let mut number = 0;
    while number < 8 {
        let direction = Direction::from_number(number);
        let length = if direction.is_diagonal() { DIAGONAL } else { Vector::ONE };
        steps[number as usize] =
            Vector { x: direction.dx() as i16 * length, y: direction.dy() as i16 * length };
        number += 1;
    }
    steps
};

impl Vector {
    /// Length one.
    pub const ONE: i16 = 1 << Self::BITS;
    /// Number of fractional bits.
    const BITS: u32 = 14;
    /// The zero vector.
    pub const ZERO: Self = Self { x: 0, y: 0 };
    /// Marks cells without a vector in stored maps.
    pub(super) const UNKNOWN: Self = Self { x: i16::MIN, y: 0 };

    /// Returns the unit vector of a direction.
    #[inline]
    pub const fn step(direction: Direction) -> Self {
        STEPS[direction as usize]
    }

    /// Returns false for [`Vector::UNKNOWN`].
    #[inline]
    pub(super) const fn is_known(self) -> bool {
        self.x != i16::MIN
    }

    /// Returns true if the vector is known and no longer than one. Rounding may make it slightly longer.
    pub(super) const fn is_valid(self) -> bool {
        let max_length = Self::ONE as u32 + 2;
        self.is_known() && self.square() <= max_length * max_length
    }

    /// Returns the squared length in units of `1 / (ONE * ONE)`.
    #[inline]
    pub const fn square(self) -> u32 {
        let (x, y) = (self.x as i32, self.y as i32);
        (x * x + y * y) as u32
    }

    /// Returns the dot product with the unit vector of a direction, in units of 1 / [`Vector::ONE`].
    #[inline]
    pub const fn along(self, direction: Direction) -> i32 {
        self.product(direction).wrapping_add(1 << (Self::BITS - 1)) >> Self::BITS
    }

    /// Returns the scalar product with a step, in units of 1 / [`Vector::ONE`]².
    #[inline]
    const fn product(self, direction: Direction) -> i32 {
        let step = Self::step(direction);
        // Components are at most `ONE`, so that nothing wraps.
        (self.x as i32).wrapping_mul(step.x as i32).wrapping_add((self.y as i32).wrapping_mul(step.y as i32))
    }

    /// Returns the direction with the smallest angle to the vector, or `None` for the zero vector. Ties go to the lower
    /// direction number.
    pub fn nearest_direction(self) -> Option<Direction> {
        // `max_by_key` returns the last maximum, so the order is reversed.
        let best = Direction::ALL.into_iter().rev().max_by_key(|&direction| self.product(direction))?;
        (self != Self::ZERO).then_some(best)
    }

    /// Returns the vector moved towards another one at a rate.
    #[inline]
    #[must_use]
    pub const fn towards(self, other: Self, rate: Rate) -> Self {
        Self { x: rate.between(self.x, other.x), y: rate.between(self.y, other.y) }
    }

    /// Returns the vector shortened at a rate, rounded towards zero.
    #[inline]
    #[must_use]
    pub const fn shortened(self, rate: Rate) -> Self {
        Self { x: rate.rest(self.x), y: rate.rest(self.y) }
    }
}

/// A learning rate from 0 to 1 in fixed point (alpha in the thesis).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate(u32);

impl Rate {
    /// Number of fractional bits.
    const BITS: u32 = 16;

    /// Creates a rate from millionths, clamped to one million.
    pub const fn millionths(millionths: u64) -> Self {
        let clamped = if millionths < 1_000_000 { millionths } else { 1_000_000 };
        Self((((clamped << Self::BITS) + 500_000) / 1_000_000) as u32)
    }

    /// Returns true if the rate is 0.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Returns the rate times `part / whole`, where the fraction is clamped to 1. Returns the rate itself if `whole` is 0.
    #[must_use]
    pub const fn scaled(self, part: u64, whole: u64) -> Self {
        let part = if part < whole { part } else { whole };
        match (self.0 as u64 * part).checked_div(whole) {
            Some(scaled) => Self(scaled as u32),
            None => self,
        }
    }

    /// Returns the rate that has the effect of this one applied several times: `1 - (1 - rate)^times`.
    #[must_use]
    pub fn repeated(self, times: u32) -> Self {
        let whole = 1_u64 << 32;
        let rest = whole - (u64::from(self.0) << 16);
        let left = (0..times).fold(whole, |left, _| (left * (rest >> 8)) >> 24);
        Self(((whole - left) >> 16) as u32)
    }

    /// Interpolates between two values. The change is rounded to nearest, ties away from zero, so opposite changes are
    /// symmetric.
    #[inline]
    const fn between(self, from: i16, to: i16) -> i16 {
        let difference = to as i64 - from as i64;
        let part = (difference.abs() * self.0 as i64 + (1 << (Self::BITS - 1))) >> Self::BITS;
        (from as i64 + if difference < 0 { -part } else { part }) as i16
    }

    /// Returns a value reduced at this rate. Rounding towards zero makes every value reach zero in the end.
    #[inline]
    const fn rest(self, value: i16) -> i16 {
        let left = (1 << Self::BITS) - self.0 as i32;
        let rest = ((value as i32).abs() * left) >> Self::BITS;
        (if value < 0 { -rest } else { rest }) as i16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_length_one_and_opposite_steps_cancel() {
        for direction in Direction::ALL {
            let step = Vector::step(direction);
            let one = u32::from(Vector::ONE.unsigned_abs()).pow(2);
            assert!(step.square().abs_diff(one) < one / 10_000, "{direction:?}");
            assert_eq!(step.nearest_direction(), Some(direction));
            assert!((i32::from(Vector::ONE) - step.along(direction)).abs() <= 1);
            assert!((i32::from(Vector::ONE) + step.along(direction.opposite())).abs() <= 1);
        }
        assert_eq!(Vector::ZERO.nearest_direction(), None);
    }

    #[test]
    fn vectors_move_symmetrically_and_converge() {
        let (half, tenth) = (Rate::millionths(500_000), Rate::millionths(100_000));
        for direction in Direction::ALL {
            let (to, mut near, mut slow) = (Vector::step(direction), Vector::ZERO, Vector::ZERO);
            let mut mirrored = Vector::ZERO;
            for _ in 0..200 {
                near = near.towards(to, half);
                slow = slow.towards(to, tenth);
                mirrored = mirrored.towards(Vector::step(direction.opposite()), tenth);
                assert_eq!((slow.x, slow.y), (-mirrored.x, -mirrored.y));
            }
            assert_eq!(near, to);
            assert!((to.x - slow.x).abs() <= 5 && (to.y - slow.y).abs() <= 5, "{slow:?} and {to:?}");
        }
    }

    #[test]
    fn a_repeated_rate_equals_repeated_shortening() {
        let (once, sixteen) = (Rate::millionths(10_000), Rate::millionths(10_000).repeated(16));
        let mut vector = Vector { x: Vector::ONE, y: -Vector::ONE };
        let at_once = vector.shortened(sixteen);
        for _ in 0..16 {
            vector = vector.shortened(once);
        }
        // 0.99^16 is 0.8515.
        assert!((f64::from(at_once.x) / f64::from(Vector::ONE) - 0.8515).abs() < 0.001, "{at_once:?}");
        assert!((at_once.x - vector.x).abs() < 20 && at_once.x == -at_once.y, "{vector:?} {at_once:?}");
        assert_eq!(Vector { x: 1, y: -1 }.shortened(once), Vector::ZERO, "the smallest vector becomes zero");
        assert_eq!(Rate::millionths(0).repeated(16), Rate::millionths(0));
    }
}
