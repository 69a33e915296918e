//! Edits of a grid: blocked cells, terrain, doors and cost overlays.
//!
//! An edit changes the cells of an area one by one, then recomputes the legal moves around those that changed for some
//! profile. An edit that changes only costs keeps all moves and connected components.

use super::Grid;
use crate::ground::CellChange;
use crate::{Area, Cell, Classes, OverlayError, Pos, Profile, Terrain};

/// The corners of the changed cells, both included, and what has changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) bounds: Option<(Pos, Pos)>,
    /// True if legal moves have changed, not only costs.
    pub(crate) has_moves: bool,
}

impl Changes {
    pub(crate) fn add(&mut self, pos: Pos, change: CellChange) {
        if change != CellChange::Nothing {
            let has_moves = change == CellChange::Moves;
            self.join(Self { bounds: Some((pos, pos)), has_moves });
        }
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.has_moves |= other.has_moves;
        let Some((low, high)) = other.bounds else { return };
        let (min, max) = self.bounds.unwrap_or((low, high));
        self.bounds = Some((
            Pos::new(min.x.min(low.x), min.y.min(low.y)),
            Pos::new(max.x.max(high.x), max.y.max(high.y)),
        ));
    }
}

impl Grid {
    /// Blocks cells, whatever their terrain. Returns how many were not blocked before.
    pub fn block(&mut self, area: impl Into<Area>) -> usize {
        self.edit(area.into(), |grid, cell| !std::mem::replace(&mut grid.blocked[cell.index()], true)).0
    }

    /// Undoes [`Grid::block`]. Returns how many cells were blocked. The terrain does not change: a wall stays a wall
    /// until [`Grid::set_terrain`] replaces it.
    pub fn unblock(&mut self, area: impl Into<Area>) -> usize {
        self.edit(area.into(), |grid, cell| std::mem::replace(&mut grid.blocked[cell.index()], false)).0
    }

    /// Sets the terrain of cells. Returns how many had a different terrain.
    pub fn set_terrain(&mut self, area: impl Into<Area>, terrain: Terrain) -> usize {
        self.edit(area.into(), |grid, cell| grid.tiles.replace(cell, terrain) != terrain).0
    }

    /// Makes cells a door that only profiles of some passage classes may enter ([`Profile::class`]). For all others it is
    /// blocked. The door does not open blocked cells or terrain that a profile may not enter. [`Classes::ALL`] removes it.
    /// Returns how many cells admitted other classes before.
    ///
    /// ```
    /// use throng_grid::{Classes, Grid, MoveRules, Pos, Profile, Tiles};
    ///
    /// let mut grid = Grid::new(Tiles::picture(".....\n##.##\n....."), MoveRules::default());
    /// let red = grid.add_profile(Profile::WALKER.with_class(1).unwrap());
    /// let door = Pos::new(2, 1);
    /// grid.set_door(door, Classes::only(1));
    /// let cell = grid.cell(door).unwrap();
    /// assert!(grid.ground_of(red).unwrap().is_free(cell));
    /// assert!(!grid.ground().is_free(cell));
    /// ```
    pub fn set_door(&mut self, area: impl Into<Area>, allowed: Classes) -> usize {
        let cells = self.size().area();
        let (count, changed) =
            self.edit(area.into(), |grid, cell| grid.layers.set_door(cells, cell, allowed));
        self.door_revision += u64::from(changed);
        if allowed == Classes::ALL {
            self.layers.trim();
        }
        count
    }

    /// Makes cells more expensive for the profiles of some passage classes: `extra` halves are added to the cost multiplier
    /// of their terrain (2 for a cell that costs one step more than plain ground), until the next call for the same
    /// classes; 0 takes it back. Overlays for different sets of classes add up. A cell costs at most
    /// [`Profile::MAX_HALVES`] in all.
    ///
    /// Overlays change which route is cheapest, not the legal moves. Returns how many cells had another value.
    ///
    /// # Errors
    /// If `extra` exceeds [`Profile::MAX_HALVES`], or [`Layers::MAX_OVERLAYS`](crate::Layers::MAX_OVERLAYS) other sets of
    /// classes have an overlay.
    pub fn set_cost(
        &mut self,
        area: impl Into<Area>,
        classes: Classes,
        extra: u8,
    ) -> Result<usize, OverlayError> {
        if extra > Profile::MAX_HALVES {
            return Err(OverlayError::TooHigh { extra });
        }
        let is_known = self.layers.overlays.iter().any(|overlay| overlay.classes == classes);
        if classes == Classes::NONE || (extra == 0 && !is_known) {
            return Ok(0);
        }
        let overlay = self.layers.overlay(self.size().area(), classes)?;
        self.expect_overlays();
        let (count, changed) = self.edit(area.into(), |grid, cell| {
            std::mem::replace(&mut grid.layers.overlays[overlay].extra[cell.index()], extra) != extra
        });
        self.overlay_revision += u64::from(changed);
        if extra == 0 || count == 0 {
            self.layers.trim();
        }
        Ok(count)
    }

    /// Prepares for cost overlays, as the first one does: [`Ground::max_halves`](crate::Ground::max_halves) is
    /// [`Profile::MAX_HALVES`] from now on. Planners that scale distances by it prepare again once; called before the world
    /// is created, this saves them that work in the middle of a game.
    pub fn expect_overlays(&mut self) {
        if !std::mem::replace(&mut self.layers.had_overlay, true) {
            self.grounds.iter_mut().for_each(crate::Ground::expect_overlays);
        }
    }

    /// Applies `change` to each cell of an area and updates the grounds around the changed cells. Returns how many
    /// cells changed, and whether some profile notices.
    fn edit(&mut self, area: Area, mut change: impl FnMut(&mut Self, Cell) -> bool) -> (usize, bool) {
        let size = self.tiles.size();
        let (mut count, mut changes) = (0, Changes::default());
        for cell in area.cells(size) {
            if !change(self, cell) {
                continue;
            }
            count += 1;
            for profile in 0..self.grounds.len() {
                let state = self.state(self.grounds[profile].profile(), cell);
                changes.add(size.pos(cell), self.grounds[profile].set_cell(cell, state));
            }
        }
        self.finish(changes);
        (count, changes.bounds.is_some())
    }

    /// Recomputes the legal moves of a rectangle and its border if they have changed, and raises the revisions of their
    /// tiles.
    pub(super) fn finish(&mut self, changes: Changes) {
        let Some((min, max)) = changes.bounds else { return };
        let size = self.tiles.size();
        let (min, max) = size.clipped(Pos::new(min.x - 1, min.y - 1), Pos::new(max.x + 1, max.y + 1));
        if changes.has_moves {
            for ground in &mut self.grounds {
                ground.refresh_moves(min, max);
            }
        }
        self.revision += 1;
        let (first, last) = (size.tile_at(min), size.tile_at(max));
        let columns = size.tile_columns() as usize;
        for row in first / columns..=last / columns {
            let tiles = row * columns + first % columns..=row * columns + last % columns;
            self.tile_revisions[tiles].fill(self.revision);
        }
    }
}
