//! Integration tests, one binary.

mod bmaa;
mod stage;
