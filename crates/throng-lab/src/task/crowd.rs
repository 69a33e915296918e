//! A crowd goes home: everyone from its start to its goal, until all are there or a limit is reached.

use super::{Bench, Task, TaskError, fill, setup};
use crate::store::Record;
use crate::{Row, Stopped, run};

/// The task.
#[derive(Debug)]
pub(super) struct Crowd;

impl Task for Crowd {
    fn name(&self) -> &'static str {
        "crowd"
    }

    fn about(&self) -> &'static str {
        "everyone goes from its start to its goal, until all are there or a limit is reached"
    }

    fn run(&self, bench: &Bench, settings: &Row) -> Result<Option<Record>, TaskError> {
        let problem = bench.problem(settings)?;
        let outcome = run(setup(bench, &problem, settings), |_, _| !bench.is_stopped())?;
        if outcome.result.stopped == Stopped::Watcher {
            return Ok(None);
        }
        let mut row = settings.clone();
        fill(&mut row, &outcome.result);
        Ok(Some(Record { row, series: outcome.series }))
    }
}
