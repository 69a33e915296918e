//! Where the cells of a map lie in the coordinates of the game.

use bevy_math::Vec3;
use throng::{Motion, Pos};

/// Where the cells of a map lie: the middle of cell (x, y) is at `origin + x * right + y * down`.
///
/// The coordinates are those of the agent's parent, or of the game if it has none. So a map that is an entity can be the
/// parent of its agents: they move, turn and disappear with it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Layout {
    origin: Vec3,
    right: Vec3,
    down: Vec3,
    /// Perpendicular to both; of length 1.
    normal: Vec3,
}

impl Default for Layout {
    /// Cells of side 1, for a map that is seen from above in two dimensions.
    fn default() -> Self {
        Self::flat(1.0)
    }
}

impl Layout {
    /// Creates a layout from the middle of cell (0, 0) and the steps to the next column and the next row. `None` unless
    /// the steps are finite and span a plane.
    pub fn new(origin: Vec3, right: Vec3, down: Vec3) -> Option<Self> {
        let normal = right.cross(down).try_normalize()?;
        let is_finite = origin.is_finite() && right.is_finite() && down.is_finite();
        is_finite.then_some(Self { origin, right, down, normal })
    }

    /// Returns the layout of square cells in the plane of x and y, the first row uppermost, as sprites need it.
    ///
    /// # Panics
    /// If the side is not a positive number.
    pub fn flat(side: f32) -> Self {
        Self::new(Vec3::ZERO, Vec3::X * side, Vec3::NEG_Y * side)
            .filter(|_| side > 0.0)
            .expect("the side of a cell is a positive number")
    }

    /// Returns the layout of square cells on the ground of a three-dimensional scene: columns along x, rows along z.
    ///
    /// # Panics
    /// If the side is not a positive number.
    pub fn ground(side: f32) -> Self {
        Self::new(Vec3::ZERO, Vec3::X * side, Vec3::Z * side)
            .filter(|_| side > 0.0)
            .expect("the side of a cell is a positive number")
    }

    /// Moves the middle of cell (0, 0).
    #[must_use]
    pub fn origin(self, origin: Vec3) -> Self {
        Self { origin, ..self }
    }

    /// Returns the middle of a cell.
    pub fn middle(&self, cell: Pos) -> Vec3 {
        self.at((cell.x as f32, cell.y as f32))
    }

    /// Returns the cell that contains a point, or lies below or above it. It may be outside the map.
    pub fn cell(&self, point: Vec3) -> Pos {
        // Solves for x and y in the plane; the steps need not be perpendicular.
        let offset = point - self.origin;
        let area = self.normal.dot(self.right.cross(self.down));
        let x = self.normal.dot(offset.cross(self.down)) / area;
        let y = self.normal.dot(self.right.cross(offset)) / area;
        Pos::new(x.round() as i32, y.round() as i32)
    }

    /// Returns where an agent is at a fraction of the last tick. The height over the plane is that of `before`, so that
    /// the layers of sprites and the heights of a terrain stay as the game sets them.
    pub(crate) fn moved(&self, before: Vec3, motion: &Motion, fraction_of_tick: f32) -> Vec3 {
        self.with_height_of(before, self.at(motion.at(fraction_of_tick)))
    }

    /// Returns the middle of a cell, at the height of `before`.
    pub(crate) fn placed(&self, before: Vec3, cell: Pos) -> Vec3 {
        self.with_height_of(before, self.middle(cell))
    }

    /// Returns the steps from the middle of a cell to its borders at the right and below.
    pub(crate) fn half_steps(&self) -> (Vec3, Vec3) {
        (self.right * 0.5, self.down * 0.5)
    }

    fn with_height_of(&self, before: Vec3, point: Vec3) -> Vec3 {
        point + self.normal * self.normal.dot(before - point)
    }

    fn at(&self, (x, y): (f32, f32)) -> Vec3 {
        self.origin + self.right * x + self.down * y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_over_a_cell_leads_back_to_it() {
        let skewed =
            Layout::new(Vec3::new(3.0, 1.0, -2.0), Vec3::new(2.0, 0.0, 0.5), Vec3::new(0.5, -1.0, 3.0));
        for layout in [Layout::flat(32.0), Layout::ground(0.5).origin(Vec3::splat(7.0)), skewed.unwrap()] {
            for cell in [Pos::new(0, 0), Pos::new(17, 4), Pos::new(3, 250)] {
                let over = layout.middle(cell) + layout.normal * 9.0;
                assert_eq!(layout.cell(over), cell, "{layout:?}");
                let inside = layout.middle(cell) + layout.right * 0.4 - layout.down * 0.4;
                assert_eq!(layout.cell(inside), cell, "{layout:?}");
            }
        }
    }

    #[test]
    fn steps_that_span_no_plane_are_refused() {
        assert_eq!(Layout::new(Vec3::ZERO, Vec3::X, Vec3::X * 2.0), None);
        assert_eq!(Layout::new(Vec3::NAN, Vec3::X, Vec3::Y), None);
    }
}
