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
        /// the run may last this number of ticks per step of the longest shortest path, if these are more than `max_ticks`;
        /// none: `max_ticks` is the limit
        ticks_per_step: Option<u64>,
    }
}

const KEYS: &[Key] = &[
    Key::axis(
        "completion_limit",
        KeyKind::Positive(1.0),
        "a run ends when this share of the agents has arrived, or `none`: when all have",
    )
    .or_none(),
    Key::axis(
        "ticks_per_step",
        KeyKind::Integer(1),
        "a run may last this number of ticks per step of the longest shortest path, if these are more than `max_ticks`, or \
         `none`",
    )
    .or_none(),
];

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
        crowd_run::CROWD,
        KEYS,
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
    let own = ArrivalSettings::load(settings);
    setup.limits.completion = own.completion_limit;
    if let Some(per_step) = own.ticks_per_step {
        let longest = problem.shortest.get(&problem.grid, &problem.instance)?.steps_max;
        setup.limits.ticks = setup.limits.ticks.max(per_step * longest);
    }
    let output = crate::run(setup, |_, _| !context.is_stopped())?;
    let course = output.course.as_ref().map(ToString::to_string);
    let measures = ArrivalMeasures { completion_rate: output.result.completion_rate, course };
    Ok(crowd_run::record(output, settings, false, &measures))
}
