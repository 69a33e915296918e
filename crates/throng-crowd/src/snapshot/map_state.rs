//! The saved map: size, rules, profiles, the terrain and blocked flag of each cell, doors, cost overlays, and revisions.

use serde::{Deserialize, Serialize};
use throng_grid::{Grid, Layers, MoveRules, Profile, SavedEdits, Size, Terrain, Tiles};

use super::MAX_COUNT;
use super::layers_state::LayersState;
use crate::state::{Limits, StateError, Validate};

/// The map of a snapshot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MapState {
    pub(crate) size: Size,
    pub(crate) rules: MoveRules,
    pub(crate) profiles: Vec<ProfileState>,
    /// Per cell: the terrain in the lowest three bits, then one bit for a blocked cell.
    #[serde(with = "cell_runs")]
    cells: Vec<u8>,
    pub(crate) layers: LayersState,
    pub(crate) revision: u64,
    door_revision: u64,
    pub(crate) overlay_revision: u64,
    tile_revisions: Vec<u64>,
}

/// A profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ProfileState {
    /// The cost of each terrain in halves; 0 if the profile may not enter it.
    pub(crate) halves: [u8; Terrain::ALL.len()],
    pub(crate) class: u8,
}

impl ProfileState {
    fn of(profile: Profile) -> Self {
        Self { halves: Terrain::ALL.map(|terrain| profile.halves(terrain)), class: profile.class() }
    }
}

impl MapState {
    pub(crate) fn of(grid: &Grid) -> Self {
        let terrain = grid.tiles().terrain().iter().zip(grid.blocked());
        Self {
            size: grid.size(),
            rules: grid.rules(),
            profiles: grid.grounds().iter().map(|ground| ProfileState::of(ground.profile())).collect(),
            cells: terrain.map(|(&kind, &blocked)| kind as u8 | u8::from(blocked) << 3).collect(),
            layers: LayersState::of(grid.layers()),
            revision: grid.revision(),
            door_revision: grid.door_revision(),
            overlay_revision: grid.overlay_revision(),
            tile_revisions: grid.tile_revisions().to_vec(),
        }
    }

    /// Returns the terrain of each cell.
    pub(crate) fn terrain(&self) -> Vec<Terrain> {
        self.cells.iter().map(|cell| Terrain::ALL[usize::from(cell & 7)]).collect()
    }

    /// Returns whether each cell is blocked.
    pub(crate) fn blocked(&self) -> Vec<bool> {
        self.cells.iter().map(|cell| cell & 8 != 0).collect()
    }

    /// Returns the profiles; `None` if one of them cannot enter any terrain or has no class.
    pub(crate) fn profiles(&self) -> Option<Vec<Profile>> {
        let profile = |state: &ProfileState| Profile::from_halves(state.halves)?.with_class(state.class);
        self.profiles.iter().map(profile).collect()
    }

    /// Returns doors and cost overlays; `None` if they do not fit the map.
    pub(crate) fn layers(&self) -> Option<Layers> {
        self.layers.layers(self.size.area())
    }

    /// Returns true if this is the state of a grid.
    pub(crate) fn is_of(&self, grid: &Grid) -> bool {
        let Self { size, rules, profiles, cells, layers, .. } = self;
        let Self { revision, door_revision, overlay_revision, tile_revisions, .. } = self;
        let terrain = grid.tiles().terrain().iter().zip(grid.blocked());
        let states = terrain.map(|(&kind, &blocked)| kind as u8 | u8::from(blocked) << 3);
        (*size, *rules) == (grid.size(), grid.rules())
            && (*revision, *door_revision) == (grid.revision(), grid.door_revision())
            && *overlay_revision == grid.overlay_revision()
            && tile_revisions == grid.tile_revisions()
            && profiles
                .iter()
                .copied()
                .eq(grid.grounds().iter().map(|ground| ProfileState::of(ground.profile())))
            && *layers == LayersState::of(grid.layers())
            && cells.iter().copied().eq(states)
    }

    /// Builds the grid; `None` if the parts do not fit together.
    pub(crate) fn grid(&self) -> Option<Grid> {
        let tiles = Tiles::from_terrain(self.size, self.terrain())?;
        let edits = SavedEdits {
            blocked: self.blocked(),
            layers: self.layers()?,
            revision: self.revision,
            door_revision: self.door_revision,
            overlay_revision: self.overlay_revision,
            tile_revisions: self.tile_revisions.clone(),
        };
        Grid::restore(tiles, self.rules, &self.profiles()?, edits)
    }
}

impl Validate for MapState {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { size, rules: _, profiles, cells, layers, .. } = self;
        let Self { revision, door_revision, overlay_revision, tile_revisions, .. } = self;
        let distinct = (1..profiles.len()).all(|i| !profiles[..i].contains(&profiles[i]));
        limits.require(distinct && (1..=256).contains(&profiles.len()), "the profiles are not distinct")?;
        let known = cells.iter().all(|cell| cell >> 4 == 0 && usize::from(cell & 7) < Terrain::ALL.len());
        limits.require(known && cells.len() == size.area(), "the cells do not fit the size of the map")?;
        limits.require(layers.fit(size.area()), "the doors or overlays do not fit the map")?;
        limits.at_most(*revision, MAX_COUNT, "the revision of the map")?;
        limits.at_most(*door_revision, *revision, "the revision of doors")?;
        limits.at_most(*overlay_revision, *revision - *door_revision, "the revision of overlays")?;
        let past = tile_revisions.iter().all(|tile| tile <= revision);
        limits.require(past, "a tile is newer than the map")
    }
}

/// Run-length encoding of cells: one byte per run of at most 16 equal cells, the cell in the lower half, the length
/// minus one in the upper half. So the memory that reading takes is proportional to the bytes.
pub(crate) mod cell_runs {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(cells: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        let mut runs: Vec<u8> = Vec::with_capacity(cells.len() / 2);
        let mut rest = cells;
        while let Some(&cell) = rest.first() {
            // Most runs are long: sixteen cells are compared at once.
            let is_full = rest.first_chunk() == Some(&[cell; 16]);
            let others = if is_full {
                15
            } else {
                rest[1..].iter().take(15).take_while(|&&other| other == cell).count()
            };
            runs.push(cell | (others as u8) << 4);
            rest = &rest[others + 1..];
        }
        serializer.serialize_bytes(&runs)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let runs = <&[u8]>::deserialize(deserializer)?;
        let mut cells = Vec::with_capacity(4 * runs.len());
        for run in runs {
            cells.resize(cells.len() + usize::from(run >> 4) + 1, run & 15);
        }
        Ok(cells)
    }
}
