//! Learning of surrounding cells (section 3.4 of the thesis): a step also turns the vectors around the cell entered.
//!
//! The rate of the surrounding cells is smaller than that of the path, so that a wide lane of short vectors forms around
//! it. The thesis suggests rates that fall with the distance and gives no formula. Here they fall linearly: the cells of
//! ring `d` of `n` learn at `(n + 1 - d) / n` of the rate. Distances are Chebyshev distances.

use throng_grid::{Area, Cell, Ground, Pos};

use super::map::DirectionMap;
use super::vector::Rate;

/// How the cells around a step learn it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Surround {
    /// Rate of the cells next to the cell entered (`alpha_s` in the thesis).
    pub rate: Rate,
    /// Distance in cells up to which cells learn.
    pub distance: u32,
    /// If true, the rate falls with the distance; otherwise it is the same for all cells.
    pub falls: bool,
}

impl Surround {
    /// Returns the rate of the cells at this distance, which is at least 1.
    fn rate_at(self, distance: u32) -> Rate {
        let (rings, ring) = (u64::from(self.distance), u64::from(distance));
        if self.falls { self.rate.scaled((rings + 1).saturating_sub(ring), rings) } else { self.rate }
    }
}

impl DirectionMap {
    /// Learns a step in the free cells around the cell entered, except the two cells of the step, where `stores` is true.
    pub(super) fn learn_around(
        &mut self,
        ground: &Ground,
        (from, to): (Cell, Cell),
        surround: Surround,
        stores: impl Fn(&Self, Cell) -> bool,
    ) {
        let (Some(direction), center) = (self.direction(from, to), self.size().pos(to)) else { return };
        let reach = surround.distance as i32;
        let corner = |sign| Pos::new(center.x + sign * reach, center.y + sign * reach);
        for cell in Area::rect(corner(-1), corner(1)).cells(self.size()) {
            if cell != from && cell != to && ground.is_free(cell) && stores(self, cell) {
                let pos = ground.pos(cell);
                let distance = pos.x.abs_diff(center.x).max(pos.y.abs_diff(center.y));
                self.turn(cell, direction, surround.rate_at(distance));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;
    use throng_grid::{Grid, MoveRules, Tiles};

    /// Returns the lengths of all vectors after one step to the west, from the fifth to the fourth cell of the middle row.
    fn lengths(surround: Surround) -> Vec<i16> {
        let tiles = Tiles::picture(
            ".......
             .......
             ..@....
             .......
             .......",
        );
        let grid = Grid::new(tiles, MoveRules::default());
        let cell = |x, y| grid.cell(Pos::new(x, y)).unwrap();
        let mut map = DirectionMap::new(grid.size());
        let step = (cell(4, 2), cell(3, 2));
        map.learn(step.0, step.1, Rate::millionths(500_000));
        map.learn_around(grid.ground(), step, surround, |_, _| true);
        grid.size().cells().map(|cell| map.vector(cell).map_or(0, |vector| -vector.x)).collect()
    }

    const TENTH: Rate = Rate::millionths(100_000);
    /// Lengths of the vectors of the two cells of a step, and of cells that learn at 0.1 and at 0.05.
    const WHOLE: i16 = Vector::ONE / 2;
    const PART: i16 = 1639;
    const HALF: i16 = 819;

    #[test]
    fn free_cells_around_the_entered_cell_learn_at_their_own_rate() {
        for falls in [false, true] {
            #[rustfmt::skip]
            assert_eq!(lengths(Surround { rate: TENTH, distance: 1, falls }), [
                0, 0, 0, 0, 0, 0, 0,
                0, 0, PART, PART, PART, 0, 0,
                0, 0, 0, WHOLE, WHOLE, 0, 0,
                0, 0, PART, PART, PART, 0, 0,
                0, 0, 0, 0, 0, 0, 0,
            ]);
        }
    }

    #[test]
    fn the_rate_falls_with_the_distance() {
        #[rustfmt::skip]
        assert_eq!(lengths(Surround { rate: TENTH, distance: 2, falls: true }), [
            0, HALF, HALF, HALF, HALF, HALF, 0,
            0, HALF, PART, PART, PART, HALF, 0,
            0, HALF, 0, WHOLE, WHOLE, HALF, 0,
            0, HALF, PART, PART, PART, HALF, 0,
            0, HALF, HALF, HALF, HALF, HALF, 0,
        ]);
        let same = lengths(Surround { rate: TENTH, distance: 2, falls: false });
        assert!(same.iter().all(|length| [0, PART, WHOLE].contains(length)), "{same:?}");
    }

    #[test]
    fn rates_fall_strictly_and_stay_positive() {
        let surround = Surround { rate: TENTH, distance: 16, falls: true };
        let lengths: Vec<i16> = (1..=16)
            .map(|distance| {
                Vector::ZERO.towards(Vector { x: Vector::ONE, y: 0 }, surround.rate_at(distance)).x
            })
            .collect();
        assert!(lengths.is_sorted_by(|near, far| near > far) && lengths[15] > 0, "{lengths:?}");
    }
}
