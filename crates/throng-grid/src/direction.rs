//! The eight directions of a grid, and sets of them.

use serde::{Deserialize, Serialize};

use crate::Pos;
use crate::moves::{Cost, DIAGONAL, STRAIGHT};

/// A set of directions, one bit each: bit `d` is [`Direction`] number `d`.
pub type DirectionSet = u8;

/// One of the eight directions, numbered clockwise from north. Even numbers are straight, odd numbers diagonal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
#[expect(missing_docs, reason = "the variants are compass directions")]
pub enum Direction {
    North,
    NorthEast,
    East,
    SouthEast,
    South,
    SouthWest,
    West,
    NorthWest,
}

impl Direction {
    /// All directions, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::North,
        Self::NorthEast,
        Self::East,
        Self::SouthEast,
        Self::South,
        Self::SouthWest,
        Self::West,
        Self::NorthWest,
    ];

    /// Returns the direction with the given number, taken modulo 8.
    #[inline]
    pub const fn from_number(number: u8) -> Self {
        Self::ALL[(number & 7) as usize]
    }

    /// Returns the direction's number, 0 to 7.
    #[inline]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Returns the change of the column: -1, 0 or 1.
    #[inline]
    pub const fn dx(self) -> i32 {
        [0, 1, 1, 1, 0, -1, -1, -1][self as usize]
    }

    /// Returns the change of the row: -1, 0 or 1. Rows are numbered downwards.
    #[inline]
    pub const fn dy(self) -> i32 {
        [-1, -1, 0, 1, 1, 1, 0, -1][self as usize]
    }

    /// Returns true if both coordinates change.
    #[inline]
    pub const fn is_diagonal(self) -> bool {
        self as u8 & 1 == 1
    }

    /// Returns the reverse direction.
    #[inline]
    #[must_use]
    pub const fn opposite(self) -> Self {
        Self::from_number(self as u8 + 4)
    }

    /// Returns the direction turned clockwise by a number of eighths of a full turn.
    #[inline]
    #[must_use]
    pub const fn turned(self, eighths: i8) -> Self {
        Self::from_number((self as i8 + eighths) as u8)
    }

    /// Returns the direction's bit in a [`DirectionSet`].
    #[inline]
    pub const fn bit(self) -> DirectionSet {
        1 << self as u8
    }

    /// Returns the cost of a step in this direction at cost multiplier 1.
    #[inline]
    pub const fn cost(self) -> Cost {
        if self.is_diagonal() { DIAGONAL } else { STRAIGHT }
    }

    /// Returns the direction of the step between two adjacent positions, `None` if they are not adjacent.
    pub const fn between(from: Pos, to: Pos) -> Option<Self> {
        // The numbers of the directions of a 3×3 square, in row order; 8 in its centre.
        const NUMBERS: [u8; 9] = [7, 0, 1, 6, 8, 2, 5, 4, 3];
        let (dx, dy) = (to.x.wrapping_sub(from.x), to.y.wrapping_sub(from.y));
        if dx < -1 || dx > 1 || dy < -1 || dy > 1 || (dx == 0 && dy == 0) {
            return None;
        }
        Some(Self::from_number(NUMBERS[(dy * 3 + dx + 4) as usize]))
    }
}

impl std::ops::Add<Direction> for Pos {
    type Output = Pos;

    #[inline]
    fn add(self, direction: Direction) -> Pos {
        Pos::new(self.x.wrapping_add(direction.dx()), self.y.wrapping_add(direction.dy()))
    }
}

/// Returns the directions in a set, in the order of their numbers.
#[inline]
pub fn directions(mut set: DirectionSet) -> impl Iterator<Item = Direction> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let number = set.trailing_zeros() as u8;
        set &= set - 1;
        Some(Direction::from_number(number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_arithmetic_is_consistent() {
        for direction in Direction::ALL {
            let neighbour = Pos::new(5, 5) + direction;
            assert_eq!(Direction::between(Pos::new(5, 5), neighbour), Some(direction));
            assert_eq!(neighbour + direction.opposite(), Pos::new(5, 5));
            assert_eq!(direction.turned(3).turned(-3), direction);
            assert_eq!(direction.is_diagonal(), direction.dx() != 0 && direction.dy() != 0);
        }
        assert_eq!(Direction::between(Pos::new(0, 0), Pos::new(0, 0)), None);
        assert_eq!(Direction::between(Pos::new(0, 0), Pos::new(2, 0)), None);
    }
}
