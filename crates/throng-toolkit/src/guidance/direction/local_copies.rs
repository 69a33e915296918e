//! Local copies: each agent plans with its own copy of the direction map (section 3.3 of the thesis).
//!
//! All agents turn the vectors of one global map. After each move an agent replaces its copy of the vectors within a
//! radius by those of the global map. Its vectors of cells farther away may be outdated. An agent that has not moved yet
//! knows no vector.

use throng_crowd::{AgentRow, StateError};
use throng_grid::{Area, Cell, Size};
use throng_search::PagedCells;

use super::map::DirectionMap;
use super::vector::Vector;

/// The agents' copies of a direction map.
#[derive(Clone, Debug)]
pub(super) struct LocalCopies {
    /// Distance in cells up to which an agent sees the global map.
    radius: u32,
    /// By agent; `None` before its first move.
    copies: Vec<Option<PagedCells<Vector>>>,
    /// The copy of an agent that has not moved.
    blank: PagedCells<Vector>,
}

/// The known vectors of the copies, by agent.
pub(super) type SavedCopies = Vec<Vec<(Cell, Vector)>>;

impl LocalCopies {
    pub(super) fn new(size: Size, radius: u32) -> Self {
        Self { radius, copies: Vec::new(), blank: PagedCells::new(size, Vector::UNKNOWN) }
    }

    /// Makes room for all agents.
    pub(super) fn fit(&mut self, agents: usize) {
        self.copies.resize_with(agents, || None);
    }

    /// Returns the copy of an agent.
    pub(super) fn of(&self, agent: AgentRow) -> &PagedCells<Vector> {
        self.copies.get(agent.index()).and_then(Option::as_ref).unwrap_or(&self.blank)
    }

    /// Drops the copy of an agent.
    pub(super) fn forget(&mut self, agent: AgentRow) {
        if let Some(copy) = self.copies.get_mut(agent.index()) {
            *copy = None;
        }
    }

    /// Updates the copy of an agent that has moved to a cell.
    pub(super) fn update(&mut self, map: &DirectionMap, agent: AgentRow, at: Cell) {
        let blank = || PagedCells::new(map.size(), Vector::UNKNOWN);
        let copy = self.copies[agent.index()].get_or_insert_with(blank);
        for cell in Area::disc(map.size().pos(at), self.radius as i32).cells(map.size()) {
            let seen = map.stored(cell);
            if seen != copy.get(cell) {
                *copy.touch(cell) = seen;
            }
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.copies.iter().flatten().map(PagedCells::memory_bytes).sum::<usize>()
            + self.copies.capacity() * size_of::<Option<PagedCells<Vector>>>()
            + self.blank.memory_bytes()
    }

    pub(super) fn saved(&self) -> SavedCopies {
        let known = |copy: &Option<PagedCells<Vector>>| {
            let vectors = copy.iter().flat_map(PagedCells::touched);
            vectors.filter(|(_, vector)| vector.is_known()).collect()
        };
        self.copies.iter().map(known).collect()
    }

    /// Restores what [`LocalCopies::saved`] returned.
    ///
    /// # Errors
    /// When a vector is invalid or lies outside the map.
    pub(super) fn restore(&mut self, saved: SavedCopies) -> Result<(), StateError> {
        let size = self.blank.size();
        if !saved.iter().flatten().all(|(_, vector)| vector.is_valid()) {
            return Err(StateError::invalid("a vector is longer than one"));
        }
        if !saved.iter().flatten().all(|(cell, _)| cell.index() < size.area()) {
            return Err(StateError::invalid("a vector of an agent's copy lies outside the map"));
        }
        let restored = |vectors: Vec<(Cell, Vector)>| {
            let mut copy = (!vectors.is_empty()).then(|| PagedCells::new(size, Vector::UNKNOWN))?;
            for (cell, vector) in vectors {
                *copy.touch(cell) = vector;
            }
            Some(copy)
        };
        self.copies = saved.into_iter().map(restored).collect();
        Ok(())
    }
}
