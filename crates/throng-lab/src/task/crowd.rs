//! The task `crowd`: every agent goes from its start to its goal, until all have arrived or a limit is reached.

use super::crowd_run::{self, CrowdSettings, setup};
use super::{Refusal, RunContext, Task, TaskError};
use crate::columns::{Column, RowPart, columns};
use crate::experiment::{Key, PROBLEM_KEYS};
use crate::maps::Maps;
use crate::store::StoredRun;
use crate::{CrowdMeasures, CrowdTimings, RunRow, Stopped, run};

columns! { Measure:
    /// The measures of the task `crowd` alone.
    struct ArrivalMeasures {
        /// share of the agents that have arrived at their goals at the end
        completion_rate: f64,
    }
}

/// The task `crowd`.
#[derive(Debug)]
pub(super) struct Crowd;

impl Task for Crowd {
    fn name(&self) -> &'static str {
        "crowd"
    }

    fn about(&self) -> &'static str {
        "every agent goes from its start to its goal, until all have arrived or a limit is reached"
    }

    fn keys(&self) -> &'static [&'static [Key]] {
        &[PROBLEM_KEYS, crowd_run::AGENTS, crowd_run::LIMITS_AND_PLANNERS]
    }

    fn columns(&self) -> &'static [&'static [Column]] {
        &[CrowdSettings::COLUMNS, ArrivalMeasures::COLUMNS, CrowdMeasures::COLUMNS, CrowdTimings::COLUMNS]
    }

    fn solver_column(&self) -> &'static str {
        "planner"
    }

    fn completion_column(&self) -> &'static str {
        "completion_rate"
    }

    fn moves_agents(&self) -> bool {
        true
    }

    fn seed_columns(&self) -> &'static [(&'static str, &'static str)] {
        crowd_run::SEED_COLUMNS
    }

    fn content_hash(&self, settings: &RunRow, maps: &Maps) -> Result<u64, Refusal> {
        crowd_run::content_hash(settings, maps, true)
    }

    fn check(&self, settings: &RunRow, maps: &Maps) -> Result<(), Refusal> {
        crowd_run::check_room(settings, maps)
    }

    fn estimated_seconds(&self, settings: &RunRow) -> f64 {
        crowd_run::estimated_seconds(settings, 1.0)
    }

    fn run(&self, context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError> {
        let problem = context.problem(settings)?;
        let output = run(setup(context, &problem, settings), |_, _| !context.is_stopped())?;
        if output.result.stopped == Stopped::Interrupted {
            return Ok(None);
        }
        let mut row = settings.clone();
        output.result.store(&mut row);
        ArrivalMeasures { completion_rate: output.result.completion_rate }.store(&mut row);
        Ok(Some(StoredRun { row, series: output.series }))
    }

    fn solver_seconds(&self, row: &RunRow) -> f64 {
        crowd_run::solver_seconds(row)
    }
}
