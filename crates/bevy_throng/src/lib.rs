#![doc = include_str!("../README.md")]
#![expect(clippy::needless_pass_by_value, reason = "Bevy's systems take their parameters by value")]
#![expect(clippy::type_complexity, reason = "Bevy's queries are types")]

mod components;
mod crowds;
mod debug;
mod events;
#[cfg(feature = "gizmos")]
mod gizmos;
mod layout;
mod removals;
mod sync_in;
mod sync_out;
#[cfg(feature = "multi_threaded")]
mod task_pool;

use bevy_app::{App, FixedUpdate, Plugin, PostUpdate, RunFixedMainLoop, RunFixedMainLoopSystems};
use bevy_ecs::schedule::{IntoScheduleConfigs, SystemSet};
use bevy_transform::TransformSystems;

pub use components::{
    Adopt, Agent, AgentHandle, AgentPriority, AgentProfile, AgentSpeed, ForeignHandle, ForeignUnit, Goal,
    GridPosition, HoldPosition, InCrowd, ManualControl, Refused,
};
pub use crowds::{Crowd, CrowdId, Crowds, TickBudget};
pub use debug::DebugLine;
pub use events::{
    Arrived, CrowdEvent, Displaced, FollowEnded, GroupArrived, InputError, InputRefused, SettledShort, Stuck,
    Unreachable, WaypointPassed, WaypointSkipped,
};
#[cfg(feature = "gizmos")]
pub use gizmos::{DebugDraw, ThrongGizmosPlugin};
pub use layout::Layout;
#[cfg(feature = "multi_threaded")]
pub use task_pool::ComputeTasks;
pub use throng;

/// The components, the resource and the events: `use bevy_throng::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Agent, AgentHandle, AgentPriority, AgentProfile, AgentSpeed, Arrived, Crowd, CrowdEvent, CrowdId,
        Crowds, Displaced, FollowEnded, ForeignHandle, ForeignUnit, Goal, GridPosition, GroupArrived,
        HoldPosition, InCrowd, InputRefused, Layout, ManualControl, Refused, SettledShort, Stuck,
        ThrongPlugin, ThrongSystems, TickBudget, Unreachable, WaypointPassed, WaypointSkipped,
    };
}

/// Runs the [`Crowds`] of an app. It needs Bevy's `TimePlugin`, which `DefaultPlugins` and `MinimalPlugins` have.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThrongPlugin;

/// What the plugin does, in this order. All but the last are in the schedule `FixedUpdate`.
#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ThrongSystems {
    /// Components become inputs: units enter and leave, orders are given.
    SyncIn,
    /// The crowds tick.
    Tick,
    /// Positions become components, events become messages and are triggered.
    SyncOut,
    /// Transforms follow the agents from cell to cell: in `RunFixedMainLoop` after the fixed steps, so that systems in
    /// `Update` see this frame's transforms; and in `PostUpdate` for agents that were made in `Update`.
    Interpolate,
}

impl Plugin for ThrongPlugin {
    fn build(&self, app: &mut App) {
        removals::observe(app);
        app.init_resource::<Crowds>().add_message::<CrowdEvent>().add_message::<InputRefused>();
        app.configure_sets(
            FixedUpdate,
            (ThrongSystems::SyncIn, ThrongSystems::Tick, ThrongSystems::SyncOut).chain(),
        );
        let sync_in = (sync_in::remove_units, sync_in::add_units, sync_in::give_orders, sync_in::move_units);
        app.add_systems(
            FixedUpdate,
            (
                sync_in.chain().in_set(ThrongSystems::SyncIn),
                sync_out::tick.in_set(ThrongSystems::Tick),
                (sync_out::write_positions, sync_out::write_events).chain().in_set(ThrongSystems::SyncOut),
            ),
        );
        app.add_systems(
            RunFixedMainLoop,
            sync_out::interpolate
                .in_set(ThrongSystems::Interpolate)
                .in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
        );
        app.add_systems(
            PostUpdate,
            sync_out::place.in_set(ThrongSystems::Interpolate).before(TransformSystems::Propagate),
        );
    }
}
