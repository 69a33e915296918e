//! Tests of the crate's face.

mod allocations;
mod bounds;
mod database;
#[path = "../../../throng-search/tests/it/oracle.rs"]
mod oracle;
mod shadow;
