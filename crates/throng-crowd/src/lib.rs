//! The simulation a game talks to: the world of agents, its tick, the referee, goal assignment, events, recordings,
//! snapshots and an independent checker. Planners plug in behind the [`Planner`] trait; none is named here.

// First, because the documentation of `World` shows its methods in this order.
mod world;

mod check;
mod draft;
mod fog;
mod goals;
mod inspect;
pub mod limits;
mod orders;
mod planner;
mod record;
pub mod snapshot;
pub mod state;
mod work;

pub use check::running::RunningCheck;
pub use check::{CheckReport, Fault, Violation, check};
pub use draft::MoveDraft;
pub use fog::{Fog, FogError, MapKnowledge};
pub use goals::groups::GroupId;
pub use inspect::{DebugLayer, DebugMark, PlannerLayer, PlannerMark};
pub use orders::{
    FOLLOW_FRACTION, FOLLOW_TICKS, MAX_WAYPOINTS, Orders, PATROL_RETRY_TICKS, WAYPOINT_RADIUS, Waypoints,
};
pub use planner::{AgentChange, MapShape, Moves, NamedPlanner, Planner, Scripted, Sharing, Stationary, View};
pub use record::plan_file;
pub use record::play::{Playback, PlaybackError};
pub use record::read::{Recording, RecordingError};
pub use record::{GrantedBudget, TargetRecord, TickRecord};
pub use snapshot::RestoreError;
pub use state::{Limits, StateError, Validate};
pub use work::{Budget, Executor, Sequential, UNIT_NANOSECONDS, Work};
pub use world::World;
pub use world::agents::{AgentRow, AgentSpec};
pub use world::event::{Event, Rule, StuckReason};
pub use world::ids::{AgentId, ForeignId, Unit};
pub use world::input::{Input, SetupError, WorldError};
pub use world::motion::Motion;
pub use world::occupancy::{Occupancy, Occupant};
pub use world::occupied_next::OccupiedNext;
pub use world::preview::{Certainty, PathCell, Remaining};
pub use world::settings::{Crossings, Destination, Settings, Totals};
pub use world::state_of_agent::AgentState;
pub use world::step_time::{Speed, StepTime};
pub use world::tick::TickReport;
