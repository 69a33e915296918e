use super::*;
use crate::{Results, RunRow};

/// Returns a row of results with a course.
fn row(planner: &str, instance: u64, limit: u64, stopped: &str, course: &str) -> RunRow {
    let mut row = RunRow::new();
    let end = crate::Course::parse(course).unwrap().marks().last().unwrap().expansions;
    let texts = [
        ("experiment", "mapf-types"),
        ("scale", "work"),
        ("map", "bg/AR0011SR"),
        ("type", "random"),
        ("planner", planner),
        ("stopped", stopped),
        ("course", course),
        ("commit", "0123456789ab"),
        ("version", "0.1.0"),
        ("machine", "a processor"),
    ];
    for (name, value) in texts {
        row.set(name, value);
    }
    for (name, value) in
        [("instance", instance), ("agents", 100), ("seed", 7), ("max_expansions", limit), ("expansions", end)]
    {
        row.set(name, value);
    }
    row
}

/// A run that the limit cut off passes all marks; here every mark has `each` more agents than the one before.
fn cut_course(limit: u64, each: u64) -> String {
    let marks = crate::course_marks(limit).into_iter().enumerate();
    let groups = marks.map(|(at, mark)| format!("{mark}:{},{}.50,{}", each * at as u64, at, 2 * at));
    groups.collect::<Vec<_>>().join(" ")
}

fn results() -> Results {
    let rows = vec![
        row("slow", 0, 2_000_000, "expansions", &cut_course(2_000_000, 2)),
        row("fast", 0, 2_000_000, "arrived", "50000:60,3.50,17 61000:100,4.00,20"),
        row("slow", 1, 2_000_000, "still", "40000:100,3.50,17"),
    ];
    Results { rows, ..Results::default() }
}

fn prices() -> Prices {
    let text = "measured = \"\"\n[price]\nslow = 2.0\nfast = 1.0\n[nanoseconds]\nslow = 2.0\nfast = 1.0\n";
    toml::from_str(text).unwrap()
}

#[test]
fn a_run_with_the_same_limit_is_added_once() {
    let all = CrowdRuns::from_results(&results());
    let more = Results {
        rows: vec![
            row("slow", 0, 2_000_000, "still", "40000:90,3.50,17"),
            row("slow", 1, 4_000_000, "still", "40000:90,3.50,17"),
            row("slow", 2, 2_000_000, "still", "40000:90,3.50,17"),
        ],
        ..Results::default()
    };
    let mut merged = all.clone();
    merged.add(CrowdRuns::from_results(&more));
    assert_eq!(merged.runs[..3], all.runs[..], "what is stored stays");
    let added: Vec<(u64, u64)> = merged.runs[3..].iter().map(|run| (run.key.instance, run.limit)).collect();
    assert_eq!(added, [(1, 4_000_000), (2, 2_000_000)]);
}

#[test]
fn stored_runs_are_read_as_they_were_written() {
    let runs = CrowdRuns::from_results(&results());
    assert_eq!(runs.runs.len(), 3);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crowd.parquet");
    runs.write(&path).unwrap();
    assert_eq!(CrowdRuns::read(&path).unwrap(), runs);
}

#[test]
fn outcomes_depend_on_priced_work() {
    let runs = CrowdRuns::from_results(&results());
    let problems = problems(&runs, &["slow", "fast"], &prices());
    assert_eq!(problems.len(), 1, "only the first problem has runs of both planners");
    let problem = &problems[0];
    let marks = crate::course_marks(2_000_000);
    // An expansion of the slow planner costs two: at the work of mark 10 it has done half of it.
    let outcomes = problem.at(2.0 * marks[10] as f64).unwrap();
    assert!((outcomes[0].completion - 0.2).abs() < 1e-9, "{outcomes:?}");
    assert!((outcomes[1].completion - 1.0).abs() < 1e-9, "the run that ended stays as it is");
    // The fast planner ended by itself, but its limit was lower.
    assert!((problem.max_work() - 2e6).abs() < 1.0);
    assert_eq!(problem.at(2.1e6), None);
}

#[test]
fn equal_completion_is_decided_by_distance_and_then_by_ticks() {
    let outcome = |completion, travel, ticks| Outcome { completion, travel, ticks };
    assert_eq!(best(&[outcome(0.5, 9.0, 9.0), outcome(0.6, 20.0, 20.0)]), 1);
    assert_eq!(best(&[outcome(1.0, 9.0, 1.0), outcome(1.0, 8.0, 2.0)]), 1);
    assert_eq!(best(&[outcome(1.0, 8.0, 3.0), outcome(1.0, 8.0, 2.0), outcome(1.0, 8.0, 2.0)]), 1);
}

#[test]
fn calibration_finds_the_limit_of_the_targets() {
    let runs = CrowdRuns::from_results(&results());
    let problems = problems(&runs, &["slow", "fast"], &prices());
    let problems: Vec<&ProblemCourses> = problems.iter().collect();
    let wanted = problems[0].at(600_000.0).unwrap();
    let found =
        calibrate(&problems, &wanted.iter().map(|outcome| outcome.completion).collect::<Vec<_>>()).unwrap();
    assert!((found.work / 600_000.0 - 1.0).abs() < 0.02 && found.error < 0.01, "{found:?}");
    let curve = curve(&problems, 1e7, 5);
    assert_eq!(curve.len(), 5);
    assert!(curve.is_sorted_by(|a, b| a.work < b.work && a.best <= b.best));
    assert!(calibrate(&[], &[0.5]).is_none());
}
