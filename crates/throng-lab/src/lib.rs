//! The laboratory: problems for crowds, runs of planners and searches, experiments as data, stored results, and reports.

pub mod advise;
pub mod columns;
mod experiment;
pub mod files;
pub mod findings;
pub mod format;
mod hash;
pub mod limits;
mod maps;
mod measures;
pub mod paper;
mod precheck;
mod problem;
mod provenance;
pub mod queries;
pub mod report;
mod row;
mod run;
pub mod select;
mod source;
pub mod stats;
pub mod store;
mod strict;
mod sweep;
mod task;

pub use experiment::{Experiment, ExperimentError, Key, KeyKind, RunPlan, SCALES, keys};
pub use maps::{MapError, MapName, Maps, ScenarioFile};
pub use problem::{Instance, ProblemError, ProblemType};
pub use provenance::Provenance;
pub use row::{RunRow, Value};
pub use run::{
    Course, CourseMark, CrowdMeasures, CrowdTimings, FinishedRun, RecordingSink, RunError, RunLimits,
    RunResult, ScenarioScript, SearchPool, Setup, SharedPaths, Shortest, ShortestPaths, Stopped, TickBudget,
    TickSample, course_marks, run, run_script,
};
pub use source::ProblemSource;
pub use store::{Results, Resume, StoreError};
pub use strict::{FileError, Place};
pub use sweep::{Sweep, SweepError, SweepProgress, SweepTotals};
pub use task::{
    CrowdProblem, Lifelong, LifelongMeasures, LoopMeasures, Patrol, PatrolPlan, PlaceArea, Refusal,
    RepeatLimits, RepeatedRun, RunContext, TASKS, Task, TaskError, can_repeat, learn_moves, repeat, task,
};
