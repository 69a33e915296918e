//! The states of the cells of a ground, and the costs of its steps.
//!
//! Multipliers are only stored per cell where they differ. A ground whose open cells all cost the same has no list of
//! them, and searches that rely on that look at [`Ground::is_uniform`]: the first overlay makes the list, and the list is
//! dropped with the last one.

use super::Ground;
use crate::hash::splitmix64;
use crate::moves::{DIAGONAL, STRAIGHT};
use crate::{Cell, Cost, Direction, Pos, Profile, TILE};

/// The state of a cell for a profile. The default is a cell whose terrain may not be entered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct CellState {
    /// The cost multiplier of the terrain in halves, 0 if it may not be entered.
    pub terrain: u8,
    /// The halves that cost overlays add to it; 0 if the terrain may not be entered.
    pub extra: u8,
    /// True if the cell is blocked, or a door that the profile may not pass, on terrain that may be entered.
    pub blocked: bool,
}

impl CellState {
    /// Returns the state of a cell with this terrain, whatever lies over terrain that may not be entered. Overlays raise
    /// the multiplier to at most [`Profile::MAX_HALVES`].
    pub fn new(terrain: u8, extra: u8, blocked: bool) -> Self {
        let is_open = terrain > 0;
        let extra = if is_open { extra.min(Profile::MAX_HALVES.saturating_sub(terrain)) } else { 0 };
        Self { terrain, extra, blocked: is_open && blocked }
    }

    /// Returns the cost multiplier in halves, 0 if the terrain may not be entered.
    pub const fn halves(self) -> u8 {
        self.terrain + self.extra
    }

    /// Returns the hash of the state of a cell, 0 if its terrain may not be entered. A tile's fingerprint is the exclusive
    /// or of its cells' hashes, so that an edit updates it in constant time.
    const fn hash(self, cell: Cell) -> u64 {
        if self.terrain == 0 {
            return 0;
        }
        let (halves, extra) = (self.halves() as u64, (self.extra as u64) << 40);
        splitmix64(extra | (cell.0 as u64) << 8 | halves << 1 | self.blocked as u64)
    }
}

/// What an edit of a cell has changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum CellChange {
    Nothing,
    /// Costs only.
    Costs,
    /// Legal moves; [`Ground::refresh_moves`] must follow.
    Moves,
}

impl Ground {
    /// Returns the state of a cell.
    pub fn cell_state(&self, cell: Cell) -> CellState {
        let pos = self.size.pos(cell);
        let extra = self.extra.get(cell.index()).copied().unwrap_or(0);
        let terrain = self.halves_at(cell, pos) - extra;
        CellState { terrain, extra, blocked: self.open.get(pos) && !self.rows.get(pos) }
    }

    /// Sets the state of a cell.
    pub(crate) fn set_cell(&mut self, cell: Cell, after: CellState) -> CellChange {
        let before = self.cell_state(cell);
        if before == after {
            return CellChange::Nothing;
        }
        self.store(cell, (before, after));
        let passage = |state: CellState| (state.terrain > 0, state.blocked);
        if passage(before) == passage(after) { CellChange::Costs } else { CellChange::Moves }
    }

    /// Sets the state of every cell of a new ground, in row order, and computes the legal moves.
    pub(crate) fn fill(&mut self, states: impl Iterator<Item = CellState>) {
        let (width, height) = (self.size.width(), self.size.height());
        let mut costlier = Vec::new();
        let mut cells = self.size.cells().zip(states);
        for y in 0..height as i32 {
            // The cells of one row of a tile share a word of each bitmap and a fingerprint.
            for first in (0..width).step_by(TILE as usize) {
                let (mut open, mut free, mut hashes) = (0, 0, 0);
                let count = TILE.min(width - first) as usize;
                for (x, (cell, state)) in cells.by_ref().take(count).enumerate() {
                    hashes ^= state.hash(cell);
                    open |= u64::from(state.terrain > 0) << x;
                    free |= u64::from(state.terrain > 0 && !state.blocked) << x;
                    if let Some(slot) = self.halves.get_mut(cell.index()) {
                        *slot = state.halves();
                    }
                    if state.extra > 0 {
                        costlier.push((cell, state));
                    }
                }
                let pos = Pos::new(first as i32, y);
                self.fingerprints[self.size.tile_at(pos)] ^= hashes;
                self.all_tiles ^= hashes;
                self.open.add(pos, open);
                self.rows.add(pos, free);
            }
        }
        self.columns = self.rows.transposed();
        for (cell, state) in costlier {
            self.store_extra(cell, (0, state.extra));
            self.halves[cell.index()] = state.halves();
        }
        self.refresh_moves(Pos::new(0, 0), Pos::new(width as i32 - 1, height as i32 - 1));
    }

    /// Replaces the state of a cell.
    fn store(&mut self, cell: Cell, (before, after): (CellState, CellState)) {
        let (pos, change) = (self.size.pos(cell), before.hash(cell) ^ after.hash(cell));
        let free = after.terrain > 0 && !after.blocked;
        let tile = self.size.tile_at(pos);
        self.fingerprints[tile] ^= change;
        self.all_tiles ^= change;
        self.open.set(pos, after.terrain > 0);
        self.rows.set(pos, free);
        self.columns.set(Pos::new(pos.y, pos.x), free);
        if let Some(slot) = self.halves.get_mut(cell.index()) {
            *slot = after.halves();
        }
        if before.extra != after.extra {
            self.store_extra(cell, (before.extra, after.extra));
        }
    }

    /// Stores what overlays add to a cell. The lists are made with the first such cell and dropped with the last.
    fn store_extra(&mut self, cell: Cell, (before, after): (u8, u8)) {
        if self.extra.is_empty() {
            self.extra = vec![0; self.size.area()];
            if self.halves.is_empty() {
                let halves = self.profile.min_halves();
                let of_cell = |cell: Cell| if self.open.get(self.size.pos(cell)) { halves } else { 0 };
                self.halves = self.size.cells().map(of_cell).collect();
                self.halves[cell.index()] = halves + after;
            }
        }
        self.extra[cell.index()] = after;
        self.extra_cells = self.extra_cells + u32::from(after > 0) - u32::from(before > 0);
        if self.extra_cells == 0 {
            self.extra = Vec::new();
            if self.profile.is_uniform() {
                self.halves = Vec::new();
            }
        }
    }

    /// Prepares for overlays: multipliers may be up to [`Profile::MAX_HALVES`] from now on.
    pub fn expect_overlays(&mut self) {
        self.max_halves = Profile::MAX_HALVES;
    }

    /// Returns the cost multiplier of a cell in halves, 0 if it may not be entered.
    fn halves_at(&self, cell: Cell, pos: Pos) -> u8 {
        match self.halves.get(cell.index()) {
            Some(&halves) => halves,
            None if self.open.get(pos) => self.profile.min_halves(),
            None => 0,
        }
    }

    /// Returns the cost multiplier of each cell in halves; empty if [`Ground::is_uniform`], in which case all are
    /// [`Profile::min_halves`].
    #[inline]
    pub fn halves(&self) -> &[u8] {
        &self.halves
    }

    /// Returns true if all cells that may be entered cost the same: the profile's terrain does, and no cost overlay adds to
    /// a cell.
    #[inline]
    pub fn is_uniform(&self) -> bool {
        self.halves.is_empty()
    }

    /// Returns the highest multiplier in halves that a cell can have now or after a further edit of costs: that of the
    /// profile, or [`Profile::MAX_HALVES`] once the grid had a cost overlay.
    #[inline]
    pub fn max_halves(&self) -> u8 {
        self.max_halves
    }

    /// Returns the cost of a legal move: its length times the mean multiplier of its two cells, overlays included.
    #[inline]
    pub fn cost(&self, from: Cell, direction: Direction) -> Cost {
        if self.halves.is_empty() {
            return self.costs[usize::from(direction.is_diagonal())];
        }
        let both = Cost::from(self.halves[from.index()])
            + Cost::from(self.halves[self.step(from, direction).index()]);
        both * if direction.is_diagonal() { DIAGONAL / 4 } else { STRAIGHT / 4 }
    }

    /// Returns the cost of a legal move over the terrain alone, without overlays: how long the step is, not how far an
    /// agent goes out of the way to avoid it.
    #[inline]
    pub fn terrain_cost(&self, from: Cell, direction: Direction) -> Cost {
        if self.extra.is_empty() {
            return self.cost(from, direction);
        }
        let to = self.step(from, direction);
        let extra = Cost::from(self.extra[from.index()]) + Cost::from(self.extra[to.index()]);
        self.cost(from, direction) - extra * if direction.is_diagonal() { DIAGONAL / 4 } else { STRAIGHT / 4 }
    }
}
