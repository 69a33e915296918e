//! Map coherence: how well the vectors of a direction map agree with those of the cells they point to.
//!
//! The term of a cell is the length of the mean of its vector and that of the neighbour in the nearest direction.
//! Coherence is the mean of the terms of all cells with a vector. The thesis leaves two cases open: here a zero vector has
//! the term zero, and a neighbour without a vector or outside the map counts as a zero vector.

use throng_grid::{Cell, Direction};

use super::map::DirectionMap;
use super::vector::Vector;

/// The sum of the coherence terms of a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Coherence {
    /// Sum of the terms in units of 1 / [`Vector::ONE`].
    pub sum: u64,
    /// Number of cells with a vector.
    pub cells: u64,
}

impl Coherence {
    /// Returns the coherence in millionths, or `None` if no cell has a vector.
    pub fn millionths(self) -> Option<u64> {
        self.sum.checked_mul(1_000_000)?.checked_div(self.cells).map(|mean| mean / Vector::ONE as u64)
    }
}

impl DirectionMap {
    /// Returns the sum of the coherence terms.
    pub fn coherence(&self) -> Coherence {
        self.known().fold(Coherence::default(), |total, (cell, _)| Coherence {
            sum: total.sum + u64::from(self.coherence_term(cell)),
            cells: total.cells + 1,
        })
    }

    /// Returns the coherence term of a cell in units of 1 / [`Vector::ONE`]; 0 if it has no vector.
    pub fn coherence_term(&self, cell: Cell) -> u32 {
        let Some(vector) = self.vector(cell) else { return 0 };
        let Some(direction) = vector.nearest_direction() else { return 0 };
        let next = self.neighbour(cell, direction).and_then(|next| self.vector(next)).unwrap_or_default();
        let (x, y) = (i32::from(vector.x) + i32::from(next.x), i32::from(vector.y) + i32::from(next.y));
        // The sum is halved last to keep precision.
        ((x * x) as u32 + (y * y) as u32).isqrt().div_ceil(2)
    }

    fn neighbour(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        self.size().cell(self.size().pos(cell) + direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_1_SQRT_2;
    use throng_grid::Size;

    fn map(vectors: &[Option<Direction>], width: u32) -> DirectionMap {
        let mut map = DirectionMap::new(Size::new(width, vectors.len() as u32 / width).unwrap());
        for (i, direction) in vectors.iter().enumerate() {
            map.set(Cell(i as u32), direction.map(Vector::step));
        }
        map
    }

    fn term(map: &DirectionMap, cell: u32) -> f64 {
        f64::from(map.coherence_term(Cell(cell))) / f64::from(Vector::ONE)
    }

    /// Examples of section 4 of the thesis: a vector that points to an equal one, and one that points to an orthogonal one.
    #[test]
    fn terms_equal_the_examples_of_the_thesis() {
        use Direction::{North, West};
        let map = map(&[None, Some(North), None, None, Some(North), Some(West)], 3);
        assert!((term(&map, 4) - 1.0).abs() < 0.0001);
        assert!((term(&map, 5) - FRAC_1_SQRT_2).abs() < 0.0001);
        assert!((term(&map, 1) - 0.5).abs() < 0.0001, "points outside the map");
        let mean = map.coherence().millionths().unwrap() as f64 / 1_000_000.0;
        assert!((mean - (1.0 + FRAC_1_SQRT_2 + 0.5) / 3.0).abs() < 0.0001);
    }

    #[test]
    fn zero_and_missing_vectors_have_the_documented_terms() {
        use Direction::{East, West};
        let mut map = map(&[Some(East), Some(West), Some(East), None], 4);
        assert!(term(&map, 0).abs() < 0.0001, "opposite vectors");
        assert!((term(&map, 2) - 0.5).abs() < 0.0001, "points to a cell without a vector");
        assert_eq!(term(&map, 3).to_bits(), 0, "no vector");
        assert_eq!(map.coherence().cells, 3);
        map.set(Cell(2), Some(Vector::ZERO));
        assert_eq!(term(&map, 2).to_bits(), 0);
        assert_eq!(map.coherence().cells, 3, "a zero vector counts as a vector");
        map.clear();
        assert_eq!(map.coherence().millionths(), None);
    }
}
