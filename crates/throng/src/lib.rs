#![doc = include_str!("../README.md")]

#[cfg(feature = "threads")]
mod pool;
pub mod prelude;

#[cfg(feature = "threads")]
pub use pool::Pool;
// Maps: terrain, move rules, files, generators, pictures.
pub use throng_grid as grid;
pub use throng_grid::{
    Area, Cell, Classes, Corners, Cost, Direction, Grid, Ground, MoveRules, OverlayError, Pos, Profile,
    ProfileId, Size, Terrain, Tiles,
};
// The simulation.
pub use throng_crowd::{
    AgentId, AgentSpec, AgentState, Budget, Certainty, Crossings, DebugLayer, DebugMark, Destination, Event,
    Executor, Fog, FogError, ForeignId, GroupId, Input, MAX_WAYPOINTS, MapKnowledge, MapShape, Motion,
    NamedPlanner, Orders, PathCell, Planner, Remaining, RestoreError, Rule, Settings, SetupError, Sharing,
    Speed, StepTime, StuckReason, TickReport, Totals, Unit, Waypoints, World, WorldError, snapshot,
};
// Recordings and their independent check.
pub use throng_crowd::{
    CheckReport, Fault, Playback, PlaybackError, Recording, RecordingError, Violation, check, plan_file,
};
// Planners by name, and what they can be given.
pub use throng_planners::{PLANNERS, PlannerError, PlannerInfo, Resources, planner, planner_with, restore};
pub use throng_toolkit::{DirectionMap, DirectionMapError};
// Searches for single paths by name, and path databases.
pub use throng_cpd::{Cpd, CpdBuilder, CpdFileError, any_search};
pub use throng_search::{RegisteredSearch, SEARCHES, SearchInfo, SearchResult, search};
