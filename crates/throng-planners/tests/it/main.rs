//! What planners promise, and what the papers' pictures show.

mod bmaa;
mod conformance;
mod far;
mod groups;
mod lra;
mod pictures;
mod support;
mod whca;
