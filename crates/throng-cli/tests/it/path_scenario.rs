//! `throng path --scen`.

use std::fmt::Write;
use std::path::Path;
use std::process::Output;

use crate::support::{Folder, document, failure, json, success, throng};

const MAP: &str = "type octile\nheight 3\nwidth 4\nmap\n...@\n.@@.\n...@\n";

/// Runs a scenario file with these lines, each `START GOAL LENGTH`, and returns the output and the file's name.
fn run(lines: &[&str], more: &[&str]) -> (Output, String) {
    let folder = Folder::new();
    let map = folder.write("test.map", MAP);
    let mut text = "version 1\n".to_owned();
    for line in lines {
        writeln!(text, "0\ttest.map\t4\t3\t{}", line.replace(' ', "\t")).unwrap();
    }
    let scen = folder.write("test.map.scen", text);
    let output = throng(&[&["path", &map, "--scen", &scen, "--json"], more].concat());
    (output, scen)
}

#[test]
fn lengths_are_compared_with_the_file() {
    let (output, _) = run(&["0 0 2 0 2", "0 0 2 2 4", "0 0 0 0 0", "0 0 1 0 1"], &[]);
    success(&output);
    let found = document(&output);
    for (key, number) in [("problems", 4), ("solved", 4), ("mismatches", 0), ("unsolvable", 0)] {
        assert_eq!(found[key], number, "{key}");
    }
    assert!((found["total_length"].as_f64().unwrap() - 7.0).abs() < 1e-9);
    for key in ["map", "search"] {
        assert!(found[key].is_string(), "{key}");
    }
    for key in ["expansions", "seconds", "expansions_per_second", "prepare_seconds"] {
        assert!(found[key].is_number(), "{key}");
    }
    for key in ["mean", "p50", "p99", "max"] {
        assert!(found["us_per_query"][key].is_number(), "{key}");
    }
}

#[test]
fn a_wrong_length_is_a_mismatch() {
    let (output, scen) = run(&["0 0 2 0 2", "0 0 2 2 3.41421356", "0 0 1 0 1.005"], &[]);
    let text = failure(&output, 1);
    assert!(text.contains(&format!("{scen}:3:1: mismatch: length 4.00000, the file says 3.41421")), "{text}");
    let found = document(&output);
    assert_eq!((&found["solved"], &found["mismatches"]), (&3.into(), &1.into()));
}

#[test]
fn at_most_ten_mismatches_are_reported_individually() {
    let (output, _) = run(&["0 0 2 0 9"; 13], &[]);
    let text = failure(&output, 1);
    assert_eq!(text.matches(":1: mismatch:").count(), 10);
    assert!(text.contains("mismatch: … and 3 more lines"), "{text}");
}

#[test]
fn unsolvable_problems_are_reported_and_skipped() {
    let (output, scen) = run(&["1 1 2 0 2", "0 0 3 0 3", "0 0 3 1 0", "0 0 2 0 2"], &[]);
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    success(&output);
    let found = document(&output);
    assert_eq!(
        (&found["problems"], &found["solved"], &found["unsolvable"]),
        (&4.into(), &1.into(), &3.into())
    );
    for line in ["2:1: unsolvable: the start is blocked", "3:1: unsolvable: the goal is blocked"] {
        assert!(text.contains(&format!("{scen}:{line}")), "{text}");
    }
    assert!(text.contains(&format!("{scen}:4:1: unsolvable: no path")), "{text}");
}

#[test]
fn the_limit_counts_problems() {
    let (output, _) = run(&["0 0 2 0 2", "0 0 2 2 9"], &["--limit", "1"]);
    success(&output);
    assert_eq!(document(&output)["problems"], 1);
}

#[test]
fn suboptimal_searches_report_their_suboptimality() {
    let (output, _) = run(&["0 0 2 0 2", "0 0 2 2 9"], &["--search", "wastar:weight=3"]);
    success(&output);
    let found = document(&output);
    assert_eq!((&found["mismatches"], &found["checked"]), (&0.into(), &false.into()));
    assert!(found["mean_suboptimality"].as_f64().unwrap() >= 1.0);
    let (output, _) = run(&["0 0 2 2 9"], &["--four-way"]);
    success(&output);
    assert_eq!(document(&output)["checked"], false);
}

#[test]
fn real_time_searches_report_suboptimality_and_capped_walks_instead_of_mismatches() {
    for search in ["rths", "rtaa", "da-rtaa", "lss-lrta", "tba"] {
        let (output, _) = run(&["0 0 2 0 2", "0 0 2 2 9", "0 0 0 0 0"], &["--search", search]);
        success(&output);
        let found = document(&output);
        assert_eq!((&found["solved"], &found["capped"]), (&3.into(), &0.into()), "{search}");
        for key in ["mean", "p50", "p99"] {
            assert!(found["suboptimality"][key].as_f64().unwrap() >= 1.0, "{search}: {key}");
        }
        assert!(found.get("mismatches").is_none(), "a longer path is no mismatch: {found}");
    }
    // The agent first walks into the dead end that is nearer to the goal.
    let wrong_way = ["1 0 2 2 5", "0 0 2 0 2"];
    let found = |cap: &str| {
        let search = format!("rths:cap={cap}");
        let (output, _) = run(&wrong_way, &["--search", &search]);
        success(&output);
        document(&output)
    };
    let (free, capped) = (found("100"), found("1"));
    assert_eq!((&free["solved"], &free["capped"]), (&2.into(), &0.into()));
    assert!(free["suboptimality"]["p99"].as_f64().unwrap() > 1.0);
    assert_eq!((&capped["solved"], &capped["capped"]), (&1.into(), &1.into()));
    assert!(
        (capped["suboptimality"]["p99"].as_f64().unwrap() - 1.0).abs() < 1e-9,
        "a capped walk counts as the cap"
    );
    let (output, _) = run(&["0 0 2 0 2"], &["--search", "jps"]);
    assert!(document(&output).get("suboptimality").is_none());
}

#[test]
fn malformed_scenario_files_are_refused_with_line_and_column() {
    let (output, scen) = run(&["0 0 2 0 2", "0 0 4 0 2"], &[]);
    let text = failure(&output, 2);
    assert!(text.starts_with(&format!("error: {scen}:3:20: found the coordinate 4")), "{text}");
    let folder = Folder::new();
    let scen = folder.write("other.scen", "version 1\n0 arena.map 50 49 0 0 1 1 1\n");
    let text = failure(&throng(&["path", "builtin:arena", "--scen", &scen]), 2);
    assert!(text.contains("other.scen:2:1: the problem is for a map of 50×49 cells"), "{text}");
}

#[test]
#[ignore = "needs THRONG_DATA: the set dao"]
fn lengths_of_a_published_scenario_file_match() {
    let data = Path::new(&std::env::var_os("THRONG_DATA").expect("THRONG_DATA is set")).join("dao");
    let (map, scen) = (data.join("arena.map"), data.join("arena.map.scen"));
    for search in ["astar", "jps"] {
        let found =
            json(&["path", map.to_str().unwrap(), "--scen", scen.to_str().unwrap(), "--search", search]);
        assert_eq!((&found["mismatches"], &found["checked"]), (&0.into(), &true.into()));
        assert_eq!(found["solved"], found["problems"]);
    }
}
