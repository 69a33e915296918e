//! The task `patrol`: every agent walks back and forth between two places a number of times and leaves when it is done.
//!
//! The experiment of M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, University of Alberta,
//! 2008, ch. 4. A loop is the path to the second place and back to the first. Every move takes a tick, straight or
//! diagonal; the times of the thesis fit a clock of 1.5 units per step, so the simulation time is 1.5 times the ticks until
//! the last agent is done.
//!
//! When half of all loops are done the world may change: the places move by a quarter turn (from left and right to top
//! and bottom), and a wall may be opened. Loops that start afterwards are also counted separately.

mod coherence;
mod loops;
mod passages;
mod places;
mod script;

use throng::{Area, Pos};

use super::crowd_run::{self, CrowdSettings};
use super::{CrowdProblem, Refusal, RunContext, Task, TaskError, crowd};
use crate::columns::{RowPart, SharedSettings, columns};
use crate::experiment::{INSTANCES, Key, KeyKind, PROBLEM_KEYS};
use crate::maps::Maps;
use crate::source::ProblemSource;
use crate::store::StoredRun;
use crate::{CrowdMeasures, CrowdTimings, ProblemError, ProblemType, RunResult, RunRow, run_script};
pub use coherence::learn_moves;
pub use loops::LoopMeasures;
use loops::{LoopTotals, PatrolLoops};
pub use places::PlaceArea;
pub use script::{Patrol, PatrolPlan};

/// The number of loops if the experiment does not set it: that of the thesis.
const DEFAULT_LOOPS: u64 = 20;

/// Simulation time per tick.
const TIME_PER_TICK: f64 = 1.5;

columns! { Setting:
    /// The settings of the task `patrol`.
    struct PatrolSettings {
        /// number of loops per agent
        loops: Option<u64>,
        /// whether the places move when half of the loops are done
        places_move: Option<bool>,
        /// wall that is opened when half of the loops are done: two corners of a rectangle
        door: Option<String>,
        /// where places on two sides lie: `thirds`: in the outer thirds of the map; none: in strips off the edges
        place_area: Option<String>,
    }
}

columns! { Measure:
    /// The measures of the task `patrol`. Means per loop are over agents and loops without each agent's first and last.
    struct PatrolMeasures {
        /// number of loops that were done, by all agents together
        loops_done: u64,
        /// `loops_done` over the number of loops of all agents
        loop_rate: f64,
        /// 1.5 times the ticks: the thesis's time until the last agent is done
        simulation_time: f64,
        /// `simulation_time` over the number of loops per agent
        loop_time: f64,
        /// expansions per agent and loop, without the first and the last loop of each agent
        loop_expansions: Option<f64>,
        /// expansions of backward searches per agent and loop, without the first and the last loop of each agent
        loop_backwards: Option<f64>,
        /// distance per agent and loop, without the first and the last loop of each agent
        loop_distance: Option<f64>,
        /// failed moves per agent and loop, without the first and the last loop of each agent
        loop_failed_moves: Option<f64>,
        /// simulation time that an agent needs for a loop, without the first and the last loop of each agent
        loop_duration: Option<f64>,
        /// `loop_duration` of the first loops
        first_duration: Option<f64>,
        /// `loop_distance` of the first loops
        first_distance: Option<f64>,
        /// `loop_failed_moves` of the first loops
        first_failed_moves: Option<f64>,
        /// `loop_expansions` of the first loops
        first_expansions: Option<f64>,
        /// `loop_duration` of the last loops
        last_duration: Option<f64>,
        /// `loop_distance` of the last loops
        last_distance: Option<f64>,
        /// `loop_failed_moves` of the last loops
        last_failed_moves: Option<f64>,
        /// `loop_expansions` of the last loops
        last_expansions: Option<f64>,
        /// coherence of the direction map that an observer learns from all moves at rate 0.5: mean over the loops
        coherence_mean: Option<f64>,
        /// coherence after 10 % of the loops
        coherence_10: Option<f64>,
        /// coherence after 25 % of the loops
        coherence_25: Option<f64>,
        /// coherence after 50 % of the loops
        coherence_50: Option<f64>,
        /// coherence after 75 % of the loops
        coherence_75: Option<f64>,
        /// coherence after 90 % of the loops
        coherence_90: Option<f64>,
        /// coherence every 20 ticks: the step in simulation time, a colon, and thousandths separated by spaces
        coherence_curve: Option<String>,
        /// lowest coherence of `coherence_curve`
        coherence_low: Option<f64>,
        /// highest coherence of `coherence_curve`
        coherence_high: Option<f64>,
        /// share of the crossings of the map's middle column in the main direction of their passage, after two loops of the
        /// average agent, in the passage where it is lowest; none if no wall bounds a passage
        one_way_share: Option<f64>,
        /// `loop_distance` of the loops that started after the change
        late_distance: Option<f64>,
        /// `loop_failed_moves` of the loops that started after the change
        late_failed_moves: Option<f64>,
        /// `loop_expansions` of the loops that started after the change
        late_expansions: Option<f64>,
    }
}

const KEYS: &[Key] = &[
    Key::axis("loops", KeyKind::Integer(3), "numbers of loops per agent; 20 by default"),
    Key::axis("places_move", KeyKind::Flag, "whether the places move when half of the loops are done"),
    Key::axis(
        "door",
        KeyKind::Area,
        "a wall that is opened when half of the loops are done, such as `31,30,32,33`, or `none`",
    )
    .or_none(),
    Key::axis(
        "place_area",
        KeyKind::Name("place area", || vec![PlaceArea::THIRDS]),
        "where places on two sides lie: `thirds`, the outer thirds of the map, or `none`, strips off the edges",
    )
    .or_none(),
];

/// The task `patrol`.
pub(super) const TASK: Task = Task {
    name: "patrol",
    about: "every agent walks back and forth between two places a number of times and leaves when it is done",
    keys: &[PROBLEM_KEYS, crowd_run::AGENTS, KEYS, crowd_run::LIMITS, &[INSTANCES], crowd_run::PLANNERS],
    columns: &[
        CrowdSettings::COLUMNS,
        PatrolSettings::COLUMNS,
        CrowdMeasures::COLUMNS,
        PatrolMeasures::COLUMNS,
        CrowdTimings::COLUMNS,
    ],
    completion_column: "loop_rate",
    derive_settings: |settings| {
        let loops = PatrolSettings::load(settings).loops.unwrap_or(DEFAULT_LOOPS);
        settings.set("loops", loops);
    },
    check,
    run,
    ..crowd::TASK
};

/// Refuses an area for places that lie anywhere, and what every crowd refuses.
fn check(settings: &RunRow, maps: &Maps) -> Result<(), Refusal> {
    let (own, shared) = (PatrolSettings::load(settings), SharedSettings::load(settings));
    if own.place_area.is_some() && shared.r#type == ProblemType::Random.name() {
        let reason = "places of the type `random` lie anywhere; `place_area` is for two sides";
        return Err(Refusal::of("place_area")(TaskError::other(reason)));
    }
    (crowd::TASK.check)(settings, maps)
}

fn run(context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError> {
    let shared = SharedSettings::load(settings);
    let refuse = |reason: ProblemError| TaskError::Problem { map: shared.map.clone(), reason };
    let Ok(ProblemSource::Type(kind)) = shared.r#type.parse() else {
        return Err(refuse(ProblemError::NoPatrol(shared.r#type.clone())));
    };
    let (seed, grid) = (shared.seed, context.grid(&shared)?);
    let own = PatrolSettings::load(settings);
    let plan = PatrolPlan {
        agents: CrowdSettings::load(settings).agents,
        loops: own.loops.unwrap_or(DEFAULT_LOOPS),
        places_move: own.places_move.unwrap_or(false),
        door: own.door.as_deref().and_then(parse_area),
        area: if own.place_area.is_some() { PlaceArea::Thirds } else { PlaceArea::Strips },
    };
    let mut patrol = Patrol::new(grid.ground(), kind, plan, seed).map_err(refuse)?;
    let instance = patrol.instance();
    let problem = CrowdProblem { grid, instance, seed, shortest: context.shared_paths() };
    let setup = crowd_run::setup(context, &problem, settings);
    let mut output = run_script(setup, &mut patrol.watched(|_| !context.is_stopped()))?;
    patrol.count_all_loops(&mut output.result);
    let measures = patrol.measures(output.result.ticks);
    Ok(crowd_run::record(output, settings, plan.places_move || plan.door.is_some(), &measures))
}

/// Parses a rectangle: `X,Y` for a cell, or `X,Y,X,Y` for two corners, both included.
pub(crate) fn parse_area(text: &str) -> Option<Area> {
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
    /// Returns the thesis's time of a number of ticks.
    pub fn simulation_time(ticks: u64) -> f64 {
        ticks as f64 * TIME_PER_TICK
    }

    /// Extends the measures of a run from the first path of each agent to all its loops.
    pub fn count_all_loops(&self, result: &mut RunResult) {
        result.shortest_mean *= 2.0 * self.plan.loops as f64;
        result.travel_over_shortest = result.travel_mean / result.shortest_mean;
        // An agent arrives once per loop.
        (result.shortest_steps_mean, result.delay_mean) = (None, None);
        result.completion_rate = self.loop_rate();
    }

    /// Returns the share of all loops that were done.
    fn loop_rate(&self) -> f64 {
        let all = self.plan.agents as u64 * self.plan.loops;
        if all == 0 { 1.0 } else { self.loops_done() as f64 / all as f64 }
    }

    fn measures(&self, ticks: u64) -> PatrolMeasures {
        let mean = |totals: &LoopTotals, part: fn(LoopMeasures) -> f64| totals.mean().map(part);
        let loops = self.plan.loops;
        let coherence = |percent| self.observer.at_percent(percent, loops);
        let curve = &self.observer.curve;
        let samples = || curve.values().iter().copied();
        let PatrolLoops { first, middle, last, late } = &self.loops;
        PatrolMeasures {
            loops_done: self.loops_done(),
            loop_rate: self.loop_rate(),
            simulation_time: Self::simulation_time(ticks),
            loop_time: Self::simulation_time(ticks) / loops as f64,
            loop_expansions: mean(middle, |each| each.expansions),
            loop_backwards: mean(middle, |each| each.backwards),
            loop_distance: mean(middle, |each| each.distance),
            loop_failed_moves: mean(middle, |each| each.failed_moves),
            loop_duration: mean(middle, |each| each.time),
            first_duration: mean(first, |each| each.time),
            first_distance: mean(first, |each| each.distance),
            first_failed_moves: mean(first, |each| each.failed_moves),
            first_expansions: mean(first, |each| each.expansions),
            last_duration: mean(last, |each| each.time),
            last_distance: mean(last, |each| each.distance),
            last_failed_moves: mean(last, |each| each.failed_moves),
            last_expansions: mean(last, |each| each.expansions),
            coherence_mean: self.observer.mean(loops),
            coherence_10: coherence(10),
            coherence_25: coherence(25),
            coherence_50: coherence(50),
            coherence_75: coherence(75),
            coherence_90: coherence(90),
            coherence_curve: samples().next().map(|_| curve.to_string()),
            coherence_low: samples().min_by(f64::total_cmp),
            coherence_high: samples().max_by(f64::total_cmp),
            one_way_share: self.passages.one_way_share(),
            late_distance: mean(late, |each| each.distance),
            late_failed_moves: mean(late, |each| each.failed_moves),
            late_expansions: mean(late, |each| each.expansions),
        }
    }
}

#[cfg(test)]
mod tests;
