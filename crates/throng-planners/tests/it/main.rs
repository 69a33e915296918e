//! What planners promise, and what the papers' pictures show.

mod bmaa;
mod common;
mod far;
mod lra;
mod stage;
mod support;
mod whca;
