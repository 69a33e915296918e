//! Two armies change sides, and the bridge between them collapses: the app of `docs/bevy.md`, without a window.
//!
//! Soldiers are entities with a transform, under a parent that is the map. One observer counts arrivals, another reports who
//! is stuck. The app ends when everybody is in place.
//!
//! `cargo run --release -p bevy_throng --example bridge`

#![expect(clippy::needless_pass_by_value, reason = "Bevy's systems take their parameters by value")]

use std::error::Error;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_throng::prelude::*;
use bevy_throng::throng::grid::builtin::builtin;
use bevy_throng::throng::{Area, Grid, MoveRules, Pos, Settings, World as ThrongWorld, planner};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::{GlobalTransform, Transform};

/// Soldiers per army.
const ARMY: usize = 40;

/// How often a soldier got into place; a soldier that makes room for another one does so twice.
#[derive(Resource, Default)]
struct Arrivals(usize);

fn main() -> Result<(), Box<dyn Error>> {
    let mut app = game()?;
    // As fast as possible: every frame is one fixed step. A game leaves this line out.
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    let steps = play(&mut app);
    println!("{} arrivals in {steps} ticks", app.world().resource::<Arrivals>().0);
    Ok(())
}

/// Returns the app.
fn game() -> Result<App, Box<dyn Error>> {
    let grid = Grid::new(builtin("bridge")?, MoveRules::default());
    let planner = planner("surge", &grid)?;
    let world = ThrongWorld::new(grid, planner, Settings::default())?;
    let mut app = App::new();
    app.add_plugins((TimePlugin, TransformPlugin, ThrongPlugin))
        .insert_resource(Crowds::new(Crowd::new(world).layout(Layout::flat(16.0))))
        .init_resource::<Arrivals>()
        .add_systems(Startup, spawn_armies)
        .add_systems(FixedUpdate, collapse.before(ThrongSystems::SyncIn))
        .add_systems(Update, end)
        .add_observer(|_: On<Arrived>, mut arrivals: ResMut<Arrivals>| arrivals.0 += 1)
        .add_observer(|on: On<InputRefused>| println!("{}: {}", on.entity, on.error))
        .add_observer(|on: On<Stuck>| println!("{} is stuck: {:?}", on.entity, on.reason));
    Ok(app)
}

/// Spawns the armies on free cells of the west and the east. The goal of a soldier is the start of one of the others.
fn spawn_armies(mut commands: Commands, crowds: Res<Crowds>) {
    let grid = crowds.first().world().grid();
    let (width, height) = (grid.size().width() as i32, grid.size().height() as i32);
    let is_free = |pos: Pos| grid.cell(pos).is_some_and(|cell| grid.ground().is_free(cell));
    let opposite = |pos: Pos| Pos::new(width - 1 - pos.x, height - 1 - pos.y);
    let cells = (0..height).step_by(3).flat_map(|y| (2..12).step_by(2).map(move |x| Pos::new(x, y)));
    let map = commands.spawn(Transform::from_xyz(-320.0, 240.0, 0.0)).id();
    for west in cells.filter(|&pos| is_free(pos) && is_free(opposite(pos))).take(ARMY) {
        for (from, to) in [(west, opposite(west)), (opposite(west), west)] {
            let soldier = (Agent, GridPosition(from), Goal::Cell(to), Transform::default());
            commands.spawn((soldier, ChildOf(map)));
        }
    }
}

/// The bridge collapses in tick 20.
fn collapse(mut crowds: ResMut<Crowds>) {
    let world = crowds.first_mut().world_mut();
    if world.ticks() == 20 {
        world.block(Area::rect(Pos::new(30, 17), Pos::new(31, 18)));
    }
}

fn end(crowds: Res<Crowds>, agents: Query<&AgentHandle>, mut exit: MessageWriter<AppExit>) {
    let world = crowds.first().world();
    if !agents.is_empty() && agents.iter().all(|agent| world.has_arrived(agent.id()) == Ok(true)) {
        exit.write(AppExit::Success);
    }
}

/// Runs the app to its end, and returns the number of ticks.
fn play(app: &mut App) -> u64 {
    while app.should_exit().is_none() {
        app.update();
        let ticks = app.world().resource::<Crowds>().first().world().ticks();
        assert!(ticks < 2_000, "the armies do not get on");
    }
    let mut drawn = app.world_mut().query::<(&GridPosition, &GlobalTransform)>();
    for (at, transform) in drawn.iter(app.world()) {
        // Where a sprite of the soldier would be.
        let (x, y) = (at.0.x as f32 * 16.0 - 320.0, 240.0 - at.0.y as f32 * 16.0);
        assert!((transform.translation().x - x).abs() < 17.0 && (transform.translation().y - y).abs() < 17.0);
    }
    app.world().resource::<Crowds>().first().world().ticks()
}

#[test]
fn everybody_changes_sides_over_the_ford() {
    let mut app = game().unwrap();
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    let ticks = play(&mut app);
    assert!(ticks > 60, "{ticks} ticks");
    assert_eq!(app.world().resource::<Crowds>().first().world().agents().len(), 2 * ARMY);
    assert!(app.world().resource::<Arrivals>().0 >= 2 * ARMY);
}
