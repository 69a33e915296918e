//! Vectors in fixed point, and how they are moved towards each other.

use serde::{Deserialize, Serialize};
use throng_grid::Direction;

/// A vector in fixed point: [`Vector::ONE`] is length one. Columns grow to the right, rows downwards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Vector {
    /// To the right.
    pub x: i16,
    /// Downwards.
    pub y: i16,
}

/// A half of the square root of two, in fixed point.
const SLANTED: i16 = 11_585;

/// What a step in each direction is: of length one, diagonal steps too.
const STEPS: [Vector; 8] = {
    let mut steps = [Vector::ZERO; 8];
    let mut number = 0;
    while number < 8 {
        let direction = Direction::from_number(number);
        let length = if direction.is_diagonal() { SLANTED } else { Vector::ONE };
        steps[number as usize] =
            Vector { x: direction.dx() as i16 * length, y: direction.dy() as i16 * length };
        number += 1;
    }
    steps
};

impl Vector {
    /// Length one.
    pub const ONE: i16 = 1 << Self::BITS;
    /// Binary places.
    const BITS: u32 = 14;
    /// No direction.
    pub const ZERO: Self = Self { x: 0, y: 0 };
    /// Stands for "nobody has passed" where vectors are stored.
    pub(super) const UNKNOWN: Self = Self { x: i16::MIN, y: 0 };

    /// The vector of a step, of length one.
    #[inline]
    pub const fn step(direction: Direction) -> Self {
        STEPS[direction as usize]
    }

    /// Whether somebody has passed.
    #[inline]
    pub(super) const fn is_known(self) -> bool {
        self.x != i16::MIN
    }

    /// Returns true if the vector is known and no longer than one. Rounding may make it slightly longer.
    pub(super) const fn is_valid(self) -> bool {
        let longest = Self::ONE as u32 + 2;
        self.is_known() && self.square() <= longest * longest
    }

    /// The square of the length, where one is `ONE * ONE`.
    #[inline]
    pub const fn square(self) -> u32 {
        let (x, y) = (self.x as i32, self.y as i32);
        (x * x + y * y) as u32
    }

    /// The dot product with the vector of a step, where one is [`Vector::ONE`].
    #[inline]
    pub const fn along(self, direction: Direction) -> i32 {
        let step = Self::step(direction);
        let product = self.x as i32 * step.x as i32 + self.y as i32 * step.y as i32;
        (product + (1 << (Self::BITS - 1))) >> Self::BITS
    }

    /// The direction that makes the smallest angle with the vector, of two the one with the lower number; `None` when the
    /// vector is zero.
    pub fn nearest_direction(self) -> Option<Direction> {
        let product = |direction: Direction| {
            let step = Self::step(direction);
            i32::from(self.x) * i32::from(step.x) + i32::from(self.y) * i32::from(step.y)
        };
        // The first of the largest.
        let best = Direction::ALL.into_iter().rev().max_by_key(|&direction| product(direction))?;
        (self != Self::ZERO).then_some(best)
    }

    /// Moved towards another vector by a part of the way.
    #[inline]
    #[must_use]
    pub const fn towards(self, other: Self, rate: Rate) -> Self {
        Self { x: rate.between(self.x, other.x), y: rate.between(self.y, other.y) }
    }

    /// Shortened by a part of its length, rounded towards zero.
    #[inline]
    #[must_use]
    pub const fn shortened(self, rate: Rate) -> Self {
        Self { x: rate.rest(self.x), y: rate.rest(self.y) }
    }
}

/// A part of a whole: how far a vector is moved at a time, the thesis's alpha.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate(u32);

impl Rate {
    const BITS: u32 = 16;

    /// So many millionths, at most a million.
    pub const fn millionths(millionths: u64) -> Self {
        let most = if millionths < 1_000_000 { millionths } else { 1_000_000 };
        Self((((most << Self::BITS) + 500_000) / 1_000_000) as u32)
    }

    /// Whether nothing is ever moved.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// A part of this rate, at most all of it.
    #[must_use]
    pub const fn scaled(self, part: u64, whole: u64) -> Self {
        let part = if part < whole { part } else { whole };
        match (self.0 as u64 * part).checked_div(whole) {
            Some(scaled) => Self(scaled as u32),
            None => self,
        }
    }

    /// What this rate comes to when it is applied so many times over: `1 - (1 - rate)^times`.
    #[must_use]
    pub fn repeated(self, times: u32) -> Self {
        let whole = 1_u64 << 32;
        let rest = whole - (u64::from(self.0) << 16);
        let left = (0..times).fold(whole, |left, _| (left * (rest >> 8)) >> 24);
        Self(((whole - left) >> 16) as u32)
    }

    /// From one value this part of the way to another. Rounded away from the first, and alike in all directions.
    #[inline]
    const fn between(self, from: i16, to: i16) -> i16 {
        let way = to as i64 - from as i64;
        let part = (way.abs() * self.0 as i64 + (1 << (Self::BITS - 1))) >> Self::BITS;
        (from as i64 + if way < 0 { -part } else { part }) as i16
    }

    /// What is left of a value, rounded towards zero, so that nothing stays for ever.
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
    fn vectors_move_alike_in_all_directions_and_arrive() {
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
    fn a_repeated_rate_leaves_what_the_single_ones_leave() {
        let (once, sixteen) = (Rate::millionths(10_000), Rate::millionths(10_000).repeated(16));
        let mut vector = Vector { x: Vector::ONE, y: -Vector::ONE };
        let at_once = vector.shortened(sixteen);
        for _ in 0..16 {
            vector = vector.shortened(once);
        }
        // 0.99^16 is 0.8515.
        assert!((f64::from(at_once.x) / f64::from(Vector::ONE) - 0.8515).abs() < 0.001, "{at_once:?}");
        assert!((at_once.x - vector.x).abs() < 20 && at_once.x == -at_once.y, "{vector:?} {at_once:?}");
        assert_eq!(Vector { x: 1, y: -1 }.shortened(once), Vector::ZERO, "nothing stays for ever");
        assert_eq!(Rate::millionths(0).repeated(16), Rate::millionths(0));
    }
}
