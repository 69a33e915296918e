//! The laboratory as its users see it.

mod report;
