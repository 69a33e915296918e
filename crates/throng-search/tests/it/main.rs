//! Integration tests, one binary.

mod allocations;
mod oracle;
mod registry;
mod scenarios;
mod searches;
