//! `throng list`.

use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{document, failure, json, keys, success, throng};

/// Returns the names of a section.
fn names(section: &Value) -> Vec<&str> {
    section.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

#[test]
fn everything_is_listed_in_sections() {
    let all = json(&["list"]);
    assert!(names(&all["searches"]).contains(&"astar"));
    assert!(names(&all["maps"]).contains(&"builtin:arena"));
    assert!(names(&all["sets"]).contains(&"dao"));
    assert!(names(&all["generators"]).contains(&"caves"));
    let text = success(&throng(&["list"]));
    for word in ["jps", "builtin:arena", "Dragon Age: Origins", "throng maps fetch dao", "caves"] {
        assert!(text.contains(word), "{word}:\n{text}");
    }
}

#[test]
fn one_kind_can_be_listed() {
    for (kind, sections) in
        [("searches", &["searches"][..]), ("maps", &["maps", "sets"]), ("generators", &["generators"])]
    {
        let found = json(&["list", kind]);
        assert_eq!(keys(&found), sections);
    }
    let text = failure(&throng(&["list", "serches"]), 2);
    assert!(text.contains("'searches'"), "{text}");
}

#[test]
fn fetched_sets_are_listed_with_their_folder() {
    let data = TempDir::new().unwrap();
    std::fs::create_dir(data.path().join("dao")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    let output = command.args(["list", "maps", "--json"]).env("THRONG_DATA", data.path()).output().unwrap();
    let found = document(&output);
    let folder = |name| {
        found["sets"].as_array().unwrap().iter().find(|set| set["name"] == name).unwrap()["folder"].clone()
    };
    assert_eq!(folder("dao"), data.path().join("dao").to_str().unwrap());
    assert_eq!(folder("bg"), Value::Null);
}

#[test]
fn built_in_maps_have_the_listed_size() {
    for map in json(&["list", "maps"])["maps"].as_array().unwrap() {
        let info = json(&["map", "info", map["name"].as_str().unwrap()]);
        assert_eq!((&info["width"], &info["height"]), (&map["width"], &map["height"]), "{map}");
    }
}
