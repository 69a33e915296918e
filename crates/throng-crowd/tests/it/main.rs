//! The crowd crate from outside: worlds, snapshots, recordings, and the checker.

mod allocations;
mod doctored;
mod plan_files;
mod recordings;
mod referee;
mod saboteur;
mod snapshots;
mod stress;
mod support;
mod world;
