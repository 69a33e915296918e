//! `throng explain`.

use crate::support::{Folder, failure, json, success, throng};

#[test]
fn every_search_and_generator_is_explained_and_its_example_runs() {
    let (all, folder) = (json(&["list"]), Folder::new());
    let cpd = folder.arena_database();
    for section in ["searches", "generators"] {
        for entry in all[section].as_array().unwrap() {
            let name = entry["name"].as_str().unwrap();
            let found = json(&["explain", name]);
            assert_eq!(found["name"], name);
            if section == "searches" {
                for key in ["idea", "reference", "optimal", "real_time", "corners", "four_way", "terrain"] {
                    assert!(!found[key].is_null(), "{name}: {key}");
                }
            }
            let text = success(&throng(&["explain", name]));
            let example = text.lines().find_map(|line| line.strip_prefix("Example: throng ")).unwrap();
            let out = folder.path("map");
            let mut arguments: Vec<&str> = example.split(' ').collect();
            if let Some(at) = arguments.iter().position(|argument| *argument == "-o") {
                arguments[at + 1] = &out;
            }
            if let Some(at) = arguments.iter().position(|argument| *argument == "--cpd") {
                arguments[at + 1] = &cpd;
            }
            success(&throng(&arguments));
        }
    }
}

#[test]
fn a_name_of_a_search_and_a_planner_explains_both() {
    let found = json(&["explain", "rtaa"]);
    assert_eq!((&found["kind"], &found["planner"]["kind"]), (&"search".into(), &"planner".into()));
    let text = success(&throng(&["explain", "rtaa"]));
    assert!(text.contains("rtaa (search): ") && text.contains("rtaa (planner): "), "{text}");
    assert!(json(&["explain", "tba"])["planner"].is_null());
}

#[test]
fn parameters_have_ranges_and_defaults() {
    let found = json(&["explain", "wastar"]);
    let weight = &found["parameters"][0];
    assert_eq!((&weight["name"], &weight["default"]), (&"weight".into(), &"2".into()));
    assert!(weight["values"].as_str().unwrap().starts_with("1 to "));
    let text = success(&throng(&["explain", "caves"]));
    assert!(text.contains("tunnel") && text.contains("1 to 16"), "{text}");
}

#[test]
fn aliases_name_their_planner_and_parameters() {
    for (alias, full) in throng_planners::ALIASES {
        let found = json(&["explain", alias]);
        assert_eq!((&found["name"], &found["stands_for"]), (&(*alias).into(), &(*full).into()));
        let text = success(&throng(&["explain", alias]));
        assert!(text.contains(&format!("{alias} is an alias of {full}.")), "{text}");
    }
    assert!(json(&["explain", "bmaa"])["stands_for"].is_null());
}

#[test]
fn only_planners_with_one_way_streets_prepare_a_map() {
    for (spec, prepares) in
        [("bmaa", false), ("bmaa-c", false), ("bmaa-f", true), ("far", true), ("astar-replan", false)]
    {
        assert_eq!(json(&["explain", spec])["prepares"], prepares, "{spec}");
    }
    assert!(failure(&throng(&["explain", "bmaa:flow=maybe"]), 2).contains("flow"));
}

#[test]
fn unknown_names_are_refused_with_a_suggestion() {
    assert!(failure(&throng(&["explain", "asatr"]), 2).contains("did you mean `astar`?"));
    assert!(failure(&throng(&["explain", "cavse"]), 2).contains("did you mean `caves`?"));
    assert!(failure(&throng(&["explain", "zzzzzzzzz"]), 2).contains("throng list"));
}
