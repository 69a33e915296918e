//! The trace of a walk: what the agent searched, learned and walked, turn by turn, for tools that show it.

use throng_grid::{Cell, Cost};

/// The largest number of entries of each kind. A walk goes on without being traced beyond them.
const MAX_ENTRIES: usize = 1 << 20;

/// A turn of a walk: a search, what was learned from it, and the steps before the next search. Each number is that of the
/// entries of the [`WalkTrace`] at the end of the turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Turn {
    /// Number of expanded cells.
    pub expanded: u32,
    /// Number of raised estimates.
    pub raised: u32,
    /// Number of visited cells.
    pub visited: u32,
}

/// What the agent of a real-time search did.
#[derive(Clone, Debug, Default)]
pub struct WalkTrace {
    is_on: bool,
    is_cut: bool,
    expanded: Vec<u32>,
    raised: Vec<(Cell, Cost)>,
    visited: Vec<Cell>,
    turns: Vec<Turn>,
}

impl WalkTrace {
    /// Returns the expanded cells, in order.
    pub fn expanded(&self) -> &[u32] {
        &self.expanded
    }

    /// Returns the cells whose estimates were raised, in order, and by how much they exceed the initial estimates.
    pub fn raised(&self) -> &[(Cell, Cost)] {
        &self.raised
    }

    /// Returns the cells that the agent visited, its start first.
    pub fn visited(&self) -> &[Cell] {
        &self.visited
    }

    /// Returns the turns.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Returns true if the walk was too long to be traced to its end.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn set_on(&mut self, on: bool) {
        *self = Self { is_on: on, ..Self::default() };
    }

    /// Returns true if the walk is traced, and has room.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.is_on && !self.is_cut
    }

    /// Starts the trace of another walk.
    pub(super) fn begin(&mut self, from: Cell) {
        self.set_on(self.is_on);
        self.visit(from);
    }

    pub(super) fn expand(&mut self, cells: &[u32]) {
        if self.is_on() {
            self.expanded.extend_from_slice(cells);
        }
    }

    pub(super) fn raise(&mut self, cell: Cell, increment: Cost) {
        if self.is_on() {
            self.raised.push((cell, increment));
        }
    }

    /// Sets the increments of the cells that were raised since the last turn.
    pub(super) fn set_increments(&mut self, increment: impl Fn(Cell) -> Cost) {
        let first = self.turns.last().map_or(0, |turn| turn.raised as usize);
        for (cell, known) in &mut self.raised[first..] {
            *known = increment(*cell);
        }
    }

    #[inline]
    pub(super) fn visit(&mut self, cell: Cell) {
        if self.is_on() {
            self.visited.push(cell);
        }
    }

    pub(super) fn end_turn(&mut self) {
        if self.is_on() {
            let [expanded, raised, visited] =
                [self.expanded.len(), self.raised.len(), self.visited.len()].map(|count| count as u32);
            self.turns.push(Turn { expanded, raised, visited });
            self.is_cut = [expanded, raised, visited].iter().any(|&count| count as usize >= MAX_ENTRIES);
        }
    }
}
