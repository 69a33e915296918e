//! What planners promise, and what the papers' pictures show.

mod common;
mod far;
