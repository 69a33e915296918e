//! The state of one agent under BMAA*.

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate};
use throng_grid::Cell;
use throng_toolkit::LearnedHeuristic;

use super::tree::SearchTree;
use crate::rtaa::{MAX_MOVES, PrunedCells, RtaaOutcome};

/// An agent's heuristic and path.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct BmaaAgent {
    /// The heuristic that the agent has learned for its present goal.
    pub(super) learned: LearnedHeuristic,
    /// The cells that the agent leaves out of its searches for this goal.
    pub(super) pruned: PrunedCells,
    /// The search that goes on from tick to tick, with the core `tba` only.
    pub(super) tree: Option<Box<SearchTree>>,
    /// The cells ahead, the next one last.
    pub(super) path: Vec<Cell>,
    /// The tick at which the path expires.
    pub(super) limit: u64,
    /// If the search of this tick found every way out occupied: the occupied cell with the smallest `f`.
    #[serde(skip)]
    pub(super) blocked_by: Option<Cell>,
}

impl BmaaAgent {
    /// Drops the path, because the agent has left it or it is illegal.
    pub(super) fn drop_path(&mut self) {
        self.path.clear();
        if let Some(tree) = &mut self.tree {
            tree.end();
        }
        self.blocked_by = None;
    }

    /// Takes the result of a search. A path that it found expires at `limit`.
    pub(super) fn take(&mut self, outcome: RtaaOutcome, limit: u64) {
        self.blocked_by = outcome.blocked_by;
        if !self.path.is_empty() {
            self.limit = limit;
        }
    }

    pub(super) fn forget(&mut self) {
        self.drop_path();
        self.learned.forget();
        self.pruned.clear();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let path = self.path.capacity() * size_of::<Cell>();
        let tree = self.tree.as_ref().map_or(0, |tree| tree.memory_bytes());
        size_of::<Self>() + self.learned.memory_bytes() + self.pruned.memory_bytes() + path + tree
    }
}

impl Validate for BmaaAgent {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { learned, pruned, tree, path, limit, blocked_by: _ } = self;
        learned.validate(limits)?;
        pruned.validate(limits)?;
        tree.as_deref().map_or(Ok(()), |tree| tree.validate(limits))?;
        path.validate(limits)?;
        limits.at_most_cells(path.len() as u64, "the length of a path")?;
        limits.coming_tick(*limit, MAX_MOVES)
    }
}
