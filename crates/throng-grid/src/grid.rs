//! The editable map: terrain, cells blocked on top of it, and one [`Ground`] per agent profile.
//!
//! The map is divided into square tiles of [`TILE`](crate::TILE) cells per side. Each tile has a revision, so that a cache can tell
//! which of its entries an edit made stale.

use serde::{Deserialize, Serialize};

use crate::{Area, BitGrid, Cell, Ground, MoveRules, Pos, Profile, Size, Terrain, Tiles};

/// The number of a profile in its grid. Profile 0 is the one that the grid was created with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProfileId(pub u8);

/// An editable map: terrain, cells blocked on top of it, and the [`Ground`] of every profile, updated by each edit.
/// An edit raises the revision of the grid and of each tile whose legal moves or costs it may have changed.
#[derive(Clone, Debug)]
pub struct Grid {
    tiles: Tiles,
    rules: MoveRules,
    /// Per cell: true if [`Grid::block`] blocked it.
    blocked: Vec<bool>,
    /// One per profile, in the order of the profiles' numbers.
    grounds: Vec<Ground>,
    /// Number of edits that changed a cell for some profile.
    revision: u64,
    /// Per tile, in row order: the grid's revision of its last change.
    tile_revisions: Vec<u64>,
}

impl Grid {
    /// Returns a grid for [`Profile::WALKER`].
    pub fn new(tiles: Tiles, rules: MoveRules) -> Self {
        Self::with_profile(tiles, rules, Profile::WALKER)
    }

    /// Returns a grid for one profile; [`Grid::add_profile`] adds others.
    pub fn with_profile(tiles: Tiles, rules: MoveRules, profile: Profile) -> Self {
        let size = tiles.size();
        let mut grid = Self {
            rules,
            blocked: vec![false; size.area()],
            grounds: Vec::new(),
            revision: 0,
            tile_revisions: vec![0; size.tile_count()],
            tiles,
        };
        grid.add_profile(profile);
        grid
    }

    /// Adds a profile and returns its number. A profile that the grid already has keeps its number.
    ///
    /// # Panics
    /// If the grid would have more than 256 profiles.
    pub fn add_profile(&mut self, profile: Profile) -> ProfileId {
        if let Some(known) = self.grounds.iter().position(|ground| ground.profile() == profile) {
            return ProfileId(known as u8);
        }
        let id = u8::try_from(self.grounds.len()).expect("a grid has at most 256 profiles");
        let size = self.tiles.size();
        let mut ground = Ground::new(size, self.rules, profile);
        let halves = self.tiles.terrain().iter().map(|&terrain| profile.halves(terrain));
        ground.fill(halves.zip(self.blocked.iter().copied()));
        self.grounds.push(ground);
        ProfileId(id)
    }

    /// Restores a saved grid: terrain, profiles, blocked cells and revisions, so that caches saved with it stay valid.
    /// `revisions` are those of the tiles, in row order.
    ///
    /// Returns `None` if there is no profile or more than 256, or a length does not match the size.
    pub fn restore(
        tiles: Tiles,
        rules: MoveRules,
        profiles: &[Profile],
        blocked: Vec<bool>,
        revision: u64,
        revisions: Vec<u64>,
    ) -> Option<Self> {
        let mut grid = Self::with_profile(tiles, rules, *profiles.first()?);
        let fits = blocked.len() == grid.blocked.len() && revisions.len() == grid.tile_revisions.len();
        if !fits || profiles.len() > 256 {
            return None;
        }
        grid.blocked = blocked;
        grid.grounds.clear();
        for &profile in profiles {
            grid.add_profile(profile);
        }
        grid.revision = revision;
        grid.tile_revisions = revisions;
        Some(grid)
    }

    /// Returns the width and height.
    pub fn size(&self) -> Size {
        self.tiles.size()
    }

    /// Returns the ground of every profile, in the order of the profiles' numbers.
    pub fn grounds(&self) -> &[Ground] {
        &self.grounds
    }

    /// Returns, per tile in row order, the grid's revision at the last change of legal moves or costs in the tile.
    pub fn tile_revisions(&self) -> &[u64] {
        &self.tile_revisions
    }

    /// Returns the movement rules.
    pub fn rules(&self) -> MoveRules {
        self.rules
    }

    /// Returns the terrain, without blocked cells.
    pub fn tiles(&self) -> &Tiles {
        &self.tiles
    }

    /// Returns the ground of the first profile.
    pub fn ground(&self) -> &Ground {
        &self.grounds[0]
    }

    /// Returns the ground of a profile, `None` if the grid has no such profile.
    pub fn ground_of(&self, profile: ProfileId) -> Option<&Ground> {
        self.grounds.get(profile.0 as usize)
    }

    /// Returns the cell at a position, `None` outside the map.
    pub fn cell(&self, pos: Pos) -> Option<Cell> {
        self.tiles.size().cell(pos)
    }

    /// Returns true if the cell was blocked by [`Grid::block`].
    pub fn is_blocked(&self, cell: Cell) -> bool {
        self.blocked[cell.index()]
    }

    /// Returns the revision: the number of edits that changed a cell for some profile.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Blocks cells, whatever their terrain. Returns how many were not blocked before.
    pub fn block(&mut self, area: impl Into<Area>) -> usize {
        self.edit(area.into(), |grid, cell| !std::mem::replace(&mut grid.blocked[cell.index()], true))
    }

    /// Undoes [`Grid::block`]. Returns how many cells were blocked. The terrain does not change: a wall stays a wall
    /// until [`Grid::set_terrain`] replaces it.
    pub fn unblock(&mut self, area: impl Into<Area>) -> usize {
        self.edit(area.into(), |grid, cell| std::mem::replace(&mut grid.blocked[cell.index()], false))
    }

    /// Sets the terrain of cells. Returns how many had a different terrain.
    pub fn set_terrain(&mut self, area: impl Into<Area>, terrain: Terrain) -> usize {
        self.edit(area.into(), |grid, cell| grid.tiles.replace(cell, terrain) != terrain)
    }

    /// Applies `change` to each cell of an area and updates the grounds around the changed cells. Returns how many
    /// cells changed.
    fn edit(&mut self, area: Area, mut change: impl FnMut(&mut Self, Cell) -> bool) -> usize {
        let size = self.tiles.size();
        let mut changed = 0;
        let mut bounds: Option<(Pos, Pos)> = None;
        for cell in area.cells(size) {
            if !change(self, cell) {
                continue;
            }
            changed += 1;
            let (terrain, blocked) = (self.tiles.terrain()[cell.index()], self.blocked[cell.index()]);
            let mut affects_moves = false;
            for ground in &mut self.grounds {
                affects_moves |= ground.set_cell(cell, ground.profile().halves(terrain), blocked);
            }
            if affects_moves {
                let pos = size.pos(cell);
                let (min, max) = bounds.unwrap_or((pos, pos));
                bounds = Some((
                    Pos::new(min.x.min(pos.x), min.y.min(pos.y)),
                    Pos::new(max.x.max(pos.x), max.y.max(pos.y)),
                ));
            }
        }
        if let Some((min, max)) = bounds {
            self.refresh_around(min, max);
        }
        changed
    }

    /// Returns a grid with the terrain of the seen cells. All other cells are free for every profile, at its lowest cost.
    /// The revisions are those of this grid.
    #[must_use]
    pub fn known(&self, seen: &BitGrid) -> Self {
        let mut known = self.clone();
        for cell in self.size().cells().filter(|&cell| !seen.get(self.size().pos(cell))) {
            known.tiles.replace(cell, Terrain::Ground);
            known.blocked[cell.index()] = false;
        }
        known.grounds = self.grounds.iter().map(|ground| ground.known(seen)).collect();
        known
    }

    /// Copies the cells between two corners of the map, both included, from a grid of the same size, rules and profiles.
    /// Returns true if a cell changed for some profile, which raises the revision as one edit does.
    pub fn observe(&mut self, truth: &Self, min: Pos, max: Pos) -> bool {
        let mut bounds: Option<(Pos, Pos)> = None;
        for (known, truth) in self.grounds.iter_mut().zip(&truth.grounds) {
            if let Some((low, high)) = known.copy_cells(truth, min, max) {
                let (min, max) = bounds.unwrap_or((low, high));
                bounds = Some((
                    Pos::new(min.x.min(low.x), min.y.min(low.y)),
                    Pos::new(max.x.max(high.x), max.y.max(high.y)),
                ));
            }
        }
        let Some((min, max)) = bounds else { return false };
        for cell in Area::rect(min, max).cells(self.size()) {
            self.tiles.replace(cell, truth.tiles.terrain()[cell.index()]);
            self.blocked[cell.index()] = truth.blocked[cell.index()];
        }
        self.refresh_around(min, max);
        true
    }

    /// Recomputes the legal moves of a rectangle and its border, and raises the revisions of their tiles.
    fn refresh_around(&mut self, min: Pos, max: Pos) {
        let size = self.tiles.size();
        let (min, max) = size.clipped(Pos::new(min.x - 1, min.y - 1), Pos::new(max.x + 1, max.y + 1));
        for ground in &mut self.grounds {
            ground.refresh_moves(min, max);
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

#[cfg(test)]
mod tests;
