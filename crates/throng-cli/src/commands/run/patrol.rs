//! Patrols of `throng run --loops`: the statistics of their loops.

use serde::Serialize;
use throng_lab::Patrol;

use crate::output::{measure, thousands};

/// Statistics of a patrol. Means are per agent and loop, over all loops but the first and the last; they are absent
/// if no such loop was completed.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct PatrolSummary {
    loops_done: u64,
    simulation_time: f64,
    loop_expansions: Option<f64>,
    loop_backwards: Option<f64>,
    loop_distance: Option<f64>,
    loop_failed_moves: Option<f64>,
    coherence: f64,
}

impl PatrolSummary {
    pub(super) fn of(patrol: &Patrol, ticks: u64) -> Self {
        let mean = patrol.mean_loop();
        Self {
            loops_done: patrol.loops_done(),
            simulation_time: Patrol::simulation_time(ticks),
            loop_expansions: mean.map(|walk| walk.expansions),
            loop_backwards: mean.map(|walk| walk.backwards),
            loop_distance: mean.map(|walk| walk.distance),
            loop_failed_moves: mean.map(|walk| walk.failed_moves),
            coherence: patrol.coherence(),
        }
    }

    /// Returns the lines that follow those of the run, aligned with them.
    pub(super) fn describe(self) -> String {
        let mean = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), measure);
        let loops = format!(
            "{} completed, simulation time {}",
            thousands(self.loops_done),
            measure(self.simulation_time)
        );
        let each = format!(
            "distance {}, failed moves {}, expansions {} ({} of them backwards)",
            mean(self.loop_distance),
            mean(self.loop_failed_moves),
            mean(self.loop_expansions),
            mean(self.loop_backwards)
        );
        format!("loops         {loops}\nper loop      {each}\ncoherence     {:.3}\n", self.coherence)
    }
}
