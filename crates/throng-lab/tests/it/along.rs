//! Checks along a row of settings, on made-up rows whose trend is known.

use throng::grid::SeededRng;
use throng_lab::Row;
use throng_lab::paper::Paper;
use throng_lab::report::{About, Report, ReportSettings, Verdict};

use crate::report::row;

/// Six instances on which planners `p0`, `p1`, … walk so far, give or take a little; the instances differ far more.
fn walks(lengths: &[f64]) -> Vec<Row> {
    let mut rng = SeededRng::new(3);
    let mut rows = Vec::new();
    for instance in 0..6 {
        let luck = f64::from(rng.below(100));
        for (place, length) in lengths.iter().enumerate() {
            let mut row = row("quick", "m", &format!("p{place}"), 50, instance);
            row.set("travel_mean", length + luck + f64::from(rng.below(100)) / 100.0);
            rows.push(row);
        }
    }
    rows
}

fn verdict(rows: &[Row], check: &str) -> (Verdict, String) {
    let text = format!("[[check]]\nfinding = \"f\"\nmeasure = \"travel_mean\"\n{check}");
    let settings = ReportSettings::parse("report.toml", &text).unwrap();
    let about = |_: &str| About { settings: settings.clone(), paper: Paper::default() };
    let report = Report::new(rows, about, false).unwrap();
    let finding = &report.findings()[0];
    (finding.verdict, finding.estimate.to_owned())
}

const FOUR: &str = "these = [\"p0\", \"p1\", \"p2\", \"p3\"]\n";

#[test]
fn what_rises_along_a_row_does_not_fall() {
    let of = |lengths: &[f64], kind: &str| verdict(&walks(lengths), &format!("kind = \"{kind}\"\n{FOUR}"));
    let rising = [100.0, 105.0, 104.0, 112.0];
    assert_eq!(of(&rising, "rises").0, Verdict::Holds, "a single step may go the other way");
    assert_eq!(of(&rising, "falls").0, Verdict::Fails);
    let (verdict, estimate) = of(&[112.0, 104.0, 105.0, 100.0], "falls");
    assert_eq!(verdict, Verdict::Holds);
    assert!(
        estimate.starts_with("slope a step: −3") || estimate.starts_with("slope a step: −4"),
        "{estimate}"
    );
    assert_eq!(of(&[100.0, 100.0, 100.0, 100.0], "rises").0, Verdict::Unknown);
    assert_eq!(
        of(&[100.0, 130.0, 130.0, 100.0], "rises").0,
        Verdict::Unknown,
        "the last is not above the first"
    );
}

#[test]
fn a_place_of_the_row_that_was_not_run_leaves_it_open() {
    let (verdict, estimate) = verdict(&walks(&[1.0, 2.0]), &format!("kind = \"rises\"\n{FOUR}"));
    assert_eq!((verdict, estimate.as_str()), (Verdict::Unknown, "not everything along the row was run"));
}

/// One planner along a setting: every place has instances of its own.
#[test]
fn a_single_planner_is_looked_at_along_a_setting() {
    let mut rng = SeededRng::new(5);
    let mut rows = Vec::new();
    for agents in [20, 100, 160] {
        for instance in 0..6 {
            let mut row = row("quick", "m", "p", agents, instance);
            row.set("travel_mean", agents as f64 / 10.0 + f64::from(rng.below(100)) / 50.0);
            rows.push(row);
        }
    }
    let along = "these = [\"p\"]\nby = \"agents\"\n";
    assert_eq!(verdict(&rows, &format!("kind = \"rises\"\n{along}")).0, Verdict::Holds);
    assert_eq!(verdict(&rows, &format!("kind = \"falls\"\n{along}")).0, Verdict::Fails);
}

#[test]
fn the_best_in_between_is_better_than_both_ends() {
    let of = |lengths: &[f64]| verdict(&walks(lengths), &format!("kind = \"best-inside\"\n{FOUR}"));
    let (verdict, estimate) = of(&[110.0, 104.0, 100.0, 108.0]);
    assert_eq!(verdict, Verdict::Holds);
    assert!(estimate.starts_with("best: p2, before the better end by"), "{estimate}");
    assert_eq!(of(&[100.0, 104.0, 106.0, 108.0]).0, Verdict::Fails);
}

#[test]
fn about_the_same_and_half_as_much() {
    let rows = walks(&[1_000.0, 1_050.0, 1_300.0, 400.0]);
    let within = |these: &str, share: f64| {
        verdict(
            &rows,
            &format!("kind = \"within\"\nthese = [\"{these}\"]\nthose = [\"p0\"]\nshare = {share}"),
        )
        .0
    };
    assert_eq!(within("p1", 0.15), Verdict::Holds);
    assert_eq!(within("p1", 0.02), Verdict::Fails);
    assert_eq!(within("p2", 0.15), Verdict::Fails);
    let half = |these: &str| {
        verdict(&rows, &format!("kind = \"below\"\nthese = [\"{these}\"]\nthose = [\"p0\"]\ntimes = 0.5")).0
    };
    assert_eq!((half("p3"), half("p1")), (Verdict::Holds, Verdict::Fails));
}

#[test]
fn only_some_planners_and_maps_count() {
    let mut rows = walks(&[5.0, 6.0]);
    for row in &mut rows.clone() {
        row.set("map", "other");
        row.set("run", format!("o{}", row.text("run").unwrap()));
        row.set("travel_mean", 1_000.0 - 10.0 * row.number("travel_mean").unwrap());
        rows.push(row.clone());
    }
    let above = "kind = \"above\"\nthese = [\"p1\"]\nthose = [\"p0\"]\n";
    assert_eq!(verdict(&rows, &format!("{above}only = {{ map = \"m\" }}")).0, Verdict::Holds);
    assert_eq!(verdict(&rows, &format!("{above}only = {{ map = \"other\" }}")).0, Verdict::Fails);
    let none = verdict(&rows, &format!("{above}only = {{ planners = [\"p0\"] }}"));
    assert_eq!(none, (Verdict::Unknown, "no instance was run by both planners".to_owned()));
}
