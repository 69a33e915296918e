//! The crowd crate from outside: worlds, snapshots, recordings, the checker.

mod allocations;
mod doctored;
mod goals;
mod plan_files;
mod recordings;
mod referee;
mod saboteur;
mod snapshots;
mod stress;
mod support;
mod world;
