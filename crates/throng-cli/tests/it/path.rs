//! `throng path` with a start and a goal.

use crate::support::{Folder, PNG, document, failure, json, success, throng};

/// Writes a map file with these rows.
fn map(folder: &Folder, rows: &[&str]) -> String {
    let header = format!("type octile\nheight {}\nwidth {}\nmap\n", rows.len(), rows[0].len());
    folder.write("test.map", header + &rows.join("\n") + "\n")
}

#[test]
fn paths_are_printed_with_their_measures() {
    let folder = Folder::new();
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
    let text = success(&throng(&["path", &map, "--from", "0,0", "--to", "3,2"]));
    assert!(text.contains("length      4.41\n") && text.contains("3 straight, 1 diagonal"), "{text}");
}

#[test]
fn rules_and_terrain_change_the_length() {
    let folder = Folder::new();
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
fn a_missing_path_is_explained() {
    let folder = Folder::new();
    let map = map(&folder, &[".@.", "@@T"]);
    let path = |from: &str, to: &str| throng(&["path", &map, "--from", from, "--to", to]);
    assert!(failure(&path("1,0", "0,0"), 1).contains("no path: the start 1,0 is blocked (wall)"));
    assert!(failure(&path("0,0", "2,1"), 1).contains("no path: the goal 2,1 is blocked (trees)"));
    assert!(failure(&path("0,0", "2,0"), 1).contains("not connected"));
    assert!(failure(&path("0,0", "3,0"), 2).contains("the goal 3,0 is outside the map, which is 3×2"));
    assert!(failure(&path("-1,0", "2,0"), 2).contains("the start -1,0 is outside"));
    assert!(failure(&path("0;0", "2,0"), 2).contains("X,Y"));

    let output = throng(&["path", &map, "--from", "0,0", "--to", "2,0", "--json"]);
    failure(&output, 1);
    let found = document(&output);
    assert_eq!((&found["found"], &found["path"]), (&false.into(), &serde_json::json!([])));
    assert!(found["reason"].as_str().unwrap().contains("not connected"));
}

#[test]
fn bad_searches_are_refused_with_a_suggestion() {
    let path = |more: &[&str]| {
        let arguments = ["path", "builtin:arena", "--from", "24,4", "--to", "24,44"];
        throng(&[&arguments, more].concat())
    };
    assert!(failure(&path(&["--search", "asatr"]), 2).contains("did you mean `astar`?"));
    assert!(failure(&path(&["--search", "wastar:wieght=2"]), 2).contains("did you mean `weight`?"));
    assert!(failure(&path(&["--search", "wastar:weight=0"]), 2).contains("expected 1 to"));
    assert!(failure(&path(&["--search", "jps", "--terrain", "wc3"]), 2).contains("terrain"));
    assert!(failure(&path(&["--four-way", "--corners", "allow"]), 2).contains("--corners"));
    success(&path(&["--search", "wastar:weight=1.5"]));
}

#[test]
fn all_searches_find_a_path_and_optimal_searches_agree_on_its_length() {
    let (folder, mut lengths) = (Folder::new(), Vec::new());
    let cpd = folder.arena_database();
    for search in json(&["list", "searches"])["searches"].as_array().unwrap() {
        let name = search["name"].as_str().unwrap();
        let query = ["path", "builtin:arena", "--from", "24,4", "--to", "30,44", "--search", name];
        let database = ["--cpd", cpd.as_str()];
        let more = if search["needs_database"] == true { &database[..] } else { &[] };
        let found = json(&[&query[..], more].concat());
        assert_eq!(found["found"], true, "{name}");
        if search["optimal"] == true {
            lengths.push(found["length"].as_f64().unwrap());
        }
    }
    assert!(lengths.iter().all(|length| (length - lengths[0]).abs() < 1e-6), "{lengths:?}");
}

#[test]
fn paths_are_drawn() {
    let folder = Folder::new();
    let out = &folder.path("path.png");
    let text = success(&throng(&["path", "builtin:arena", "--from", "24,4", "--to", "24,44", "-o", out]));
    assert!(text.contains(out), "{text}");
    assert!(folder.read("path.png").starts_with(PNG));
}

#[test]
fn options_without_effect_are_refused() {
    for (option, value, said) in [
        ("--limit", "3", "--limit"),
        ("-o", "path.jpg", "use path.png"),
        ("--search", "astar:", "did you mean `astar`?"),
    ] {
        let output = throng(&["path", "builtin:arena", "--from", "24,4", "--to", "24,44", option, value]);
        assert!(failure(&output, 2).contains(said), "{option} {value}");
    }
}
