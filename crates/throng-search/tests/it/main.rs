//! Integration tests, one binary.

mod abstraction;
mod allocations;
mod oracle;
mod registry;
mod rra;
mod scenarios;
mod searches;
mod trace;
