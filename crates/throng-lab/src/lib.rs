//! The laboratory: problems to solve, runs of planners on them, and what is measured.

mod measures;
mod pool;
mod problem;
mod run;
pub mod stats;

pub use measures::{Measures, Percentiles};
pub use pool::Pool;
pub use problem::{Instance, ProblemError, ProblemType};
pub use run::{Limits, Outcome, RunError, RunResult, Setup, TickBudget, run};
