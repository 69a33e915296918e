//! Integration tests, one binary.

mod abstraction;
mod allocations;
mod oracle;
mod registry;
mod scenarios;
mod searches;
