//! `throng demo`.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::crowd::is_animated;
use crate::map::PNG;
use crate::run::{bad, good, json, throng};

/// A smaller demo.
const SMALL: [&str; 5] = ["demo", "--queries", "1", "--agents", "20"];

#[test]
fn every_search_and_planner_is_compared() {
    let folder = TempDir::new().unwrap();
    let (file, animation) = (folder.path().join("demo.png"), folder.path().join("demo-crowd.png"));
    let out = file.to_str().unwrap();
    let found = json(&["demo", "--queries", "3", "--agents", "20", "--out", out]);
    assert_eq!((&found["queries"], &found["picture"]), (&3.into(), &out.into()));
    let searches = found["searches"].as_array().unwrap();
    let listed = json(&["list", "searches"]);
    let alone = |search: &&Value| search["needs_database"] == false;
    assert_eq!(searches.len(), listed["searches"].as_array().unwrap().iter().filter(alone).count());
    for row in searches {
        let over = row["length_over_shortest"].as_f64().unwrap();
        assert!(over >= 1.0 && (row["optimal"] == false || over <= 1.0), "{row}");
        assert!(row["us_per_query"]["p99"].as_f64().unwrap() > 0.0, "{row}");
    }
    let named = |list: &Value, key: &str| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|row| row[key].clone()).collect()
    };
    let planners = &json(&["list", "planners"])["planners"];
    // Everyone but the planner whose agents have no goal.
    let mut with_goals = named(planners, "name");
    with_goals.retain(|name| name != "dm-greedy");
    assert_eq!(named(&found["planners"], "planner"), with_goals);
    for row in found["planners"].as_array().unwrap() {
        assert_eq!((&row["agents"], &row["collisions"]), (&20.into(), &0.into()), "{row}");
    }
    assert_eq!(found["animation"], animation.to_str().unwrap());
    assert!(fs::read(&file).unwrap().starts_with(PNG));
    assert!(is_animated(&fs::read(&animation).unwrap()));
}

#[test]
fn what_to_try_next_works() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.png").to_str().unwrap().to_owned();
    let text = good(&throng(&[&SMALL[..], &["-o", &out]].concat()));
    for word in ["astar", "far", "Animation: ", "Picture:   "] {
        assert!(text.contains(word), "{word}:\n{text}");
    }
    let (_, next) = text.split_once("Try next:\n").unwrap();
    for line in next.lines() {
        let command = line.trim().split("  ").next().unwrap();
        let mut arguments: Vec<&str> = command.split(' ').skip(1).collect();
        if let Some(at) = arguments.iter().position(|argument| ["-o", "--animation"].contains(argument)) {
            arguments[at + 1] = &out;
        }
        good(&throng(&arguments));
    }
}

#[test]
fn a_picture_that_cannot_be_written_is_told() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("no/demo.png");
    let text = bad(&throng(&[&SMALL[..], &["-o", out.to_str().unwrap()]].concat()), 1);
    assert!(text.contains("cannot write"), "{text}");
    let text = bad(&throng(&[&SMALL[..], &["-o", "demo.gif"]].concat()), 2);
    assert!(text.contains("demo.png"), "{text}");
}
