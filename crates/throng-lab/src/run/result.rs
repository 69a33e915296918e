//! What comes of a run.

use serde::{Serialize, Serializer};
use throng::Cell;
use throng::toolkit::DirectionMap;

use super::Stopped;
use crate::stats::Distribution;

/// The measures of a run, as the command line prints them.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct RunResult {
    /// The map's name.
    pub map: String,
    /// The planner.
    pub planner: String,
    /// Number of agents.
    pub agents: usize,
    /// The problem's type.
    pub r#type: String,
    /// The seed.
    pub seed: u64,
    /// Why the run ended.
    pub stopped: Stopped,
    /// Ticks run.
    pub ticks: u64,
    /// Time from the first tick to the last.
    pub wall_seconds: f64,
    /// Share of agents at home at the end.
    pub completion_rate: f64,
    /// Mean tick of coming home; the limit for agents that are not.
    pub completion_ticks_mean: f64,
    /// The same in seconds of the run.
    pub completion_seconds_mean: f64,
    /// Mean length walked.
    pub travel_mean: f64,
    /// Mean length of the agents' shortest paths.
    pub shortest_mean: f64,
    /// Mean length walked over the mean length of the agents' shortest paths.
    pub travel_over_shortest: f64,
    /// Expansions of the planner.
    pub expansions: u64,
    /// Times an agent wanted a cell and stayed because somebody held or took it.
    pub failed_moves: u64,
    /// Proposals that the referee refused.
    pub overruled: u64,
    /// What the independent checker found wrong, with any move or any tick's hash; nothing when it did not look.
    pub collisions: Option<u64>,
    /// Times of the ticks until the last arrival or the limit, in microseconds.
    pub tick_us: Distribution,
    /// Everything before the first tick.
    pub prepare_seconds: f64,
    /// Giving back the memory of world and planner.
    #[serde(skip)]
    pub close_seconds: f64,
    /// The most memory that the planner held.
    pub peak_bytes: usize,
    /// The world's hash at the end. Written as 16 hexadecimal digits: most readers of JSON keep only 53 bits of a
    /// number.
    #[serde(serialize_with = "hexadecimal")]
    pub state_hash: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields so")]
fn hexadecimal<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:016x}"))
}

/// A run's result and what can be drawn or kept of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The measures.
    pub result: RunResult,
    /// How often each cell was entered; empty when it was not wanted.
    pub heat: Vec<u32>,
    /// Where everyone stood in the end.
    pub positions: Vec<Cell>,
    /// The whole run, to be played and checked without the planner; empty when it was not wanted.
    pub recording: Vec<u8>,
    /// What each tick did; empty when it was not wanted.
    pub series: Vec<TickSample>,
    /// The direction map that the planner had in the end, if it keeps one.
    pub directions: Option<DirectionMap>,
}

/// What is kept of a tick where series are wanted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TickSample {
    /// Agents at home after it.
    pub home: u64,
    /// Expansions of the planner in it.
    pub expansions: u64,
    /// Its time in microseconds.
    pub tick_us: f64,
}
