//! The tasks that a run can have: one file or folder per task, and their registry [`TASKS`].
//!
//! A task declares everything that depends on it: its keys in experiment files, the columns of its results, the checks
//! before the first run, the estimated cost, and how a run is executed. A run takes a row of settings and returns the row
//! with its results. Maps and problems come from the [`RunContext`], which makes them once for all runs that share them.

mod churn;
mod context;
mod crowd;
mod crowd_run;
mod follow;
mod lifelong;
mod patrol;
mod perturbed_queries;
mod query_pairs;
mod repeat;
mod selection;
mod walks;

use crate::columns::Column;
use crate::experiment::Key;
use crate::maps::{MapError, Maps};
use crate::store::StoredRun;
use crate::{ProblemError, RunError, RunRow};

pub use context::{CrowdProblem, RunContext};
pub(crate) use context::{joined, scenario_file};
pub use lifelong::{Lifelong, LifelongMeasures};
pub(crate) use patrol::parse_area;
pub use patrol::{LoopMeasures, Patrol, PatrolPlan, PlaceArea, learn_moves};
pub use repeat::{RepeatLimits, RepeatedRun, can_repeat, repeat};
pub(crate) use walks::{WalkMeasures, WalkSettings, decode as decode_walks, scenario_ends};

/// What a run does with a map, a problem and a planner or search. Tasks with crowds start from
/// `crowd::TASK`.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// The name in experiment files.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// The keys of experiment files that are axes of this task. Their order is the order of the runs: the last key varies
    /// fastest.
    pub keys: &'static [&'static [Key]],
    /// The columns of the results beside those of every run.
    pub columns: &'static [&'static [Column]],
    /// The column that names the planner or search of a run.
    pub solver_column: &'static str,
    /// The column that holds the share of the run's goals that were reached, from 0 to 1.
    pub completion_column: &'static str,
    /// Whether the runs move agents, so that a report can show where they stand.
    pub moves_agents: bool,
    /// The settings that determine the problem: a label for the hash that is the seed, and the column. Planners and limits
    /// are not among them, so that all planners meet the same problems under all limits; nor are experiment and scale, so
    /// that experiments share problems. Labels never change, as stored seeds depend on them.
    pub seed_columns: &'static [(&'static str, &'static str)],
    /// Sets settings that follow from others.
    pub derive_settings: fn(&mut RunRow),
    /// Returns the hash of the files that a run reads: of its map, and of its scenario if it reads one. An error says which
    /// of them is missing or refused.
    pub content_hash: fn(&RunRow, &Maps) -> Result<u64, Refusal>,
    /// Checks what can be known before the first run, such as the room for the agents.
    pub check: fn(&RunRow, &Maps) -> Result<(), Refusal>,
    /// Checks that the planner or search can have the settings.
    pub check_solver: fn(&RunRow) -> Result<(), Refusal>,
    /// Returns a rough estimate of the time of a run on one core, in seconds.
    pub estimated_seconds: fn(&RunRow) -> f64,
    /// Executes a run. The returned row holds the settings and the results; none if the context was stopped.
    pub run: fn(&RunContext, &RunRow) -> Result<Option<StoredRun>, TaskError>,
    /// Returns the time that the planner or search took in a finished run, in seconds.
    pub solver_seconds: fn(&RunRow) -> f64,
}

/// All tasks.
pub static TASKS: [Task; 8] = [
    crowd::TASK,
    churn::TASK,
    lifelong::TASK,
    perturbed_queries::TASK,
    patrol::TASK,
    follow::TASK,
    walks::TASK,
    selection::TASK,
];

/// Returns the task with the given name.
pub fn task(name: &str) -> Option<&'static Task> {
    TASKS.iter().find(|task| task.name == name)
}

/// Returns the task of a row.
pub(crate) fn task_of(row: &RunRow) -> Option<&'static Task> {
    row.text("task").and_then(task)
}

/// Returns true if a column names the planner or search of some task.
pub(crate) fn is_solver_column(name: &str) -> bool {
    TASKS.iter().any(|task| task.solver_column == name)
}

/// Why a run cannot be executed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// The map or scenario does not exist or is refused.
    #[error(transparent)]
    Map(#[from] MapError),
    /// The problem cannot be made.
    #[error("{map}: {reason}")]
    Problem {
        /// The map or scenario file.
        map: String,
        /// Why.
        reason: ProblemError,
    },
    /// The run was refused.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Another reason, or one that an earlier run reported already.
    #[error("{0}")]
    Other(String),
}

impl TaskError {
    #[expect(clippy::needless_pass_by_value, reason = "an argument of `map_err`")]
    fn other(reason: impl ToString) -> Self {
        Self::Other(reason.to_string())
    }
}

/// A setting that makes a run impossible.
#[derive(Debug)]
pub struct Refusal {
    /// The key of the setting in experiment files.
    pub key: &'static str,
    /// Why.
    pub reason: Box<TaskError>,
}

impl Refusal {
    /// Returns a function that blames a key for an error.
    fn of<E: Into<TaskError>>(key: &'static str) -> impl FnOnce(E) -> Self {
        move |reason| Self { key, reason: Box::new(reason.into()) }
    }
}

#[cfg(test)]
mod tests;
