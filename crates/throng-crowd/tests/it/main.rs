//! Integration tests of worlds, snapshots, recordings and the checker, in one binary to link once.

mod allocations;
mod altered_recordings;
mod copies;
mod fog;
mod gates;
mod goals;
mod illegal_moves;
mod orders;
mod plan_files;
mod recordings;
mod referee;
mod snapshots;
mod steps;
mod stress;
mod support;
mod world;
