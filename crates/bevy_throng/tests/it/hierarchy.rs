//! Despawned entities and parents.

use bevy_ecs::hierarchy::ChildOf;
use bevy_math::Vec3;
use bevy_throng::prelude::*;
use bevy_throng::throng::Pos;
use bevy_transform::components::{GlobalTransform, Transform};

use crate::support::{app, at, crowd, run};

const FIELD: &str = "
    ..........
    ..........";

#[test]
fn a_despawned_entity_leaves_its_cell_free() {
    let mut app = app(FIELD);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(3, 1))).id();
    let stone = app.world_mut().spawn((ForeignUnit, GridPosition::new(4, 1))).id();
    run(&mut app, 1);
    app.world_mut().despawn(agent);
    app.world_mut().despawn(stone);
    // In the same frame others take the cells.
    let agent = app.world_mut().spawn((Agent, GridPosition::new(4, 1))).id();
    let stone = app.world_mut().spawn((ForeignUnit, GridPosition::new(3, 1))).id();
    run(&mut app, 1);
    assert_eq!(crowd(&app).world().agents().len(), 1);
    assert!(!app.world().entity(agent).contains::<Refused>());
    assert!(!app.world().entity(stone).contains::<Refused>());
}

#[test]
fn an_agent_that_is_made_and_despawned_between_two_ticks_leaves_no_trace() {
    let mut app = app(FIELD);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(3, 1))).id();
    app.world_mut().despawn(agent);
    run(&mut app, 2);
    assert_eq!(crowd(&app).world().agents().len(), 0);
}

#[test]
fn a_component_that_is_removed_and_inserted_again_makes_a_new_agent() {
    let mut app = app(FIELD);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(3, 1), Goal::cell(9, 1))).id();
    run(&mut app, 2);
    app.world_mut().entity_mut(agent).remove::<Agent>().insert((Agent, GridPosition::new(0, 0)));
    run(&mut app, 3);
    assert_eq!(crowd(&app).world().agents().len(), 1);
    assert_eq!(at(&app, agent), Pos::new(3, 1), "from (0, 0) towards the same goal");
}

#[test]
fn agents_move_with_their_parent_and_go_with_it() {
    let mut app = app(FIELD);
    let map = app.world_mut().spawn(Transform::from_xyz(100.0, 0.0, 0.0)).id();
    let agent = (Agent, GridPosition::new(2, 1), Goal::cell(6, 1), Transform::from_xyz(0.0, 0.0, 5.0));
    let agent = app.world_mut().spawn((agent, ChildOf(map))).id();
    let hat = app.world_mut().spawn((ChildOf(agent), Transform::from_xyz(0.0, 0.5, 1.0))).id();
    run(&mut app, 20);
    let global =
        |app: &bevy_app::App, entity| app.world().get::<GlobalTransform>(entity).unwrap().translation();
    assert_eq!(global(&app, agent), Vec3::new(106.0, -1.0, 5.0));
    assert_eq!(global(&app, hat), Vec3::new(106.0, -0.5, 6.0));
    app.world_mut().despawn(map);
    run(&mut app, 1);
    assert!(app.world().get_entity(hat).is_err());
    assert_eq!(crowd(&app).world().agents().len(), 0);
    assert_eq!(crowd(&app).world().occupant(Pos::new(6, 1)), None);
}
