//! Directions, corner rules and step costs: the only module that decides which steps are legal.
//!
//! The eight neighbours of a cell are one byte, one bit per [`Direction`]. A table of 256 entries gives the diagonal
//! steps that the neighbours allow. [`MoveRules::legal`] combines both into the byte of legal moves; all other code
//! reads that byte and does not look at walls.

use serde::{Deserialize, Serialize};

use crate::Pos;
pub use crate::corners::Corners;

/// A path or step cost in integer units. At cost multiplier 1 a straight step costs [`STRAIGHT`] and a diagonal step
/// [`DIAGONAL`].
pub type Cost = u32;

/// Cost of a straight step at cost multiplier 1.
pub const STRAIGHT: Cost = 1632;

/// Cost of a diagonal step at cost multiplier 1. The ratio to [`STRAIGHT`] is `577 / 408`, √2 within `2.2e-6`.
pub const DIAGONAL: Cost = 2308;

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
        let (dx, dy) = (to.x.wrapping_sub(from.x), to.y.wrapping_sub(from.y));
        if dx < -1 || dx > 1 || dy < -1 || dy > 1 {
            return None;
        }
        Some(match (dx, dy) {
            (0, -1) => Self::North,
            (1, -1) => Self::NorthEast,
            (1, 0) => Self::East,
            (1, 1) => Self::SouthEast,
            (0, 1) => Self::South,
            (-1, 1) => Self::SouthWest,
            (-1, 0) => Self::West,
            (-1, -1) => Self::NorthWest,
            _ => return None,
        })
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

/// The movement rules of a grid, fixed when the grid is created.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MoveRules {
    /// When a diagonal step past a blocked cell is legal.
    pub corners: Corners,
    /// True if only the four straight directions are legal.
    pub four_way: bool,
}

/// For each set of open neighbours, the directions whose two side cells are open. Straight directions have no side
/// cells and are always included.
const SIDES_OPEN: [DirectionSet; 256] = {
    let mut table = [0; 256];
    let mut open = 0;
    while open < 256 {
        let mut d = 0;
        while d < 8 {
            let sides = 1 << ((d + 1) & 7) | 1 << ((d + 7) & 7);
            if d & 1 == 0 || open & sides == sides {
                table[open] |= 1 << d;
            }
            d += 1;
        }
        open += 1;
    }
    table
};

const STRAIGHTS: DirectionSet = 0b0101_0101;

impl MoveRules {
    /// Returns the rules with eight directions and the given corner rule.
    pub const fn eight_way(corners: Corners) -> Self {
        Self { corners, four_way: false }
    }

    /// The rules with four directions.
    pub const FOUR_WAY: Self = Self { corners: Corners::Forbid, four_way: true };

    /// Returns the legal moves out of a free cell. `free` are the neighbours that are passable now; `open` are the
    /// neighbours with enterable terrain, including those that were blocked by an edit.
    #[inline]
    pub const fn legal(self, free: DirectionSet, open: DirectionSet) -> DirectionSet {
        if self.four_way {
            return free & STRAIGHTS;
        }
        match self.corners {
            Corners::Forbid => free & SIDES_OPEN[free as usize],
            Corners::Allow => free,
            Corners::Mixed => free & SIDES_OPEN[open as usize],
        }
    }
}

/// Returns the octile distance: the cost of a shortest path between two positions on an empty map with eight
/// directions at cost multiplier 1. Saturates.
#[inline]
pub const fn octile(a: Pos, b: Pos) -> Cost {
    let (dx, dy) = (a.x.abs_diff(b.x), a.y.abs_diff(b.y));
    let (short, long) = if dx < dy { (dx, dy) } else { (dy, dx) };
    short.saturating_mul(DIAGONAL - STRAIGHT).saturating_add(long.saturating_mul(STRAIGHT))
}

/// Returns the Manhattan distance: the cost of a shortest path between two positions on an empty map with four
/// directions at cost multiplier 1. Saturates.
#[inline]
pub const fn manhattan(a: Pos, b: Pos) -> Cost {
    a.x.abs_diff(b.x).saturating_add(a.y.abs_diff(b.y)).saturating_mul(STRAIGHT)
}

/// The numbers of straight and of diagonal steps of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Steps {
    /// Number of straight steps.
    pub straight: u32,
    /// Number of diagonal steps.
    pub diagonal: u32,
}

impl Steps {
    /// Counts the steps of a path given as positions. Consecutive positions must be adjacent.
    pub fn of(path: impl IntoIterator<Item = Pos>) -> Self {
        let mut path = path.into_iter();
        let Some(mut at) = path.next() else { return Self::default() };
        let mut steps = Self::default();
        for to in path {
            if at.x != to.x && at.y != to.y {
                steps.diagonal += 1;
            } else {
                steps.straight += 1;
            }
            at = to;
        }
        steps
    }

    /// Returns the number of steps.
    pub const fn total(self) -> u32 {
        self.straight + self.diagonal
    }

    /// Returns the path length as scenario files state it: a diagonal step counts √2. For reports only; decisions use
    /// integer costs.
    pub fn length(self) -> f64 {
        f64::from(self.diagonal).mul_add(std::f64::consts::SQRT_2, f64::from(self.straight))
    }
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

    /// Compares the table with a direct statement of each rule.
    #[test]
    fn legal_moves_match_the_corner_rules() {
        for free in 0..=255_u8 {
            for open in [free, 0xFF, free | 0b0001_0001] {
                for direction in Direction::ALL {
                    let sides = [direction.turned(1).bit(), direction.turned(-1).bit()];
                    let to_free = free & direction.bit() != 0;
                    let both = |set: u8| sides.iter().all(|side| set & side != 0);
                    let straight = !direction.is_diagonal();
                    let expect = [
                        (MoveRules::eight_way(Corners::Forbid), to_free && (straight || both(free))),
                        (MoveRules::eight_way(Corners::Allow), to_free),
                        (MoveRules::eight_way(Corners::Mixed), to_free && (straight || both(open))),
                        (MoveRules::FOUR_WAY, to_free && straight),
                    ];
                    for (rules, legal) in expect {
                        assert_eq!(rules.legal(free, open) & direction.bit() != 0, legal, "{rules:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_diagonal_step_costs_the_square_root_of_two() {
        assert!((f64::from(DIAGONAL) / f64::from(STRAIGHT) - 2_f64.sqrt()).abs() < 2.2e-6);
        assert_eq!(octile(Pos::new(0, 0), Pos::new(-3, 5)), 3 * DIAGONAL + 2 * STRAIGHT);
        assert_eq!(manhattan(Pos::new(0, 0), Pos::new(-3, 5)), 8 * STRAIGHT);
    }

    #[test]
    fn straight_and_diagonal_steps_are_counted() {
        let path = [(0, 0), (1, 1), (2, 1), (2, 2), (1, 3)].map(|(x, y)| Pos::new(x, y));
        let steps = Steps::of(path);
        assert_eq!(steps, Steps { straight: 2, diagonal: 2 });
        assert!((steps.length() - 4.828_427_12).abs() < 1e-8);
        assert_eq!(Steps::of([]), Steps::default());
        assert_eq!(Steps::of([Pos::new(3, 3)]).total(), 0);
    }
}
