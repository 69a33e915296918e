//! `throng path` from one place to another.

use std::fs;

use tempfile::TempDir;

use crate::map::PNG;
use crate::run::{bad, document, good, json, throng};

/// A map file with these rows.
fn map(folder: &TempDir, rows: &[&str]) -> String {
    let file = folder.path().join("test.map");
    let header = format!("type octile\nheight {}\nwidth {}\nmap\n", rows.len(), rows[0].len());
    fs::write(&file, header + &rows.join("\n") + "\n").unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_path_is_told_cell_by_cell() {
    let folder = TempDir::new().unwrap();
    let map = map(&folder, &["....", ".@..", "...."]);
    let found = json(&["path", &map, "--from", "0,0", "--to", "3,2"]);
    assert_eq!(
        (&found["found"], &found["search"], &found["steps"]),
        (&true.into(), &"astar".into(), &4.into())
    );
    assert!((found["length"].as_f64().unwrap() - 4.414_213_56).abs() < 1e-6, "{found}");
    assert_eq!(found["cost"], 3 * 1632 + 2308);
    let path = found["path"].as_array().unwrap();
    assert_eq!((&path[0], &path[4]), (&serde_json::json!([0, 0]), &serde_json::json!([3, 2])));
    for key in ["expansions", "microseconds", "prepare_seconds"] {
        assert!(found[key].is_number(), "{key}");
    }
    let text = good(&throng(&["path", &map, "--from", "0,0", "--to", "3,2"]));
    assert!(text.contains("length      4.41\n") && text.contains("3 straight, 1 diagonal"), "{text}");
}

#[test]
fn rules_and_terrain_change_the_length() {
    let folder = TempDir::new().unwrap();
    let map = map(&folder, &["..", "@."]);
    let length = |map: &str, to: &str, more: &[&str]| {
        let found = json(&[&["path", map, "--from", "0,0", "--to", to], more].concat());
        found["length"].as_f64().unwrap()
    };
    assert!((length(&map, "1,1", &[]) - 2.0).abs() < 1e-9);
    assert!((length(&map, "1,1", &["--corners", "allow"]) - 2.0_f64.sqrt()).abs() < 1e-9);
    assert!((length(&map, "1,1", &["--four-way"]) - 2.0).abs() < 1e-9);
    let swamp = self::map(&folder, &[".S."]);
    assert!((length(&swamp, "2,0", &[]) - 2.0).abs() < 1e-9);
    assert!((length(&swamp, "2,0", &["--terrain", "wc3"]) - 3.0).abs() < 1e-9);
}

#[test]
fn no_path_says_why() {
    let folder = TempDir::new().unwrap();
    let map = map(&folder, &[".@.", "@@T"]);
    let ask = |from: &str, to: &str| throng(&["path", &map, "--from", from, "--to", to]);
    assert!(bad(&ask("1,0", "0,0"), 1).contains("no path: the start 1,0 is blocked (wall)"));
    assert!(bad(&ask("0,0", "2,1"), 1).contains("no path: the goal 2,1 is blocked (trees)"));
    assert!(bad(&ask("0,0", "2,0"), 1).contains("not connected"));
    assert!(bad(&ask("0,0", "3,0"), 2).contains("the goal 3,0 is outside of the map, which is 3×2"));
    assert!(bad(&ask("-1,0", "2,0"), 2).contains("the start -1,0 is outside"));
    assert!(bad(&ask("0;0", "2,0"), 2).contains("X,Y"));

    let output = throng(&["path", &map, "--from", "0,0", "--to", "2,0", "--json"]);
    bad(&output, 1);
    let found = document(&output);
    assert_eq!((&found["found"], &found["path"]), (&false.into(), &serde_json::json!([])));
    assert!(found["reason"].as_str().unwrap().contains("not connected"));
}

#[test]
fn searches_are_checked_before_they_run() {
    let ask = |more: &[&str]| {
        let arguments = ["path", "builtin:arena", "--from", "24,4", "--to", "24,44"];
        throng(&[&arguments, more].concat())
    };
    assert!(bad(&ask(&["--search", "asatr"]), 2).contains("did you mean `astar`?"));
    assert!(bad(&ask(&["--search", "wastar:wieght=2"]), 2).contains("did you mean `weight`?"));
    assert!(bad(&ask(&["--search", "wastar:weight=0"]), 2).contains("expected 1 to"));
    assert!(bad(&ask(&["--search", "jps", "--terrain", "wc3"]), 2).contains("terrain"));
    assert!(bad(&ask(&["--four-way", "--corners", "allow"]), 2).contains("--corners"));
    good(&ask(&["--search", "wastar:weight=1.5"]));
}

#[test]
fn every_search_finds_a_path_and_the_optimal_ones_the_same_length() {
    let (folder, mut lengths) = (TempDir::new().unwrap(), Vec::new());
    let cpd = folder.path().join("arena.cpd").to_str().unwrap().to_owned();
    good(&throng(&["cpd", "build", "builtin:arena", "-o", &cpd]));
    for search in json(&["list", "searches"])["searches"].as_array().unwrap() {
        let name = search["name"].as_str().unwrap();
        let question = ["path", "builtin:arena", "--from", "24,4", "--to", "30,44", "--search", name];
        let database = ["--cpd", cpd.as_str()];
        let more = if search["needs_database"] == true { &database[..] } else { &[] };
        let found = json(&[&question[..], more].concat());
        assert_eq!(found["found"], true, "{name}");
        if search["optimal"] == true {
            lengths.push(found["length"].as_f64().unwrap());
        }
    }
    assert!(lengths.iter().all(|length| (length - lengths[0]).abs() < 1e-6), "{lengths:?}");
}

#[test]
fn a_path_is_drawn() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("path.png");
    let out = file.to_str().unwrap();
    let text = good(&throng(&["path", "builtin:arena", "--from", "24,4", "--to", "24,44", "-o", out]));
    assert!(text.contains(out), "{text}");
    assert!(fs::read(&file).unwrap().starts_with(PNG));
}

#[test]
fn what_would_be_ignored_is_refused() {
    for (option, value, said) in [
        ("--limit", "3", "--limit"),
        ("-o", "path.jpg", "name the file path.png"),
        ("--search", "astar:", "did you mean `astar`?"),
    ] {
        let output = throng(&["path", "builtin:arena", "--from", "24,4", "--to", "24,44", option, value]);
        assert!(bad(&output, 2).contains(said), "{option} {value}");
    }
}
