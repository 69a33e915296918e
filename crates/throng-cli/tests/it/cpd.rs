//! `throng cpd`, the searches that use its files, and `throng dynamic`.

use std::fs;

use tempfile::TempDir;

use crate::run::{bad, good, json, throng};

/// A folder with the database of a small built-in map.
fn arena() -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("arena.cpd").to_str().unwrap().to_owned();
    good(&throng(&["cpd", "build", "builtin:arena", "-o", &file]));
    (folder, file)
}

#[test]
fn a_database_is_built_told_of_and_used() {
    let (folder, file) = arena();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
    let told = json(&["cpd", "info", &file]);
    assert_eq!(told["bytes"], fs::metadata(&file).unwrap().len());
    assert_eq!((&told["corners"], &told["bytes_per_run"]), (&"forbid".into(), &3.into()));
    let ask = |more: &[&str]| {
        json(&[&["path", "builtin:arena", "--from", "24,4", "--to", "24,44", "--search"], more].concat())
    };
    let (cpd, astar) = (ask(&["cpd", "--cpd", &file]), ask(&["astar"]));
    assert_eq!((&cpd["cost"], &cpd["expansions"]), (&astar["cost"], &0.into()));
}

#[test]
fn searches_without_their_database_say_so() {
    let (_folder, file) = arena();
    let ask = |map: &str, more: &[&str]| {
        throng(&[&["path", map, "--from", "24,4", "--to", "24,44", "--search"], more].concat())
    };
    let reason = bad(&ask("builtin:arena", &["cpd-search"]), 2);
    assert!(
        reason.contains("`cpd-search` needs a path database") && reason.contains("--cpd FILE"),
        "{reason}"
    );
    let reason = bad(&ask("builtin:bridge", &["cpd", "--cpd", &file]), 2);
    assert!(reason.contains("was built for another map"), "{reason}");
    let reason = bad(&ask("builtin:arena", &["cpd-nera", "--cpd", &file]), 2);
    assert!(reason.contains("did you mean `cpd-near`?"), "{reason}");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    assert!(bad(&throng(&["cpd", "info", &file]), 2).contains("cut short"));
}

#[test]
fn an_interrupted_build_goes_on() {
    let (folder, file) = arena();
    let whole = fs::read(&file).unwrap();
    // What a build leaves behind that stopped in the middle of writing: here, of nothing but its first record.
    let other = folder.path().join("other.cpd").to_str().unwrap().to_owned();
    let mut header = whole[..64].to_vec();
    header.extend_from_slice(b"half a rec");
    fs::write(format!("{other}.partial"), &header).unwrap();
    let output = throng(&["cpd", "build", "builtin:arena", "-o", &other]);
    good(&output);
    assert_eq!(fs::read(&other).unwrap(), whole);
    // What is there of something else is told and not used.
    fs::write(format!("{other}.partial"), b"something else").unwrap();
    let output = throng(&["cpd", "build", "builtin:arena", "-o", &other]);
    good(&output);
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not used: this is no path database"));
}

#[test]
fn perturbed_problems_are_solved_within_their_factor() {
    let (folder, file) = arena();
    let info = json(&["map", "info", "builtin:arena"]);
    let (width, height) = (&info["width"], &info["height"]);
    let problems = [(24, 4, 24, 44), (4, 24, 44, 24), (10, 10, 40, 40)];
    let lines = problems
        .map(|(x, y, to_x, to_y)| format!("0\tarena.map\t{width}\t{height}\t{x}\t{y}\t{to_x}\t{to_y}\t0"));
    let scen = folder.path().join("arena.scen").to_str().unwrap().to_owned();
    fs::write(&scen, format!("version 1\n{}\n", lines.join("\n"))).unwrap();
    let pictures = TempDir::new().unwrap();
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
            pictures.path().to_str().unwrap(),
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
            let file = pictures.path().join(format!("{}.png", name.replace([':', ','], "-")));
            drawn.push(fs::read(&file).unwrap());
            fs::remove_file(file).unwrap();
        }
        assert!(drawn.iter().all(|picture| picture.starts_with(b"\x89PNG")));
        assert_ne!(drawn[0], drawn[3], "they do not expand the same");
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
fn a_crowd_goes_the_same_ways_with_a_database() {
    let (_folder, file) = arena();
    let run = |planner: &str, more: &[&str]| {
        let common = ["run", "builtin:arena", "--agents", "30", "--max-ticks", "200", "--planner", planner];
        [&common[..], more].concat().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let ask = |more: &[&str]| json(&run("pibt", more).iter().map(String::as_str).collect::<Vec<_>>());
    let (plain, with) = (ask(&[]), ask(&["--cpd", &file]));
    assert_eq!(plain["state_hash"], with["state_hash"]);
    assert!(2 * with["expansions"].as_u64().unwrap() < plain["expansions"].as_u64().unwrap());
    let far = run("far", &["--cpd", &file]);
    let refused = bad(&throng(&far.iter().map(String::as_str).collect::<Vec<_>>()), 2);
    assert!(refused.contains("`far` has no use for a path database"), "{refused}");
}
