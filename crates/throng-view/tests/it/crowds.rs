//! What browsers do to crowds, and what they do not.

use throng_view::Setup;

use crate::browser::{Browser, Running};

fn setup(agents: usize) -> Setup {
    Setup { map: "builtin:town".to_owned(), agents, ..Setup::default() }
}

/// Starts the crowd again and carries out the same orders between the same ticks. Returns the hashes.
fn play(browser: &mut Browser, agents: usize) -> serde_json::Value {
    let setup = serde_json::to_string(&setup(agents)).unwrap();
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
    let alone = play(&mut Running::start(setup(300)).browse(), 300);
    assert!(alone["hashes"][0].as_str().unwrap().len() == 16, "{alone}");
    let server = Running::start(setup(300));
    let mut first = server.browse();
    // These never read.
    let stalled: Vec<Browser> = (0..10).map(|_| server.connect()).collect();
    let readers: Vec<_> = (0..39)
        .map(|_| {
            let mut browser = server.connect();
            std::thread::spawn(move || while browser.wait_for("measured")["tick"] != 60 {})
        })
        .collect();
    assert_eq!(play(&mut first, 300), alone);
    drop(stalled);
    // A browser that comes late, or was slow, is sent the whole state.
    let mut late = server.connect();
    assert!(late.wait_for_bytes(2).len() > 9 * 290);
    assert_eq!(late.hash(), alone);
    drop(server);
    drop(readers);
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
    while browser.wait_for("status")["replay"]["ticks"] != 30 {}
    browser.order(r#"{"do":"seek","tick":12}"#);
    while browser.wait_for("status")["replay"]["at"] != 12 {}
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
    browser.order(r#"{"do":"layer","side":0,"layer":"targets","agent":null}"#);
    assert_eq!(browser.wait_for_bytes(4).len(), 4 + 8 * 60);
    let (from, to) = (&report["position"], &report["goal"]);
    browser.order(&format!(r#"{{"do":"path","search":"astar","from":{from},"to":{to}}}"#));
    let path = browser.wait_for("path");
    assert!(path["length"].as_f64() >= path["bound"].as_f64(), "{path}");
    assert!(!path["expanded"].as_array().unwrap().is_empty());
}
