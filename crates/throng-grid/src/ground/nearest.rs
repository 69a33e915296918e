//! The nearest cell to a position that passes a test, by Euclidean distance.
//!
//! Square rings around the position are scanned outwards until no farther ring can hold a nearer cell.

use crate::{Cell, Ground, Pos, Size};

impl Ground {
    /// Returns the cell nearest to `to`, by Euclidean distance, among the cells reachable from `from`. Ties go to the
    /// lowest cell number. Returns `None` if `from` is blocked.
    pub fn nearest_reachable(&self, from: Cell, to: Pos) -> Option<Cell> {
        let components = self.components();
        let label = components.label(self, from)?;
        self.nearest_where(to, |cell| components.label(self, cell) == Some(label))
    }

    /// Returns the cell nearest to `to`, by Euclidean distance, among all cells of the map that pass a test, blocked
    /// cells and other components included. Ties go to the lowest cell number.
    pub fn nearest_where(&self, to: Pos, test: impl Fn(Cell) -> bool) -> Option<Cell> {
        let (width, height) = (self.size.width() as i32, self.size.height() as i32);
        // Rings are centred on the cell nearest to `to`, which may lie outside the map.
        let center = Pos::new(to.x.clamp(0, width - 1), to.y.clamp(0, height - 1));
        let difference = |a: i32, b: i32| i128::from(a.abs_diff(b));
        let (dx, dy) = (difference(to.x, center.x), difference(to.y, center.y));
        let mut best: Option<(i128, Cell)> = None;
        for radius in 0..width.max(height) {
            for cell in ring(self.size, center, radius).filter(|&cell| test(cell)) {
                let pos = self.pos(cell);
                let found = (difference(pos.x, to.x).pow(2) + difference(pos.y, to.y).pow(2), cell);
                best = Some(best.map_or(found, |known| known.min(found)));
            }
            // A lower bound on the squared distances in the next ring: one axis differs by its radius.
            let next = i128::from(radius) + 1;
            let bound = ((dx + next).pow(2) + dy.pow(2)).min(dx.pow(2) + (dy + next).pow(2));
            if best.is_some_and(|(distance, _)| bound > distance) {
                break;
            }
        }
        best.map(|(_, cell)| cell)
    }
}

/// Returns the cells of a map at one Chebyshev distance from a centre.
fn ring(size: Size, center: Pos, radius: i32) -> impl Iterator<Item = Cell> {
    let columns = (center.x - radius).max(0)..=(center.x + radius).min(size.width() as i32 - 1);
    let rows = (center.y - radius + 1).max(0)..=(center.y + radius - 1).min(size.height() as i32 - 1);
    let horizontal =
        columns.flat_map(move |x| [center.y - radius, center.y + radius].map(|y| Pos::new(x, y)));
    let vertical = rows.flat_map(move |y| [center.x - radius, center.x + radius].map(|x| Pos::new(x, y)));
    horizontal.chain(vertical).filter_map(move |pos| size.cell(pos))
}
