//! Several crowds in one app.

use bevy_throng::prelude::*;
use bevy_throng::throng::{Area, Pos};

use crate::support::{app, at, handle, run, world};

const FIELD: &str = "..........";

#[test]
fn crowds_do_not_see_each_other() {
    let mut app = app(FIELD);
    let cellar = app.world_mut().resource_mut::<Crowds>().add(Crowd::new(world(FIELD)));
    let above = app.world_mut().spawn((Agent, GridPosition::new(0, 0), Goal::cell(9, 0))).id();
    let below = (Agent, GridPosition::new(0, 0), Goal::cell(9, 0), InCrowd(cellar));
    let below = app.world_mut().spawn(below).id();
    let mut crowds = app.world_mut().resource_mut::<Crowds>();
    crowds.get_mut(cellar).unwrap().world_mut().block(Area::rect(Pos::new(5, 0), Pos::new(5, 0)));
    run(&mut app, 12);
    assert_eq!((at(&app, above), at(&app, below)), (Pos::new(9, 0), Pos::new(4, 0)));
    assert_eq!((handle(&app, above).crowd(), handle(&app, below).crowd()), (CrowdId::FIRST, cellar));
}

#[test]
fn an_agent_goes_to_another_crowd() {
    let mut app = app(FIELD);
    let cellar = app.world_mut().resource_mut::<Crowds>().add(Crowd::new(world(FIELD)));
    let agent = app.world_mut().spawn((Agent, GridPosition::new(0, 0), Goal::cell(9, 0))).id();
    run(&mut app, 3);
    app.world_mut().entity_mut(agent).insert((InCrowd(cellar), GridPosition::new(0, 0)));
    run(&mut app, 2);
    let crowds = app.world().resource::<Crowds>();
    assert_eq!(crowds.first().world().agents().len(), 0);
    assert_eq!(crowds.get(cellar).unwrap().world().agents().len(), 1);
    assert_eq!(at(&app, agent), Pos::new(2, 0), "its order holds there too");
}

#[test]
fn a_removed_crowd_leaves_its_entities_behind() {
    let mut app = app(FIELD);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(3, 0))).id();
    let stone = app.world_mut().spawn((ForeignUnit, GridPosition::new(5, 0))).id();
    run(&mut app, 1);
    let mut crowds = app.world_mut().resource_mut::<Crowds>();
    let removed = crowds.remove(CrowdId::FIRST).unwrap();
    assert_eq!((removed.agents().len(), removed.foreign_units().count()), (1, 1));
    assert!(crowds.remove(CrowdId::FIRST).is_none());
    let next = crowds.add(Crowd::new(world(FIELD)));
    assert_ne!(next, CrowdId::FIRST, "a name is never given twice");
    run(&mut app, 2);
    assert!(!app.world().entity(agent).contains::<AgentHandle>());
    for entity in [agent, stone] {
        app.world_mut().entity_mut(entity).insert(InCrowd(next));
    }
    run(&mut app, 1);
    let world = app.world().resource::<Crowds>().get(next).unwrap().world();
    assert_eq!((world.agents().len(), world.foreign_units().count()), (1, 1));
}

/// A game that loads another level replaces the resource. Ids of the new world may be equal to those of the old one.
#[test]
fn agents_enter_the_crowd_of_a_new_resource() {
    let mut app = app(FIELD);
    let agents = [2, 4].map(|x| app.world_mut().spawn((Agent, GridPosition::new(x, 0))).id());
    run(&mut app, 2);
    app.insert_resource(Crowds::new(Crowd::new(world(FIELD))));
    app.world_mut().despawn(agents[0]);
    let late = app.world_mut().spawn((Agent, GridPosition::new(0, 0), Goal::cell(1, 0))).id();
    run(&mut app, 3);
    let crowd = crate::support::crowd(&app);
    assert_eq!(crowd.world().agents().len(), 2);
    for (agent, pos) in [(agents[1], Pos::new(4, 0)), (late, Pos::new(1, 0))] {
        assert_eq!(crowd.entity(handle(&app, agent).id()), Some(agent));
        assert_eq!(at(&app, agent), pos);
    }
}
