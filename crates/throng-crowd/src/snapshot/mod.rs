//! Snapshots: a whole run as bytes, to be continued later or elsewhere.
//!
//! A snapshot consists of eight bytes that identify it, a version, the world in the encoding of [`crate::state`], the
//! bytes that the planner saved, and an XXH3 checksum of everything before. The checksum detects accidents; loading
//! checks every value, so that altered bytes are refused or give a world that works. Reading takes memory proportional
//! to the bytes given.

pub(crate) mod layers_state;
pub(crate) mod map_state;
pub(crate) mod world_state;

use std::fmt::Display;
use std::sync::Arc;

use throng_grid::Grid;
use twox_hash::XxHash3_64;

use crate::planner::NamedPlanner;
use crate::state::{Limits, StateError, decode_prefix, encode};
use crate::{SetupError, World};
use world_state::WorldState;

const MAGIC: &[u8; 8] = b"throng-s";
const VERSION: u64 = 8;
/// No count of a world grows beyond this, so that sums with it cannot overflow.
pub(crate) const MAX_COUNT: u64 = 1 << 60;

/// Why a snapshot cannot be continued.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes do not begin like a snapshot.
    #[error("this is not a snapshot of a world")]
    NotASnapshot,
    /// Another version of the program wrote it.
    #[error(
        "the snapshot has format version {0}, this program reads version {VERSION}: continue it with the program that \
         wrote it"
    )]
    Version(u64),
    /// It is cut short or altered.
    #[error("the snapshot is cut short or altered: its checksum does not match")]
    Checksum,
    /// The state of the world or of the planner cannot be read, or contradicts itself.
    #[error(transparent)]
    State(#[from] StateError),
    /// Another planner made it.
    #[error("the snapshot was made by planner {saved:?} and cannot be continued by {given:?}")]
    OtherPlanner {
        /// The planner that made the snapshot.
        saved: String,
        /// The planner that was to continue it.
        given: String,
    },
    /// The planner cannot be made.
    #[error("the planner {planner:?} of the snapshot cannot be made: {reason}")]
    NoPlanner {
        /// The planner that made the snapshot.
        planner: String,
        /// Why it cannot be made.
        reason: String,
    },
    /// The planner cannot work under the settings of the snapshot.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Returns the specification of the planner that made a snapshot.
///
/// # Errors
/// If the bytes are not a snapshot.
pub fn planner_name(snapshot: &[u8]) -> Result<String, RestoreError> {
    Ok(decode_prefix::<String>(open(snapshot)?)?.0)
}

/// Returns a snapshot with a new checksum, and with the right state hash if the world can be read, for tests that alter
/// one.
///
/// # Errors
/// If the bytes are too short.
pub fn reseal(snapshot: &[u8]) -> Result<Vec<u8>, RestoreError> {
    let (body, _) = snapshot.split_last_chunk::<8>().ok_or(RestoreError::NotASnapshot)?;
    let mut body = with_true_hash(body).unwrap_or_else(|_| body.to_vec());
    let sum = checksum(0, &body);
    body.extend_from_slice(&sum.to_le_bytes());
    Ok(body)
}

/// Returns a snapshot without its checksum, with the state hash of its world.
fn with_true_hash(body: &[u8]) -> Result<Vec<u8>, RestoreError> {
    let content = body.strip_prefix(MAGIC).ok_or(RestoreError::NotASnapshot)?;
    let (version, state) = decode_prefix::<u64>(content)?;
    let (state, saved) = WorldState::read(state)?;
    let mut bytes = MAGIC.to_vec();
    encode(&version, &mut bytes);
    encode(&state.with_true_hash()?, &mut bytes);
    bytes.extend_from_slice(saved);
    Ok(bytes)
}

/// Returns the checksum of bytes that follow others with the checksum `previous`, or of the first bytes if that is 0.
pub(crate) fn checksum(previous: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(previous, bytes)
}

/// Checks magic, version and checksum and returns the bytes between them.
fn open(snapshot: &[u8]) -> Result<&[u8], RestoreError> {
    let rest = snapshot.strip_prefix(MAGIC).ok_or(RestoreError::NotASnapshot)?;
    let (version, _) = decode_prefix::<u64>(rest)?;
    if version != VERSION {
        return Err(RestoreError::Version(version));
    }
    let (body, sum) = snapshot.split_last_chunk::<8>().ok_or(RestoreError::Checksum)?;
    if u64::from_le_bytes(*sum) != checksum(0, body) {
        return Err(RestoreError::Checksum);
    }
    Ok(decode_prefix::<u64>(&body[MAGIC.len()..])?.1)
}

/// Reads the world of a snapshot, and the bytes that the planner saved.
pub(crate) fn read(snapshot: &[u8]) -> Result<(WorldState, &[u8]), RestoreError> {
    Ok(WorldState::read(open(snapshot)?)?)
}

impl World {
    /// Returns the whole run, including the planner's state, as bytes. [`World::restore`] continues it exactly.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(4, 0))?;
    /// let saved = world.snapshot(); // write it to a file
    /// let loaded = throng::restore(&saved)?;
    /// assert_eq!(loaded.state_hash(), world.state_hash());
    /// assert_eq!(loaded.goal(agent)?, Some(Pos::new(4, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If an earlier tick panicked, see [`World::is_poisoned`].
    pub fn snapshot(&self) -> Vec<u8> {
        self.assert_not_poisoned();
        let mut bytes = MAGIC.to_vec();
        encode(&VERSION, &mut bytes);
        encode(&WorldState::of(self), &mut bytes);
        self.planner.save(&mut bytes);
        let sum = checksum(0, &bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Continues a run from a snapshot. `planner` makes the planner as at the start of the run, from its specification and
    /// the map of the snapshot; then the planner loads its saved state. `throng::restore` does it for the planners of the
    /// registry; call this one for a planner of your own, or one that needs resources.
    ///
    /// The executor is not part of a run; set it again if it was set.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let saved = world.snapshot();
    /// let loaded = World::restore(&saved, |name, grid| throng::planner(name, grid))?;
    /// assert_eq!(loaded.planner_name(), "surge");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are not a valid snapshot, the planner cannot be made, or it is another one or has other parameters.
    pub fn restore<P: Into<NamedPlanner>, E: Display>(
        bytes: &[u8],
        planner: impl FnOnce(&str, &Grid) -> Result<P, E>,
    ) -> Result<Self, RestoreError> {
        let (state, saved) = read(bytes)?;
        let grid = Arc::new(state.grid()?);
        let planner = make_planner(&state, &grid, planner)?;
        continued(&state, saved, grid, planner)
    }

    /// Continues a run from a snapshot as [`World::restore`] does, with the same result, and takes from this world what follows
    /// from the map alone, so that it is not computed again: for a world that goes back to a snapshot of itself or of another
    /// peer. The map may have been edited between; then the difference is computed.
    ///
    /// `planner` is called if this world has another planner or one that cannot be taken over. The executor is that of
    /// this world.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let saved = world.snapshot();
    /// world.tick(Budget::units(20_000), &mut Vec::new());
    /// world = world.restore_like(&saved, |name, grid| throng::planner(name, grid))?;
    /// assert_eq!(world.ticks(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`World::restore`].
    ///
    /// # Panics
    /// If an earlier tick panicked, see [`World::is_poisoned`].
    pub fn restore_like<P: Into<NamedPlanner>, E: Display>(
        &self,
        bytes: &[u8],
        planner: impl FnOnce(&str, &Grid) -> Result<P, E>,
    ) -> Result<Self, RestoreError> {
        self.assert_not_poisoned();
        let (state, saved) = read(bytes)?;
        let is_same = state.map.is_of(&self.grid);
        let grid = if is_same { Arc::clone(&self.grid) } else { Arc::new(state.grid()?) };
        let is_same_planner = self.planner_name == state.planner_name;
        let renewed = is_same_planner.then(|| self.planner.renewed(&grid)).flatten();
        let planner = match renewed {
            Some(planner) => NamedPlanner { name: state.planner_name.clone(), planner, map: None },
            None => make_planner(&state, &grid, planner)?,
        };
        let mut world = continued(&state, saved, grid, planner)?;
        world.executor = Arc::clone(&self.executor);
        Ok(world)
    }
}

/// Makes the planner of a snapshot.
fn make_planner<P: Into<NamedPlanner>, E: Display>(
    state: &WorldState,
    grid: &Grid,
    planner: impl FnOnce(&str, &Grid) -> Result<P, E>,
) -> Result<NamedPlanner, RestoreError> {
    let name = &state.planner_name;
    let planner = planner(name, grid)
        .map_err(|error| RestoreError::NoPlanner { planner: name.clone(), reason: error.to_string() })?;
    let planner = planner.into();
    if *name != planner.name {
        return Err(RestoreError::OtherPlanner { saved: name.clone(), given: planner.name });
    }
    Ok(planner)
}

/// Builds the world of a snapshot and lets its planner load what it saved.
fn continued(
    state: &WorldState,
    saved: &[u8],
    grid: Arc<Grid>,
    planner: NamedPlanner,
) -> Result<World, RestoreError> {
    let mut world = state.world(grid, planner)?;
    let limits = Limits::new(&world.grid, world.agents.at.len(), world.tick);
    world.planner.load(saved, &limits)?;
    Ok(world)
}
