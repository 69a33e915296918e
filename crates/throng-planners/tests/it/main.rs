//! What planners promise, and what the papers' pictures show.

mod bmaa;
mod budgets;
mod conformance;
mod decisions;
mod dm;
mod edits;
mod far;
mod golden;
mod groups;
mod lra;
mod pictures;
mod stress;
mod support;
mod surge;
mod surge_limits;
mod whca;
