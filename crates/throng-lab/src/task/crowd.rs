//! The task `crowd`: every agent goes from its start to its goal, until all have arrived or a limit is reached.

use super::crowd_run::{self, CrowdSettings};
use super::{RunContext, Task, TaskError};
use crate::columns::{RowPart, columns};
use crate::experiment::{INSTANCES, Key, KeyKind, PROBLEM_KEYS};
use crate::store::StoredRun;
use crate::{CrowdMeasures, CrowdTimings, RunRow};

columns! { Setting:
    /// The settings of the task `crowd` alone.
    struct ArrivalSettings {
        /// the run ends when this share of the agents has arrived; none: when all have
        completion_limit: Option<f64>,
    }
}

const COMPLETION_LIMIT: &[Key] = &[Key::axis(
    "completion_limit",
    KeyKind::Positive(1.0),
    "a run ends when this share of the agents has arrived, or `none`: when all have",
)
.or_none()];

columns! { Measure:
    /// The measures of the task `crowd` alone.
    struct ArrivalMeasures {
        /// share of the agents that have arrived at their goals at the end
        completion_rate: f64,
        /// state at 24 marks of expansions from 50,000 to `max_expansions`, and at the end: groups of expansions, agents on
        /// their goals, mean distance walked and ticks, as in `50000:12,3.25,17`; none without a limit of expansions
        course: Option<String>,
    }
}

/// The task `crowd`.
pub(super) const TASK: Task = Task {
    name: "crowd",
    about: "every agent goes from its start to its goal, until all have arrived or a limit is reached",
    keys: &[
        // First, so that a sweep that ends early has the same problems of all maps and types.
        &[INSTANCES],
        PROBLEM_KEYS,
        crowd_run::AGENTS,
        COMPLETION_LIMIT,
        crowd_run::LIMITS,
        crowd_run::PLANNERS,
    ],
    columns: &[
        CrowdSettings::COLUMNS,
        ArrivalSettings::COLUMNS,
        ArrivalMeasures::COLUMNS,
        CrowdMeasures::COLUMNS,
        CrowdTimings::COLUMNS,
    ],
    solver_column: "planner",
    completion_column: "completion_rate",
    moves_agents: true,
    seed_columns: crowd_run::SEED_COLUMNS,
    derive_settings: |_| {},
    content_hash: |settings, maps| crowd_run::content_hash(settings, maps, true),
    check: crowd_run::check_room,
    check_solver: crowd_run::check_planner_map,
    estimated_seconds: |settings| crowd_run::estimated_seconds(settings, 1.0),
    run,
    solver_seconds: crowd_run::solver_seconds,
};

fn run(context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError> {
    let problem = context.problem(settings)?;
    let mut setup = crowd_run::setup(context, &problem, settings);
    setup.limits.completion = ArrivalSettings::load(settings).completion_limit;
    let output = crate::run(setup, |_, _| !context.is_stopped())?;
    let course = output.course.as_ref().map(ToString::to_string);
    let measures = ArrivalMeasures { completion_rate: output.result.completion_rate, course };
    Ok(crowd_run::record(output, settings, false, &measures))
}
