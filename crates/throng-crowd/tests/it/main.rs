//! The crowd crate from outside: worlds, snapshots, recordings, the checker, and what planners share.

mod allocations;
mod doctored;
mod flow;
mod goals;
mod inheritance;
mod plan_files;
mod recordings;
mod referee;
mod saboteur;
mod snapshots;
mod stress;
mod support;
mod world;
