//! Known maps in a snapshot.

use serde::{Deserialize, Serialize};
use throng_grid::{BitGrid, Cell, Grid, Ground, Profile, Size, Terrain, Tiles};

use super::{Fog, Knowledge, Memory, OwnMap};
use crate::AgentRow;
use crate::snapshot::map_state::cell_runs;
use crate::snapshot::{MAX_COUNT, map_state::MapState};
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
    changed_at: u64,
}

impl KnowledgeState {
    pub(crate) fn of(knowledge: &Knowledge) -> Self {
        let Knowledge { fog: _, grid, shared, own, changes: _, due, all_due } = knowledge;
        let mut due = due.clone();
        due.sort_unstable();
        due.dedup();
        let state = |cell: Cell| (grid.tiles().terrain()[cell.index()], grid.is_blocked(cell));
        let own_state = |own: &OwnMap| {
            KnownCells::of(grid.size(), &own.memory, |cell| {
                let (halves, blocked) = own.ground.cell_state(cell);
                (terrain_of(own.ground.profile(), halves), blocked)
            })
        };
        Self {
            shared: KnownCells::of(grid.size(), shared, state),
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
            let (profile, unseen) = (ground.profile(), (ground.profile().min_halves(), false));
            let ground = ground.with_cells(cells.cells.iter().map(|&code| match code {
                UNSEEN => unseen,
                code => (profile.halves(terrain(code)), is_blocked(code)),
            }));
            Some(Box::new(OwnMap { ground, memory: cells.memory(truth.size) }))
        };
        let shared = self.shared.memory(truth.size);
        Some(Knowledge {
            fog,
            grid: self.grid(truth)?.known(&shared.seen),
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
        let revisions = self.tile_revisions.clone();
        Grid::restore(tiles, truth.rules, &truth.profiles()?, blocked, self.revision, revisions)
    }
}

impl KnownCells {
    fn of(size: Size, memory: &Memory, state: impl Fn(Cell) -> (Terrain, bool)) -> Self {
        let code = |cell| {
            if !memory.seen.get(size.pos(cell)) {
                return UNSEEN;
            }
            let (terrain, blocked) = state(cell);
            terrain as u8 | u8::from(blocked) << 3
        };
        Self { cells: size.cells().map(code).collect(), changed_at: memory.changed_at }
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
        let Self { cells, changed_at } = self;
        let known = |code: &u8| *code == UNSEEN || (code >> 4 == 0 && code & 7 != UNSEEN);
        let fits = cells.len() == limits.size.area() && cells.iter().all(known);
        limits.require(fits, "the known cells do not fit the size of the map")?;
        limits.past_tick(*changed_at)
    }
}
