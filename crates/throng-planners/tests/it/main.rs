//! Tests of the planners.

mod lra;
mod support;
mod whca;
