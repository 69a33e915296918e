//! Known maps in a snapshot.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_grid::{
    BitGrid, Cell, CellState, Classes, CostOverlay, Grid, Ground, Layers, Profile, SavedEdits, Size, Terrain,
    Tiles,
};

use super::{Fog, Knowledge, Memory, OwnMap};
use crate::AgentRow;
use crate::snapshot::MAX_COUNT;
use crate::snapshot::layers_state::LayersState;
use crate::snapshot::map_state::{MapState, cell_runs};
use crate::state::{Limits, StateError, Validate};

/// The code of a cell that has not been seen.
pub(crate) const UNSEEN: u8 = 7;

/// What the agents of a world know of its map.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KnowledgeState {
    /// The map that all agents share. With maps of their own, the map of an agent that has seen nothing.
    pub(crate) shared: KnownCells,
    revision: u64,
    tile_revisions: Vec<u64>,
    /// The maps of the agents, by number, `None` for an agent that was removed; empty if they share one.
    pub(crate) own: Vec<Option<KnownCells>>,
    /// In ascending order.
    due: Vec<AgentRow>,
    all_due: bool,
}

/// A known map.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KnownCells {
    /// Per cell [`UNSEEN`], or the terrain in the lowest three bits, then one bit for a blocked cell. In the map of one
    /// agent, terrain that costs it the same is not told apart.
    #[serde(with = "cell_runs")]
    pub(crate) cells: Vec<u8>,
    /// What is known of doors and overlays. In the map of one agent a door that it may not pass counts as a blocked cell,
    /// and all overlays that count for it are one.
    pub(crate) layers: LayersState,
    changed_at: u64,
}

impl KnowledgeState {
    pub(crate) fn of(knowledge: &Knowledge) -> Self {
        let Knowledge { fog: _, grid, shared, own, changes: _, due, all_due } = knowledge;
        let mut due = due.clone();
        due.sort_unstable();
        due.dedup();
        let state = |cell: Cell| (grid.tiles().terrain()[cell.index()], grid.blocked()[cell.index()]);
        let own_state = |own: &OwnMap| {
            let layers = own_layers(&own.ground);
            KnownCells::of(grid.size(), &own.memory, &layers, |cell| {
                let state = own.ground.cell_state(cell);
                (terrain_of(own.ground.profile(), state.terrain), state.blocked)
            })
        };
        Self {
            shared: KnownCells::of(grid.size(), shared, grid.layers(), state),
            revision: grid.revision(),
            tile_revisions: grid.tile_revisions().to_vec(),
            own: own.iter().map(|own| own.as_deref().map(own_state)).collect(),
            due,
            all_due: *all_due,
        }
    }

    /// Builds the known maps; `None` if they do not fit the map. `ground_of` returns the true map of an agent.
    pub(crate) fn knowledge<'a>(
        &self,
        fog: Fog,
        truth: &MapState,
        ground_of: impl Fn(AgentRow) -> &'a Ground,
    ) -> Option<Knowledge> {
        let own = |(cells, number): (&Option<KnownCells>, u32)| {
            let cells = cells.as_ref()?;
            let ground = ground_of(AgentRow(number));
            let (profile, unseen) = (ground.profile(), ground.unseen());
            let layers = cells.layers.layers(cells.cells.len())?;
            let extra = |cell: usize| layers.overlays.first().map_or(0, |overlay| overlay.extra[cell]);
            let state = |(cell, &code): (usize, &u8)| match code {
                UNSEEN => unseen,
                code => CellState::new(profile.halves(terrain(code)), extra(cell), is_blocked(code)),
            };
            let ground = ground.with_cells(cells.cells.iter().enumerate().map(state));
            Some(Arc::new(OwnMap { ground, memory: cells.memory(truth.size) }))
        };
        let shared = self.shared.memory(truth.size);
        Some(Knowledge {
            fog,
            grid: Arc::new(self.grid(truth)?.known(&shared.seen)),
            shared,
            own: self.own.iter().zip(0..).map(own).collect(),
            changes: 0,
            due: self.due.clone(),
            all_due: self.all_due,
        })
    }

    /// Returns a grid with the cells that were seen.
    fn grid(&self, truth: &MapState) -> Option<Grid> {
        let cells = &self.shared.cells;
        let seen_terrain = |&code: &u8| if code == UNSEEN { Terrain::Ground } else { terrain(code) };
        let tiles = Tiles::from_terrain(truth.size, cells.iter().map(seen_terrain).collect())?;
        let blocked = cells.iter().map(|&code| code != UNSEEN && is_blocked(code)).collect();
        let edits = SavedEdits {
            blocked,
            layers: self.shared.layers.layers(cells.len())?,
            revision: self.revision,
            tile_revisions: self.tile_revisions.clone(),
            ..SavedEdits::default()
        };
        Grid::restore(tiles, truth.rules, &truth.profiles()?, edits)
    }
}

impl KnownCells {
    fn of(size: Size, memory: &Memory, layers: &Layers, state: impl Fn(Cell) -> (Terrain, bool)) -> Self {
        let code = |cell| {
            if !memory.seen.get(size.pos(cell)) {
                return UNSEEN;
            }
            let (terrain, blocked) = state(cell);
            terrain as u8 | u8::from(blocked) << 3
        };
        let (cells, layers) = (size.cells().map(code).collect(), LayersState::of(layers));
        Self { cells, layers, changed_at: memory.changed_at }
    }

    fn memory(&self, size: Size) -> Memory {
        let mut seen = BitGrid::new(size.width(), size.height());
        for (cell, _) in size.cells().zip(&self.cells).filter(|&(_, &code)| code != UNSEEN) {
            seen.set(size.pos(cell), true);
        }
        Memory { seen, changed_at: self.changed_at }
    }
}

fn terrain(code: u8) -> Terrain {
    Terrain::ALL[usize::from(code & 7)]
}

fn is_blocked(code: u8) -> bool {
    code & 8 != 0
}

/// Returns the overlays of the map of one agent, as one.
fn own_layers(ground: &Ground) -> Layers {
    let mut layers = Layers::default();
    let extra: Vec<u8> = ground.size().cells().map(|cell| ground.cell_state(cell).extra).collect();
    if extra.iter().any(|&extra| extra > 0) {
        layers.had_overlay = true;
        layers.overlays.push(CostOverlay { classes: Classes::ALL, extra });
    }
    layers
}

/// Returns the first terrain that has this cost in halves for a profile.
fn terrain_of(profile: Profile, halves: u8) -> Terrain {
    let has_cost = |&terrain: &Terrain| profile.halves(terrain) == halves;
    Terrain::ALL.into_iter().find(has_cost).unwrap_or(Terrain::Wall)
}

impl Validate for KnowledgeState {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { shared, revision, tile_revisions, own, due, all_due: _ } = self;
        shared.validate(limits)?;
        limits.at_most(*revision, MAX_COUNT, "the revision of the known map")?;
        let past = tile_revisions.iter().all(|tile| tile <= revision);
        limits.require(past, "a known tile is newer than the known map")?;
        limits.per_agent(own)?;
        limits.require(due.is_sorted(), "the agents to be reviewed are not in order")?;
        due.validate(limits)
    }
}

impl Validate for KnownCells {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { cells, layers, changed_at } = self;
        limits.require(layers.fit(limits.size.area()), "the known doors or overlays do not fit the map")?;
        let known = |code: &u8| *code == UNSEEN || (code >> 4 == 0 && code & 7 != UNSEEN);
        let fits = cells.len() == limits.size.area() && cells.iter().all(known);
        limits.require(fits, "the known cells do not fit the size of the map")?;
        limits.past_tick(*changed_at)
    }
}
