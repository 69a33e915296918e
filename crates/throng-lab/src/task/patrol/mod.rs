//! Patrols: everyone walks to and fro between two places a number of times, and who is done leaves.
//!
//! The task of M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, University of Alberta, 2008, ch. 4.
//! A loop is the way to the second place and back to the first. Every move takes a tick, straight or diagonal; the
//! thesis's times fit a clock of 1.5 units a step, so simulation time is 1.5 times the ticks until the last agent is done.
//!
//! Halfway, when half of all loops are walked, the world may change: places move by a quarter turn (from left and right to
//! top and bottom), and a wall may be opened. Loops that begin afterwards are then counted apart, too.

mod course;
mod lanes;
mod places;
mod tally;

use throng::{Area, Pos};

use super::{Bench, Problem, Task, TaskError, fill, setup};
use crate::source::Source;
use crate::store::Record;
use crate::{ProblemError, Row, RunResult, Stopped, direct};
pub use course::{Patrol, PatrolPlan};
pub use lanes::learn_moves;
use tally::Tally;
pub use tally::Walk;

/// Loops where nothing is said, as in the thesis.
const LOOPS: i64 = 20;

/// Simulation time of a tick.
const TIME: f64 = 1.5;

/// Shares of the loops after which the coherence is kept, in percent, and its columns.
const MOMENTS: [(u64, &str); 5] = [
    (10, "coherence_10"),
    (25, "coherence_25"),
    (50, "coherence_50"),
    (75, "coherence_75"),
    (90, "coherence_90"),
];

/// The task.
#[derive(Debug)]
pub(super) struct PatrolTask;

impl Task for PatrolTask {
    fn name(&self) -> &'static str {
        "patrol"
    }

    fn about(&self) -> &'static str {
        "everyone walks to and fro between two places a number of times, and who is done leaves"
    }

    fn run(&self, bench: &Bench, settings: &Row) -> Result<Option<Record>, TaskError> {
        let map = settings.text("map").unwrap_or_default();
        let refuse = |reason: ProblemError| TaskError::Problem { map: map.to_owned(), reason };
        let kind = settings.text("type").unwrap_or_default();
        let Ok(Source::Type(kind)) = kind.parse() else {
            return Err(refuse(ProblemError::NoPatrol(kind.to_owned())));
        };
        let seed = settings.integer("seed").unwrap_or_default() as u64;
        let text = |name: &str| settings.text(name).unwrap_or_default();
        let grid = bench.maps.grid(map, text("corners"), text("terrain"), seed)?;
        let plan = PatrolPlan {
            agents: settings.integer("agents").unwrap_or_default() as usize,
            loops: settings.integer("loops").unwrap_or(LOOPS) as u64,
            places_move: settings.flag("places_move").unwrap_or(false),
            door: settings.text("door").and_then(area),
        };
        let mut patrol = Patrol::new(grid.ground(), kind, plan, seed).map_err(refuse)?;
        let instance = patrol.instance();
        let problem = Problem { grid, instance, seed, shortest: bench.shared_mean() };
        let mut outcome =
            direct(setup(bench, &problem, settings), &mut patrol.watched(|_| !bench.is_stopped()))?;
        if outcome.result.stopped == Stopped::Watcher {
            return Ok(None);
        }
        patrol.correct(&mut outcome.result);
        let mut row = settings.clone();
        fill(&mut row, &outcome.result);
        patrol.fill(&mut row, outcome.result.ticks);
        Ok(Some(Record { row, series: outcome.series }))
    }
}

/// The area of a door, `X,Y` or `X,Y,X,Y`: from corner to corner, both included.
pub(crate) fn area(text: &str) -> Option<Area> {
    let numbers = text.split(',').map(|part| part.trim().parse().ok()).collect::<Option<Vec<i32>>>()?;
    match numbers[..] {
        [x, y] => Some(Area::rect(Pos::new(x, y), Pos::new(x, y))),
        [x, y, right, bottom] if right >= x && bottom >= y => {
            Some(Area::rect(Pos::new(x, y), Pos::new(right, bottom)))
        }
        _ => None,
    }
}

impl Patrol {
    /// The thesis's time of so many ticks.
    pub fn simulation_time(ticks: u64) -> f64 {
        ticks as f64 * TIME
    }

    /// Corrects what is counted by a single way: ways are walked many times.
    pub fn correct(&self, result: &mut RunResult) {
        result.shortest_mean *= 2.0 * self.plan.loops as f64;
        result.travel_over_shortest = result.travel_mean / result.shortest_mean;
        let all = self.plan.agents as u64 * self.plan.loops;
        result.completion_rate = if all == 0 { 1.0 } else { self.loops_done() as f64 / all as f64 };
    }

    /// Fills in what was measured.
    fn fill(&self, row: &mut Row, ticks: u64) {
        let mean = |tally: &Tally, part: fn(Walk) -> f64| tally.mean().map(part);
        row.set("loops", self.plan.loops);
        row.set("loops_done", self.loops_done());
        row.set("simulation_time", Self::simulation_time(ticks));
        row.set("loop_time", Self::simulation_time(ticks) / self.plan.loops as f64);
        row.set_some("loop_expansions", mean(&self.counted, |walk| walk.expansions));
        row.set_some("loop_backwards", mean(&self.counted, |walk| walk.backwards));
        row.set_some("loop_distance", mean(&self.counted, |walk| walk.distance));
        row.set_some("loop_failed_moves", mean(&self.counted, |walk| walk.failed_moves));
        row.set_some("coherence_mean", self.lanes.mean(self.plan.loops));
        for (percent, column) in MOMENTS {
            row.set_some(column, self.lanes.at_percent(percent, self.plan.loops));
        }
        row.set_some("late_distance", mean(&self.late, |walk| walk.distance));
        row.set_some("late_failed_moves", mean(&self.late, |walk| walk.failed_moves));
        row.set_some("late_expansions", mean(&self.late, |walk| walk.expansions));
        if self.plan.places_move || self.plan.door.is_some() {
            // Other ways than the first ones.
            row.set_some("shortest_mean", None::<f64>);
            row.set_some("travel_over_shortest", None::<f64>);
        }
    }
}

#[cfg(test)]
mod tests;
