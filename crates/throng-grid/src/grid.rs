//! The living map: terrain, what stands on it, and one [`Ground`] for each kind of character.

use serde::{Deserialize, Serialize};

use crate::{Cell, Ground, MoveRules, Pos, Profile, Size, Terrain, Tiles};

/// Side of the square tiles whose changes are counted separately.
pub const TILE: u32 = 32;

/// Number of a profile in its grid; 0 is the one the grid was made with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProfileId(pub u8);

/// A set of cells to edit. What lies outside the map is not edited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Area {
    /// One cell.
    Cell(Pos),
    /// All cells between two corners, both included.
    Rect {
        /// Upper left corner.
        min: Pos,
        /// Lower right corner.
        max: Pos,
    },
    /// All cells whose centres lie within a radius, in a straight line.
    Disc {
        /// The middle.
        center: Pos,
        /// The radius in cells.
        radius: i32,
    },
}

impl Area {
    /// The rectangle between two corners, in any order, both included.
    pub fn rect(a: Pos, b: Pos) -> Self {
        Self::Rect { min: Pos::new(a.x.min(b.x), a.y.min(b.y)), max: Pos::new(a.x.max(b.x), a.y.max(b.y)) }
    }

    /// The disc around a place.
    pub const fn disc(center: Pos, radius: i32) -> Self {
        Self::Disc { center, radius }
    }

    /// The corners of the area's part inside a map; `None` when there is none.
    fn bounds(self, size: Size) -> Option<(Pos, Pos)> {
        let (min, max) = match self {
            Self::Cell(pos) => (pos, pos),
            Self::Rect { min, max } => (min, max),
            Self::Disc { center: c, radius: r } => (
                Pos::new(c.x.saturating_sub(r), c.y.saturating_sub(r)),
                Pos::new(c.x.saturating_add(r), c.y.saturating_add(r)),
            ),
        };
        let min = Pos::new(min.x.max(0), min.y.max(0));
        let max = Pos::new(max.x.min(size.width() as i32 - 1), max.y.min(size.height() as i32 - 1));
        (min.x <= max.x && min.y <= max.y).then_some((min, max))
    }

    fn contains(self, pos: Pos) -> bool {
        match self {
            Self::Cell(_) | Self::Rect { .. } => true,
            Self::Disc { center, radius } => {
                let (dx, dy) = (i64::from(pos.x - center.x), i64::from(pos.y - center.y));
                dx * dx + dy * dy <= i64::from(radius) * i64::from(radius)
            }
        }
    }

    /// The area's cells inside a map, in row order.
    pub fn cells(self, size: Size) -> impl Iterator<Item = Cell> {
        let (min, max) = self.bounds(size).unwrap_or((Pos::new(0, 0), Pos::new(-1, -1)));
        (min.y..=max.y)
            .flat_map(move |y| (min.x..=max.x).map(move |x| Pos::new(x, y)))
            .filter(move |&pos| self.contains(pos))
            .filter_map(move |pos| size.cell(pos))
    }
}

impl From<Pos> for Area {
    fn from(pos: Pos) -> Self {
        Self::Cell(pos)
    }
}

/// A map in use: terrain, cells blocked on top of it, and the [`Ground`] of every profile, current after each
/// edit. Edits raise the revision of the grid and of each tile whose legal moves they may have changed.
#[derive(Clone, Debug)]
pub struct Grid {
    tiles: Tiles,
    rules: MoveRules,
    blocked: Vec<bool>,
    grounds: Vec<Ground>,
    revision: u64,
    tile_revisions: Vec<u64>,
}

impl Grid {
    /// A grid for [`Profile::WALKER`].
    pub fn new(tiles: Tiles, rules: MoveRules) -> Self {
        Self::with_profile(tiles, rules, Profile::WALKER)
    }

    /// A grid for one kind of character; [`Grid::add_profile`] adds others.
    pub fn with_profile(tiles: Tiles, rules: MoveRules, profile: Profile) -> Self {
        let size = tiles.size();
        let mut grid = Self {
            rules,
            blocked: vec![false; size.area()],
            grounds: Vec::new(),
            revision: 0,
            tile_revisions: vec![0; (size.width().div_ceil(TILE) * size.height().div_ceil(TILE)) as usize],
            tiles,
        };
        grid.add_profile(profile);
        grid
    }

    /// Adds a kind of character; one that is known already keeps its number.
    ///
    /// # Panics
    /// Beyond 256 profiles.
    pub fn add_profile(&mut self, profile: Profile) -> ProfileId {
        if let Some(known) = self.grounds.iter().position(|ground| ground.profile() == profile) {
            return ProfileId(known as u8);
        }
        let id = u8::try_from(self.grounds.len()).expect("at most 256 profiles a grid");
        let size = self.tiles.size();
        let mut ground = Ground::new(size, self.rules, profile);
        let halves = self.tiles.terrain().iter().map(|&terrain| profile.halves(terrain));
        ground.fill(halves.zip(self.blocked.iter().copied()));
        self.grounds.push(ground);
        ProfileId(id)
    }

    /// A grid as it was left: with what had been blocked, and with its revisions, so that whoever kept something
    /// computed from it still knows what is stale. `revisions` are those of the tiles, in row order.
    ///
    /// `None` when there is no profile or more than 256, or a length does not fit the size.
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

    /// Width and height.
    pub fn size(&self) -> Size {
        self.tiles.size()
    }

    /// The map as each profile sees it, in the order of the profiles' numbers.
    pub fn grounds(&self) -> &[Ground] {
        &self.grounds
    }

    /// The grid's revision when the legal moves in each tile last changed, in row order.
    pub fn tile_revisions(&self) -> &[u64] {
        &self.tile_revisions
    }

    /// How characters move here.
    pub fn rules(&self) -> MoveRules {
        self.rules
    }

    /// The terrain, without what has been blocked on it.
    pub fn tiles(&self) -> &Tiles {
        &self.tiles
    }

    /// The map as the first profile sees it.
    pub fn ground(&self) -> &Ground {
        &self.grounds[0]
    }

    /// The map as a profile sees it; `None` when the grid has no such profile.
    pub fn ground_of(&self, profile: ProfileId) -> Option<&Ground> {
        self.grounds.get(profile.0 as usize)
    }

    /// The cell at a place, `None` outside.
    pub fn cell(&self, pos: Pos) -> Option<Cell> {
        self.tiles.size().cell(pos)
    }

    /// Whether [`Grid::block`] holds the cell.
    pub fn is_blocked(&self, cell: Cell) -> bool {
        self.blocked[cell.index()]
    }

    /// Raised by every edit that changed something.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The grid's revision when the legal moves of some cell in this cell's tile last changed.
    pub fn tile_revision(&self, cell: Cell) -> u64 {
        let pos = self.tiles.size().pos(cell);
        self.tile_revisions[self.tile_number(pos.x as u32 / TILE, pos.y as u32 / TILE)]
    }

    fn tile_number(&self, column: u32, row: u32) -> usize {
        (row * self.tiles.size().width().div_ceil(TILE) + column) as usize
    }

    /// Blocks cells, whatever their terrain, and says how many were not blocked before.
    pub fn block(&mut self, area: impl Into<Area>) -> usize {
        self.edit(area.into(), |grid, cell| !std::mem::replace(&mut grid.blocked[cell.index()], true))
    }

    /// Takes back [`Grid::block`], and says how many cells were blocked. The terrain below is as it was: a wall
    /// of the map itself stays one until [`Grid::set_terrain`] changes it.
    pub fn unblock(&mut self, area: impl Into<Area>) -> usize {
        self.edit(area.into(), |grid, cell| std::mem::replace(&mut grid.blocked[cell.index()], false))
    }

    /// Changes the terrain of cells and says how many had another.
    pub fn set_terrain(&mut self, area: impl Into<Area>, terrain: Terrain) -> usize {
        self.edit(area.into(), |grid, cell| grid.tiles.replace(cell, terrain) != terrain)
    }

    /// Applies `change` to each cell of an area and brings the grounds up to date around those it changed.
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
            let mut seen = false;
            for ground in &mut self.grounds {
                seen |= ground.put(cell, ground.profile().halves(terrain), blocked);
            }
            if seen {
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

    fn refresh_around(&mut self, min: Pos, max: Pos) {
        let size = self.tiles.size();
        let min = Pos::new((min.x - 1).max(0), (min.y - 1).max(0));
        let max =
            Pos::new((max.x + 1).min(size.width() as i32 - 1), (max.y + 1).min(size.height() as i32 - 1));
        for ground in &mut self.grounds {
            ground.refresh(min, max);
        }
        self.revision += 1;
        for row in min.y as u32 / TILE..=max.y as u32 / TILE {
            for column in min.x as u32 / TILE..=max.x as u32 / TILE {
                let tile = self.tile_number(column, row);
                self.tile_revisions[tile] = self.revision;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_tiles;
    use crate::{Corners, Direction};

    /// A grid that was edited equals one made from the edited terrain.
    #[test]
    fn edits_leave_what_a_fresh_grid_would_have() {
        for seed in 0..60_u64 {
            let rules = [Corners::Forbid, Corners::Allow, Corners::Mixed][seed as usize % 3];
            let mut grid = Grid::new(random_tiles(70, 40, 30, seed), MoveRules::eight_way(rules));
            let wc3 = grid.add_profile(Profile::WC3);
            for edit in 0..20_i32 {
                let at = Pos::new((edit * 17 + seed as i32) % 70, (edit * 11) % 40);
                match edit % 4 {
                    0 => grid.block(Area::disc(at, 3)),
                    1 => grid.set_terrain(Area::rect(at, Pos::new(at.x + 4, at.y - 2)), Terrain::Water),
                    2 => grid.unblock(Area::rect(at, Pos::new(at.x - 6, at.y + 6))),
                    _ => grid.set_terrain(at, Terrain::Ground),
                };
            }
            let mut fresh = Grid::new(grid.tiles().clone(), grid.rules());
            fresh.add_profile(Profile::WC3);
            for cell in grid.size().cells().filter(|&cell| grid.is_blocked(cell)) {
                fresh.block(grid.size().pos(cell));
            }
            for id in [ProfileId(0), wc3] {
                let (ours, theirs) = (grid.ground_of(id).unwrap(), fresh.ground_of(id).unwrap());
                assert_eq!(ours.rows(), theirs.rows());
                assert_eq!(ours.columns(), theirs.columns());
                assert_eq!(ours.halves(), theirs.halves());
                assert_eq!(ours.fingerprint(), theirs.fingerprint());
                assert!(grid.size().cells().all(|cell| ours.moves(cell) == theirs.moves(cell)));
            }
        }
    }

    #[test]
    fn an_edit_counts_what_it_changed_and_raises_only_the_tiles_around_it() {
        let size = Size::new(100, 70).unwrap();
        let mut grid = Grid::new(Tiles::filled(size, Terrain::Ground), MoveRules::default());
        let cell = |x, y| size.cell(Pos::new(x, y)).unwrap();
        assert_eq!(grid.block(Area::rect(Pos::new(10, 10), Pos::new(31, 11))), 44);
        assert_eq!(grid.block(Area::rect(Pos::new(10, 10), Pos::new(31, 11))), 0);
        assert_eq!(grid.revision(), 1);
        assert_eq!(grid.tile_revision(cell(0, 0)), 1);
        assert_eq!(grid.tile_revision(cell(32, 0)), 1, "moves beside the edge changed too");
        assert_eq!(grid.tile_revision(cell(64, 0)), 0);
        assert_eq!(grid.tile_revision(cell(0, 32)), 0);
        assert_eq!(grid.unblock(Area::disc(Pos::new(-500, 3), 20)), 0);
        assert_eq!(grid.unblock(Area::disc(Pos::new(31, 11), 1)), 3);
        assert_eq!(grid.revision(), 2);
        assert_eq!(grid.set_terrain(Pos::new(99, 69), Terrain::Grass), 1);
        assert_eq!(grid.revision(), 2, "no profile tells grass from ground, so no move changed");
    }

    #[test]
    fn a_fingerprint_tells_states_apart_and_returns_with_them() {
        let mut grid = Grid::new(random_tiles(90, 40, 20, 4), MoveRules::default());
        let before = grid.ground().fingerprint();
        let tiles = |grid: &Grid| (0..6).map(|i| grid.ground().tile_fingerprint(i)).collect::<Vec<_>>();
        let tiles_before = tiles(&grid);
        let cell = grid.ground().free_cells().next().unwrap();
        grid.block(grid.size().pos(cell));
        assert_ne!(grid.ground().fingerprint(), before);
        assert_ne!(tiles(&grid)[0], tiles_before[0]);
        assert_eq!(tiles(&grid)[1..], tiles_before[1..]);
        grid.unblock(grid.size().pos(cell));
        assert_eq!(grid.ground().fingerprint(), before);
        let other_rules = Grid::new(grid.tiles().clone(), MoveRules::FOUR_WAY);
        assert_ne!(other_rules.ground().fingerprint(), before);
    }

    #[test]
    fn unblocking_leaves_the_maps_own_walls() {
        let mut grid = Grid::new(Tiles::picture("..\n.#"), MoveRules::default());
        grid.block(Area::rect(Pos::new(0, 0), Pos::new(1, 1)));
        assert_eq!(grid.ground().free_count(), 0);
        grid.unblock(Area::rect(Pos::new(0, 0), Pos::new(1, 1)));
        assert_eq!(grid.ground().free_count(), 3);
        grid.set_terrain(Pos::new(1, 1), Terrain::Ground);
        assert_eq!(grid.ground().free_count(), 4);
    }

    /// Mixed corners: a wall of the map forbids cutting, a cell blocked later does not.
    #[test]
    fn mixed_corners_tell_old_walls_from_new_ones() {
        let mut grid = Grid::new(Tiles::picture("..\n.."), MoveRules::eight_way(Corners::Mixed));
        let from = Cell(0);
        grid.block(Pos::new(1, 0));
        assert!(grid.ground().moves(from) & Direction::SouthEast.bit() != 0);
        grid.unblock(Pos::new(1, 0));
        grid.set_terrain(Pos::new(1, 0), Terrain::Wall);
        assert!(grid.ground().moves(from) & Direction::SouthEast.bit() == 0);
    }

    #[test]
    fn terrain_costs_are_averages_of_both_ends() {
        let grid = Grid::with_profile(Tiles::picture(".T\nSW"), MoveRules::default(), Profile::WC3);
        let ground = grid.ground();
        assert_eq!(ground.cost(Cell(0), Direction::East), 1632 * 5 / 4);
        assert_eq!(ground.cost(Cell(0), Direction::South), 1632 * 3 / 2);
        assert_eq!(ground.cost(Cell(0), Direction::SouthEast), 2308 * 7 / 4);
        assert_eq!(ground.path_cost(&[Cell(0), Cell(1), Cell(2)]), Some(1632 * 5 / 4 + 2308 * 7 / 4));
        assert_eq!(ground.path_cost(&[]), None);
    }

    #[test]
    fn the_nearest_reachable_cell_is_the_one_a_full_look_finds() {
        for seed in 0..40_u64 {
            let grid = Grid::new(random_tiles(37, 29, 35, seed), MoveRules::default());
            let ground = grid.ground();
            let Some(from) = ground.free_cells().nth(seed as usize) else { continue };
            for to in
                [(5, 5), (36, 28), (0, 14), (-3, 2), (40, 90), (18, -7), (i32::MIN, i32::MAX), (i32::MAX, 3)]
            {
                let to = Pos::new(to.0, to.1);
                let distance = |cell: Cell| {
                    let pos = ground.pos(cell);
                    let apart = |a: i32, b: i32| i128::from(a.abs_diff(b)).pow(2);
                    apart(pos.x, to.x) + apart(pos.y, to.y)
                };
                let expect = ground
                    .free_cells()
                    .filter(|&cell| ground.reachable(from, cell))
                    .min_by_key(|&cell| (distance(cell), cell));
                assert_eq!(ground.nearest_reachable(from, to), expect, "seed {seed}, to {to}");
            }
        }
    }
}
