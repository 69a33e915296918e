//! A whole run as bytes, to be continued later or elsewhere.
//!
//! A snapshot begins with eight bytes that say what it is and a version, holds the map, the settings, the columns, what
//! is still to be told and what the planner saved, and ends with a checksum. Numbers are written by [`crate::memory_bytes`].
//! Reading allocates in proportion to the bytes given, and refuses what no world could have written.

mod read;
mod write;

use throng_grid::{Cell, Corners, Grid, MoveRules, Profile, Size, Terrain, Tiles};

use crate::bytes::{Damaged, Reader, checksum};
use crate::planner::{NamedPlanner, Planner};
use crate::world::agents::Agents;
use crate::{
    AgentId, ForeignId, Limits, Occupancy, Occupant, Settings, SetupError, StateError, Totals, World,
};

const MAGIC: &[u8; 8] = b"throng-s";
const VERSION: u64 = 2;

/// Why a snapshot cannot be continued.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes are something else.
    #[error("this is not a snapshot of a world")]
    NotASnapshot,
    /// It was written by another version.
    #[error("the snapshot has version {0}, and this program reads version {VERSION}")]
    Version(u64),
    /// It was cut short or altered.
    #[error("the snapshot is cut short or altered: its checksum does not fit")]
    Checksum,
    /// The bytes are not what a world writes.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// The state of the planner is not what it saves, or does not fit the world.
    #[error(transparent)]
    State(#[from] StateError),
    /// The parts contradict each other.
    #[error("the snapshot contradicts itself: {0}")]
    Inconsistent(&'static str),
    /// Its planner is another one.
    #[error("the snapshot's planner is {saved:?}, and {given:?} was to continue it")]
    OtherPlanner {
        /// What the run was made with.
        saved: String,
        /// What was to continue it.
        given: String,
    },
    /// The planner cannot work under the snapshot's settings.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// The map in a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct MapParts {
    pub(crate) size: Size,
    pub(crate) rules: MoveRules,
    pub(crate) profiles: Vec<Profile>,
    pub(crate) terrain: Vec<Terrain>,
    pub(crate) blocked: Vec<bool>,
    pub(crate) revision: u64,
    pub(crate) tile_revisions: Vec<u64>,
}

impl MapParts {
    pub(crate) fn of(grid: &Grid) -> Self {
        Self {
            size: grid.size(),
            rules: grid.rules(),
            profiles: grid.grounds().iter().map(throng_grid::Ground::profile).collect(),
            terrain: grid.tiles().terrain().to_vec(),
            blocked: grid.size().cells().map(|cell| grid.is_blocked(cell)).collect(),
            revision: grid.revision(),
            tile_revisions: grid.tile_revisions().to_vec(),
        }
    }

    fn grid(self) -> Option<Grid> {
        let tiles = Tiles::from_terrain(self.size, self.terrain)?;
        let (blocked, revisions) = (self.blocked, self.tile_revisions);
        Grid::restore(tiles, self.rules, &self.profiles, blocked, self.revision, revisions)
    }
}

/// Everything in a snapshot, read and found consistent.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) planner_name: String,
    pub(crate) map: MapParts,
    pub(crate) settings: Settings,
    pub(crate) tick: u64,
    pub(crate) seen: u64,
    pub(crate) agents: Agents,
    pub(crate) stalled: Vec<u32>,
    pub(crate) foreign: Vec<Option<Cell>>,
    pub(crate) pending: Vec<AgentId>,
    pub(crate) totals: Totals,
    pub(crate) state_hash: u64,
    pub(crate) planner: Vec<u8>,
}

/// The [`Planner::name`] of a snapshot's planner: what to make before [`World::restore`].
///
/// # Errors
/// When the bytes are not a snapshot.
pub fn planner_name(snapshot: &[u8]) -> Result<String, RestoreError> {
    let mut reader = open(snapshot)?;
    Ok(read::text(&mut reader)?)
}

/// Checks the envelope and leaves a reader at the first part.
fn open(snapshot: &[u8]) -> Result<Reader<'_>, RestoreError> {
    if !snapshot.starts_with(MAGIC) {
        return Err(RestoreError::NotASnapshot);
    }
    let mut reader = Reader::new(snapshot);
    let _magic = reader.raw(MAGIC.len(), "the first bytes")?;
    let version = reader.number("the version")?;
    if version != VERSION {
        return Err(RestoreError::Version(version));
    }
    let (body, sum) = snapshot.split_at(snapshot.len() - 8);
    if Reader::new(sum).fixed("the checksum")? != checksum(0, body) {
        return Err(RestoreError::Checksum);
    }
    Ok(reader)
}

impl World {
    /// What the planner calls itself: [`Planner::name`].
    pub fn planner_name(&self) -> &str {
        &self.planner_name
    }

    /// The whole run, the planner's state included: [`World::restore`] continues it exactly.
    pub fn snapshot(&self) -> Vec<u8> {
        write::snapshot(self)
    }

    /// Continues a run from a snapshot. The planner is made as at the beginning, which [`planner_name`] tells, and gets
    /// back what it saved.
    ///
    /// The executor is not part of a run; set it anew if it was set.
    ///
    /// # Errors
    /// When the bytes are not a whole snapshot, or it was made with another planner or other parameters.
    pub fn restore(bytes: &[u8], planner: impl Into<NamedPlanner>) -> Result<Self, RestoreError> {
        let planner = planner.into();
        let parts = Parts::read(bytes)?;
        if parts.planner_name != planner.name {
            return Err(RestoreError::OtherPlanner { saved: parts.planner_name, given: planner.name });
        }
        let saved = parts.planner.clone();
        let mut world = Self::from_parts(parts, planner.planner)?;
        let limits = Limits::new(&world.grid, world.agents.at.len(), world.tick);
        world.planner.load(&saved, &limits)?;
        Ok(world)
    }

    /// The world of a snapshot with a planner that knows nothing of it.
    pub(crate) fn from_parts(parts: Parts, planner: Box<dyn Planner>) -> Result<Self, RestoreError> {
        let grid = parts.map.grid().ok_or(RestoreError::Inconsistent("the map's parts do not fit"))?;
        let mut world = Self::new(grid, planner, parts.settings)?;
        world.planner_name = parts.planner_name;
        world.tick = parts.tick;
        world.seen = parts.seen;
        world.agents = parts.agents;
        world.stalled = parts.stalled;
        world.foreign = parts.foreign;
        world.pending = parts.pending;
        world.referee.crossings = parts.totals.crossings;
        world.totals = parts.totals;
        world.hash = index(&world.agents, &world.foreign, &mut world.occupancy, &mut world.targets)?;
        for goal in world.agents.living.iter().filter_map(|agent| world.agents.goal[agent.index()]) {
            let cell = world.grid.cell(goal).ok_or(RestoreError::Inconsistent("a goal is off the map"))?;
            world.sent[cell.index()] += 1;
        }
        if world.state_hash() != parts.state_hash {
            return Err(RestoreError::Inconsistent("its state has another hash than it says"));
        }
        Ok(world)
    }
}

/// Fills in who holds and who claims which cell, and adds up the hashes.
fn index(
    agents: &Agents,
    foreign: &[Option<Cell>],
    occupancy: &mut Occupancy,
    targets: &mut Occupancy,
) -> Result<u64, RestoreError> {
    let mut hash = 0;
    let put = |places: &mut Occupancy, cell, who, trouble| {
        if !places.is_free(cell) {
            return Err(RestoreError::Inconsistent(trouble));
        }
        places.set(cell, who);
        Ok(())
    };
    for &agent in &agents.living {
        let (at, target) = (agents.at[agent.index()], agents.target[agent.index()]);
        put(occupancy, at, Occupant::Agent(agent), "two stand in one cell")?;
        if let Some(target) = target.filter(|_| agents.claimed[agent.index()]) {
            put(targets, target, Occupant::Agent(agent), "two claim one cell")?;
        }
        hash ^= crate::world::hash::agent(agent, at, target);
    }
    for (unit, at) in (0..).zip(foreign) {
        if let &Some(at) = at {
            put(occupancy, at, Occupant::Foreign, "two stand in one cell")?;
            hash ^= crate::world::hash::foreign(ForeignId(unit), at);
        }
    }
    Ok(hash)
}

const CORNERS: [Corners; 3] = [Corners::Forbid, Corners::Allow, Corners::Mixed];
