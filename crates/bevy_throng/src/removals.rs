//! Components and entities that were removed since the last fixed step.
//!
//! Observers write them down at once. `RemovedComponents` would not do: it forgets after two frames, and a fixed step may be
//! further away than that.

use bevy_app::App;
use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::observer::On;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Commands, ResMut};

use crate::{
    Agent, AgentHandle, AgentPriority, AgentProfile, AgentSpeed, ForeignHandle, ForeignUnit, Goal,
    HoldPosition, ManualControl,
};

/// A kind of component whose removal is an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Removed {
    Unit,
    Goal,
    Speed,
    Profile,
    Priority,
    HoldPosition,
    ManualControl,
}

/// What was removed, in the order in which it happened.
#[derive(Resource, Default)]
pub(crate) struct Removals(pub(crate) Vec<(Entity, Removed)>);

trait Tracked: Component {
    const KIND: Removed;
}

macro_rules! tracked {
    ($($component:ty => $kind:ident),* $(,)?) => {
        $(impl Tracked for $component {
            const KIND: Removed = Removed::$kind;
        })*

        /// Adds the observers.
        pub(crate) fn observe(app: &mut App) {
            app.init_resource::<Removals>();
            $(app.add_observer(note::<$component>);)*
            app.add_observer(drop_handle::<Agent, AgentHandle>);
            app.add_observer(drop_handle::<ForeignUnit, ForeignHandle>);
        }
    };
}

tracked! {
    Agent => Unit,
    ForeignUnit => Unit,
    Goal => Goal,
    AgentSpeed => Speed,
    AgentProfile => Profile,
    AgentPriority => Priority,
    HoldPosition => HoldPosition,
    ManualControl => ManualControl,
}

fn note<C: Tracked>(on: On<Remove<C>>, mut removals: ResMut<Removals>) {
    removals.0.push((on.entity, C::KIND));
}

/// Removes the handle with the component of its kind, so that a unit that is made anew enters its crowd again.
fn drop_handle<C: Component, H: Component>(on: On<Remove<C>>, mut commands: Commands) {
    if let Ok(mut entity) = commands.get_entity(on.entity) {
        entity.try_remove::<H>();
    }
}
