//! `throng demo`.

use std::fs;

use tempfile::TempDir;

use crate::map::PNG;
use crate::run::{bad, good, json, throng};

#[test]
fn every_search_is_compared_and_a_picture_written() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("demo.png");
    let out = file.to_str().unwrap();
    let found = json(&["demo", "--queries", "3", "--out", out]);
    assert_eq!((&found["queries"], &found["picture"]), (&3.into(), &out.into()));
    let searches = found["searches"].as_array().unwrap();
    assert_eq!(searches.len(), json(&["list", "searches"])["searches"].as_array().unwrap().len());
    for row in searches {
        let over = row["length_over_shortest"].as_f64().unwrap();
        assert!(over >= 1.0 && (row["optimal"] == false || over <= 1.0), "{row}");
        assert!(row["us_per_query"]["p99"].as_f64().unwrap() > 0.0, "{row}");
    }
    assert!(fs::read(&file).unwrap().starts_with(PNG));

    let text = good(&throng(&["demo", "--queries", "1", "-o", out]));
    assert!(text.contains("astar") && text.contains("Try next:"), "{text}");
}

#[test]
fn what_to_try_next_works() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.png").to_str().unwrap().to_owned();
    let text = good(&throng(&["demo", "--queries", "1", "-o", &out]));
    let (_, next) = text.split_once("Try next:\n").unwrap();
    for line in next.lines() {
        let command = line.trim().split("  ").next().unwrap();
        let mut arguments: Vec<&str> = command.split(' ').skip(1).collect();
        if let Some(at) = arguments.iter().position(|argument| *argument == "-o") {
            arguments[at + 1] = &out;
        }
        good(&throng(&arguments));
    }
}

#[test]
fn a_picture_that_cannot_be_written_is_told() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("no/demo.png");
    assert!(
        bad(&throng(&["demo", "--queries", "1", "-o", out.to_str().unwrap()]), 1).contains("cannot write")
    );
}
