//! What planners share: time-sliced searches that pause and resume, distances to targets, the PIBT step, the
//! configuration search, reservation tables, the wait-for graph, and guidance by one-way flows and direction maps. No
//! planner is named here.

mod configuration_search;
mod distances;
mod guidance;
mod learned_heuristic;
mod parallel;
mod paused_search;
mod pibt;
mod random_item;
mod reservations;
mod search_queue;
mod sliced_search;
mod turns;
mod wait_for_graph;

use throng_grid::limits::Limit;

/// A direction map.
pub const DIRECTION_MAP_FILE: Limit = Limit {
    name: "direction-map-file",
    max: 128 << 20,
    unit: "bytes",
    what: "a direction map",
    reason: "five bytes per cell of the largest map are 84 MB",
};

/// The limits on direction maps.
pub const LIMITS: &[Limit] = &[DIRECTION_MAP_FILE];

pub use configuration_search::{ConfigurationSearch, Member, Stage};
pub use distances::{
    AbstractDistance, Abstractions, DatabaseDistances, DistanceTables, LandmarkBounds, Landmarks,
    SavedDatabaseDistances, SavedTables,
};
pub use guidance::direction::{
    Coherence, DirectionLearner, DirectionMap, DirectionMapError, DirectionMapVersion, Learning, Parts, Rate,
    SavedDirectionLearner, SavedDirectionMapVersion, SavedVectors, StepPenalties, StepPenalty, Surround,
    Unknown, Vector,
};
pub use guidance::flow::{Flow, Flows};
pub use learned_heuristic::{InitialHeuristic, LearnedHeuristic};
pub use parallel::{run_chunks, run_parallel};
pub use paused_search::{PausedSearch, VisibleAgents};
pub use pibt::{Candidates, PibtStep, PreferenceList, Preferences, Priorities, may_swap};
pub use random_item::random_item;
pub use reservations::{MoveReservations, ReservationTable, SpaceTime, SpaceTimeHeuristic};
pub use search_queue::{Grant, SearchQueue, Slicing, TimeSliced};
pub use sliced_search::SlicedSearch;
pub use turns::in_turn;
pub use wait_for_graph::WaitForGraph;
