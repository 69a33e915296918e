//! Components become inputs of the world, and are taken back when they are removed.

use bevy_throng::prelude::*;
use bevy_throng::throng::{Area, Orders, Pos, ProfileId, Speed, Terrain, WorldError};
use bevy_throng::{Adopt, InputError};

use crate::support::{app, at, crowd, crowd_mut, empty_app, handle, run, run_until_arrival, take, world};

const FIELD: &str = "
    ..........
    ..........
    ..........";

#[test]
fn an_agent_enters_goes_to_its_goal_and_stays() {
    let mut app = app(FIELD);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(1, 1), Goal::cell(7, 1))).id();
    assert_eq!(run_until_arrival(&mut app, agent), 6);
    run(&mut app, 5);
    assert_eq!(at(&app, agent), Pos::new(7, 1));
    assert_eq!(app.world().get::<Goal>(agent), Some(&Goal::cell(7, 1)), "the plugin never changes an order");
}

#[test]
fn changed_orders_are_carried_out_and_removed_ones_end() {
    let mut app = app(FIELD);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(1, 1), Goal::cell(9, 1))).id();
    run(&mut app, 3);
    assert_eq!(at(&app, agent), Pos::new(4, 1));
    *app.world_mut().get_mut::<Goal>(agent).unwrap() = Goal::cell(0, 1);
    run(&mut app, 2);
    assert_eq!(at(&app, agent), Pos::new(2, 1));
    app.world_mut().entity_mut(agent).remove::<Goal>();
    run(&mut app, 2);
    assert_eq!(at(&app, agent), Pos::new(2, 1));
    assert_eq!(crowd(&app).world().goal(handle(&app, agent).id()), Ok(None));
    // Removed and inserted before the next fixed step: the new order counts.
    app.world_mut().entity_mut(agent).insert(Goal::cell(2, 2)).remove::<Goal>().insert(Goal::cell(4, 1));
    run(&mut app, 2);
    assert_eq!(at(&app, agent), Pos::new(4, 1));
}

#[test]
fn an_order_that_is_not_changed_is_given_once() {
    let mut app = app(FIELD);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(1, 1), Goal::cell(3, 1))).id();
    run_until_arrival(&mut app, agent);
    let count = |app: &mut bevy_app::App| {
        let events = take::<CrowdEvent>(app);
        events
            .iter()
            .filter(|event| matches!(event.event, bevy_throng::throng::Event::Arrived { .. }))
            .count()
    };
    assert_eq!(count(&mut app), 1);
    run(&mut app, 5);
    assert_eq!(count(&mut app), 0);
    // Setting it again is the order once more, and is answered.
    app.world_mut().entity_mut(agent).insert(Goal::cell(3, 1));
    run(&mut app, 2);
    assert_eq!(count(&mut app), 1);
}

#[test]
fn waypoints_patrols_and_followers() {
    let mut app = app(FIELD);
    let points = |cells: &[(i32, i32)]| cells.iter().map(|&(x, y)| Pos::new(x, y)).collect::<Vec<_>>();
    let scout = (Agent, GridPosition::new(0, 0), Goal::Waypoints(points(&[(5, 0), (5, 2), (9, 2)])));
    let scout = app.world_mut().spawn(scout).id();
    let guard = (Agent, GridPosition::new(0, 2), Goal::Patrol(points(&[(3, 2), (0, 2)])));
    let guard = app.world_mut().spawn(guard).id();
    let escort = (Agent, GridPosition::new(0, 1), Goal::Follow { unit: guard, distance: 1 });
    let escort = app.world_mut().spawn(escort).id();
    run_until_arrival(&mut app, scout);
    assert_eq!(at(&app, scout), Pos::new(9, 2));
    let orders = |app: &bevy_app::App, entity| {
        crowd(app).world().orders(handle(app, entity).id()).map(|orders| format!("{orders:?}")).unwrap()
    };
    assert!(orders(&app, guard).starts_with("Patrol"), "{}", orders(&app, guard));
    assert!(orders(&app, escort).starts_with("Follow"), "{}", orders(&app, escort));
    let distance = at(&app, guard).x.abs_diff(at(&app, escort).x);
    assert!(distance <= 2, "the escort is {distance} columns from the guard");

    // An order whose waypoints are not all on the map is refused as a whole.
    take::<InputRefused>(&mut app);
    app.world_mut().entity_mut(scout).insert(Goal::Waypoints(points(&[(0, 0), (50, 50)])));
    run(&mut app, 1);
    let outside = InputError::World(WorldError::Outside(Pos::new(50, 50)));
    assert_eq!(take::<InputRefused>(&mut app), [InputRefused { entity: scout, error: outside }]);
    run(&mut app, 2);
    assert_eq!(at(&app, scout), Pos::new(9, 2));

    // An order to follow an entity that is no unit is refused too.
    let nobody = app.world_mut().spawn_empty().id();
    app.world_mut().entity_mut(scout).insert(Goal::Follow { unit: nobody, distance: 1 });
    run(&mut app, 1);
    let refused = InputRefused { entity: scout, error: InputError::NoUnit(nobody) };
    assert_eq!(take::<InputRefused>(&mut app), [refused]);
    let Orders::Patrol { .. } = crowd(&app).world().orders(handle(&app, guard).id()).unwrap() else {
        panic!("the guard still patrols")
    };
}

#[test]
fn speed_profile_priority_hold_and_control_follow_their_components() {
    let mut app = app("
        ..........
        ..........
        ..........");
    crowd_mut(&mut app).world_mut().set_terrain(Area::rect(Pos::new(0, 1), Pos::new(9, 1)), Terrain::Water);
    let slow = AgentSpeed(Speed::one_step_in(2));
    let agent = app.world_mut().spawn((Agent, GridPosition::new(0, 0), slow, Goal::cell(8, 0))).id();
    run(&mut app, 4);
    assert_eq!(at(&app, agent), Pos::new(2, 0));
    let id = handle(&app, agent).id();
    app.world_mut().entity_mut(agent).insert((
        AgentSpeed(Speed::NORMAL),
        AgentProfile(ProfileId(1)),
        AgentPriority(3),
        HoldPosition,
    ));
    run(&mut app, 1);
    let world = crowd(&app).world();
    assert_eq!(world.speed(id), Ok(Speed::NORMAL));
    assert_eq!(world.profile(id), Ok(ProfileId(1)));
    assert_eq!(world.priority(id), Ok(3));
    app.world_mut().entity_mut(agent).remove::<(AgentPriority, AgentProfile, HoldPosition)>().insert(slow);
    run(&mut app, 1);
    let world = crowd(&app).world();
    assert_eq!(
        (world.speed(id), world.profile(id), world.priority(id)),
        (Ok(slow.0), Ok(ProfileId(0)), Ok(0))
    );

    app.world_mut().entity_mut(agent).insert(ManualControl);
    run(&mut app, 2);
    let stopped = at(&app, agent);
    run(&mut app, 4);
    assert_eq!(at(&app, agent), stopped, "the planner does not move it");
    app.world_mut().entity_mut(agent).remove::<ManualControl>();
    run(&mut app, 4);
    assert_ne!(at(&app, agent), stopped);
}

#[test]
fn a_position_that_the_game_writes_is_a_teleport() {
    let mut app = app(FIELD);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(0, 0), Goal::cell(9, 0))).id();
    app.world_mut().spawn((ForeignUnit, GridPosition::new(5, 2)));
    run(&mut app, 2);
    app.world_mut().get_mut::<GridPosition>(agent).unwrap().0 = Pos::new(8, 0);
    assert_eq!(run_until_arrival(&mut app, agent), 1);
    // A refused teleport restores the position and says why.
    take::<InputRefused>(&mut app);
    app.world_mut().get_mut::<GridPosition>(agent).unwrap().0 = Pos::new(5, 2);
    run(&mut app, 1);
    assert_eq!(at(&app, agent), Pos::new(9, 0));
    let occupied = InputError::World(WorldError::Occupied(Pos::new(5, 2)));
    assert_eq!(take::<InputRefused>(&mut app), [InputRefused { entity: agent, error: occupied }]);
}

#[test]
fn foreign_units_block_move_and_leave() {
    let mut app = app("
        ..........
        #####.####
        ..........");
    let gate = app.world_mut().spawn((ForeignUnit, GridPosition::new(5, 1))).id();
    let agent = app.world_mut().spawn((Agent, GridPosition::new(5, 0), Goal::cell(5, 2))).id();
    run(&mut app, 20);
    assert_eq!(at(&app, agent).y, 0, "the passage is blocked");
    app.world_mut().get_mut::<GridPosition>(gate).unwrap().0 = Pos::new(9, 0);
    run_until_arrival(&mut app, agent);
    assert_eq!(crowd(&app).world().foreign_units().count(), 1);
    app.world_mut().entity_mut(gate).remove::<ForeignUnit>();
    run(&mut app, 1);
    assert_eq!(crowd(&app).world().foreign_units().count(), 0);
    assert!(!app.world().entity(gate).contains::<bevy_throng::ForeignHandle>());
    // The same entity becomes an agent.
    app.world_mut().entity_mut(gate).insert((Agent, Goal::cell(8, 0)));
    assert_eq!(run_until_arrival(&mut app, gate), 1);
}

#[test]
fn a_unit_that_cannot_enter_is_refused_once_and_enters_when_it_can() {
    let mut app = app(FIELD);
    let first = app.world_mut().spawn((Agent, GridPosition::new(3, 1))).id();
    run(&mut app, 1);
    let second = app.world_mut().spawn((Agent, GridPosition::new(3, 1))).id();
    let mut refused = 0;
    for _ in 0..5 {
        run(&mut app, 1);
        refused += take::<InputRefused>(&mut app).len();
    }
    assert_eq!(app.world().get::<Refused>(second), Some(&Refused(WorldError::Occupied(Pos::new(3, 1)))));
    assert_eq!(refused, 1);
    app.world_mut().get_mut::<GridPosition>(second).unwrap().0 = Pos::new(4, 1);
    run(&mut app, 2);
    assert_eq!(app.world().get::<Refused>(second), None);
    assert_eq!(crowd(&app).entity(handle(&app, second).id()), Some(second));
    assert_eq!(crowd(&app).entity(handle(&app, first).id()), Some(first));
}

#[test]
fn edits_of_the_map_take_effect_in_the_next_tick() {
    let mut app = app("
        ..........
        .########.
        ..........");
    let agent = app.world_mut().spawn((Agent, GridPosition::new(0, 0), Goal::cell(9, 0))).id();
    run(&mut app, 3);
    crowd_mut(&mut app).world_mut().block(Area::rect(Pos::new(6, 0), Pos::new(6, 0)));
    let steps = run_until_arrival(&mut app, agent);
    assert!(steps > 9, "the agent went round the wall, not through it, in {steps} steps");
}

#[test]
fn a_saved_world_is_adopted_by_new_entities() {
    let mut app = app(FIELD);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(0, 1), Goal::cell(9, 1))).id();
    run(&mut app, 4);
    let (id, saved) = (handle(&app, agent).id(), crowd(&app).world().clone());

    let mut loaded = empty_app();
    loaded.insert_resource(Crowds::new(Crowd::new(saved)));
    let entity = loaded.world_mut().spawn((Agent, Adopt(id))).id();
    run_until_arrival(&mut loaded, entity);
    assert_eq!(handle(&loaded, entity).id(), id);
    run_until_arrival(&mut app, agent);
    assert_eq!(crowd(&app).world().state_hash(), crowd(&loaded).world().state_hash());

    // An agent that the world does not have cannot be adopted.
    let mut other = empty_app();
    other.insert_resource(Crowds::new(Crowd::new(world(FIELD))));
    let entity = other.world_mut().spawn((Agent, Adopt(id))).id();
    run(&mut other, 1);
    assert_eq!(other.world().get::<Refused>(entity), Some(&Refused(WorldError::NoSuchAgent(id))));
}

#[test]
fn the_entity_of_an_agent_that_the_game_removed_itself_is_refused() {
    let mut app = app(FIELD);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(0, 1))).id();
    run(&mut app, 1);
    let id = handle(&app, agent).id();
    crowd_mut(&mut app).world_mut().despawn(id).unwrap();
    run(&mut app, 2);
    assert_eq!(app.world().get::<Refused>(agent), Some(&Refused(WorldError::RemovedAgent(id))));
    assert_eq!(app.world().get::<AgentHandle>(agent), None);
}
