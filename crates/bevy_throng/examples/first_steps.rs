//! The program of `docs/bevy.md`: from an empty app to a crowd. A test keeps the two equal.
//!
//! `cargo run -p bevy_throng --example first_steps`

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time, TimePlugin};
use bevy_transform::{TransformPlugin, components::Transform};

use bevy_throng::prelude::*;
use bevy_throng::throng::{self, Area, Grid, MoveRules, Pos, Settings, grid::builtin::builtin};

fn main() {
    game().run();
}

fn game() -> App {
    let mut app = App::new();
    app.add_plugins((TimePlugin, TransformPlugin)); // or DefaultPlugins
    app.add_plugins(ThrongPlugin)
        .insert_resource(Time::<Fixed>::from_hz(8.0)) // eight ticks per second
        .add_systems(Startup, (make_map, spawn_army, send_guard).chain())
        .add_systems(Update, bridge_collapses)
        .add_observer(|on: On<Arrived>| println!("{} is in place", on.entity));
    app
}

/// The map is a resource: a grid, the planner that moves everybody on it, and where its cells are drawn.
fn make_map(mut crowds: ResMut<Crowds>) -> Result {
    let grid = Grid::new(builtin("bridge")?, MoveRules::default());
    let planner = throng::planner("surge", &grid)?;
    let world = throng::World::new(grid, planner, Settings::default())?;
    crowds.add(Crowd::new(world).layout(Layout::flat(16.0)));
    Ok(())
}

/// Agents are entities with a position and a goal; those with a transform are moved on the screen.
fn spawn_army(mut commands: Commands) {
    for row in 0..10 {
        commands.spawn((
            Agent,
            GridPosition::new(10, 10 + row),
            Goal::cell(60, 17),
            Transform::default(), // or Sprite, Mesh3d, …, which bring one
        ));
    }
}

/// Edits of the map are commands of its world.
fn bridge_collapses(mut crowds: ResMut<Crowds>) {
    let world = crowds.first_mut().world_mut();
    if world.ticks() == 10 {
        world.block(Area::rect(Pos::new(30, 17), Pos::new(31, 18)));
    }
}

/// A guard goes back and forth.
fn send_guard(mut commands: Commands) {
    commands.spawn((Agent, GridPosition::new(12, 10), Goal::cell(12, 20))).observe(
        |on: On<Arrived>, mut goals: Query<&mut Goal>| {
            if let Ok(mut goal) = goals.get_mut(on.entity) {
                *goal = Goal::cell(12, if *goal == Goal::cell(12, 20) { 10 } else { 20 });
            }
        },
    );
}

#[test]
fn the_army_gets_over_the_ford() {
    let mut app = game();
    app.insert_resource(bevy_time::TimeUpdateStrategy::FixedTimesteps(1));
    for _frame in 0..150 {
        app.update();
    }
    let goal = Pos::new(60, 17);
    let world = app.world().resource::<Crowds>().first().world();
    let army = world.agents().iter().filter(|&&agent| world.goal(agent) == Ok(Some(goal)));
    assert_eq!(army.filter(|&&agent| world.has_arrived(agent) == Ok(true)).count(), 10);
}
