//! Distances to the nearest marked cell of a map, obstacles ignored, by two raster sweeps.
//!
//! Reference: A. Rosenfeld, J. L. Pfaltz, "Sequential Operations in Digital Picture Processing", Journal of the ACM
//! 13(4), 1966.

use crate::{Size, Terrain, Tiles};

/// The steps to all neighbours before a cell in row order, as column and row differences: distances are then maximum
/// coordinate differences.
pub(crate) const EIGHT: [(i32, i32); 4] = [(-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Two sweeps over the rows of a map that turn each cell's value into the smallest sum of a cell's value and the
/// number of steps to it. Runs in slices of rows.
#[derive(Clone, Debug)]
pub struct DistanceTransform {
    size: Size,
    values: Vec<u8>,
    /// The steps to the neighbours before a cell in row order.
    steps: &'static [(i32, i32)],
    /// Number of rows swept in both sweeps.
    swept: u32,
}

impl DistanceTransform {
    /// Returns a transform with steps in all eight directions: distances are maximum coordinate differences. `values`
    /// are in row order; marked cells have 0, all others their maximum distance of interest.
    ///
    /// # Panics
    /// If there is not one value per cell.
    pub fn eight_way(size: Size, values: Vec<u8>) -> Self {
        assert_eq!(values.len(), size.area(), "one value per cell");
        Self { size, values, steps: &EIGHT, swept: 0 }
    }

    /// Sweeps up to `rows` more rows. Returns the number swept: less than `rows` if both sweeps are complete.
    pub fn step(&mut self, rows: u32) -> u32 {
        let height = self.size.height();
        let end = (self.swept + rows).min(2 * height);
        let done = end - self.swept;
        for row in self.swept..end {
            if row < height { self.sweep(row, 1) } else { self.sweep(2 * height - 1 - row, -1) }
        }
        self.swept = end;
        done
    }

    /// Returns the values as far as the sweeps have come, in row order.
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    /// Completes the sweeps and returns the distances, in row order.
    pub fn finish(mut self) -> Vec<u8> {
        self.step(2 * self.size.height());
        self.values
    }

    /// Relaxes the cells of one row: forwards with the neighbours before each cell, or backwards with those after it. The
    /// cells of the row before are fixed, so that all steps to them are taken first, each for the whole row at once.
    fn sweep(&mut self, y: u32, sign: i32) {
        let width = self.size.width() as usize;
        let (above, rest) = self.values.split_at_mut(y as usize * width);
        let (row, below) = rest.split_at_mut(width);
        let before =
            if sign > 0 { above.rchunks_exact(width).next() } else { below.chunks_exact(width).next() };
        if let Some(before) = before {
            for &(dx, _) in self.steps.iter().filter(|step| step.1 != 0) {
                relax_from(row, before, sign * dx);
            }
        }
        if !self.steps.iter().any(|step| step.1 == 0) {
            return;
        }
        let mut last = u8::MAX;
        let mut relax = |value: &mut u8| {
            last = (*value).min(last.saturating_add(1));
            *value = last;
        };
        if sign > 0 { row.iter_mut().for_each(relax) } else { row.iter_mut().rev().for_each(&mut relax) }
    }
}

/// Relaxes the cells of a row with those of an adjacent row that are `dx` columns further: -1, 0 or 1.
fn relax_from(row: &mut [u8], other: &[u8], dx: i32) {
    let (row, other) = match dx {
        -1 => (&mut row[1..], other),
        1 => (&mut row[..], &other[1..]),
        _ => (row, other),
    };
    for (value, from) in row.iter_mut().zip(other) {
        *value = (*value).min(from.saturating_add(1));
    }
}

/// Returns, per cell, the smallest sum of another cell's value and the number of steps to it. `value` returns 0 for the
/// terrain of marked cells, and the maximum distance of interest for all others. `steps` are the column and row
/// differences of the steps to the neighbours before a cell in row order.
pub(crate) fn distance_transform(
    tiles: &Tiles,
    steps: &'static [(i32, i32)],
    value: impl Fn(Terrain) -> u8,
) -> Vec<u8> {
    let values = tiles.terrain().iter().map(|&terrain| value(terrain)).collect();
    DistanceTransform { size: tiles.size(), values, steps, swept: 0 }.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pos;

    #[test]
    fn distances_match_their_metric() {
        let size = Size::new(9, 7).unwrap();
        let marked = [Pos::new(2, 1), Pos::new(7, 5)];
        for (steps, diagonal) in [(&[(-1, 0), (0, -1)][..], false), (&EIGHT, true)] {
            let terrain =
                |cell| if marked.contains(&size.pos(cell)) { Terrain::Water } else { Terrain::Ground };
            let value = |terrain| if terrain == Terrain::Water { 0 } else { u8::MAX };
            let tiles = Tiles::from_fn(size, terrain);
            let values = distance_transform(&tiles, steps, value);
            if diagonal {
                let marks = tiles.terrain().iter().map(|&terrain| value(terrain)).collect();
                let mut sliced = DistanceTransform::eight_way(size, marks);
                while sliced.step(3) == 3 {}
                assert_eq!(sliced.finish(), values, "in slices");
            }
            for cell in size.cells() {
                let pos = size.pos(cell);
                let distance = |to: &Pos| {
                    let (dx, dy) = (pos.x.abs_diff(to.x), pos.y.abs_diff(to.y));
                    if diagonal { dx.max(dy) } else { dx + dy }
                };
                assert_eq!(Some(u32::from(values[cell.index()])), marked.iter().map(distance).min(), "{pos}");
            }
        }
    }
}
