//! Integration tests of the planners, in one binary to link once.

mod auto;
mod bmaa;
mod budgets;
mod conformance;
mod crossings;
mod decisions;
mod dm;
mod edits;
mod far;
mod fog;
mod golden;
mod groups;
mod growth;
mod inspect;
mod layers;
mod lra;
mod pictures;
mod refinement;
mod rollback;
mod stress;
mod support;
mod surge;
mod surge_complete;
mod surge_limits;
mod terrain;
mod whca;
