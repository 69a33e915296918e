//! What the shared machinery promises, on whole maps.

mod flow;
