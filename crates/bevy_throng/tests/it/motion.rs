//! Transforms between ticks, and change detection.

use std::time::Duration;

use bevy_app::{App, Update};
use bevy_ecs::change_detection::DetectChanges;
use bevy_ecs::entity::Entity;
use bevy_ecs::query::Changed;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Query, ResMut};
use bevy_ecs::world::Ref;
use bevy_math::Vec3;
use bevy_throng::prelude::*;
use bevy_throng::throng::Speed;
use bevy_time::{Fixed, Time, TimeUpdateStrategy};
use bevy_transform::components::Transform;

use crate::support::{app, crowd, crowd_mut, run, world};

const FIELD: &str = "
    ...............
    ...............";

fn translation(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<Transform>(entity).unwrap().translation
}

/// Lets frames last a quarter of a fixed step.
fn quarter_frames(app: &mut App) {
    let step = Duration::from_millis(100);
    app.insert_resource(Time::<Fixed>::from_duration(step));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(step / 4));
}

#[test]
fn agents_glide_from_cell_to_cell() {
    let mut app = app(FIELD);
    quarter_frames(&mut app);
    crowd_mut(&mut app).layout = Layout::ground(2.0).origin(Vec3::new(1.0, 0.0, 1.0));
    let walker = (Agent, GridPosition::new(0, 0), Goal::cell(14, 0), Transform::from_xyz(0.0, 7.0, 0.0));
    let walker = app.world_mut().spawn(walker).id();
    let slow = AgentSpeed(Speed::one_step_in(2));
    let slow = app.world_mut().spawn((
        Agent,
        GridPosition::new(0, 1),
        Goal::cell(14, 1),
        slow,
        Transform::default(),
    ));
    let slow = slow.id();
    let mut before: Option<f32> = None;
    for frame in 0..40 {
        app.update();
        let point = translation(&app, walker);
        assert_eq!((point.y, point.z), (7.0, 1.0), "its height is the game's");
        if crowd(&app).world().ticks() >= 2 && point.x < 29.0 {
            if let Some(before) = before {
                assert!(
                    (point.x - before - 0.5_f32).abs() < 1e-4,
                    "frame {frame}: from {before} to {}",
                    point.x
                );
            }
            before = Some(point.x);
        }
    }
    assert!(before.is_some_and(|x| x > 15.0), "{before:?}");
    let (fast, slow) = (translation(&app, walker).x - 1.0, translation(&app, slow).x - 1.0);
    assert!((slow * 2.0 - fast).abs() < 2.1, "half as far: {slow} of {fast}");
}

#[test]
fn a_tick_may_take_several_fixed_steps() {
    let mut app = app(FIELD);
    crowd_mut(&mut app).fixed_steps_per_tick = 4;
    let agent = (Agent, GridPosition::new(0, 0), Goal::cell(14, 0), Transform::default());
    let agent = app.world_mut().spawn(agent).id();
    run(&mut app, 1);
    assert_eq!(crowd(&app).world().ticks(), 1, "the first fixed step ticks");
    let mut x = translation(&app, agent).x;
    for _ in 0..15 {
        app.update();
        let now = translation(&app, agent).x;
        assert!((now - x - 0.25).abs() < 1e-5, "from {x} to {now}");
        x = now;
    }
    assert_eq!(crowd(&app).world().ticks(), 4);
    crowd_mut(&mut app).paused = true;
    run(&mut app, 8);
    assert_eq!(crowd(&app).world().ticks(), 4);
}

#[test]
fn a_new_agent_is_drawn_in_its_cell_before_the_next_fixed_step() {
    let mut app = app(FIELD);
    quarter_frames(&mut app);
    run(&mut app, 2);
    let spawn = |mut commands: bevy_ecs::system::Commands, mut done: bevy_ecs::system::Local<bool>| {
        if !std::mem::replace(&mut *done, true) {
            commands.spawn((Agent, GridPosition::new(9, 1), Transform::default()));
        }
    };
    app.add_systems(Update, spawn);
    app.update();
    let mut agents = app.world_mut().query::<(&Agent, &Transform)>();
    let (_, transform) = agents.single(app.world()).unwrap();
    assert_eq!(transform.translation, Vec3::new(9.0, -1.0, 0.0));
}

#[derive(Resource, Default, Debug, PartialEq)]
struct Counts {
    positions: usize,
    transforms: usize,
}

#[test]
fn agents_at_rest_are_not_marked_as_changed() {
    let mut app = app(FIELD);
    app.init_resource::<Counts>();
    let count = |positions: Query<(), Changed<GridPosition>>,
                 transforms: Query<Ref<Transform>>,
                 mut counts: ResMut<Counts>| {
        counts.positions += positions.iter().count();
        counts.transforms += transforms.iter().filter(DetectChanges::is_changed).count();
    };
    app.add_systems(Update, count);
    for x in 0..10 {
        app.world_mut().spawn((Agent, GridPosition::new(x, 0), Transform::default()));
    }
    let walker = (Agent, GridPosition::new(0, 1), Goal::cell(14, 1), Transform::default());
    app.world_mut().spawn(walker);
    run(&mut app, 3);
    app.insert_resource(Counts::default());
    run(&mut app, 5);
    assert_eq!(app.world().resource::<Counts>(), &Counts { positions: 5, transforms: 5 });
}

#[test]
fn a_crowd_that_comes_later_is_waited_for() {
    let mut app = crate::support::empty_app();
    let agent = app.world_mut().spawn((Agent, GridPosition::new(0, 0), Goal::cell(2, 0))).id();
    run(&mut app, 3);
    assert!(!app.world().entity(agent).contains::<Refused>());
    app.world_mut().resource_mut::<Crowds>().add(Crowd::new(world(FIELD)));
    assert_eq!(crate::support::run_until_arrival(&mut app, agent), 2);
}
