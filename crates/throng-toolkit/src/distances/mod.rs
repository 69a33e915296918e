//! Exact distances to targets, shared by all agents with the same target.

mod database;
mod tables;

pub use database::{DatabaseDistances, SavedDatabaseDistances};
pub use tables::{DistanceTables, SavedTables};
