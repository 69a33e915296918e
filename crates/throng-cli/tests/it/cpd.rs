//! `throng cpd`, the searches on path databases, and `throng dynamic`.

use std::fs;

use crate::support::{Folder, PNG, failure, json, success, throng};

/// Returns a folder with the path database of a small map.
fn arena() -> (Folder, String) {
    let folder = Folder::new();
    let file = folder.arena_database();
    (folder, file)
}

#[test]
fn databases_are_built_described_and_used() {
    let (folder, file) = arena();
    assert_eq!(fs::read_dir(folder.root()).unwrap().count(), 1, "no temporary file is left");
    let info = json(&["cpd", "info", &file]);
    assert_eq!(info["bytes"], fs::metadata(&file).unwrap().len());
    assert_eq!((&info["corners"], &info["bytes_per_run"]), (&"forbid".into(), &3.into()));
    let query = |more: &[&str]| {
        json(&[&["path", "builtin:arena", "--from", "24,4", "--to", "24,44", "--search"], more].concat())
    };
    let (cpd, astar) = (query(&["cpd", "--cpd", &file]), query(&["astar"]));
    assert_eq!((&cpd["cost"], &cpd["expansions"]), (&astar["cost"], &0.into()));
}

#[test]
fn missing_and_wrong_databases_are_refused() {
    let (_folder, file) = arena();
    let query = |map: &str, more: &[&str]| {
        throng(&[&["path", map, "--from", "24,4", "--to", "24,44", "--search"], more].concat())
    };
    let reason = failure(&query("builtin:arena", &["cpd-search"]), 2);
    assert!(
        reason.contains("`cpd-search` needs a path database") && reason.contains("--cpd FILE"),
        "{reason}"
    );
    let reason = failure(&query("builtin:bridge", &["cpd", "--cpd", &file]), 2);
    assert!(reason.contains("was built for another map"), "{reason}");
    let reason = failure(&query("builtin:arena", &["cpd-nera", "--cpd", &file]), 2);
    assert!(reason.contains("did you mean `cpd-near`?"), "{reason}");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    assert!(failure(&throng(&["cpd", "info", &file]), 2).contains("truncated"));
}

#[test]
fn interrupted_builds_are_resumed() {
    let (folder, file) = arena();
    let whole = fs::read(&file).unwrap();
    // A build that was interrupted while it wrote its second record.
    let other = folder.path("other.cpd");
    let mut header = whole[..64].to_vec();
    header.extend_from_slice(b"half a rec");
    fs::write(format!("{other}.partial"), &header).unwrap();
    let output = throng(&["cpd", "build", "builtin:arena", "-o", &other]);
    success(&output);
    assert_eq!(fs::read(&other).unwrap(), whole);
    // A file of another kind is reported and ignored.
    fs::write(format!("{other}.partial"), b"something else").unwrap();
    let output = throng(&["cpd", "build", "builtin:arena", "-o", &other]);
    success(&output);
    assert!(String::from_utf8_lossy(&output.stderr).contains("ignoring "));
}

#[test]
fn perturbed_problems_are_solved_within_their_bound() {
    let (folder, file) = arena();
    let info = json(&["map", "info", "builtin:arena"]);
    let (width, height) = (&info["width"], &info["height"]);
    let problems = [(24, 4, 24, 44), (4, 24, 44, 24), (10, 10, 40, 40)];
    let lines = problems
        .map(|(x, y, to_x, to_y)| format!("0\tarena.map\t{width}\t{height}\t{x}\t{y}\t{to_x}\t{to_y}\t0"));
    let scen = folder.write("arena.scen", format!("version 1\n{}\n", lines.join("\n")));
    let pictures = Folder::new();
    for (perturb, corners) in [("exp1", "mixed"), ("exp2", "strict")] {
        let names = "cpd-search,cpd-branching:same=cell,epsilon=1.2,cpd-near,astar,wastar";
        let reports = json(&[
            "dynamic",
            "builtin:arena",
            "--scen",
            &scen,
            "--search",
            names,
            "--perturb",
            perturb,
            "--corners",
            corners,
            "--cpd",
            &file,
            "--pictures",
            pictures.root().to_str().unwrap(),
        ]);
        let reports = reports.as_array().unwrap();
        let found: Vec<&str> = reports.iter().map(|report| report["search"].as_str().unwrap()).collect();
        let expected = [
            "cpd-search:epsilon=1.1",
            "cpd-branching:same=cell,epsilon=1.2",
            "cpd-near:epsilon=1.1",
            "astar",
            "wastar:weight=1.1",
        ];
        assert_eq!(found, expected);
        let mut drawn: Vec<Vec<u8>> = Vec::new();
        for name in expected {
            let file = format!("{}.png", name.replace([':', ','], "-"));
            drawn.push(pictures.read(&file));
            fs::remove_file(pictures.join(&file)).unwrap();
        }
        assert!(drawn.iter().all(|picture| picture.starts_with(PNG)));
        assert_ne!(drawn[0], drawn[3], "the searches expand different cells");
        for report in reports {
            assert_eq!(report["bound_violations"], 0, "{report}");
            assert_eq!(report["solved"], report["instances"], "{report}");
            for key in ["p25", "p50", "p75", "mean"] {
                assert!(report["us_per_query"][key].is_number() && report["expansions"][key].is_number());
            }
            assert!(report["cost_over_optimal"]["max"].as_f64().unwrap() <= 1.2);
        }
    }
}

#[test]
fn a_database_does_not_change_the_moves_of_a_planner() {
    let (_folder, file) = arena();
    let run = |planner: &str, more: &[&str]| {
        let common = ["run", "builtin:arena", "--agents", "30", "--max-ticks", "200", "--planner", planner];
        [&common[..], more].concat().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let query = |more: &[&str]| json(&run("pibt", more).iter().map(String::as_str).collect::<Vec<_>>());
    let (plain, with) = (query(&[]), query(&["--cpd", &file]));
    assert_eq!(plain["state_hash"], with["state_hash"]);
    assert!(2 * with["expansions"].as_u64().unwrap() < plain["expansions"].as_u64().unwrap());
    let far = run("far", &["--cpd", &file]);
    let refused = failure(&throng(&far.iter().map(String::as_str).collect::<Vec<_>>()), 2);
    assert!(refused.contains("`far` has no use for a path database"), "{refused}");
}
