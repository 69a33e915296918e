//! Crowds on grid maps: the world, its tick, the referee, and what planners share.

mod agent;
pub mod bytes;
mod claims;
mod event;
mod flow;
mod goals;
mod hash;
mod input;
mod learned;
mod occupancy;
mod planner;
mod referee;
mod reservations;
mod tick;
mod waits;
mod work;
mod world;

pub use agent::{AgentId, AgentSpec};
pub use claims::Claims;
pub use event::{Event, Rule, StuckReason};
pub use flow::Flow;
pub use input::{ForeignId, Input, SetupError, WorldError};
pub use learned::{Learned, Taught};
pub use occupancy::{Occupancy, Occupant};
pub use planner::{Change, Moves, Planner, Sharing, View};
pub use reservations::Reservations;
pub use tick::TickReport;
pub use waits::Waits;
pub use work::{Budget, Executor, Sequential, Work, share_out};
pub use world::{Destination, Settings, Totals, World};
