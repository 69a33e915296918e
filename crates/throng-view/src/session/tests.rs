use std::sync::mpsc::sync_channel;

use throng::{NamedPlanner, Pos, Settings, World};
use throng_crowd::{Moves, Scripted, View};
use throng_lab::Instance;

use super::*;
use crate::hub::Next;
use crate::message::{self, json, pos};
use crate::results::ResultFolders;

/// Makes a session with one browser that has been sent the state.
fn session(setup: Setup) -> (Session, Arc<Client>) {
    let hub = Arc::new(Hub::default());
    let client = hub.join(1).unwrap();
    let results = Arc::new(SharedResults::new(ResultFolders::default()));
    let (events, _) = sync_channel(1);
    let mut session = Session::new(setup, None, Links { hub, results, events }).unwrap();
    session.begin();
    session.greet(&client);
    (session, client)
}

/// Returns the JSON messages of a kind that wait for the browser.
fn messages(client: &Client, is: &str) -> Vec<serde_json::Value> {
    let mut found = Vec::new();
    // The writing thread of a connection waits for more; here the last one is a known reply.
    client.reply(json("end", &serde_json::json!({})));
    loop {
        match client.next() {
            Next::Send(Packet::Text(text)) => {
                let value: serde_json::Value = serde_json::from_str(&text).unwrap();
                if value["is"] == "end" {
                    return found;
                }
                found.extend(Some(value).filter(|value| value["is"] == is));
            }
            Next::Send(Packet::Binary(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn order(text: &str) -> Order {
    message::parse(text).unwrap()
}

#[test]
fn a_panic_ends_the_crowd_and_not_the_session() {
    let setup = Setup { map: "builtin:patrol-empty".to_owned(), agents: 20, ..Setup::default() };
    let (mut session, client) = session(setup.clone());
    let grid = session.scenes[0].world.grid().clone();
    let fails = |_: &View<'_>, _: &mut Moves| panic!("a test of panics");
    let planner = NamedPlanner::new("fails", Box::new(Scripted(fails)));
    let world = World::new(grid, planner, Settings::default()).unwrap();
    let mut scene = Scene::new(world, &Instance::default()).unwrap();
    scene.spawn(Pos::new(24, 24)).unwrap();
    session.scenes = vec![scene];
    session.playing = true;
    session.guarded(Session::forward);
    session.send_status();
    let status = messages(&client, "status").pop().unwrap();
    assert_eq!((&status["failed"], &status["playing"]), (&"a test of panics".into(), &false.into()));
    // Nothing is done with these worlds any more, and looking at them is still possible.
    for text in [r#"{"do":"step"}"#, r#"{"do":"play"}"#, r#"{"do":"halt","agents":[0]}"#] {
        session.guarded(|session| session.handle(Event::Order(client.id, order(text))));
        assert_eq!(messages(&client, "error").pop().unwrap()["about"], "failed", "{text}");
    }
    session.guarded(|session| session.greet(&client));
    assert_eq!(messages(&client, "status").len(), 1);
    // It can be started again.
    let restart = Order::Setup { setup: Box::new(setup), paused: true };
    session.guarded(|session| session.handle(Event::Order(client.id, restart)));
    session.guarded(|session| session.handle(Event::Order(client.id, order(r#"{"do":"step"}"#))));
    session.send_status();
    let status = messages(&client, "status").pop().unwrap();
    assert!(status["failed"].is_null(), "{status}");
    assert_eq!(session.frame.tick, 1);
}

/// With two planners, agents are in different places, and units must be in the same.
#[test]
fn units_are_mirrored_where_both_sides_have_room() {
    let planners = vec!["surge".to_owned(), "lra".to_owned()];
    let setup = Setup { map: "builtin:arena".to_owned(), agents: 300, planners, ..Setup::default() };
    let (mut session, client) = session(setup);
    let mut refused = 0;
    for turn in 0..40_i32 {
        session.handle(Event::Order(client.id, Order::Step));
        for index in 0..60 {
            let at = [(turn * 7 + index * 5) % 48, (turn * 3 + index * 11) % 48];
            let before = session.scenes.iter().map(|scene| scene.unit(pos(at)).is_some()).collect::<Vec<_>>();
            session.handle(Event::Order(client.id, Order::Unit { at }));
            let after = session.scenes.iter().map(|scene| scene.unit(pos(at)).is_some()).collect::<Vec<_>>();
            assert_eq!((before[0], after[0]), (before[1], after[1]), "{at:?} in tick {turn}");
            refused += usize::from(before == after);
        }
        let side = |scene: &Scene| scene.side(Vec::new()).units;
        let mut units = session.scenes.iter().map(side).collect::<Vec<_>>();
        for units in &mut units {
            units.sort_unstable();
        }
        assert_eq!(units[0], units[1]);
    }
    assert!(refused > 100, "few agents were in the way: {refused}");
    assert_ne!(session.scenes[0].world.state_hash(), session.scenes[1].world.state_hash());
}

#[test]
fn agents_go_on_to_queued_goals() {
    let setup = Setup { map: "builtin:patrol-empty".to_owned(), agents: 0, ..Setup::default() };
    let (mut session, client) = session(setup);
    for text in [
        r#"{"do":"spawn","at":[24,24],"radius":0}"#,
        r#"{"do":"send","agents":[0],"to":[24,10]}"#,
        r#"{"do":"send","agents":[0],"to":[30,10],"queue":true}"#,
        r#"{"do":"send","agents":[0],"to":[30,24],"queue":true}"#,
    ] {
        session.handle(Event::Order(client.id, order(text)));
    }
    session.handle(Event::Order(client.id, order(r#"{"do":"inspect","side":0,"agent":0}"#)));
    let report = messages(&client, "agent").pop().unwrap();
    assert_eq!(report["queue"], serde_json::json!([[30, 10], [30, 24]]), "{report}");
    let mut visited = Vec::new();
    for _ in 0..80 {
        session.handle(Event::Order(client.id, Order::Step));
        let agent = session.scenes[0].agent(0).unwrap();
        visited.push(session.scenes[0].world.position(agent).unwrap());
    }
    for goal in [Pos::new(24, 10), Pos::new(30, 10)] {
        assert!(visited.contains(&goal), "{goal:?}");
    }
    assert_eq!(visited.last(), Some(&Pos::new(30, 24)));
}

#[test]
fn searched_cells_are_those_of_the_chosen_agent() {
    // A budget of few expansions leaves searches unfinished.
    let setup = Setup {
        map: "builtin:caves".to_owned(),
        planners: vec!["lra".to_owned()],
        agents: 60,
        budget: 20,
        ..Setup::default()
    };
    let (mut session, client) = session(setup);
    session.handle(Event::Order(client.id, Order::Step));
    let all = session.scenes[0].marks(Layer::Searched, None);
    let searching = all.first().expect("some search is unfinished").1;
    let own = session.scenes[0].marks(Layer::Searched, Some(searching));
    let expected: Vec<_> = all.iter().copied().filter(|mark| mark.1 == searching).collect();
    assert_eq!(own, expected);
    let other = session.scenes[0].world.agents().iter().map(|agent| agent.row());
    let idle = other.into_iter().find(|row| all.iter().all(|mark| mark.1 != *row)).unwrap();
    assert!(session.scenes[0].marks(Layer::Searched, Some(idle)).is_empty());
}
