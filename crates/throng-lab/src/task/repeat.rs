//! Repeats a stored run with the same settings and records it, so that it can be watched.
//!
//! Decisions are equal on every machine, so the repeated run ends in the stored state, unless a time limit ended one of the
//! two, or the program has changed since.

use super::{RunContext, TaskError, task_of};
use crate::RunRow;
use crate::columns::Role;

/// A run that was repeated.
#[derive(Clone, Debug)]
pub struct RepeatedRun {
    /// The row of the repeated run.
    pub row: RunRow,
    /// The recording of the run.
    pub recording: Vec<u8>,
}

/// What a repeated run may take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RepeatLimits {
    /// The largest number of agents.
    pub agents: u64,
    /// The largest number of ticks.
    pub ticks: u64,
    /// The longest time of all ticks, in seconds.
    pub seconds: f64,
    /// The largest number of threads of the planner.
    pub threads: u64,
}

/// Returns true if the run of a row moves agents, so that there is something to watch.
pub fn can_repeat(row: &RunRow) -> bool {
    task_of(row).is_some_and(|task| task.moves_agents)
}

/// Repeats the run of a row. Returns none if the context was stopped.
///
/// # Errors
/// If the run cannot be executed, has too many agents, or its map or scenario differs from that of the stored run.
pub fn repeat(
    mut context: RunContext,
    stored: &RunRow,
    limits: RepeatLimits,
) -> Result<Option<RepeatedRun>, TaskError> {
    let task = task_of(stored).filter(|task| task.moves_agents);
    let task = task.ok_or_else(|| TaskError::other("the run moves no agents"))?;
    let mut settings = RunRow::new();
    for (column, value) in stored.columns().filter(|(column, _)| column.role == Role::Setting) {
        settings.set_some(column.name, value.cloned());
    }
    let number = |name: &str| settings.integer(name).and_then(|number| u64::try_from(number).ok());
    if let Some(agents) = number("agents").filter(|&agents| agents > limits.agents) {
        return Err(TaskError::Other(format!(
            "the run has {agents} agents; at most {} can be shown",
            limits.agents
        )));
    }
    let (ticks, threads) = (number("max_ticks"), number("threads"));
    let seconds = settings.number("wall_limit").unwrap_or(f64::MAX);
    settings.set("max_ticks", ticks.unwrap_or(u64::MAX).min(limits.ticks));
    settings.set_some("threads", threads.map(|threads| threads.clamp(1, limits.threads)));
    settings.set("wall_limit", seconds.min(limits.seconds));
    (task.check_solver)(&settings).map_err(|refusal| *refusal.reason)?;
    (task.check)(&settings, &context.maps).map_err(|refusal| *refusal.reason)?;
    if let Some(expected) = stored.text("map_hash") {
        let found = (task.content_hash)(&settings, &context.maps).map_err(|refusal| *refusal.reason)?;
        if format!("{found:016x}") != expected {
            return Err(TaskError::other("the map or scenario differs from that of the stored run"));
        }
    }
    (context.record, context.check, context.series) = (true, false, false);
    let run = (task.run)(&context, &settings)?;
    Ok(run.map(|run| RepeatedRun { row: run.row, recording: run.recording }))
}
