//! The laboratory: problems to solve, runs of planners on them, and what is measured.

pub mod columns;
mod measures;
mod pool;
mod problem;
mod row;
mod run;
pub mod store;

pub use measures::{Measures, Percentiles};
pub use pool::Pool;
pub use problem::{Instance, ProblemError, ProblemType};
pub use row::{Row, Value};
pub use run::{
    Director, Limits, Outcome, RunError, RunResult, Setup, Stopped, TickBudget, TickSample, direct, run,
    shortest_mean,
};
pub use store::{Results, StoreError};
