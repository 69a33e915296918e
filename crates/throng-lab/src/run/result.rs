//! The results of a run, and the columns in which they are stored.

use serde::{Deserialize, Serialize, Serializer};
use throng::Cell;
use throng_toolkit::DirectionMap;

use super::{Course, Stopped};
use crate::RunRow;
use crate::columns::{RowPart, columns};
use crate::stats::Distribution;

/// The measures of a run, as the command line prints them.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct RunResult {
    /// The map's name.
    pub map: String,
    /// The planner.
    pub planner: String,
    /// The number of agents.
    pub agents: usize,
    /// The problem type.
    pub r#type: String,
    /// The seed.
    pub seed: u64,
    /// Why the run ended.
    pub stopped: Stopped,
    /// The number of ticks.
    pub ticks: u64,
    /// The time of all ticks, in seconds.
    pub wall_seconds: f64,
    /// The share of the agents that have arrived at the end.
    pub completion_rate: f64,
    /// The mean tick of arrival; an agent that has not arrived counts the limit.
    pub completion_ticks_mean: f64,
    /// The mean time of arrival in seconds; an agent that has not arrived counts the limit.
    pub completion_seconds_mean: f64,
    /// The mean distance that an agent has walked.
    pub travel_mean: f64,
    /// The mean length of the agents' shortest paths.
    pub shortest_mean: f64,
    /// The number of agents whose shortest paths were searched: a sample of large crowds and on large maps; 0 if they are not
    /// needed.
    pub shortest_agents: usize,
    /// The mean number of steps of the agents' shortest paths; none if goals change during the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest_steps_mean: Option<f64>,
    /// The mean distance that the agents with a known shortest path have walked, over `shortest_mean`.
    pub travel_over_shortest: f64,
    /// The mean tick of arrival of the same agents minus `shortest_steps_mean`; none if goals change during the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_mean: Option<f64>,
    /// The limit of ticks.
    #[serde(skip)]
    pub tick_limit: u64,
    /// Node expansions of the planner.
    pub expansions: u64,
    /// The number of times an agent wanted another cell and stayed because another agent held or took it.
    pub failed_moves: u64,
    /// The longest time in ticks in which an agent on its way neither stepped nor waited for a cell that another unit held or
    /// took.
    pub idle_ticks_max: u64,
    /// The number of times an agent discovered that its path was blocked; none if agents know the whole map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discoveries: Option<u64>,
    /// What the planner reported about itself, such as a choice and its reasons, with the ticks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The number of moves that the referee refused.
    pub overruled: u64,
    /// The number of illegal moves and wrong hashes that the independent checker found; none if the run was not checked.
    pub collisions: Option<u64>,
    /// The times of the ticks until the last arrival or the limit, in microseconds.
    pub tick_us: Distribution,
    /// The time before the first tick, in seconds.
    pub prepare_seconds: f64,
    /// The time to free the memory of world and planner, in seconds.
    #[serde(skip)]
    pub close_seconds: f64,
    /// The largest memory of the planner, in bytes.
    pub peak_bytes: usize,
    /// The world's state hash at the end. Printed as 16 hexadecimal digits, because most readers of JSON keep only 53 bits
    /// of a number.
    #[serde(serialize_with = "hexadecimal")]
    pub state_hash: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn hexadecimal<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:016x}"))
}

columns! { Measure:
    /// The stored measures of a run with a crowd.
    pub struct CrowdMeasures {
        /// why the run ended: `arrived` (all agents), or a limit: `ticks`, `expansions`, `wall`, `still`, `completion`
        stopped: String,
        /// number of ticks
        ticks: u64,
        /// mean tick of arrival; an agent that has not arrived counts the limit, or the last tick if another limit ended
        /// the run
        completion_ticks_mean: f64,
        /// mean distance that an agent has walked
        travel_mean: f64,
        /// mean over the agents of the total length of their shortest paths, each agent alone on the map; none if goals
        /// change during the run
        shortest_mean: Option<f64>,
        /// number of agents whose shortest paths were searched: all up to 2,000, and every k-th, at most 1,000 in all, of
        /// larger crowds and on maps of more than 2,097,152 cells; none in older rows, where it was all
        shortest_agents: Option<usize>,
        /// mean number of steps of these shortest paths
        shortest_steps_mean: Option<f64>,
        /// mean distance that the agents with a known shortest path have walked (`travel_mean` if these are all) over
        /// `shortest_mean`
        travel_over_shortest: Option<f64>,
        /// mean tick of arrival of the agents with a known shortest path minus `shortest_steps_mean`, in ticks
        delay_mean: Option<f64>,
        /// number of agents in the run: `agents`, or fewer because of `cells_per_agent`
        crowd_size: Option<usize>,
        /// the limit of ticks: `max_ticks`, or more because of `ticks_per_step`
        tick_limit: Option<u64>,
        /// node expansions of the planner
        expansions: u64,
        /// number of times an agent wanted another cell and stayed because another agent held or took it
        failed_moves: u64,
        /// longest time in ticks in which an agent on its way neither stepped nor waited for a cell that another unit held or
        /// took: it rested, or had no path
        idle_ticks_max: Option<u64>,
        /// number of times an agent discovered that its path was blocked; none if agents know the whole map
        discoveries: Option<u64>,
        /// number of moves that the referee refused
        overruled: u64,
        /// whether the independent checker verified the run
        checked: bool,
        /// number of violations that the checker found; none if it did not verify the run
        collisions: Option<u64>,
        /// state hash of the world at the end, 16 hexadecimal digits
        state_hash: String,
    }
}

columns! { Timing:
    /// The stored timings of a run with a crowd.
    pub struct CrowdTimings {
        /// time of all ticks, in seconds
        wall_seconds: f64,
        /// mean time of arrival in seconds of the run; an agent that has not arrived counts the whole `wall_limit`. Without
        /// one it counts the time until the end of the run or, if that was `still`, the estimated time until `max_ticks`
        completion_seconds_mean: f64,
        /// time per tick until the last arrival or the limit, in microseconds: the mean
        tick_us_mean: f64,
        /// time per tick in microseconds: the median
        tick_us_p50: f64,
        /// time per tick in microseconds: the 99th percentile
        tick_us_p99: f64,
        /// time per tick in microseconds: the 99.9th percentile
        tick_us_p999: f64,
        /// time per tick in microseconds: the maximum
        tick_us_max: f64,
        /// time before the first tick without making the map and the problem, in seconds
        prepare_seconds: f64,
        /// time to free the memory of world and planner, in seconds
        close_seconds: f64,
        /// largest memory of the planner, in bytes
        peak_bytes: usize,
    }
}

impl RunResult {
    /// Writes the measures and timings into a row. The completion rate is not among them: each task has its own.
    pub fn store(&self, row: &mut RunRow) {
        let measures = CrowdMeasures {
            stopped: self.stopped.name().to_owned(),
            ticks: self.ticks,
            completion_ticks_mean: self.completion_ticks_mean,
            travel_mean: self.travel_mean,
            shortest_mean: Some(self.shortest_mean),
            shortest_agents: Some(self.shortest_agents),
            shortest_steps_mean: self.shortest_steps_mean,
            travel_over_shortest: Some(self.travel_over_shortest),
            delay_mean: self.delay_mean,
            crowd_size: Some(self.agents),
            tick_limit: Some(self.tick_limit),
            expansions: self.expansions,
            failed_moves: self.failed_moves,
            idle_ticks_max: Some(self.idle_ticks_max),
            discoveries: self.discoveries,
            overruled: self.overruled,
            checked: self.collisions.is_some(),
            collisions: self.collisions,
            state_hash: format!("{:016x}", self.state_hash),
        };
        let timings = CrowdTimings {
            wall_seconds: self.wall_seconds,
            completion_seconds_mean: self.completion_seconds_mean,
            tick_us_mean: self.tick_us.mean,
            tick_us_p50: self.tick_us.p50,
            tick_us_p99: self.tick_us.p99,
            tick_us_p999: self.tick_us.p999,
            tick_us_max: self.tick_us.max,
            prepare_seconds: self.prepare_seconds,
            close_seconds: self.close_seconds,
            peak_bytes: self.peak_bytes,
        };
        measures.store(row);
        timings.store(row);
    }
}

/// The result of a run, and what can be drawn or stored of it.
#[derive(Clone, Debug)]
pub struct FinishedRun {
    /// The measures.
    pub result: RunResult,
    /// How often each cell was entered; empty unless the setup asks for it.
    pub heat: Vec<u32>,
    /// The agents' cells at the end.
    pub positions: Vec<Cell>,
    /// The cells that no agent has seen; empty without fog, and unless the setup asks for heat.
    pub unseen: Vec<Cell>,
    /// The whole recording, which can be replayed and checked without the planner; empty unless the setup asks for it.
    pub recording: Vec<u8>,
    /// One sample per tick; empty unless the setup asks for it.
    pub series: Vec<TickSample>,
    /// The state at marks of expansions; none if the run has no limit of expansions.
    pub course: Option<Course>,
    /// The planner's direction map at the end, if it has one.
    pub directions: Option<DirectionMap>,
}

/// What is stored per tick where an experiment asks for series.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TickSample {
    /// The number of agents that have arrived.
    pub arrived: u64,
    /// The planner's expansions in this tick.
    pub expansions: u64,
    /// The time of the tick in microseconds.
    pub tick_us: f64,
}
