//! The laboratory: problems to solve, runs of planners on them, and what is measured.

mod measures;
mod problem;
mod run;

pub use measures::{Measures, Percentiles};
pub use problem::{Instance, ProblemError, ProblemType};
pub use run::{Limits, Outcome, RunError, RunResult, Setup, TickBudget, run};
