//! Tick and sync out: worlds tick, and components and messages follow.

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::entity::Entity;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::query::{Added, Without};
use bevy_ecs::system::{Commands, Query, Res, ResMut};
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;

use crate::{Agent, AgentHandle, CrowdEvent, Crowds, GridPosition, InCrowd, Refused, events};

/// Ticks the crowds.
pub(crate) fn tick(mut crowds: ResMut<Crowds>) {
    for (_, crowd) in crowds.iter_mut() {
        crowd.fixed_step();
    }
}

/// Writes the cells of agents. Only those that moved are marked as changed.
pub(crate) fn write_positions(
    mut crowds: ResMut<Crowds>,
    mut agents: Query<(Entity, &AgentHandle, &mut GridPosition)>,
    mut commands: Commands,
) {
    for (entity, handle, mut at) in &mut agents {
        let Some(crowd) = crowds.get(handle.crowd).filter(|crowd| crowd.has_ticked) else { continue };
        match crowd.world().position(handle.id) {
            Ok(pos) => {
                at.set_if_neq(GridPosition(pos));
            }
            // The game removed the agent from the world itself.
            Err(error) => {
                crowds.remove_unit(entity);
                commands.entity(entity).try_remove::<AgentHandle>().try_insert(Refused(error));
            }
        }
    }
}

/// Writes the events of the tick as messages, and triggers those that observers get.
pub(crate) fn write_events(
    crowds: Res<Crowds>,
    mut messages: MessageWriter<CrowdEvent>,
    mut commands: Commands,
) {
    for (id, crowd) in crowds.iter().filter(|(_, crowd)| crowd.has_ticked) {
        messages.write_batch(crowd.events.iter().map(|&event| {
            let message = events::message(id, crowd, event);
            events::trigger(&mut commands, crowd, &message);
            message
        }));
    }
}

/// Moves the transforms of agents to where they are at this moment: between two ticks, on the step that they made in the
/// last one.
pub(crate) fn interpolate(
    crowds: Res<Crowds>,
    time: Res<Time<Fixed>>,
    mut agents: Query<(&AgentHandle, &mut Transform)>,
) {
    let fraction_of_step = time.overstep_fraction();
    for (handle, mut transform) in &mut agents {
        let Some(crowd) = crowds.get(handle.crowd) else { continue };
        let Ok(motion) = crowd.world().motion(handle.id) else { continue };
        let fraction = crowd.fraction_of_tick(fraction_of_step);
        let point = crowd.layout.moved(transform.translation, &motion, fraction);
        // An agent that rests does not change, so that nothing below it is computed again.
        if point != transform.translation {
            transform.translation = point;
        }
    }
}

/// Moves the transforms of units that have just been made to their cells, so that they are not drawn elsewhere before the
/// next fixed step.
pub(crate) fn place(
    crowds: Res<Crowds>,
    mut units: Query<
        (&GridPosition, &InCrowd, &mut Transform),
        (bevy_ecs::query::With<Agent>, Added<Agent>, Without<AgentHandle>),
    >,
) {
    for (at, crowd, mut transform) in &mut units {
        if let Some(crowd) = crowds.get(crowd.0) {
            transform.translation = crowd.layout.placed(transform.translation, at.0);
        }
    }
}
