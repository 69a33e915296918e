//! Distances to the nearest marked cell of a map, obstacles ignored, by two raster sweeps.
//!
//! Reference: A. Rosenfeld, J. L. Pfaltz, "Sequential Operations in Digital Picture Processing", Journal of the ACM
//! 13(4), 1966.

use crate::{Pos, Terrain, Tiles};

/// Returns, per cell, the smallest sum of another cell's value and the number of steps to it. `value` returns 0 for the
/// terrain of marked cells, and the maximum distance of interest for all others. `steps` are the column and row
/// differences of the steps to the neighbours before a cell in row order.
pub(crate) fn distance_transform(
    tiles: &Tiles,
    steps: &[(i32, i32)],
    value: impl Fn(Terrain) -> u8,
) -> Vec<u8> {
    let size = tiles.size();
    let mut values: Vec<u8> = tiles.terrain().iter().map(|&terrain| value(terrain)).collect();
    let relax = |values: &mut [u8], cell: crate::Cell, sign: i32| {
        let pos = size.pos(cell);
        for (dx, dy) in steps {
            if let Some(neighbour) = size.cell(Pos::new(pos.x + sign * dx, pos.y + sign * dy)) {
                let through = values[neighbour.index()].saturating_add(1);
                values[cell.index()] = values[cell.index()].min(through);
            }
        }
    };
    for cell in size.cells() {
        relax(&mut values, cell, 1);
    }
    for cell in size.cells().rev() {
        relax(&mut values, cell, -1);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    #[test]
    fn distances_match_their_metric() {
        let size = Size::new(9, 7).unwrap();
        let marked = [Pos::new(2, 1), Pos::new(7, 5)];
        for (steps, diagonal) in
            [(&[(-1, 0), (0, -1)][..], false), (&[(-1, 0), (-1, -1), (0, -1), (1, -1)], true)]
        {
            let terrain =
                |cell| if marked.contains(&size.pos(cell)) { Terrain::Water } else { Terrain::Ground };
            let value = |terrain| if terrain == Terrain::Water { 0 } else { u8::MAX };
            let values = distance_transform(&Tiles::from_fn(size, terrain), steps, value);
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
