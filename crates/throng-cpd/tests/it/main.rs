//! Integration tests, one binary.

mod allocations;
mod bounds;
mod database;
mod expansions;
#[path = "../../../throng-planners/tests/it/golden.rs"]
mod golden;
#[path = "../../../throng-search/tests/it/oracle.rs"]
mod oracle;
mod target_repair;
