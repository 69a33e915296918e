//! Learned heuristic: the estimates of one agent, raised by its real-time searches.
//!
//! A real-time search raises the estimates of the cells it has expanded, so that the agent leaves places that only look
//! near to its goal. Stored is the increment over the initial heuristic. The increment is zero for most cells, which need no
//! memory, and nothing has to be computed when the agent gets another goal.

use throng_grid::{Cell, Cost, Size};
use throng_search::real_time::Increments;
use throng_search::{Heuristic, OctileDistance, PagedCells};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use throng_crowd::{Limits, StateError, Validate};

use crate::distances::{AbstractDistance, LandmarkBounds};

/// The increments that one agent has learned for its present goal.
#[derive(Clone, Debug, Default)]
pub struct LearnedHeuristic {
    /// `None` until an increment is learned.
    pages: Option<PagedCells<Cost>>,
}

impl LearnedHeuristic {
    /// Removes all increments and keeps the memory.
    pub fn forget(&mut self) {
        if let Some(pages) = &mut self.pages {
            pages.clear();
        }
    }

    /// Returns the memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.pages.as_ref().map_or(0, PagedCells::memory_bytes)
    }

    /// Returns the cells with an increment.
    fn learned(&self) -> impl Iterator<Item = (Cell, Cost)> + '_ {
        self.pages.iter().flat_map(PagedCells::touched).filter(|&(_, increment)| increment != 0)
    }
}

impl Increments for LearnedHeuristic {
    #[inline]
    fn increment(&self, cell: Cell) -> Cost {
        self.pages.as_ref().map_or(0, |pages| pages.get(cell))
    }

    fn set(&mut self, size: Size, cell: Cell, increment: Cost) {
        if increment != self.increment(cell) {
            *self.pages.get_or_insert_with(|| PagedCells::new(size, 0)).touch(cell) = increment;
        }
    }
}

/// The saved form: the size of the map, and the cells with an increment.
#[derive(Clone, Serialize, Deserialize)]
struct Saved(Size, Vec<(Cell, Cost)>);

impl Serialize for LearnedHeuristic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let saved = self.pages.as_ref().map(|pages| Saved(pages.size(), self.learned().collect()));
        saved.filter(|saved| !saved.1.is_empty()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LearnedHeuristic {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut learned = Self::default();
        if let Some(Saved(size, cells)) = Option::<Saved>::deserialize(deserializer)? {
            for (cell, increment) in cells {
                if cell.index() >= size.area() {
                    return Err(D::Error::custom("a learned cell lies outside the map"));
                }
                learned.set(size, cell, increment);
            }
        }
        Ok(learned)
    }
}

impl Validate for LearnedHeuristic {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { pages } = self;
        let fits = pages.as_ref().is_none_or(|pages| pages.size() == limits.size);
        limits.require(fits, "what an agent has learned belongs to a map of another size")
    }
}

/// The greatest of the distance on an empty map and what is known of the map. Admissible without an abstraction.
#[derive(Clone, Copy, Debug)]
pub struct InitialHeuristic<'a> {
    /// The distance on an empty map.
    pub empty: OctileDistance,
    /// The bounds of landmarks, if there are any.
    pub landmarks: Option<LandmarkBounds<'a>>,
    /// The distance over the abstract graph, if there is one.
    pub abstraction: Option<AbstractDistance<'a>>,
}

impl InitialHeuristic<'_> {
    /// Returns true if this is the distance on an empty map alone.
    pub fn is_empty_map(&self) -> bool {
        self.landmarks.is_none() && self.abstraction.is_none()
    }
}

impl Heuristic for InitialHeuristic<'_> {
    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        let landmarks = self.landmarks.as_ref().map_or(0, |landmarks| landmarks.lower(Cell(node)));
        let abstraction = self.abstraction.as_ref().map_or(0, |graph| graph.estimate(Cell(node)));
        self.empty.lower(node).max(landmarks).max(abstraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::state::{decode_unchecked, encode};

    #[test]
    fn increments_are_saved_and_cleared() {
        let size = Size::new(100, 70).unwrap();
        let mut learned = LearnedHeuristic::default();
        learned.set(size, Cell(5), 0);
        assert_eq!(learned.memory_bytes(), 0, "a zero increment needs no memory");
        for cell in size.cells().step_by(37) {
            learned.set(size, cell, cell.0 % 5 * 1000);
        }
        let mut bytes = Vec::new();
        encode(&learned, &mut bytes);
        let loaded: LearnedHeuristic = decode_unchecked(&bytes).unwrap();
        assert!(size.cells().all(|cell| loaded.increment(cell) == learned.increment(cell)));
        for end in 0..bytes.len() {
            assert!(decode_unchecked::<LearnedHeuristic>(&bytes[..end]).is_err(), "cut short at {end}");
        }
        learned.forget();
        assert!(size.cells().all(|cell| learned.increment(cell) == 0));
        bytes.clear();
        encode(&learned, &mut bytes);
        assert_eq!(bytes, [0], "nothing is left to save");
    }
}
