//! Patrols of `throng run --loops`: how they are watched, and what is printed of their loops.

use serde::Serialize;
use throng_lab::{Outcome, Patrol, RunError, RunResult, Setup, direct};

use crate::output::{measure, progress, thousands};
use crate::picture::Recorder;

/// Runs a patrol with a progress bar, and records its animation where that is asked for.
pub(super) fn watched(
    setup: Setup<'_>,
    patrol: &mut Patrol,
    mut animation: Option<&mut Recorder<'_>>,
) -> Result<Outcome, RunError> {
    let all = setup.instance.starts.len() as u64;
    let bar = progress(Some(all), "{msg} {bar:30} {pos} of {len} done", setup.planner.to_owned());
    let outcome = direct(
        setup,
        &mut patrol.watched(|world| {
            bar.set_position(all - world.agents().len() as u64);
            if let Some(animation) = &mut animation {
                animation.take(world);
            }
            true
        }),
    );
    bar.finish_and_clear();
    outcome
}

/// What is printed of a run.
#[derive(Debug, Serialize)]
pub(super) struct Printed<'a> {
    #[serde(flatten)]
    pub(super) result: &'a RunResult,
    /// Of a patrol only.
    #[serde(flatten)]
    pub(super) loops: Option<Patrolled>,
}

/// What a patrol came to: means an agent and loop, without the first and the last loop.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Patrolled {
    loops_done: u64,
    simulation_time: f64,
    loop_expansions: Option<f64>,
    loop_backwards: Option<f64>,
    loop_distance: Option<f64>,
    loop_failed_moves: Option<f64>,
    coherence: f64,
}

impl Patrolled {
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

    pub(super) fn describe(self) -> String {
        let mean = |value: Option<f64>| value.map_or_else(|| "no loop counted".to_owned(), measure);
        let loops = format!(
            "{} walked, simulation time {}",
            thousands(self.loops_done),
            measure(self.simulation_time)
        );
        let each = format!(
            "{} long, {} failed moves, {} expansions ({} of them backwards)",
            mean(self.loop_distance),
            mean(self.loop_failed_moves),
            mean(self.loop_expansions),
            mean(self.loop_backwards)
        );
        // In line with what stands above.
        format!("loops         {loops}\na loop        {each}\ncoherence     {:.3}\n", self.coherence)
    }
}
