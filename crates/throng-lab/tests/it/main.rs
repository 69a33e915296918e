//! Tests of the laboratory's public interface.

mod databases;
mod findings;
mod path_queries;
mod report;
mod select;
mod sequences;
mod support;
