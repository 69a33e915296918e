//! `throng demo`.

use crate::support::{Folder, PNG, failure, is_animated, json, success, throng};
use serde_json::Value;

/// A small demo.
const SMALL: [&str; 5] = ["demo", "--queries", "1", "--agents", "20"];

#[test]
fn every_search_and_planner_is_compared() {
    let folder = Folder::new();
    let out = folder.path("demo.png");
    let found = json(&["demo", "--queries", "3", "--agents", "20", "--out", &out]);
    assert_eq!((&found["queries"], &found["picture"]), (&3.into(), &out.as_str().into()));
    let searches = found["searches"].as_array().unwrap();
    let listed = json(&["list", "searches"]);
    let alone = |search: &&Value| search["needs_database"] == false && search["real_time"] == false;
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
    // The agents of dm-greedy have no goals, so it is left out.
    let mut with_goals = named(planners, "name");
    with_goals.retain(|name| name != "dm-greedy");
    assert_eq!(named(&found["planners"], "planner"), with_goals);
    for row in found["planners"].as_array().unwrap() {
        assert_eq!((&row["agents"], &row["collisions"]), (&20.into(), &0.into()), "{row}");
    }
    assert_eq!(found["animation"], folder.path("demo-crowd.png"));
    assert!(folder.read("demo.png").starts_with(PNG));
    assert!(is_animated(&folder.read("demo-crowd.png")));
}

#[test]
fn suggested_commands_work() {
    let folder = Folder::new();
    let out = folder.path("out.png");
    let text = success(&throng(&[&SMALL[..], &["-o", &out]].concat()));
    for word in ["astar", "far", "Animation: ", "Picture: "] {
        assert!(text.contains(word), "{word}:\n{text}");
    }
    let (_, next) = text.split_once("Try next:\n").unwrap();
    let (next, last) = next.split_once("\n\n").unwrap();
    assert!(last.contains("in your browser") && last.ends_with("\n  throng view\n"), "{last}");
    for line in next.lines() {
        let command = line.trim().split("  ").next().unwrap();
        let mut arguments: Vec<&str> = command.split(' ').skip(1).collect();
        if let Some(at) = arguments.iter().position(|argument| ["-o", "--animation"].contains(argument)) {
            arguments[at + 1] = &out;
        }
        success(&throng(&arguments));
    }
}

#[test]
fn unwritable_pictures_are_reported() {
    let folder = Folder::new();
    let text = failure(&throng(&[&SMALL[..], &["-o", &folder.path("no/demo.png")]].concat()), 1);
    assert!(text.contains("cannot write"), "{text}");
    let text = failure(&throng(&[&SMALL[..], &["-o", "demo.gif"]].concat()), 2);
    assert!(text.contains("demo.png"), "{text}");
}
