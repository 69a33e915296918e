//! Positions: [`Pos`] holds coordinates, [`Cell`] indexes arrays, and [`Size`] converts between them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A position in map coordinates: `x` to the right, `y` down, `(0, 0)` in the upper left corner.
///
/// A `Pos` may lie outside the map; [`Grid::cell`](crate::Grid::cell) then returns `None`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Pos {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
}

impl Pos {
    /// Returns the position in column `x` and row `y`.
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// Returns the square of the straight-line distance to another position.
    #[inline]
    pub fn distance_squared(self, other: Self) -> u64 {
        let (dx, dy) = (u64::from(self.x.abs_diff(other.x)), u64::from(self.y.abs_diff(other.y)));
        dx * dx + dy * dy
    }
}

impl fmt::Display for Pos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// A cell of a grid: its number in row order, `y * width + x`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cell(pub u32);

impl Cell {
    /// Returns the cell's number as an array index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Width and height of a grid; converts between [`Pos`] and [`Cell`].
///
/// Serialized as `(width, height)`. Deserializing fails for a size that [`Size::new`] rejects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "(u32, u32)", into = "(u32, u32)")]
pub struct Size {
    width: u32,
    height: u32,
    /// `2^40 / width + 1`: replaces the division of a cell number by the width with a multiplication.
    /// Exact for every cell below [`MAX_CELLS`](crate::MAX_CELLS) and every width up to [`MAX_SIDE`](crate::MAX_SIDE).
    reciprocal: u64,
}

impl TryFrom<(u32, u32)> for Size {
    type Error = &'static str;

    fn try_from((width, height): (u32, u32)) -> Result<Self, Self::Error> {
        Self::new(width, height).ok_or("the map is empty or too large")
    }
}

impl From<Size> for (u32, u32) {
    fn from(size: Size) -> Self {
        (size.width, size.height)
    }
}

impl Size {
    /// Returns a size, `None` if a side is zero or exceeds [`MAX_SIDE`](crate::MAX_SIDE), or the area exceeds
    /// [`MAX_CELLS`](crate::MAX_CELLS).
    pub const fn new(width: u32, height: u32) -> Option<Self> {
        let sides = width >= 1 && height >= 1 && width <= crate::MAX_SIDE && height <= crate::MAX_SIDE;
        if !sides || width as u64 * height as u64 > crate::MAX_CELLS as u64 {
            return None;
        }
        Some(Self { width, height, reciprocal: (1 << 40) / width as u64 + 1 })
    }

    /// Returns the number of columns.
    pub const fn width(self) -> u32 {
        self.width
    }

    /// Returns the number of rows.
    pub const fn height(self) -> u32 {
        self.height
    }

    /// Returns the number of cells.
    pub const fn area(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns true if the position lies inside the map.
    pub const fn contains(self, pos: Pos) -> bool {
        (pos.x as u32) < self.width && (pos.y as u32) < self.height
    }

    /// Returns the cell at a position, `None` outside the map.
    pub const fn cell(self, pos: Pos) -> Option<Cell> {
        // A map has at most `MAX_CELLS`, so that nothing wraps.
        let cell = (pos.y as u32).wrapping_mul(self.width).wrapping_add(pos.x as u32);
        if self.contains(pos) { Some(Cell(cell)) } else { None }
    }

    /// Returns the position of a cell.
    #[inline]
    pub const fn pos(self, cell: Cell) -> Pos {
        // Nothing wraps for a cell of the map.
        let y = ((cell.0 as u64).wrapping_mul(self.reciprocal) >> 40) as u32;
        Pos { x: cell.0.wrapping_sub(y.wrapping_mul(self.width)) as i32, y: y as i32 }
    }

    /// Returns the two cells beside a diagonal step: those that share a side with both of its ends. `None` for a straight
    /// step or none. The ends must be neighbours or equal.
    #[inline]
    pub const fn sides(self, from: Cell, to: Cell) -> Option<[Cell; 2]> {
        let dx = if self.width > 2 {
            let (width, difference) = (self.width as i32, to.0 as i32 - from.0 as i32);
            if difference == width + 1 || difference == 1 - width {
                1
            } else if difference == width - 1 || difference == -1 - width {
                -1
            } else {
                return None;
            }
        } else {
            // In so narrow a map, numbers of cells do not tell a diagonal step from a straight one.
            let (from, to) = (self.pos(from), self.pos(to));
            if from.x == to.x || from.y == to.y {
                return None;
            }
            to.x - from.x
        };
        Some([Cell(from.0.wrapping_add_signed(dx)), Cell(to.0.wrapping_add_signed(-dx))])
    }

    /// Returns true if two steps cross: they are the two diagonals of a square of four cells.
    #[inline]
    pub const fn cross(self, one: (Cell, Cell), other: (Cell, Cell)) -> bool {
        // Steps that cross have the same middle, and most pairs of steps do not.
        if one.0.0 + one.1.0 != other.0.0 + other.1.0 {
            return false;
        }
        let Some([side, opposite]) = self.sides(one.0, one.1) else { return false };
        (side.0 == other.0.0 && opposite.0 == other.1.0) || (side.0 == other.1.0 && opposite.0 == other.0.0)
    }

    /// Returns the corners of the part of a rectangle that lies inside the map. The rectangle must touch the map.
    pub fn clipped(self, min: Pos, max: Pos) -> (Pos, Pos) {
        let max_x = self.width as i32 - 1;
        let max_y = self.height as i32 - 1;
        (Pos::new(min.x.max(0), min.y.max(0)), Pos::new(max.x.min(max_x), max.y.min(max_y)))
    }

    /// Returns all cells, in row order.
    pub fn cells(self) -> impl DoubleEndedIterator<Item = Cell> + ExactSizeIterator + Clone {
        (0..self.area() as u32).map(Cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_cross_if_they_are_the_diagonals_of_a_square() {
        for (width, height) in [(1, 6), (2, 5), (3, 4), (4, 4), (5, 3), (6, 2)] {
            let size = Size::new(width, height).unwrap();
            let near = |a: Cell, b: Cell| {
                let (a, b) = (size.pos(a), size.pos(b));
                (a.x - b.x).abs() <= 1 && (a.y - b.y).abs() <= 1
            };
            let steps: Vec<(Cell, Cell)> = size
                .cells()
                .flat_map(|from| size.cells().filter(move |&to| near(from, to)).map(move |to| (from, to)))
                .collect();
            for &one in &steps {
                let (a, b) = (size.pos(one.0), size.pos(one.1));
                let sides = (a.x != b.x && a.y != b.y).then(|| [Pos::new(b.x, a.y), Pos::new(a.x, b.y)]);
                assert_eq!(
                    size.sides(one.0, one.1),
                    sides.map(|sides| sides.map(|pos| size.cell(pos).unwrap()))
                );
                for &other in &steps {
                    let ends = [size.pos(other.0), size.pos(other.1)];
                    let expected = sides.is_some_and(|[p, q]| ends == [p, q] || ends == [q, p]);
                    assert_eq!(size.cross(one, other), expected, "{width}: {one:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn cell_and_position_conversions_are_inverse_at_every_width() {
        for width in (1..=2_050).chain([4_095, 4_096, 16_384, 65_521, 65_535]) {
            let height = (crate::MAX_CELLS / width).min(crate::MAX_SIDE);
            let size = Size::new(width, height).unwrap();
            for y in [0, 1, height / 2, height - 1] {
                for x in [0, 1, width / 2, width - 1] {
                    let pos = Pos::new(x.min(width - 1) as i32, y.min(height - 1) as i32);
                    assert_eq!(size.pos(size.cell(pos).unwrap()), pos, "{width}x{height}");
                }
            }
        }
    }

    #[test]
    fn sizes_over_the_limit_are_rejected() {
        assert!(Size::new(0, 5).is_none());
        assert!(Size::new(5, 0).is_none());
        assert!(Size::new(crate::MAX_SIDE + 1, 1).is_none());
        assert!(Size::new(crate::MAX_SIDE, crate::MAX_SIDE).is_none());
        assert!(Size::new(4_096, 4_096).is_some());
    }

    #[test]
    fn positions_outside_the_map_have_no_cell() {
        let size = Size::new(3, 2).unwrap();
        for (x, y) in [(-1, 0), (0, -1), (3, 0), (0, 2), (i32::MIN, i32::MAX)] {
            assert_eq!(size.cell(Pos::new(x, y)), None);
        }
        assert_eq!(size.cell(Pos::new(2, 1)), Some(Cell(5)));
    }
}
