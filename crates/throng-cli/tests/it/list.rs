//! `throng list`.

use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::run::{bad, document, good, json, throng};

/// The names of a section.
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
    let text = good(&throng(&["list"]));
    for word in ["jps", "builtin:arena", "Dragon Age: Origins", "throng maps fetch dao", "caves"] {
        assert!(text.contains(word), "{word}:\n{text}");
    }
}

#[test]
fn one_kind_is_listed_alone() {
    for (kind, sections) in
        [("searches", &["searches"][..]), ("maps", &["maps", "sets"]), ("generators", &["generators"])]
    {
        let found = json(&["list", kind]);
        let mut keys: Vec<_> = found.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, sections);
    }
    let text = bad(&throng(&["list", "serches"]), 2);
    assert!(text.contains("'searches'"), "{text}");
}

#[test]
fn sets_on_disk_are_told_with_their_folder() {
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
fn every_built_in_map_opens_in_its_size() {
    for map in json(&["list", "maps"])["maps"].as_array().unwrap() {
        let info = json(&["map", "info", map["name"].as_str().unwrap()]);
        assert_eq!((&info["width"], &info["height"]), (&map["width"], &map["height"]), "{map}");
    }
}
