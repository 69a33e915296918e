//! Messages and observers.

use bevy_ecs::entity::Entity;
use bevy_ecs::observer::On;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Commands, ResMut};
use bevy_throng::InputError;
use bevy_throng::prelude::*;
use bevy_throng::throng::{Area, Event, GroupId, Pos, StuckReason, WorldError};

use crate::support::{app, crowd_mut, run, take};

#[derive(Resource, Default)]
struct Seen(Vec<(&'static str, Entity)>);

#[test]
fn observers_of_an_entity_get_its_events() {
    let mut app = app("
        .....#....
        .....#....");
    app.init_resource::<Seen>();
    let west = app.world_mut().spawn((Agent, GridPosition::new(0, 0), Goal::cell(4, 0))).id();
    let east = app.world_mut().spawn((Agent, GridPosition::new(6, 1), Goal::cell(2, 1))).id();
    app.world_mut().entity_mut(west).observe(|on: On<Arrived>, mut seen: ResMut<Seen>| {
        seen.0.push(("west arrived", on.entity));
    });
    app.add_observer(|on: On<Unreachable>, mut seen: ResMut<Seen>| {
        assert_eq!((on.goal, on.instead.x), (Pos::new(2, 1), 6));
        seen.0.push(("unreachable", on.entity));
    });
    run(&mut app, 10);
    assert_eq!(app.world().resource::<Seen>().0, [("unreachable", east), ("west arrived", west)]);
    // Every event is a message, with the entity of its agent.
    let messages = take::<CrowdEvent>(&mut app);
    assert!(messages.iter().all(|message| message.crowd == CrowdId::FIRST));
    let moves = |entity| {
        let of_entity = messages.iter().filter(|message| message.entity == Some(entity));
        of_entity.filter(|message| matches!(message.event, Event::Moved { .. })).count()
    };
    assert!(moves(west) <= 4, "messages of the last two fixed steps are kept, here {}", moves(west));
}

#[test]
fn an_observer_may_give_the_next_order() {
    let mut app = app("..........");
    let agent = app.world_mut().spawn((Agent, GridPosition::new(0, 0), Goal::cell(9, 0))).id();
    app.world_mut().entity_mut(agent).observe(|on: On<Arrived>, mut commands: Commands| {
        commands.entity(on.entity).insert(Goal::cell(0, 0));
    });
    run(&mut app, 9 + 9);
    assert_eq!(crate::support::at(&app, agent), Pos::new(0, 0));
}

#[test]
fn what_is_in_the_way_is_named_by_its_entity() {
    let mut app = app("
        ######
        ......
        ######");
    app.init_resource::<Seen>();
    app.add_observer(|on: On<Stuck>, mut seen: ResMut<Seen>| {
        assert_eq!(on.reason, StuckReason::BehindForeign);
        seen.0.extend([("stuck", on.entity), ("by", on.by.unwrap())]);
    });
    app.add_observer(|on: On<Displaced>, mut seen: ResMut<Seen>| seen.0.push(("displaced", on.entity)));
    let agent = app.world_mut().spawn((Agent, GridPosition::new(0, 1), Goal::cell(5, 1))).id();
    let stone = app.world_mut().spawn((ForeignUnit, GridPosition::new(3, 1))).id();
    run(&mut app, 80);
    let seen = &app.world().resource::<Seen>().0;
    assert_eq!(seen[..], [("stuck", agent), ("by", stone)]);
    crowd_mut(&mut app).world_mut().block(Area::rect(Pos::new(2, 1), Pos::new(2, 1)));
    run(&mut app, 1);
    assert!(app.world().resource::<Seen>().0.contains(&("displaced", agent)));
}

#[derive(Resource, Default)]
struct Groups(Vec<GroupId>);

#[test]
fn a_group_arrives_as_one() {
    let mut app = app("
        ........
        ........
        ........");
    app.init_resource::<Groups>();
    app.add_observer(|on: On<GroupArrived>, mut groups: ResMut<Groups>| {
        assert_eq!((on.crowd, on.settled_short), (CrowdId::FIRST, 0));
        groups.0.push(on.group);
    });
    let squad = [0, 1, 2].map(|y| app.world_mut().spawn((Agent, GridPosition::new(0, y))).id());
    let crowds = |app: &mut bevy_app::App, squad: &[Entity], goal| {
        app.world_mut().resource_mut::<Crowds>().send_group(CrowdId::FIRST, squad, goal)
    };
    let goal = Pos::new(5, 1);
    assert_eq!(
        crowds(&mut app, &squad, goal),
        Err(InputError::NoUnit(squad[0])),
        "they have not entered yet"
    );
    run(&mut app, 1);
    let outside = Pos::new(9, 9);
    assert_eq!(crowds(&mut app, &squad, outside), Err(InputError::World(WorldError::Outside(outside))));
    let group = crowds(&mut app, &squad, goal).unwrap();
    run(&mut app, 12);
    assert_eq!(app.world().resource::<Groups>().0, [group]);
    let missing = app.world_mut().resource_mut::<Crowds>().add(Crowd::new(crate::support::world("..")));
    app.world_mut().resource_mut::<Crowds>().remove(missing);
    let sent = app.world_mut().resource_mut::<Crowds>().send_group(missing, &[], Pos::new(0, 0));
    assert_eq!(sent, Err(InputError::NoCrowd(missing)));
}
