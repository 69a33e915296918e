//! Map coherence: how far the vectors of a direction map follow each other.
//!
//! For each cell with a vector, the neighbour that the vector points to most nearly is found, and the length of the
//! mean of both vectors taken; coherence is the mean of these. What the thesis leaves open: a vector of no length
//! counts as a term of zero, and a neighbour that has no vector, or is none, as a vector of no length.

use throng_grid::{Cell, Direction};

use super::map::DirectionMap;
use super::vector::Vector;

/// The terms of a map's coherence, summed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Coherence {
    /// Their sum, where one is [`Vector::ONE`].
    pub sum: u64,
    /// Their number: how many cells have a vector.
    pub cells: u64,
}

impl Coherence {
    /// The coherence, from 0 to a million; `None` when no cell has a vector.
    pub fn millionths(self) -> Option<u64> {
        self.sum.checked_mul(1_000_000)?.checked_div(self.cells).map(|mean| mean / Vector::ONE as u64)
    }
}

impl DirectionMap {
    /// How far the vectors follow each other.
    pub fn coherence(&self) -> Coherence {
        self.known().fold(Coherence::default(), |so_far, (cell, _)| Coherence {
            sum: so_far.sum + u64::from(self.coherence_term(cell)),
            cells: so_far.cells + 1,
        })
    }

    /// The term of one cell, where one is [`Vector::ONE`]; zero when it has no vector.
    pub fn coherence_term(&self, cell: Cell) -> u32 {
        let Some(vector) = self.vector(cell) else { return 0 };
        let Some(direction) = vector.nearest_direction() else { return 0 };
        let next = self.neighbour(cell, direction).and_then(|next| self.vector(next)).unwrap_or_default();
        let (x, y) = (i32::from(vector.x) + i32::from(next.x), i32::from(vector.y) + i32::from(next.y));
        // The length of the sum is twice that of the mean; halved at the end, so that nothing is lost before.
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

    /// The thesis's examples, section 4: a vector that points to one like it, and one that points to one across.
    #[test]
    fn the_terms_are_those_of_the_thesis() {
        use Direction::{North, West};
        let map = map(&[None, Some(North), None, None, Some(North), Some(West)], 3);
        assert!((term(&map, 4) - 1.0).abs() < 0.0001);
        assert!((term(&map, 5) - FRAC_1_SQRT_2).abs() < 0.0001);
        assert!((term(&map, 1) - 0.5).abs() < 0.0001, "it points off the map");
        let mean = map.coherence().millionths().unwrap() as f64 / 1_000_000.0;
        assert!((mean - (1.0 + FRAC_1_SQRT_2 + 0.5) / 3.0).abs() < 0.0001);
    }

    #[test]
    fn corner_cases_count_as_they_are_said_to() {
        use Direction::{East, West};
        let mut map = map(&[Some(East), Some(West), Some(East), None], 4);
        assert!(term(&map, 0).abs() < 0.0001, "against each other");
        assert!((term(&map, 2) - 0.5).abs() < 0.0001, "it points to a cell without a vector");
        assert_eq!(term(&map, 3).to_bits(), 0, "no vector");
        assert_eq!(map.coherence().cells, 3);
        map.set(Cell(2), Some(Vector::ZERO));
        assert_eq!(term(&map, 2).to_bits(), 0);
        assert_eq!(map.coherence().cells, 3, "a vector of no length is still one");
        map.clear();
        assert_eq!(map.coherence().millionths(), None);
    }
}
