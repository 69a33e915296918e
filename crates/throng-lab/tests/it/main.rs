//! Tests of the laboratory's public interface.

mod databases;
mod findings;
mod path_queries;
mod report;
mod sequences;
mod support;
