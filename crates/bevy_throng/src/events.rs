//! What happens to units, as messages and as events for observers.
//!
//! Every event of a tick is one message, [`CrowdEvent`]. Those that answer an order or need a reaction are also events of
//! the entity, which observers get, and [`GroupArrived`] is one of the app: they are rare enough to be triggered one by one.

use bevy_ecs::entity::Entity;
use bevy_ecs::event::EntityEvent;
use bevy_ecs::message::Message;
use bevy_ecs::system::Commands;
use throng::{Event, GroupId, Pos, StuckReason, WorldError};

use crate::{Crowd, CrowdId};

/// An event of a tick.
#[derive(Message, Clone, Copy, PartialEq, Eq, Debug)]
pub struct CrowdEvent {
    /// The crowd.
    pub crowd: CrowdId,
    /// The entity of the agent; `None` if the event concerns no agent, or the agent has no entity.
    pub entity: Option<Entity>,
    /// What happened.
    pub event: Event,
}

/// The agent is in place: [`Event::Arrived`].
#[derive(EntityEvent, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrived {
    /// The agent.
    pub entity: Entity,
}

/// The agent stands as near to its goal as other units let it: [`Event::SettledShort`].
#[derive(EntityEvent, Clone, Copy, PartialEq, Eq, Debug)]
pub struct SettledShort {
    /// The agent.
    pub entity: Entity,
    /// The number of steps on the map that are missing.
    pub distance: u32,
}

/// The goal cannot be reached: [`Event::Unreachable`].
#[derive(EntityEvent, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unreachable {
    /// The agent.
    pub entity: Entity,
    /// The goal.
    pub goal: Pos,
    /// The cell that it goes to instead.
    pub instead: Pos,
}

/// The agent does not get on: [`Event::Stuck`].
#[derive(EntityEvent, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// The agent.
    pub entity: Entity,
    /// The reason.
    pub reason: StuckReason,
    /// The unit in its way, if any has an entity.
    pub by: Option<Entity>,
}

/// The cell of the agent was blocked, and the agent was moved: [`Event::Displaced`].
#[derive(EntityEvent, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Displaced {
    /// The agent.
    pub entity: Entity,
    /// The blocked cell.
    pub from: Pos,
    /// The new position.
    pub to: Pos,
}

/// The agent has passed a waypoint: [`Event::Waypoint`].
#[derive(EntityEvent, Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaypointPassed {
    /// The agent.
    pub entity: Entity,
    /// The waypoint.
    pub at: Pos,
}

/// The agent goes on without a waypoint that it cannot reach: [`Event::WaypointSkipped`].
#[derive(EntityEvent, Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaypointSkipped {
    /// The agent.
    pub entity: Entity,
    /// The waypoint.
    pub at: Pos,
}

/// The unit that the agent followed was removed: [`Event::FollowEnded`].
#[derive(EntityEvent, Clone, Copy, PartialEq, Eq, Debug)]
pub struct FollowEnded {
    /// The agent.
    pub entity: Entity,
}

/// All agents of a group are in place or have settled short: [`Event::GroupArrived`]. It belongs to no single entity, so
/// observers of the app get it.
#[derive(bevy_ecs::event::Event, Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupArrived {
    /// The crowd.
    pub crowd: CrowdId,
    /// The group, as [`Crowds::send_group`](crate::Crowds::send_group) returned it.
    pub group: GroupId,
    /// The number of agents that have settled short, or for which no cell is left.
    pub settled_short: u32,
}

/// The world refused what a component of the unit asks for. It is a message too.
#[derive(EntityEvent, Message, Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputRefused {
    /// The unit.
    pub entity: Entity,
    /// Why.
    pub error: InputError,
}

/// Why the world refuses a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The world refuses it.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The entity that an agent shall follow is no unit of its crowd, or that of a group is no agent of the crowd.
    #[error("{0} is no unit of the same crowd")]
    NoUnit(Entity),
    /// There is no such crowd.
    #[error("there is no such crowd: {0:?}")]
    NoCrowd(CrowdId),
}

/// Returns the message of an event.
pub(crate) fn message(id: CrowdId, crowd: &Crowd, event: Event) -> CrowdEvent {
    let agent = match event {
        Event::Moved { agent, .. }
        | Event::Waited { agent, .. }
        | Event::Arrived { agent }
        | Event::Waypoint { agent, .. }
        | Event::WaypointSkipped { agent, .. }
        | Event::FollowEnded { agent, .. }
        | Event::SettledShort { agent, .. }
        | Event::LeftGoal { agent }
        | Event::Pushed { agent, .. }
        | Event::Overruled { agent, .. }
        | Event::Discovered { agent, .. }
        | Event::Unreachable { agent, .. }
        | Event::Displaced { agent, .. }
        | Event::Stuck { agent, .. } => Some(agent),
        _ => None,
    };
    CrowdEvent { crowd: id, entity: agent.and_then(|agent| crowd.entity(agent)), event }
}

/// Triggers the event for observers that belongs to a message, if there is one.
pub(crate) fn trigger(commands: &mut Commands, crowd: &Crowd, message: &CrowdEvent) {
    if let Event::GroupArrived { group, settled_short } = message.event {
        commands.trigger(GroupArrived { crowd: message.crowd, group, settled_short });
    }
    let Some(entity) = message.entity else { return };
    match message.event {
        Event::Arrived { .. } => commands.trigger(Arrived { entity }),
        Event::SettledShort { distance, .. } => commands.trigger(SettledShort { entity, distance }),
        Event::Unreachable { goal, instead, .. } => commands.trigger(Unreachable { entity, goal, instead }),
        Event::Stuck { reason, by, .. } => {
            commands.trigger(Stuck { entity, reason, by: by.and_then(|unit| crowd.unit_entity(unit)) });
        }
        Event::Displaced { from, to, .. } => commands.trigger(Displaced { entity, from, to }),
        Event::Waypoint { at, .. } => commands.trigger(WaypointPassed { entity, at }),
        Event::WaypointSkipped { at, .. } => commands.trigger(WaypointSkipped { entity, at }),
        Event::FollowEnded { .. } => commands.trigger(FollowEnded { entity }),
        _ => {}
    }
}
