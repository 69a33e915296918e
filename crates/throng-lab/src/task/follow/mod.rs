//! The task `follow`: agents walk about for a number of ticks, and it is measured how well they follow a direction map.
//!
//! M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, University of Alberta, 2008, section 3.6:
//! greedy agents without goals follow a direction map that others have made. The map is the one that the planner has before
//! the first tick. An agent that arrives at a goal gets another one, drawn from the problem's seed, so that the cost of
//! greedy agents can be compared with that of agents that search. The thesis shows one example and no numbers; the
//! measures are ours.

mod script;

use super::crowd_run::{self, CrowdSettings};
use super::{RunContext, Task, TaskError, crowd};
use crate::columns::{RowPart, columns};
use crate::experiment::{INSTANCES, PROBLEM_KEYS};
use crate::store::StoredRun;
use crate::{CrowdMeasures, CrowdTimings, RunRow, Setup, Shortest, run_script};
use script::FollowScript;

columns! { Measure:
    /// The measures of the task `follow`.
    struct FollowMeasures {
        /// share of the agents that came to a cell with a vector
        contact_rate: f64,
        /// mean number of ticks until an agent came to a cell with a vector; an agent that did not counts all ticks
        contact_ticks_mean: f64,
        /// share of the ticks after an agent's first contact in which it stood on a cell with a vector
        on_vectors: Option<f64>,
        /// share of the free cells that have a vector before the first tick
        vector_cells: f64,
        /// share of the steps out of cells with a vector that lead at most an eighth of a turn away from the direction
        /// nearest to the vector
        along_vectors: Option<f64>,
        /// the same share of all legal steps out of the same cells, as if each step were drawn at random
        along_by_chance: Option<f64>,
        /// node expansions per agent and tick
        step_expansions: f64,
    }
}

/// The task `follow`.
pub(super) const TASK: Task = Task {
    name: "follow",
    about: "agents walk about, and it is measured how well they follow a direction map",
    keys: &[PROBLEM_KEYS, crowd_run::AGENTS, crowd_run::LIMITS, &[INSTANCES], crowd_run::PLANNERS],
    columns: &[
        CrowdSettings::COLUMNS,
        CrowdMeasures::COLUMNS,
        FollowMeasures::COLUMNS,
        CrowdTimings::COLUMNS,
    ],
    completion_column: "contact_rate",
    run,
    ..crowd::TASK
};

fn run(context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError> {
    let problem = context.problem(settings)?;
    let mut script = FollowScript::new(context, &problem);
    // Agents walk to more goals than their first, so the length of the first path is no reference.
    let setup = Setup { shortest: Shortest::Unwanted, ..crowd_run::setup(context, &problem, settings) };
    let output = run_script(setup, &mut script)?;
    let measures = script.measures(output.result.ticks, output.result.expansions);
    Ok(crowd_run::record(output, settings, true, &measures))
}
