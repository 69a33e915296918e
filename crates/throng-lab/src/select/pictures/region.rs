//! A rectangle of cells: the part of a map that a picture shows.

use throng::{Cell, Ground, Pos};

/// The margin around starts and goals: this part of the longer side of their rectangle, and at least [`MARGIN`] cells.
const MARGIN_PART: i32 = 8;

/// The smallest margin, in cells.
const MARGIN: i32 = 4;

/// A rectangle of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// The upper left cell.
    pub min: Pos,
    /// The number of columns.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
}

impl Region {
    /// Returns the whole map.
    pub fn whole(ground: &Ground) -> Self {
        let size = ground.size();
        Self { min: Pos::new(0, 0), width: size.width() as usize, height: size.height() as usize }
    }

    /// Returns the rectangle of all starts and goals with a margin, inside the map; the whole map without agents.
    pub fn around(ground: &Ground, ends: &[(Cell, Cell)]) -> Self {
        let all = || ends.iter().flat_map(|&(start, goal)| [ground.pos(start), ground.pos(goal)]);
        let bounds = (
            all().map(|pos| pos.x).min(),
            all().map(|pos| pos.x).max(),
            all().map(|pos| pos.y).min(),
            all().map(|pos| pos.y).max(),
        );
        let (Some(left), Some(right), Some(top), Some(bottom)) = bounds else { return Self::whole(ground) };
        let margin = MARGIN.max((right - left).max(bottom - top) / MARGIN_PART);
        let (min, max) = ground
            .size()
            .clipped(Pos::new(left - margin, top - margin), Pos::new(right + margin, bottom + margin));
        Self { min, width: (max.x - min.x + 1) as usize, height: (max.y - min.y + 1) as usize }
    }

    /// Returns column and row of a position inside the rectangle.
    pub fn place(&self, pos: Pos) -> Option<(usize, usize)> {
        let (x, y) = (usize::try_from(pos.x - self.min.x).ok()?, usize::try_from(pos.y - self.min.y).ok()?);
        (x < self.width && y < self.height).then_some((x, y))
    }

    /// Returns true if the cell in a column and row of the rectangle is free.
    pub fn is_free(&self, ground: &Ground, x: usize, y: usize) -> bool {
        let pos = Pos::new(self.min.x + x as i32, self.min.y + y as i32);
        ground.cell(pos).is_some_and(|cell| ground.is_free(cell))
    }
}
