//! Sets of cells that an edit applies to.

use serde::{Deserialize, Serialize};

use crate::{Cell, Pos, Size};

/// A set of cells to edit. Cells outside the map are ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Area {
    /// One cell.
    Cell(Pos),
    /// All cells of a rectangle, both corners included.
    Rect {
        /// Upper left corner.
        min: Pos,
        /// Lower right corner.
        max: Pos,
    },
    /// All cells whose Euclidean distance from the centre is at most the radius.
    Disc {
        /// The centre.
        center: Pos,
        /// The radius in cells.
        radius: i32,
    },
}

impl Area {
    /// Returns the rectangle with two given opposite corners, both included.
    pub fn rect(a: Pos, b: Pos) -> Self {
        Self::Rect { min: Pos::new(a.x.min(b.x), a.y.min(b.y)), max: Pos::new(a.x.max(b.x), a.y.max(b.y)) }
    }

    /// Returns the disc around a position.
    pub const fn disc(center: Pos, radius: i32) -> Self {
        Self::Disc { center, radius }
    }

    /// Returns the corners of the area's bounding box, clipped to the map; `None` if it lies outside.
    fn bounds(self, size: Size) -> Option<(Pos, Pos)> {
        let (min, max) = match self {
            Self::Cell(pos) => (pos, pos),
            Self::Rect { min, max } => (min, max),
            Self::Disc { center: c, radius: r } => (
                Pos::new(c.x.saturating_sub(r), c.y.saturating_sub(r)),
                Pos::new(c.x.saturating_add(r), c.y.saturating_add(r)),
            ),
        };
        let (min, max) = size.clipped(min, max);
        (min.x <= max.x && min.y <= max.y).then_some((min, max))
    }

    /// Returns the number of cells of the area's bounding box on a map of this size, which bounds the work of an edit.
    pub fn bounding_cells(self, size: Size) -> u64 {
        let sides = |(min, max): (Pos, Pos)| {
            u64::from(max.x.abs_diff(min.x) + 1) * u64::from(max.y.abs_diff(min.y) + 1)
        };
        self.bounds(size).map_or(0, sides)
    }

    fn contains(self, pos: Pos) -> bool {
        match self {
            Self::Cell(_) | Self::Rect { .. } => true,
            Self::Disc { center, radius } => {
                let (dx, dy) = (i64::from(pos.x - center.x), i64::from(pos.y - center.y));
                dx * dx + dy * dy <= i64::from(radius) * i64::from(radius)
            }
        }
    }

    /// Returns the area's cells inside a map of the given size, in row order.
    pub fn cells(self, size: Size) -> impl Iterator<Item = Cell> {
        let (min, max) = self.bounds(size).unwrap_or((Pos::new(0, 0), Pos::new(-1, -1)));
        (min.y..=max.y)
            .flat_map(move |y| (min.x..=max.x).map(move |x| Pos::new(x, y)))
            .filter(move |&pos| self.contains(pos))
            .filter_map(move |pos| size.cell(pos))
    }
}

impl From<Pos> for Area {
    fn from(pos: Pos) -> Self {
        Self::Cell(pos)
    }
}
