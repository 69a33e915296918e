//! Crowds on grid maps: the world, its tick, the referee, and what planners share.

mod agent;
pub mod bytes;
mod checker;
mod checker_map;
mod claims;
mod event;
mod foreign;
mod goals;
mod hash;
mod input;
mod occupancy;
pub mod plan_file;
mod planner;
mod record;
mod record_input;
mod record_play;
mod record_read;
mod referee;
pub mod snapshot;
mod tick;
mod work;
mod world;

pub use agent::{AgentId, AgentSpec};
pub use checker::{Fault, Finding, Report, check};
pub use claims::Claims;
pub use event::{Event, Rule, StuckReason};
pub use input::{ForeignId, Input, SetupError, WorldError};
pub use occupancy::{Occupancy, Occupant};
pub use planner::{Change, Moves, Planner, Sharing, View};
pub use record::TickRecord;
pub use record_play::{PlayError, Playback};
pub use record_read::{Recording, RecordingError};
pub use snapshot::RestoreError;
pub use tick::TickReport;
pub use work::{Budget, Executor, Sequential, Work, share_out};
pub use world::{Destination, Settings, Totals, World};
