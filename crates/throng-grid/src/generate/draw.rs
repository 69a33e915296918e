//! Rectangles, round brushes and lines on tiles. Positions outside the map are ignored.

use crate::{Pos, Profile, Size, Terrain, Tiles};

/// A rectangle of cells: columns `x0..x1` and rows `y0..y1`, ends excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rect {
    pub(crate) x0: i32,
    pub(crate) y0: i32,
    pub(crate) x1: i32,
    pub(crate) y1: i32,
}

impl Rect {
    pub(crate) const fn new(x0: i32, y0: i32, x1: i32, y1: i32) -> Self {
        Self { x0, y0, x1, y1 }
    }

    /// Returns the rectangle of a whole map.
    pub(crate) const fn of(size: Size) -> Self {
        Self::new(0, 0, size.width() as i32, size.height() as i32)
    }

    pub(crate) const fn width(self) -> i32 {
        self.x1 - self.x0
    }

    pub(crate) const fn height(self) -> i32 {
        self.y1 - self.y0
    }

    pub(crate) const fn middle(self) -> Pos {
        Pos::new(self.x0 + self.width() / 2, self.y0 + self.height() / 2)
    }

    /// Returns the rectangle reduced by a margin on every side.
    pub(crate) const fn inset(self, by: i32) -> Self {
        Self::new(self.x0 + by, self.y0 + by, self.x1 - by, self.y1 - by)
    }

    pub(crate) const fn contains(self, pos: Pos) -> bool {
        pos.x >= self.x0 && pos.x < self.x1 && pos.y >= self.y0 && pos.y < self.y1
    }

    /// Returns the positions of the rectangle, in row order.
    pub(crate) fn positions(self) -> impl Iterator<Item = Pos> {
        (self.y0..self.y1).flat_map(move |y| (self.x0..self.x1).map(move |x| Pos::new(x, y)))
    }

    /// Returns the positions of the outermost ring of the rectangle, in row order.
    pub(crate) fn outline(self) -> impl Iterator<Item = Pos> {
        self.positions().filter(move |&pos| !self.inset(1).contains(pos))
    }

    /// Divides the rectangle into its first `at` columns (if `vertical`) or rows and those after a gap.
    pub(crate) const fn split(self, vertical: bool, at: i32, gap: i32) -> (Self, Self) {
        if vertical {
            (Self { x1: self.x0 + at, ..self }, Self { x0: self.x0 + at + gap, ..self })
        } else {
            (Self { y1: self.y0 + at, ..self }, Self { y0: self.y0 + at + gap, ..self })
        }
    }

    /// Returns the number of columns (if `vertical`) or rows.
    pub(crate) const fn length(self, vertical: bool) -> i32 {
        if vertical { self.width() } else { self.height() }
    }
}

/// Sets the terrain of some positions.
pub(crate) fn paint(tiles: &mut Tiles, positions: impl IntoIterator<Item = Pos>, terrain: Terrain) {
    for pos in positions {
        tiles.set(pos, terrain);
    }
}

/// Fills a rectangle.
pub(crate) fn fill(tiles: &mut Tiles, rect: Rect, terrain: Terrain) {
    paint(tiles, rect.positions(), terrain);
}

/// Returns true if a position is walkable.
pub(crate) fn walkable(tiles: &Tiles, pos: Pos) -> bool {
    tiles.at(pos).is_some_and(|terrain| Profile::WALKER.enters(terrain))
}

/// Returns the positions of a round brush of the given diameter: 1×1, 2×2, 3×3 and so on, corners cut from 4 upwards.
pub(crate) fn brush(middle: Pos, width: i32) -> impl Iterator<Item = Pos> {
    // Coordinates in halves of a cell: the centre of an even width is a corner.
    let (start, reach) = (-(width / 2), width * width);
    (start..start + width).flat_map(move |dy| {
        (start..start + width).filter_map(move |dx| {
            let (u, v) = (2 * (dx - start) - (width - 1), 2 * (dy - start) - (width - 1));
            (u * u + v * v <= reach).then_some(Pos::new(middle.x + dx, middle.y + dy))
        })
    })
}

/// Returns the positions of a straight line between two positions, connected by straight steps.
pub(crate) fn line(from: Pos, to: Pos) -> impl Iterator<Item = Pos> {
    let (dx, dy) = ((to.x - from.x).abs(), (to.y - from.y).abs());
    let (sx, sy) = ((to.x - from.x).signum(), (to.y - from.y).signum());
    let (mut i, mut j) = (0, 0);
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let here = Pos::new(from.x + sx * i, from.y + sy * j);
        if i >= dx && j >= dy {
            done = true;
        } else if j >= dy || (i < dx && (2 * i + 1) * dy <= (2 * j + 1) * dx) {
            i += 1;
        } else {
            j += 1;
        }
        Some(here)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_consists_of_straight_steps_and_reaches_its_end() {
        for (x, y) in [(0, 0), (5, 0), (0, -4), (7, 3), (-3, 8), (-6, -6)] {
            let cells: Vec<Pos> = line(Pos::new(1, 2), Pos::new(1 + x, 2 + y)).collect();
            assert_eq!(cells.len() as i32, 1 + x.abs() + y.abs());
            assert_eq!(cells.last(), Some(&Pos::new(1 + x, 2 + y)));
            assert!(cells.windows(2).all(|w| (w[0].x - w[1].x).abs() + (w[0].y - w[1].y).abs() == 1));
        }
    }

    #[test]
    fn a_brush_has_the_given_width() {
        for width in 1..9 {
            let columns: Vec<i32> = brush(Pos::new(0, 0), width).map(|pos| pos.x).collect();
            assert_eq!(columns.iter().max().unwrap() - columns.iter().min().unwrap() + 1, width);
        }
        assert_eq!(brush(Pos::new(3, 3), 1).collect::<Vec<_>>(), [Pos::new(3, 3)]);
    }
}
