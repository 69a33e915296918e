//! Crowds on grid maps: the world, its tick, the referee, and what planners share.

mod agent;
pub mod bytes;
mod claims;
mod distance_tables;
mod event;
mod goals;
mod hash;
mod input;
mod occupancy;
mod planner;
mod referee;
mod space_time;
mod tick;
mod timetable;
mod work;
mod world;

pub use agent::{AgentId, AgentSpec};
pub use claims::Claims;
pub use distance_tables::DistanceTables;
pub use event::{Event, Rule, StuckReason};
pub use input::{ForeignId, Input, SetupError, WorldError};
pub use occupancy::{Occupancy, Occupant};
pub use planner::{Change, Moves, Planner, Sharing, View};
pub use space_time::{SpaceTime, WayLeft};
pub use tick::TickReport;
pub use timetable::Timetable;
pub use work::{Budget, Executor, Sequential, Work, share_out};
pub use world::{Destination, Settings, Totals, World};
