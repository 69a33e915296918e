//! `throng compare`.

use crate::run::FIELDS;
use crate::support::{json, keys, success, throng};

#[test]
fn all_planners_of_a_comparison_get_the_same_instance() {
    let arguments = ["compare", "builtin:arena", "--agents", "30"];
    let planners = ["--planner", "far", "--planner", "astar-replan"];
    let found = json(&[arguments, planners].concat());
    let rows = found.as_array().unwrap();
    assert_eq!(
        rows.iter().map(|row| row["planner"].as_str().unwrap()).collect::<Vec<_>>(),
        ["far", "astar-replan"]
    );
    assert!(rows.iter().all(|row| keys(row) == FIELDS), "{found}");
    let alone = json(&["run", "builtin:arena", "--agents", "30", "--planner", "far"]);
    assert_eq!(alone["state_hash"], rows[0]["state_hash"]);
    let text = success(&throng(&[arguments, planners].concat()));
    assert!(text.contains("far") && text.contains("astar-replan") && text.contains("arrived %"), "{text}");
}
