//! The laboratory: problems to solve, runs of planners on them, and what is measured.

pub mod columns;
mod measures;
pub mod paper;
mod pool;
mod problem;
pub mod report;
mod row;
mod run;
pub mod stats;
pub mod store;
mod strict;

pub use measures::{Measures, Percentiles};
pub use pool::Pool;
pub use problem::{Instance, ProblemError, ProblemType};
pub use row::{Row, Value};
pub use run::{
    Director, Limits, Outcome, RunError, RunResult, Setup, Stopped, TickBudget, TickSample, direct, run,
    shortest_mean,
};
pub use store::{Results, StoreError};
pub use strict::FileError;
