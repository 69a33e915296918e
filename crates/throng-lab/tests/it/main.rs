//! The laboratory as its users see it.

mod along;
mod databases;
mod pooled;
mod report;
