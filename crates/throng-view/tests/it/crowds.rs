//! What browsers do to crowds, and what they do not.

use throng_view::Setup;

use crate::browser::{Browser, Running};

fn setup(agents: usize) -> Setup {
    Setup { map: "builtin:town".to_owned(), agents, ..Setup::default() }
}

/// A crowd on a map that is sent as tens of kilobytes, so that browsers that read nothing soon lose frames.
fn on_a_noisy_map(agents: usize) -> Setup {
    Setup { map: "generate:random".to_owned(), width: 256, height: 256, agents, ..Setup::default() }
}

/// Starts the crowd again and carries out the same orders between the same ticks. Returns the hashes.
fn play(browser: &mut Browser, agents: usize) -> serde_json::Value {
    let setup = serde_json::to_string(&on_a_noisy_map(agents)).unwrap();
    browser.order(&format!(r#"{{"do":"setup","setup":{setup},"paused":true}}"#));
    for tick in 0..60 {
        match tick {
            10 => browser.order(r#"{"do":"paint","with":"wall","from":[60,90],"to":[120,90],"radius":2}"#),
            20 => browser.order(r#"{"do":"send","agents":[1,2,3,4,5],"to":[100,100]}"#),
            25 => browser.order(r#"{"do":"send","agents":[1,2,3],"to":[50,50],"queue":true}"#),
            30 => browser.order(r#"{"do":"remove","agents":[7,8]}"#),
            35 => browser.order(r#"{"do":"spawn","at":[100,60],"radius":2}"#),
            40 => browser.order(r#"{"do":"halt","agents":[9,10,11]}"#),
            _ => {}
        }
        browser.order(r#"{"do":"step"}"#);
        // The answer keeps the number of requests that wait, and so the rate, low.
        if tick % 20 == 19 {
            std::thread::sleep(std::time::Duration::from_millis(250));
        }
    }
    // Every look back sends the map and all agents to everybody: more than sockets hold for those who do not read.
    for pair in 0..120 {
        browser.order(r#"{"do":"step-back"}"#);
        browser.order(r#"{"do":"step"}"#);
        if pair % 10 == 9 {
            browser.hash();
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
    }
    browser.hash()
}

#[test]
fn fifty_browsers_of_which_ten_stall_change_nothing() {
    let alone = play(&mut Running::start(on_a_noisy_map(300)).browse(), 300);
    assert!(alone["hashes"][0].as_str().unwrap().len() == 16, "{alone}");
    let server = Running::start(on_a_noisy_map(300));
    let mut first = server.browse();
    // These read nothing until the others have seen everything.
    let stalled: Vec<Browser> = (0..10).map(|_| server.connect()).collect();
    let readers: Vec<_> = (0..39)
        .map(|_| {
            let mut browser = server.connect();
            std::thread::spawn(move || {
                browser.until(|status| status["speed"] == 17);
                browser.hash()
            })
        })
        .collect();
    assert_eq!(play(&mut first, 300), alone);
    // All are sent the new speed after the last frame.
    first.order(r#"{"do":"speed","ticks":17}"#);
    for reader in readers {
        assert_eq!(reader.join().unwrap(), alone);
    }
    // Those that stalled have lost frames and are sent the last one.
    for mut browser in stalled {
        browser.until(|status| status["speed"] == 17);
        assert_eq!((browser.hash(), browser.tick), (alone.clone(), 60));
        assert!(browser.bytes < first.bytes, "{} bytes, {} without loss", browser.bytes, first.bytes);
    }
    // A browser that comes late, or was slow, is sent the whole state.
    let mut late = server.connect();
    assert!(late.wait_for_bytes(2).len() > 9 * 290);
    assert_eq!(late.hash(), alone);
}

#[test]
fn edits_and_orders_go_to_both_sides() {
    let both = Setup { planners: vec!["surge".to_owned(), "surge".to_owned()], ..setup(150) };
    let server = Running::start(both);
    let mut browser = server.browse();
    browser.order(r#"{"do":"paint","with":"wall","from":[10,60],"to":[150,60],"radius":1}"#);
    browser.order(r#"{"do":"send","agents":[1,2,3,4,5],"to":[100,100]}"#);
    browser.order(r#"{"do":"remove","agents":[20,30]}"#);
    browser.order(r#"{"do":"spawn","at":[80,80],"radius":3}"#);
    for _ in 0..20 {
        browser.order(r#"{"do":"step"}"#);
    }
    let hash = browser.hash();
    assert_eq!(hash["hashes"][0], hash["hashes"][1]);
}

/// Walls over agents displace them, so only a map without agents is as before.
#[test]
fn strokes_are_taken_back_on_both_sides() {
    let both = Setup { planners: vec!["surge".to_owned(), "pibt".to_owned()], ..setup(0) };
    let server = Running::start(both);
    let mut browser = server.browse();
    browser.order(r#"{"do":"step"}"#);
    let before = browser.hash();
    for order in [
        r#"{"do":"paint","with":"wall","from":[10,60],"to":[150,60],"radius":2}"#,
        r#"{"do":"paint","with":"wall","from":[150,60],"to":[150,90],"radius":2,"more":true}"#,
        r#"{"do":"paint","with":"swamp","from":[30,30],"to":[90,90],"radius":3}"#,
        r#"{"do":"paint","with":"clear","from":[0,0],"to":[100,20],"radius":1}"#,
    ] {
        browser.order(order);
    }
    assert_ne!(browser.hash(), before);
    browser.until(|status| status["undo"] == 3);
    for _ in 0..4 {
        browser.order(r#"{"do":"undo"}"#);
    }
    assert_eq!(browser.hash(), before);
    browser.until(|status| status["undo"] == 0);
}

#[test]
fn a_real_time_search_is_sent_turn_by_turn() {
    let server = Running::start(Setup { map: "builtin:arena".to_owned(), ..setup(60) });
    let mut browser = server.browse();
    browser.order(r#"{"do":"step"}"#);
    browser.order(r#"{"do":"inspect","side":0,"agent":3}"#);
    let report = browser.wait_for("agent");
    let (from, to) = (&report["position"], &report["goal"]);
    for (search, walks) in [("rtaa:expansions=8", true), ("cpd-search", false), ("jps", false)] {
        browser.order(&format!(r#"{{"do":"path","search":"{search}","from":{from},"to":{to}}}"#));
        let path = browser.wait_for("path");
        assert_eq!(path["walk"].is_object(), walks, "{path}");
        assert!(path["cost"].as_u64() >= path["bound"].as_u64() && path["cost"].is_u64(), "{path}");
        assert_eq!(path["database"].is_boolean(), search == "cpd-search", "{path}");
        if walks {
            let (turns, walk) = (path["walk"]["turns"].as_array().unwrap(), &path["walk"]);
            let [expanded, raised, visited] = [&path["expanded"], &walk["raised"], &walk["visited"]]
                .map(|all| all.as_array().unwrap().len());
            assert_eq!(*turns.last().unwrap(), serde_json::json!([expanded, raised, visited]));
        }
    }
}

#[test]
fn a_recording_is_saved_and_played() {
    let server = Running::start(setup(60));
    let mut browser = server.browse();
    browser.order(r#"{"do":"record","on":true}"#);
    for _ in 0..30 {
        browser.order(r#"{"do":"step"}"#);
    }
    browser.order(r#"{"do":"save"}"#);
    let message = browser.wait_for_bytes(5);
    let recording = throng::Recording::read(&message[1..]).unwrap();
    assert_eq!(recording.ticks.len(), 30);
    assert!(throng::check(&recording).is_clean());
    browser.upload(&message[1..]);
    browser.until(|status| status["replay"]["ticks"] == 30);
    browser.order(r#"{"do":"pause"}"#);
    browser.order(r#"{"do":"seek","tick":12}"#);
    browser.until(|status| status["replay"]["at"] == 12);
}

#[test]
fn an_agent_is_described() {
    let server = Running::start(setup(60));
    let mut browser = server.browse();
    for _ in 0..5 {
        browser.order(r#"{"do":"step"}"#);
    }
    browser.order(r#"{"do":"inspect","side":0,"agent":3}"#);
    let report = browser.wait_for("agent");
    assert!(report["goal"].is_array() && report["chain"].is_array(), "{report}");
    // Its path: more than the next step, and every known step is legal.
    let path = report["path"].as_array().unwrap();
    assert!(path.len() > 3, "{report}");
    let tiles = throng::grid::builtin::builtin("builtin:town").unwrap();
    let grid = throng::Grid::new(tiles, throng::MoveRules::default());
    let cell = |at: &serde_json::Value| {
        let place = |i: usize| at[i].as_i64().unwrap() as i32;
        grid.ground().cell(throng::Pos::new(place(0), place(1))).unwrap()
    };
    let mut from = cell(&report["position"]);
    for step in path.iter().filter(|step| step[2] != 2) {
        assert!(grid.ground().legal_step(from, cell(step)).is_some(), "{step} in {report}");
        from = cell(step);
    }
    browser.order(r#"{"do":"layer","side":0,"layer":"targets","agent":null}"#);
    assert_eq!(browser.wait_for_bytes(4).len(), 4 + 8 * 60);
    let (from, to) = (&report["position"], &report["goal"]);
    browser.order(&format!(r#"{{"do":"path","search":"astar","from":{from},"to":{to}}}"#));
    let path = browser.wait_for("path");
    assert!(path["cost"].as_u64() >= path["bound"].as_u64(), "{path}");
    assert!(!path["expanded"].as_array().unwrap().is_empty());
}
