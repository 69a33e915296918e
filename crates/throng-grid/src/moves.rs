//! Movement rules and step costs: the only module that decides which steps are legal.
//!
//! The eight neighbours of a cell are one byte, one bit per [`Direction`]. A table of 256 entries gives the diagonal
//! steps that the neighbours allow. [`MoveRules::legal`] combines both into the byte of legal moves; all other code
//! reads that byte and does not look at walls.

use serde::{Deserialize, Serialize};

use crate::Pos;
pub use crate::corners::Corners;
pub use crate::direction::{Direction, DirectionSet, directions};

/// A path or step cost in integer units. At cost multiplier 1 a straight step costs [`STRAIGHT`] and a diagonal step
/// [`DIAGONAL`].
pub type Cost = u32;

/// Cost of a straight step at cost multiplier 1.
pub const STRAIGHT: Cost = 1632;

/// Cost of a diagonal step at cost multiplier 1. The ratio to [`STRAIGHT`] is `577 / 408`, √2 within `2.2e-6`.
pub const DIAGONAL: Cost = 2308;

/// The movement rules of a grid, fixed when the grid is created.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
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
        let path: Vec<Pos> = path.into_iter().collect();
        let is_diagonal = |step: &&[Pos]| step[0].x != step[1].x && step[0].y != step[1].y;
        let diagonal = path.windows(2).filter(is_diagonal).count();
        Self { straight: (path.len().saturating_sub(1) - diagonal) as u32, diagonal: diagonal as u32 }
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
