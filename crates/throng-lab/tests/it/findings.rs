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
