//! Checks that the findings of papers need, on generated rows, and the runs that decide a finding.

use throng_lab::RunRow;
use throng_lab::findings::verdicts;
use throng_lab::report::{ReportSettings, Verdict};

use crate::support::{self, row};

/// Returns rows of four instances of planners with these travel distances; instances differ by less than one.
fn walks(scale: &str, map: &str, planners: &[(&str, f64)]) -> Vec<RunRow> {
    let mut rows = Vec::new();
    for instance in 0..4 {
        for (place, (planner, travel)) in planners.iter().enumerate() {
            let mut row = row(scale, map, planner, 50, instance);
            row.set("travel_mean", travel + 0.1 * ((instance + place as i64) % 3) as f64);
            row.set("completion_rate", 1.0 / travel);
            rows.push(row);
        }
    }
    rows
}

fn verdict(rows: &[RunRow], check: &str) -> Verdict {
    support::verdict(rows, &format!("measure = \"travel_mean\"\n{check}")).0
}

#[test]
fn pairwise_checks_compare_planners_in_the_same_place() {
    let rows = walks("quick", "m", &[("a", 10.0), ("b", 30.0), ("c", 20.0), ("d", 40.0)]);
    let pairs = "kind = \"below\"\nplanners = [\"a\", \"b\"]\nbaselines = [\"c\", \"d\"]\n";
    assert_eq!(verdict(&rows, &format!("{pairs}pairwise = true")), Verdict::Holds);
    assert_eq!(verdict(&rows, pairs), Verdict::Fails, "b is above c");
    let uneven = "[[check]]\nfinding = \"f\"\nmeasure = \"ticks\"\nkind = \"below\"\npairwise = true\n\
                  planners = [\"a\"]\nbaselines = [\"c\", \"d\"]";
    let refusal = ReportSettings::parse("report.toml", uneven).unwrap_err().to_string();
    assert!(refusal.ends_with("needs `baselines, as many as planners`"), "{refusal}");
}

#[test]
fn two_measures_of_the_same_runs_are_compared() {
    let mut rows = walks("quick", "m", &[("a", 10.0)]);
    for row in &mut rows {
        let travel = row.number("travel_mean").unwrap();
        row.set("late_distance", travel + 1.0);
    }
    let check = "planners = [\"a\"]\nthan = \"late_distance\"\n";
    assert_eq!(verdict(&rows, &format!("kind = \"below\"\n{check}")), Verdict::Holds);
    assert_eq!(verdict(&rows, &format!("kind = \"above\"\n{check}")), Verdict::Fails);
}

#[test]
fn a_rise_levels_off_if_its_second_part_is_small() {
    let planners = "planners = [\"a\", \"b\", \"c\"]\nkind = \"levels-off\"\nshare = 0.25";
    let of = |last| verdict(&walks("quick", "m", &[("a", 10.0), ("b", 30.0), ("c", last)]), planners);
    assert_eq!((of(32.0), of(40.0)), (Verdict::Holds, Verdict::Fails));
}

#[test]
fn each_planner_is_followed_along_the_groups() {
    let mut rows = walks("quick", "m", &[("a", 10.0), ("b", 10.0)]);
    for mut row in walks("quick", "m", &[("a", 20.0), ("b", 5.0)]) {
        row.set("agents", 100_i64);
        row.set("run", format!("{}more", row.text("run").unwrap()));
        rows.push(row);
    }
    let along = |planners: &str| {
        verdict(&rows, &format!("kind = \"rises\"\nby = \"agents\"\nplanners = [{planners}]"))
    };
    assert_eq!((along("\"a\""), along("\"a\", \"b\"")), (Verdict::Holds, Verdict::Fails));
}

#[test]
fn rivals_can_be_limited_to_baselines() {
    let rows = walks("quick", "m", &[("a", 10.0), ("b", 30.0), ("c", 5.0)]);
    let lowest = "kind = \"lowest-on-at-least\"\nplanners = [\"a\"]\nat_least = 1\n";
    assert_eq!(verdict(&rows, lowest), Verdict::Fails);
    assert_eq!(verdict(&rows, &format!("{lowest}baselines = [\"b\"]")), Verdict::Holds);
}

#[test]
fn unknown_findings_are_refused() {
    let text = "[[check]]\nfinding = \"f\"\ndecides = \"dm-1000\"\nkind = \"rises\"\nmeasure = \"ticks\"\nplanners = [\"a\"]";
    let refusal = ReportSettings::parse("report.toml", text).unwrap_err().to_string();
    assert!(refusal.starts_with("report.toml:3:12: there is no finding `dm-1000`"), "{refusal}");
}

/// The report of the experiment says that runs with the paper's time limit decide.
#[test]
fn only_the_deciding_scales_decide() {
    let planners = [("bmaa", 10.0), ("bmaa-f-c", 20.0)];
    let of =
        |rows: &[RunRow]| verdicts(rows).into_iter().find(|verdict| verdict.id == "bmaa-14").unwrap().verdict;
    let quick = walks("quick", "dao/lak307d", &planners);
    assert_eq!(of(&quick), Verdict::Unknown);
    let wall = walks("wall", "dao/lak307d", &planners);
    assert_eq!(of(&wall), Verdict::Holds);
    let both: Vec<RunRow> = walks("quick", "dao/lak307d", &[("bmaa", 20.0), ("bmaa-f-c", 10.0)]);
    assert_eq!(of(&[both, wall].concat()), Verdict::Holds);
}

/// Returns rows of `dm-window` at a scale: with windows, times and distances are larger by `more`.
fn windows(scale: &str, map: &str, more: f64) -> Vec<RunRow> {
    let mut rows = walks(scale, map, &[("dm", 100.0)]);
    for planner in ["dm:window=3", "dm:window=5", "dm:window=7"] {
        rows.extend(walks(scale, map, &[(planner, 100.0 + more)]));
    }
    for row in &mut rows {
        let travel = row.number("travel_mean").unwrap();
        row.set("experiment", "dm-window");
        row.set("task", "patrol");
        row.set("loop_time", travel);
        row.set("loop_distance", travel);
    }
    rows
}

#[test]
fn unfitted_maps_are_counted_apart_and_decide_nothing() {
    let of = |rows: &[RunRow]| verdicts(rows).into_iter().find(|verdict| verdict.id == "dm-61").unwrap();
    let fitted = windows("quick", "builtin:patrol-passages", 9.0);
    let words = windows("words", "builtin:patrol-words-d", -9.0);
    let both = of(&[fitted.clone(), words.clone()].concat());
    assert_eq!((both.verdict, both.on_unfitted("words")), (Verdict::Holds, Some(Verdict::Fails)));
    assert_eq!(both.on_unfitted("open"), None, "nothing was run on map (a)");
    assert_eq!(of(&fitted).on_unfitted("words"), None);
    let mut without = windows("open", "builtin:patrol-empty", 9.0);
    for row in &mut without {
        row.set_some("loop_time", None::<f64>);
        row.set_some("loop_distance", None::<f64>);
    }
    assert_eq!(of(&[fitted, without].concat()).on_unfitted("open"), None, "its runs have no values");
    let alone = of(&words);
    assert_eq!((alone.verdict, alone.on_unfitted("words")), (Verdict::Unknown, Some(Verdict::Fails)));
}

#[test]
fn checks_with_scales_are_made_on_their_runs_only() {
    let rows = [
        walks("quick", "m", &[("a", 10.0), ("b", 30.0)]),
        walks("other-maps", "n", &[("a", 30.0), ("b", 10.0)]),
        walks("open", "o", &[("a", 40.0), ("b", 10.0)]),
    ]
    .concat();
    let check = "[[check]]\nfinding = \"f\"\nmeasure = \"travel_mean\"\nkind = \"above\"\n\
                 planners = [\"a\"]\nbaselines = [\"b\"]\nscales = [\"other-maps\", \"open\"]";
    let report = support::report(&rows, check);
    let found: Vec<(&str, Verdict)> = report.findings().iter().map(|it| (it.scale, it.verdict)).collect();
    assert_eq!(found, [("open", Verdict::Holds), ("other-maps", Verdict::Holds)]);
}

#[test]
fn a_check_on_each_map_must_hold_on_all_of_them() {
    let rows =
        [walks("quick", "m", &[("a", 10.0), ("b", 12.0)]), walks("quick", "n", &[("a", 30.0), ("b", 20.0)])]
            .concat();
    let check = "measure = \"travel_mean\"\nkind = \"above\"\nplanners = [\"a\"]\nbaselines = [\"b\"]\n";
    assert_eq!(support::verdict(&rows, check).0, Verdict::Holds, "over both maps");
    let (verdict, estimate) = support::verdict(&rows, &format!("{check}each_map = true"));
    assert_eq!(verdict, Verdict::Fails);
    assert!(estimate.starts_with("m: "), "{estimate}");
    let one = format!("{check}each_map = true\nonly = {{ map = [\"n\"] }}");
    assert_eq!(support::verdict(&rows, &one).0, Verdict::Holds);
}

/// One run outside of the bound is enough, whatever the mean is.
#[test]
fn extremes_are_those_of_all_runs() {
    let mut rows = walks("quick", "m", &[("a", 10.0), ("b", 10.0)]);
    for (place, row) in rows.iter_mut().enumerate() {
        row.set("coherence_low", if place == 5 { 0.2 } else { 0.5 });
        row.set("coherence_high", 0.9);
    }
    let of = |check: &str| support::verdict(&rows, check).0;
    assert_eq!(of("measure = \"coherence_low\"\nkind = \"at-least\"\nvalue = 0.25"), Verdict::Fails);
    let first = "measure = \"coherence_low\"\nkind = \"at-least\"\nvalue = 0.25\nplanners = [\"a\"]";
    assert_eq!(of(first), Verdict::Holds);
    assert_eq!(of("measure = \"coherence_high\"\nkind = \"at-most\"\nvalue = 0.95"), Verdict::Holds);
}
