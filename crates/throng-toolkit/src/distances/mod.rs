//! Distances to targets, shared by all agents with the same target: exact ones, bounds from landmarks, and estimates from an
//! abstraction.

mod abstraction;
mod database;
mod landmarks;
mod tables;

pub use abstraction::{AbstractDistance, Abstractions};
pub use database::{DatabaseDistances, SavedDatabaseDistances};
pub use landmarks::{LandmarkBounds, Landmarks};
pub use tables::{DistanceTables, SavedTables};
use throng_crowd::{AgentRow, View};
use throng_grid::Cell;

/// Ticks after which the distances to an unused target are dropped.
const UNUSED: u64 = 256;

/// The profile and the target of distances.
type Key = (u8, Cell);

fn key(view: &View<'_>, agent: AgentRow) -> Option<Key> {
    view.target(agent).map(|target| (view.profile(agent).0, target))
}
