//! What planners promise, and what the papers' pictures show.

mod bmaa;
mod common;
mod far;
mod stage;
