//! The editable map: terrain, what lies over it (blocked cells, doors, cost overlays), and one [`Ground`] per agent profile.
//!
//! The map is divided into square tiles of [`TILE`](crate::TILE) cells per side. Each tile has a revision, so that a cache can tell
//! which of its entries an edit made stale.

mod edits;

use serde::{Deserialize, Serialize};

pub(crate) use self::edits::Changes;
use crate::ground::CellState;
use crate::{BitGrid, Cell, Classes, Ground, Layers, MoveRules, Pos, Profile, Size, Terrain, Tiles};

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
    /// Doors and cost overlays.
    layers: Layers,
    /// One per profile, in the order of the profiles' numbers.
    grounds: Vec<Ground>,
    /// Number of edits that changed a cell for some profile.
    revision: u64,
    /// Number of those edits that changed a door.
    door_revision: u64,
    /// Number of those edits that changed a cost overlay.
    overlay_revision: u64,
    /// Per tile, in row order: the grid's revision of its last change.
    tile_revisions: Vec<u64>,
}

/// What edits made of the terrain of a grid: see [`Grid::restore`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SavedEdits {
    /// Per cell, whether it is blocked.
    pub blocked: Vec<bool>,
    /// Doors and cost overlays.
    pub layers: Layers,
    /// [`Grid::revision`].
    pub revision: u64,
    /// [`Grid::door_revision`].
    pub door_revision: u64,
    /// [`Grid::overlay_revision`].
    pub overlay_revision: u64,
    /// [`Grid::tile_revisions`].
    pub tile_revisions: Vec<u64>,
}

impl Grid {
    /// Returns a grid for [`Profile::WALKER`].
    pub fn new(tiles: Tiles, rules: MoveRules) -> Self {
        Self::with_profile(tiles, rules, Profile::WALKER)
    }

    /// Returns a grid for one profile; [`Grid::add_profile`] adds others.
    pub fn with_profile(tiles: Tiles, rules: MoveRules, profile: Profile) -> Self {
        let mut grid = Self::without_profile(tiles, rules);
        grid.add_profile(profile);
        grid
    }

    fn without_profile(tiles: Tiles, rules: MoveRules) -> Self {
        let size = tiles.size();
        Self {
            rules,
            blocked: vec![false; size.area()],
            layers: Layers::default(),
            grounds: Vec::new(),
            revision: 0,
            door_revision: 0,
            overlay_revision: 0,
            tile_revisions: vec![0; size.tile_count()],
            tiles,
        }
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
        if self.layers.had_overlay {
            ground.expect_overlays();
        }
        ground.fill(size.cells().map(|cell| self.state(profile, cell)));
        self.grounds.push(ground);
        ProfileId(id)
    }

    /// Restores a saved grid: terrain, profiles, blocked cells, doors, overlays and revisions, so that caches saved with it
    /// stay valid.
    ///
    /// Returns `None` if there is no profile or more than 256, or the parts do not fit together.
    pub fn restore(tiles: Tiles, rules: MoveRules, profiles: &[Profile], over: SavedEdits) -> Option<Self> {
        let mut grid = Self::without_profile(tiles, rules);
        let SavedEdits { blocked, layers, revision, door_revision, overlay_revision, tile_revisions } = over;
        let cells = grid.size().area();
        let fits = blocked.len() == cells
            && tile_revisions.len() == grid.tile_revisions.len()
            && layers.fit(cells)
            && door_revision.checked_add(overlay_revision).is_some_and(|sum| sum <= revision);
        if !fits || profiles.is_empty() || profiles.len() > 256 {
            return None;
        }
        (grid.blocked, grid.layers) = (blocked, layers);
        for &profile in profiles {
            grid.add_profile(profile);
        }
        (grid.revision, grid.door_revision, grid.overlay_revision) =
            (revision, door_revision, overlay_revision);
        grid.tile_revisions = tile_revisions;
        Some(grid)
    }

    /// Returns the state of a cell for a profile.
    fn state(&self, profile: Profile, cell: Cell) -> CellState {
        let is_shut = !self.layers.door(cell).contains(profile.class());
        let terrain = profile.halves(self.tiles.terrain()[cell.index()]);
        let blocked = self.blocked[cell.index()] || is_shut;
        CellState::new(terrain, self.layers.extra(profile.class(), cell), blocked)
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

    /// Returns true if the cell at a position was blocked by [`Grid::block`]; false outside the map.
    pub fn is_blocked(&self, pos: Pos) -> bool {
        self.cell(pos).is_some_and(|cell| self.blocked[cell.index()])
    }

    /// Returns, per cell in row order, whether [`Grid::block`] blocked it.
    pub fn blocked(&self) -> &[bool] {
        &self.blocked
    }

    /// Returns the passage classes that may enter the cell at a position: all, unless [`Grid::set_door`] has set others. `None`
    /// outside the map.
    ///
    /// ```
    /// use throng_grid::{Area, Classes, Grid, MoveRules, Pos, Tiles};
    ///
    /// let mut grid = Grid::new(Tiles::picture("..."), MoveRules::default());
    /// grid.set_door(Area::Cell(Pos::new(1, 0)), Classes::only(1));
    /// assert_eq!(grid.door(Pos::new(1, 0)), Some(Classes::only(1)));
    /// assert_eq!(grid.door(Pos::new(2, 0)), Some(Classes::ALL));
    /// ```
    pub fn door(&self, pos: Pos) -> Option<Classes> {
        self.cell(pos).map(|cell| self.layers.door(cell))
    }

    /// Returns what the cell at a position costs for a profile, in halves of the cost of plain ground: its terrain and the cost
    /// overlays together, at most [`Profile::MAX_HALVES`]. `None` outside the map, where the profile may not be, and if there is
    /// no such profile.
    ///
    /// ```
    /// use throng_grid::{Area, Classes, Grid, MoveRules, Pos, ProfileId, Tiles};
    ///
    /// let mut grid = Grid::new(Tiles::picture("..#"), MoveRules::default());
    /// grid.set_cost(Area::Cell(Pos::new(1, 0)), Classes::ALL, 3)?;
    /// let cost = |x| grid.cost(ProfileId(0), Pos::new(x, 0));
    /// assert_eq!([cost(0), cost(1), cost(2)], [Some(2), Some(5), None]);
    /// # Ok::<(), throng_grid::OverlayError>(())
    /// ```
    pub fn cost(&self, profile: ProfileId, pos: Pos) -> Option<u8> {
        let (cell, ground) = (self.cell(pos)?, self.ground_of(profile)?);
        let plain = ground.profile().min_halves();
        ground.is_free(cell).then(|| ground.halves().get(cell.index()).copied().unwrap_or(plain))
    }

    /// Returns the revision: the number of edits that changed a cell for some profile.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the number of edits that changed a door for some profile. It is part of [`Grid::revision`].
    pub fn door_revision(&self) -> u64 {
        self.door_revision
    }

    /// Returns the number of edits that changed a cost overlay for some profile. It is part of [`Grid::revision`]: while the
    /// difference of the two stays the same, legal moves and terrain costs have stayed the same too.
    pub fn overlay_revision(&self) -> u64 {
        self.overlay_revision
    }

    /// Returns the doors and cost overlays.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Returns a grid with the terrain of the seen cells. All other cells are free for every profile, at its lowest cost.
    /// The revisions are those of this grid.
    #[must_use]
    pub fn known(&self, seen: &BitGrid) -> Self {
        let mut known = self.clone();
        for cell in self.size().cells().filter(|&cell| !seen.get(self.size().pos(cell))) {
            known.tiles.replace(cell, Terrain::Ground);
            known.blocked[cell.index()] = false;
            known.layers.clear_cell(cell);
        }
        known.layers.trim();
        known.grounds = self.grounds.iter().map(|ground| ground.known(seen)).collect();
        known
    }

    /// Copies the cells between two corners of the map, both included, from a grid of the same size, rules and profiles.
    /// Returns true if a cell changed for some profile, which raises the revision as one edit does.
    pub fn observe(&mut self, truth: &Self, min: Pos, max: Pos) -> bool {
        let mut changes = Changes::default();
        for (known, truth) in self.grounds.iter_mut().zip(&truth.grounds) {
            changes.join(known.copy_cells(truth, min, max));
        }
        self.layers.had_overlay |= truth.layers.had_overlay;
        let Some((min, max)) = changes.bounds else { return false };
        let cells = self.size().area();
        for cell in crate::Area::rect(min, max).cells(self.size()) {
            self.tiles.replace(cell, truth.tiles.terrain()[cell.index()]);
            self.blocked[cell.index()] = truth.blocked[cell.index()];
            self.layers.copy_cell(cells, &truth.layers, cell);
        }
        self.layers.trim();
        self.finish(changes);
        true
    }
}

#[cfg(test)]
mod layer_tests;
#[cfg(test)]
mod tests;
