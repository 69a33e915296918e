//! Lifelong runs of `throng run --lifelong`: the tasks that the agents finish.

use serde::Serialize;
use throng_lab::{Lifelong, LifelongMeasures};

use crate::output::{measure, thousands};

/// The tasks of a lifelong run.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct LifelongSummary {
    /// Goals reached per tick after the warm-up; absent if the run ended before.
    throughput: Option<f64>,
    tasks_finished: u64,
    warm_up: u64,
    /// Mean ticks from an order to the arrival, after the warm-up.
    task_ticks_mean: Option<f64>,
    /// Share of the agents that reached a goal after the warm-up.
    served_rate: f64,
}

impl LifelongSummary {
    pub(super) fn of(lifelong: &Lifelong, ticks: u64, warm_up: u64) -> Self {
        let LifelongMeasures { tasks_finished, throughput, task_ticks_mean, served_rate } =
            lifelong.measures(ticks);
        Self { throughput, tasks_finished, warm_up, task_ticks_mean, served_rate }
    }

    /// Returns the lines that follow those of the run, aligned with them.
    pub(super) fn describe(self) -> String {
        let known = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), measure);
        format!(
            "throughput    {} tasks per tick after a warm-up of {} ticks\n\
             tasks         {} finished, {} ticks each, by {:.1} % of the agents after the warm-up\n",
            known(self.throughput),
            thousands(self.warm_up),
            thousands(self.tasks_finished),
            known(self.task_ticks_mean),
            self.served_rate * 100.0
        )
    }
}
