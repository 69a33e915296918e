//! The task `lifelong`: an agent that arrives gets the next goal at once, and the measure is the throughput.
//!
//! The first goals are those of the problem. The later goals of an agent are drawn from the largest connected component of
//! the map, by a random sequence of its own that depends on the problem's seed and the agent's number: the k-th goal of an
//! agent is the same under every planner. Two successive goals of an agent differ. Goals of different agents may be equal, as
//! in other lifelong benchmarks; the world then assigns cells around the common goal, as it does for every shared goal,
//! and an agent that reaches its assigned cell has finished its task. Drawing goals that nobody else has at the moment would make
//! them depend on the planner.
//!
//! Throughput is the number of finished tasks per tick after a warm-up, in which the crowd spreads from its first goals to a
//! steady state.

mod script;

use super::crowd_run::{self, CrowdSettings};
use super::{Refusal, RunContext, Task, TaskError, crowd};
use crate::columns::{RowPart, columns};
use crate::experiment::{INSTANCES, Key, KeyKind, PROBLEM_KEYS};
use crate::maps::Maps;
use crate::store::StoredRun;
use crate::{CrowdMeasures, CrowdTimings, RunRow, Setup, Shortest, run_script};
pub use script::Lifelong;

/// How much longer a run takes than one of the task `crowd`, roughly: agents do not stay at their goals.
const COST_FACTOR: f64 = 3.0;

columns! { Setting:
    /// The settings of the task `lifelong`.
    struct LifelongSettings {
        /// number of ticks before throughput is counted
        warm_up: Option<u64>,
    }
}

columns! { Measure:
    /// The measures of a lifelong run.
    pub struct LifelongMeasures {
        /// number of tasks that were finished in all ticks: arrivals at a goal
        tasks_finished: u64,
        /// tasks that were finished per tick after the warm-up; none if the run did not last longer
        throughput: Option<f64>,
        /// mean number of ticks of the tasks that were finished after the warm-up, from the order to the arrival; none if there
        /// are none
        task_ticks_mean: Option<f64>,
        /// share of the agents that finished a task after the warm-up
        served_rate: f64,
    }
}

const KEYS: &[Key] =
    &[Key::axis("warm_up", KeyKind::Integer(0), "number of ticks before throughput is counted")];

/// The task `lifelong`.
pub(super) const TASK: Task = Task {
    name: "lifelong",
    about: "an agent that arrives gets the next goal at once; throughput is measured",
    keys: &[PROBLEM_KEYS, crowd_run::CROWD, KEYS, crowd_run::LIMITS, &[INSTANCES], crowd_run::PLANNERS],
    columns: &[
        CrowdSettings::COLUMNS,
        LifelongSettings::COLUMNS,
        LifelongMeasures::COLUMNS,
        CrowdMeasures::COLUMNS,
        CrowdTimings::COLUMNS,
    ],
    completion_column: "served_rate",
    check,
    estimated_seconds: |settings| crowd_run::estimated_seconds(settings, COST_FACTOR),
    run,
    ..crowd::TASK
};

/// Refuses a warm-up that lasts the whole run, and what every crowd refuses.
fn check(settings: &RunRow, maps: &Maps) -> Result<(), Refusal> {
    let warm_up = LifelongSettings::load(settings).warm_up.unwrap_or(0);
    let max_ticks = CrowdSettings::load(settings).max_ticks.unwrap_or(u64::MAX);
    if warm_up >= max_ticks {
        let reason = format!("a warm-up of {warm_up} ticks leaves none of {max_ticks} to count tasks in");
        return Err(Refusal::of("warm_up")(TaskError::other(reason)));
    }
    (crowd::TASK.check)(settings, maps)
}

fn run(context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError> {
    let problem = context.problem(settings)?;
    let warm_up = LifelongSettings::load(settings).warm_up.unwrap_or(0);
    let mut lifelong = Lifelong::new(problem.grid.ground(), &problem.instance, problem.seed, warm_up);
    // Agents walk to more goals than their first, so the length of the first path is no reference.
    let setup = Setup { shortest: Shortest::Unwanted, ..crowd_run::setup(context, &problem, settings) };
    let output = run_script(setup, &mut lifelong.watched(|_, _| !context.is_stopped()))?;
    let measures = lifelong.measures(output.result.ticks);
    Ok(crowd_run::record(output, settings, true, &measures))
}
