//! What can be done in a run: one file a task, and their table.
//!
//! A task takes a row of settings and fills in what it measures. It asks the [`Bench`] for maps and problems, which are
//! made once for all planners that meet them.

mod bench;
mod churn;
mod crowd;
mod dynamic;
mod pairs;
mod patrol;

use std::time::Duration;

use crate::maps::MapError;
use crate::store::Record;
use crate::{Instance, Limits, ProblemError, Row, RunError, RunResult, Setup, Shortest, TickBudget, Value};

pub(crate) use bench::scenario_file;
pub use bench::{Bench, Problem};
pub(crate) use dynamic::PERTURBATIONS;
pub(crate) use pairs::draws_own;
pub(crate) use patrol::area;
pub use patrol::{Patrol, PatrolPlan, Walk, learn_moves};

/// Something that can be done with a map, a problem and a planner.
pub trait Task: Sync {
    /// What experiments call it.
    fn name(&self) -> &'static str;

    /// What it is, in a line.
    fn about(&self) -> &'static str;

    /// Does it. The record's row has the settings and what was measured; there is none when the bench was told to stop.
    ///
    /// # Errors
    /// When the map or the problem cannot be made, or the planner refuses.
    fn run(&self, bench: &Bench, settings: &Row) -> Result<Option<Record>, TaskError>;
}

/// Every task.
pub const TASKS: &[&dyn Task] = &[&crowd::Crowd, &churn::Churn, &dynamic::Dynamic, &patrol::PatrolTask];

/// The task of a name.
pub fn task(name: &str) -> Option<&'static dyn Task> {
    TASKS.iter().copied().find(|task| task.name() == name)
}

/// Why a run cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// There is no such map or scenario.
    #[error(transparent)]
    Map(#[from] MapError),
    /// The problem cannot be made.
    #[error("{map}: {reason}")]
    Problem {
        /// On which map, or from which file.
        map: String,
        /// Why.
        reason: ProblemError,
    },
    /// The run cannot be made.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The problem was refused before.
    #[error("{0}")]
    Again(String),
}

/// The run that settings ask for.
fn setup<'a>(bench: &Bench, problem: &'a Problem, settings: &'a Row) -> Setup<'a> {
    let count = |name: &str| settings.integer(name).map(|number| number as u64);
    let limits = Limits {
        ticks: count("max_ticks").unwrap_or(u64::MAX),
        expansions: count("max_expansions"),
        wall: settings.number("wall_limit").map(Duration::from_secs_f64),
        still: count("still_limit"),
        budget: count("budget").map_or(TickBudget::Unlimited, TickBudget::Expansions),
    };
    Setup {
        seed: problem.seed,
        limits,
        check: bench.check,
        series: bench.series,
        heat: false,
        shortest: Shortest::Shared(&problem.shortest),
        ..Setup::new(&problem.grid, &problem.instance, settings.text("planner").unwrap_or_default(), 0)
    }
}

/// Fills in what every run measures.
fn fill(row: &mut Row, result: &RunResult) {
    let measures: [(&str, Value); 11] = [
        ("stopped", result.stopped.name().into()),
        ("ticks", result.ticks.into()),
        ("completion_rate", result.completion_rate.into()),
        ("completion_ticks_mean", result.completion_ticks_mean.into()),
        ("travel_mean", result.travel_mean.into()),
        ("shortest_mean", result.shortest_mean.into()),
        ("travel_over_shortest", result.travel_over_shortest.into()),
        ("expansions", result.expansions.into()),
        ("failed_moves", result.failed_moves.into()),
        ("overruled", result.overruled.into()),
        ("state_hash", format!("{:016x}", result.state_hash).into()),
    ];
    let timings: [(&str, Value); 10] = [
        ("wall_seconds", result.wall_seconds.into()),
        ("completion_seconds_mean", result.completion_seconds_mean.into()),
        ("tick_us_mean", result.tick_us.mean.into()),
        ("tick_us_p50", result.tick_us.p50.into()),
        ("tick_us_p99", result.tick_us.p99.into()),
        ("tick_us_p999", result.tick_us.p999.into()),
        ("tick_us_max", result.tick_us.max.into()),
        ("prepare_seconds", result.prepare_seconds.into()),
        ("close_seconds", result.close_seconds.into()),
        ("peak_bytes", result.peak_bytes.into()),
    ];
    for (name, value) in measures.into_iter().chain(timings) {
        row.set(name, value);
    }
    row.set("checked", result.collisions.is_some());
    row.set_some("collisions", result.collisions);
}

/// The agents that a problem has.
fn agents(instance: &Instance) -> usize {
    instance.starts.len()
}

#[cfg(test)]
mod tests;
