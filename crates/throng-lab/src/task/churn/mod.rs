//! The task `churn`: agents get new goals while they walk, walls appear and disappear, and foreign units wander about.
//!
//! Ten ticks are a second. Each second a share of the agents, drawn at random, gets a new goal in the largest connected
//! component of the map, and a wall of five cells appears; when ten walls stand, the oldest disappears. Each tick every
//! foreign unit steps to a random free neighbour with probability one half. Everything is drawn from the problem's seed,
//! so all planners meet the same orders and walls; foreign units differ only where an agent stands in their way.
//!
//! An order is fulfilled if its agent arrives before it gets another order. The first move of an order is counted from the
//! order, or until the order's end if the agent never moved; an order to the agent's own cell has none. Planners do not
//! report expansions per agent: those of a tick are split evenly among the agents that have not arrived, and the share of
//! an order that is withdrawn before it is fulfilled counts as discarded.

mod script;

use super::crowd_run::{self, CrowdSettings};
use super::{RunContext, Task, TaskError, crowd};
use crate::columns::{RowPart, columns};
use crate::experiment::{INSTANCES, Key, KeyKind, PROBLEM_KEYS};
use crate::store::StoredRun;
use crate::{CrowdMeasures, CrowdTimings, RunRow, Setup, Shortest, run_script};
use script::ChurnScript;

/// How much longer a run takes than one of the task `crowd`, roughly: agents do not stay at their goals.
const COST_FACTOR: f64 = 3.0;

columns! { Setting:
    /// The settings of the task `churn`.
    struct ChurnSettings {
        /// share of the agents that get a new goal per second, in percent
        retask_percent: Option<f64>,
        /// number of foreign units, in percent of the agents
        foreign_percent: Option<f64>,
        /// whether walls appear and disappear
        walls: Option<bool>,
    }
}

columns! { Measure:
    /// The measures of the task `churn`.
    struct ChurnMeasures {
        /// number of orders, the first ones included
        orders: u64,
        /// number of orders whose agent arrived
        orders_fulfilled: u64,
        /// `orders_fulfilled` over `orders`
        order_rate: f64,
        /// mean number of ticks from an order to the agent's first move
        first_move_ticks_mean: Option<f64>,
        /// estimated number of expansions for orders that were withdrawn
        expansions_discarded: f64,
    }
}

const KEYS: &[Key] = &[
    Key::axis(
        "retask_percent",
        KeyKind::Number(1_000.0),
        "share of the agents that get a new goal per second, in percent",
    ),
    Key::axis(
        "foreign_percent",
        KeyKind::Number(1_000.0),
        "number of foreign units, in percent of the agents",
    ),
    Key::axis("walls", KeyKind::Flag, "whether walls appear and disappear"),
];

/// The task `churn`.
pub(super) const TASK: Task = Task {
    name: "churn",
    about: "agents get new goals while they walk, walls appear and disappear, foreign units wander about",
    keys: &[PROBLEM_KEYS, crowd_run::AGENTS, KEYS, crowd_run::LIMITS, &[INSTANCES], crowd_run::PLANNERS],
    columns: &[
        CrowdSettings::COLUMNS,
        ChurnSettings::COLUMNS,
        CrowdMeasures::COLUMNS,
        ChurnMeasures::COLUMNS,
        CrowdTimings::COLUMNS,
    ],
    completion_column: "order_rate",
    estimated_seconds: |settings| crowd_run::estimated_seconds(settings, COST_FACTOR),
    run,
    ..crowd::TASK
};

fn run(context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError> {
    let problem = context.problem(settings)?;
    let mut script = ChurnScript::new(context, &problem, &ChurnSettings::load(settings));
    // Agents walk to more goals than their first, so the length of the first path is no reference.
    let setup = Setup { shortest: Shortest::Unwanted, ..crowd_run::setup(context, &problem, settings) };
    let output = run_script(setup, &mut script)?;
    let measures = script.measures(output.result.ticks);
    Ok(crowd_run::record(output, settings, true, &measures))
}
