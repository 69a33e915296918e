//! `throng advise`, and the notices of the planner `auto`.

use crate::support::{Folder, json, keys, refusal, success, throng};

#[test]
fn the_best_planner_of_the_trials_is_recommended() {
    let arguments = ["advise", "builtin:arena", "--agents", "20", "--max-ticks", "200"];
    let found = json(&arguments);
    assert_eq!(keys(&found), ["agents", "map", "planners", "recommended", "seed"]);
    let planners = found["planners"].as_array().unwrap();
    assert_eq!(planners[0]["planner"], found["recommended"]);
    assert_eq!(planners[0]["trials"], 3, "the best ones run on three problems: {found}");
    assert!(planners[0]["completion_rate"].as_f64().unwrap() > 0.99, "{found}");
    let fewer = json(&[&arguments[..], &["--sharing", "nothing"]].concat());
    assert!(fewer["planners"].as_array().unwrap().len() < planners.len());
    let text = success(&throng(&[&arguments[..], &["--sharing", "nothing"]].concat()));
    assert!(text.starts_with("Use ") && text.contains("arrived %"), "{text}");
    refusal(&["advise", "builtin:arena", "--agents", "20", "--sharing", "some"]);
}

#[test]
fn a_model_that_cannot_be_used_is_refused() {
    let folder = Folder::new();
    let file = folder.write("bad.model", b"no model");
    let reason = refusal(&["run", "builtin:arena", "--agents", "20", "--planner", "auto", "--model", &file]);
    assert!(reason.contains(&file) && reason.contains("not a model file"), "{reason}");
    refusal(&["run", "builtin:arena", "--agents", "20", "--planner", "far", "--model", &file]);
    refusal(&["run", "builtin:arena", "--agents", "20", "--planner", "auto", "--model", "nowhere.model"]);
}
