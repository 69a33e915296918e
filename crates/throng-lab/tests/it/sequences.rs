//! Checks along sequences of settings, on generated rows with a known trend.

use throng::grid::SeededRng;
use throng_lab::RunRow;
use throng_lab::report::Verdict;

use crate::support::{self, row};

/// Returns rows of six instances on which the planners `p0`, `p1`, … travel about these lengths. The instances differ
/// much more than the planners.
fn walks(lengths: &[f64]) -> Vec<RunRow> {
    let mut rng = SeededRng::new(3);
    let mut rows = Vec::new();
    for instance in 0..6 {
        let difficulty = f64::from(rng.below(100));
        for (place, length) in lengths.iter().enumerate() {
            let mut row = row("quick", "m", &format!("p{place}"), 50, instance);
            row.set("travel_mean", length + difficulty + f64::from(rng.below(100)) / 100.0);
            rows.push(row);
        }
    }
    rows
}

/// Checks a finding about travel.
fn verdict(rows: &[RunRow], check: &str) -> (Verdict, String) {
    support::verdict(rows, &format!("measure = \"travel_mean\"\n{check}"))
}

const FOUR: &str = "planners = [\"p0\", \"p1\", \"p2\", \"p3\"]\n";

#[test]
fn rising_and_falling_sequences_are_told_apart() {
    let of = |lengths: &[f64], kind: &str| verdict(&walks(lengths), &format!("kind = \"{kind}\"\n{FOUR}"));
    let rising = [100.0, 105.0, 104.0, 112.0];
    assert_eq!(of(&rising, "rises").0, Verdict::Holds, "a single step may go the other way");
    assert_eq!(of(&rising, "falls").0, Verdict::Fails);
    let (verdict, estimate) = of(&[112.0, 104.0, 105.0, 100.0], "falls");
    assert_eq!(verdict, Verdict::Holds);
    assert!(
        estimate.starts_with("slope per step: −3") || estimate.starts_with("slope per step: −4"),
        "{estimate}"
    );
    assert_eq!(of(&[100.0, 100.0, 100.0, 100.0], "rises").0, Verdict::Unknown);
    assert_eq!(
        of(&[100.0, 130.0, 130.0, 100.0], "rises").0,
        Verdict::Unknown,
        "the last mean is not above the first"
    );
}

#[test]
fn an_incomplete_sequence_decides_nothing() {
    let (verdict, estimate) = verdict(&walks(&[1.0, 2.0]), &format!("kind = \"rises\"\n{FOUR}"));
    assert_eq!((verdict, estimate.as_str()), (Verdict::Unknown, "not all elements of the sequence were run"));
}

/// A sequence of one planner along a setting: each element has its own instances.
#[test]
fn a_single_planner_is_compared_along_a_setting() {
    let mut rng = SeededRng::new(5);
    let mut rows = Vec::new();
    for agents in [20, 100, 160] {
        for instance in 0..6 {
            let mut row = row("quick", "m", "p", agents, instance);
            row.set("travel_mean", agents as f64 / 10.0 + f64::from(rng.below(100)) / 50.0);
            rows.push(row);
        }
    }
    let along = "planners = [\"p\"]\nby = \"agents\"\n";
    assert_eq!(verdict(&rows, &format!("kind = \"rises\"\n{along}")).0, Verdict::Holds);
    assert_eq!(verdict(&rows, &format!("kind = \"falls\"\n{along}")).0, Verdict::Fails);
}

#[test]
fn an_optimum_between_the_ends_is_found() {
    let of = |lengths: &[f64]| verdict(&walks(lengths), &format!("kind = \"best-inside\"\n{FOUR}"));
    let (verdict, estimate) = of(&[110.0, 104.0, 100.0, 108.0]);
    assert_eq!(verdict, Verdict::Holds);
    assert!(estimate.starts_with("best: p2, ahead of the better end by"), "{estimate}");
    assert_eq!(of(&[100.0, 104.0, 106.0, 108.0]).0, Verdict::Fails);
}

#[test]
fn means_are_compared_within_a_share_and_with_a_factor() {
    let rows = walks(&[1_000.0, 1_050.0, 1_300.0, 400.0]);
    let within = |these: &str, share: f64| {
        verdict(
            &rows,
            &format!("kind = \"within\"\nplanners = [\"{these}\"]\nbaselines = [\"p0\"]\nshare = {share}"),
        )
        .0
    };
    assert_eq!(within("p1", 0.15), Verdict::Holds);
    assert_eq!(within("p1", 0.02), Verdict::Fails);
    assert_eq!(within("p2", 0.15), Verdict::Fails);
    let half = |these: &str| {
        verdict(
            &rows,
            &format!("kind = \"below\"\nplanners = [\"{these}\"]\nbaselines = [\"p0\"]\ntimes = 0.5"),
        )
        .0
    };
    assert_eq!((half("p3"), half("p1")), (Verdict::Holds, Verdict::Fails));
}

#[test]
fn filters_select_planners_and_maps() {
    let mut rows = walks(&[5.0, 6.0]);
    for row in &mut rows.clone() {
        row.set("map", "other");
        row.set("run", format!("o{}", row.text("run").unwrap()));
        row.set("travel_mean", 1_000.0 - 10.0 * row.number("travel_mean").unwrap());
        rows.push(row.clone());
    }
    let above = "kind = \"above\"\nplanners = [\"p1\"]\nbaselines = [\"p0\"]\n";
    assert_eq!(verdict(&rows, &format!("{above}only = {{ map = \"m\" }}")).0, Verdict::Holds);
    assert_eq!(verdict(&rows, &format!("{above}only = {{ map = \"other\" }}")).0, Verdict::Fails);
    let none = verdict(&rows, &format!("{above}only = {{ planners = [\"p0\"] }}"));
    assert_eq!(none, (Verdict::Unknown, "no instance was run with both planners".to_owned()));
}
