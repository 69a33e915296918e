//! The tasks that a run can have: one file or folder per task, and their registry [`TASKS`].
//!
//! A task declares everything that depends on it: its keys in experiment files, the columns of its results, the checks
//! before the first run, the estimated cost, and how a run is executed. A run takes a row of settings and returns the row
//! with its results. Maps and problems come from the [`RunContext`], which makes them once for all runs that share them.

mod churn;
mod context;
mod crowd;
mod crowd_run;
mod patrol;
mod perturbed_queries;
mod query_pairs;

use crate::columns::Column;
use crate::experiment::Key;
use crate::maps::{MapError, Maps};
use crate::store::StoredRun;
use crate::{ProblemError, RunError, RunRow};

pub use context::{CrowdProblem, RunContext};
pub(crate) use patrol::parse_area;
pub use patrol::{LoopMeasures, Patrol, PatrolPlan, learn_moves};
pub(crate) use perturbed_queries::PERTURBATIONS;

/// What a run does with a map, a problem and a planner or search.
pub trait Task: Sync {
    /// Returns the name in experiment files.
    fn name(&self) -> &'static str;

    /// Returns a description in one line.
    fn about(&self) -> &'static str;

    /// Returns the keys of experiment files that are axes of this task. Their order is the order of the runs: the last
    /// key varies fastest.
    fn keys(&self) -> &'static [&'static [Key]];

    /// Returns the columns of the results beside those of every run.
    fn columns(&self) -> &'static [&'static [Column]];

    /// Returns the column that names the planner or search of a run.
    fn solver_column(&self) -> &'static str;

    /// Returns the column that holds the share of the run's goals that were reached, from 0 to 1.
    fn completion_column(&self) -> &'static str;

    /// Returns true if the runs move agents, so that a report can show where they stand.
    fn moves_agents(&self) -> bool;

    /// Returns the settings that determine the problem: a label for the hash that is the seed, and the column. Planners
    /// and limits are not among them, so that all planners meet the same problems under all limits; nor are experiment
    /// and scale, so that experiments share problems. Labels never change, as stored seeds depend on them.
    fn seed_columns(&self) -> &'static [(&'static str, &'static str)];

    /// Sets settings that follow from others.
    fn derive_settings(&self, _settings: &mut RunRow) {}

    /// Returns the hash of the files that a run reads: of its map, and of its scenario if it reads one.
    ///
    /// # Errors
    /// If one of them is missing or refused.
    fn content_hash(&self, settings: &RunRow, maps: &Maps) -> Result<u64, Refusal>;

    /// Checks what can be known before the first run, such as the room for the agents.
    ///
    /// # Errors
    /// If the run cannot succeed.
    fn check(&self, settings: &RunRow, maps: &Maps) -> Result<(), Refusal>;

    /// Returns a rough estimate of the time of a run on one core, in seconds.
    fn estimated_seconds(&self, settings: &RunRow) -> f64;

    /// Executes a run. The returned row holds the settings and the results; none if the context was stopped.
    ///
    /// # Errors
    /// If the map or the problem cannot be made, or the planner or search refuses.
    fn run(&self, context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError>;

    /// Returns the time that the planner or search took in a finished run, in seconds.
    fn solver_seconds(&self, row: &RunRow) -> f64;
}

/// All tasks.
pub const TASKS: &[&dyn Task] =
    &[&crowd::Crowd, &churn::Churn, &perturbed_queries::PerturbedQueries, &patrol::PatrolTask];

/// Returns the task with the given name.
pub fn task(name: &str) -> Option<&'static dyn Task> {
    TASKS.iter().copied().find(|task| task.name() == name)
}

/// Returns the task of a row.
pub(crate) fn task_of(row: &RunRow) -> Option<&'static dyn Task> {
    row.text("task").and_then(task)
}

/// Returns true if a column names the planner or search of some task.
pub(crate) fn is_solver_column(name: &str) -> bool {
    TASKS.iter().any(|task| task.solver_column() == name)
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
