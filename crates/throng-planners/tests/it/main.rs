//! What planners promise, and what the papers' pictures show.

mod bmaa;
mod conformance;
mod edits;
mod far;
mod lra;
mod pictures;
mod support;
mod whca;
