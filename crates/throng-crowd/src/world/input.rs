//! Inputs: everything a game can do to a world between two ticks, as data, so that it can be recorded and replayed.

use serde::{Deserialize, Serialize};
use throng_grid::{Area, Classes, OverlayError, Pos, ProfileId, Terrain};

use crate::{AgentId, AgentSpec, ForeignId, GroupId, Speed, Unit};

/// A call that changes a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Input {
    /// [`World::spawn`](crate::World::spawn).
    Spawn(AgentSpec),
    /// [`World::despawn`](crate::World::despawn).
    Despawn(AgentId),
    /// [`World::teleport`](crate::World::teleport).
    Teleport(AgentId, Pos),
    /// [`World::send`](crate::World::send).
    Send(AgentId, Pos),
    /// [`World::send_group`](crate::World::send_group) forms a group: it gets the next number.
    FormGroup,
    /// [`World::send_group`](crate::World::send_group) sends an agent of the group.
    SendInGroup(GroupId, AgentId, Pos),
    /// [`World::hold`](crate::World::hold).
    Hold(AgentId, bool),
    /// [`World::halt`](crate::World::halt).
    Halt(AgentId),
    /// [`World::queue`](crate::World::queue).
    Queue(AgentId, Pos),
    /// [`World::patrol`](crate::World::patrol) with one point.
    Patrol(AgentId, Pos),
    /// [`World::extend_patrol`](crate::World::extend_patrol).
    PatrolPoint(AgentId, Pos),
    /// [`World::follow`](crate::World::follow).
    Follow(AgentId, Unit, u16),
    /// [`World::set_priority`](crate::World::set_priority).
    SetPriority(AgentId, i8),
    /// [`World::control`](crate::World::control).
    Control(AgentId, bool),
    /// [`World::set_speed`](crate::World::set_speed).
    SetSpeed(AgentId, Speed),
    /// [`World::set_profile`](crate::World::set_profile).
    SetProfile(AgentId, ProfileId),
    /// [`World::block`](crate::World::block).
    Block(Area),
    /// [`World::unblock`](crate::World::unblock).
    Unblock(Area),
    /// [`World::set_terrain`](crate::World::set_terrain).
    SetTerrain(Area, Terrain),
    /// [`World::set_door`](crate::World::set_door).
    SetDoor(Area, Classes),
    /// [`World::set_cost`](crate::World::set_cost).
    SetCost(Area, Classes, u8),
    /// [`World::place_foreign`](crate::World::place_foreign).
    PlaceForeign(Pos),
    /// [`World::move_foreign`](crate::World::move_foreign).
    MoveForeign(ForeignId, Pos),
    /// [`World::remove_foreign`](crate::World::remove_foreign).
    RemoveForeign(ForeignId),
}

/// Why a world refuses an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The position is outside the map.
    #[error("{0} is outside the map")]
    Outside(Pos),
    /// An agent of this profile cannot stand there.
    #[error("{0} is blocked for the profile of the agent")]
    Blocked(Pos),
    /// A unit is there.
    #[error("{0} is occupied")]
    Occupied(Pos),
    /// No agent has or had this id.
    #[error("there is no agent {0}")]
    NoSuchAgent(AgentId),
    /// The agent was removed from the world.
    #[error("agent {0} was removed")]
    RemovedAgent(AgentId),
    /// No foreign unit has or had this id.
    #[error("there is no foreign unit {0}")]
    NoSuchForeign(ForeignId),
    /// The foreign unit was removed from the world.
    #[error("foreign unit {0} was removed")]
    RemovedForeign(ForeignId),
    /// No group has or had this id.
    #[error("there is no group {0}")]
    NoSuchGroup(GroupId),
    /// The grid has no such profile.
    #[error("the grid has no profile {}", .0.0)]
    NoSuchProfile(ProfileId),
    /// The agent has as many waypoints as it can have.
    #[error("an agent has at most {max} waypoints", max = crate::MAX_WAYPOINTS)]
    TooManyWaypoints,
    /// A patrol needs a point.
    #[error("a patrol needs at least one point")]
    NoWaypoint,
    /// The agent does not patrol.
    #[error("agent {0} does not patrol: give it a patrol before adding points")]
    NoPatrol(AgentId),
    /// An agent cannot follow itself.
    #[error("agent {0} cannot follow itself")]
    FollowsItself(AgentId),
    /// The cost overlay is refused.
    #[error(transparent)]
    Overlay(#[from] OverlayError),
}

/// Why a world cannot be created.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The planner requires agents to share more than the settings grant.
    #[error("the planner requires agents to share {}, but the settings grant {}", required.name(), granted.name())]
    Sharing {
        /// The level that the planner requires.
        required: crate::Sharing,
        /// The level that the settings grant.
        granted: crate::Sharing,
    },
    /// The planner requires more of the map than agents see under the settings.
    #[error(
        "the planner `{planner}` requires {} and the settings grant {}: {}",
        required.name(), granted.name(), required.remedy()
    )]
    Map {
        /// The specification of the planner.
        planner: String,
        /// What the planner requires.
        required: crate::MapKnowledge,
        /// What the settings grant.
        granted: crate::MapKnowledge,
    },
    /// The planner was made for another map.
    #[error(
        "the planner `{planner}` was made for another map: {difference}. Make it for the grid that the world gets, after \
         its last profile was added"
    )]
    OtherMap {
        /// The specification of the planner.
        planner: String,
        /// In which respect the maps differ.
        difference: String,
    },
    /// The planner assumes that all steps last equally long.
    #[error(
        "the planner `{planner}` does not support steps whose time follows their cost ({step_time}): use one that does, \
         or uniform steps"
    )]
    StepTime {
        /// The specification of the planner.
        planner: String,
        /// What the settings say.
        step_time: crate::StepTime,
    },
    /// Agents that share nothing cannot share a map.
    #[error("agents that may share nothing cannot share a map: let each have its own, or allow more sharing")]
    SharedMap,
    /// Agents that see nothing would walk into walls.
    #[error("agents must see at least the cells around them: the radius must be at least 1")]
    NoSight,
}
