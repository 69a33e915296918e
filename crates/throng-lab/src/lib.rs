//! The laboratory: problems to solve, runs of planners on them, and what is measured; experiments as data, and results
//! that survive.

pub mod columns;
pub mod dynamic;
mod experiment;
pub mod format;
mod maps;
mod measures;
pub mod paper;
mod problem;
mod provenance;
mod ready;
pub mod report;
mod row;
mod run;
mod source;
pub mod stats;
pub mod store;
mod strict;
mod sweep;
mod task;

pub use experiment::{Experiment, ExperimentError, KEYS, Key, KeyKind, Plan, SCALES};
pub use maps::{MapError, MapName, Maps, ScenarioFile};
pub use measures::Measures;
pub use problem::{Instance, ProblemError, ProblemType};
pub use provenance::Provenance;
pub use row::{Row, Value};
pub use run::{
    Director, Finders, Limits, Outcome, RunError, RunResult, Setup, SharedMean, Shortest, Stopped,
    TickBudget, TickSample, direct, run, shortest_mean,
};
pub use source::Source;
pub use store::{Results, StoreError};
pub use strict::FileError;
pub use sweep::{Progress, Sweep, SweepError, SweepReport};
pub use task::{Bench, Patrol, PatrolPlan, Problem, TASKS, Task, TaskError, Walk, learn_moves, task};
