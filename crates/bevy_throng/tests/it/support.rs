//! Apps for tests.

use bevy_app::App;
use bevy_ecs::entity::Entity;
use bevy_ecs::message::Messages;
use bevy_throng::prelude::*;
use bevy_throng::throng::{Event, Grid, MoveRules, Pos, Profile, Settings, Tiles, World, planner};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;

/// Returns the world of a picture. Its second profile may swim.
pub(crate) fn world(picture: &str) -> World {
    let mut grid = Grid::new(Tiles::picture(picture), MoveRules::default());
    grid.add_profile(Profile::WC3);
    let planner = planner("surge", &grid).unwrap();
    World::new(grid, planner, Settings::default()).unwrap()
}

/// Returns an app with the crowd of a picture, in which every update is one fixed step.
pub(crate) fn app(picture: &str) -> App {
    let mut app = empty_app();
    app.insert_resource(Crowds::new(Crowd::new(world(picture))));
    app
}

/// Returns an app without a crowd, in which every update is one fixed step.
pub(crate) fn empty_app() -> App {
    let mut app = App::new();
    app.add_plugins((TimePlugin, TransformPlugin, ThrongPlugin));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    // The first frame has no length and no fixed step.
    app.update();
    app
}

/// Runs fixed steps.
pub(crate) fn run(app: &mut App, steps: usize) {
    for _ in 0..steps {
        app.update();
    }
}

pub(crate) fn at(app: &App, entity: Entity) -> Pos {
    app.world().get::<GridPosition>(entity).unwrap().0
}

pub(crate) fn handle(app: &App, entity: Entity) -> AgentHandle {
    *app.world().get::<AgentHandle>(entity).expect("the agent is in its crowd")
}

pub(crate) fn crowd(app: &App) -> &Crowd {
    app.world().resource::<Crowds>().first()
}

pub(crate) fn crowd_mut(app: &mut App) -> &mut Crowd {
    app.world_mut().resource_mut::<Crowds>().into_inner().first_mut()
}

/// Runs fixed steps until the agent arrives, and returns their number.
pub(crate) fn run_until_arrival(app: &mut App, entity: Entity) -> usize {
    for step in 1..200 {
        app.update();
        let id = handle(app, entity).id();
        if crowd(app).events().contains(&Event::Arrived { agent: id }) {
            return step;
        }
    }
    panic!("the agent has not arrived; it is at {}", at(app, entity));
}

/// Takes the messages of a type.
pub(crate) fn take<M: bevy_ecs::message::Message>(app: &mut App) -> Vec<M> {
    app.world_mut().resource_mut::<Messages<M>>().drain().collect()
}
