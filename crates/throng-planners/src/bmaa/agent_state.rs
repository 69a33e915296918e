//! What an agent keeps between ticks.

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_grid::{Cell, Size};
use throng_toolkit::LearnedHeuristic;

use crate::rtaa::RtaaOutcome;

/// An agent's own heuristic and path.
#[derive(Debug, Default)]
pub(super) struct BmaaAgent {
    /// Its own heuristic, for its present goal.
    pub(super) learned: LearnedHeuristic,
    /// The steps ahead, the next one last.
    pub(super) path: Vec<Cell>,
    /// The tick at which the path expires.
    pub(super) limit: u64,
    /// When the search of this tick found every way out held: the held cell it would have liked best.
    pub(super) shut_by: Option<Cell>,
}

impl BmaaAgent {
    pub(super) fn drop_path(&mut self) {
        self.path.clear();
        self.shut_by = None;
    }

    /// Takes in what a search has come to. A path that it found lasts until `limit`.
    pub(super) fn take(&mut self, outcome: RtaaOutcome, limit: u64) {
        self.shut_by = outcome.shut_by;
        if !self.path.is_empty() {
            self.limit = limit;
        }
    }

    pub(super) fn forget(&mut self) {
        self.drop_path();
        self.learned.forget();
    }

    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.limit);
        put(bytes, self.path.len() as u64);
        self.path.iter().for_each(|cell| put(bytes, u64::from(cell.0)));
        self.learned.save(bytes);
    }

    pub(super) fn load(size: Size, reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let limit = reader.number("the end of a path")?;
        let mut path = Vec::new();
        for _ in 0..reader.length("the length of a path")? {
            let cell = reader.number_to(size.area() as u64 - 1, "a cell of a path")?;
            path.push(Cell(cell as u32));
        }
        Ok(Self { learned: LearnedHeuristic::load(size, reader)?, path, limit, shut_by: None })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.learned.memory_bytes() + self.path.capacity() * size_of::<Cell>()
    }
}
