//! Numbers over all questions of several runs, on made-up rows whose questions are known.

use throng_lab::Row;
use throng_lab::paper::Paper;
use throng_lab::report::{About, Report, ReportSettings, Verdict};
use throng_lab::stats::Percentiles;

use crate::report::row;

/// A run of a search on a map whose questions took these times.
fn asked(set: &str, map: &str, search: &str, times: &[f64]) -> Row {
    let mut row = row("quick", &format!("{set}/{map}"), search, 100, 0);
    row.set("task", "dynamic");
    row.set("map_set", set);
    row.set("questions", times.len());
    row.set("query_us_percentiles", Percentiles::of(times).unwrap().to_string());
    row.set("query_us_mean", times.iter().sum::<f64>() / times.len() as f64);
    row
}

fn report(rows: &[Row], settings: &str) -> Report {
    let settings = ReportSettings::parse("report.toml", settings).unwrap();
    let about = |_: &str| About { settings: settings.clone(), paper: Paper::default() };
    Report::new(rows, about, false).unwrap()
}

fn verdict(rows: &[Row], check: &str) -> (Verdict, String) {
    let text = format!("[[check]]\nfinding = \"f\"\n{check}");
    let report = report(rows, &text);
    let finding = &report.findings()[0];
    (finding.verdict, finding.estimate.to_owned())
}

/// The number and its interval, as stored, of a measure over all runs of a set.
fn cell(rows: &[Row], measure: &str, set: &str) -> (f64, Option<(f64, f64)>) {
    let table = format!("[[table]]\nname = \"T\"\nrows = \"map_set\"\nmeasures = [\"{measure}\"]");
    let csv = report(rows, &table).csv();
    let start = format!("bmaa-completion,T,{set},astar,{measure},ms,quick,");
    let line = csv.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("{csv}"));
    let numbers: Vec<Option<f64>> = line.split(',').take(3).map(|field| field.parse().ok()).collect();
    let us = |ms: f64| ms * 1e3;
    (us(numbers[0].unwrap()), numbers[1].zip(numbers[2]).map(|(low, high)| (us(low), us(high))))
}

fn numbers(range: std::ops::RangeInclusive<u32>) -> Vec<f64> {
    range.map(f64::from).collect()
}

#[test]
fn a_run_counts_as_often_as_it_has_questions() {
    // 1 to 900 and 901 to 1,000: together 1 to 1,000, where the mean of the medians would be 700.
    let rows = [
        asked("dao", "a", "astar", &numbers(1..=900)),
        asked("dao", "b", "astar", &numbers(901..=1_000)),
        asked("da2", "c", "astar", &numbers(5_000..=5_099)),
    ];
    for (measure, truth) in
        [("pooled_query_us_p25", 250.0), ("pooled_query_us_p50", 500.0), ("pooled_query_us_p75", 750.0)]
    {
        let (found, interval) = cell(&rows, measure, "dao");
        assert!((truth..=truth + 10.0).contains(&found), "{measure}: {found}");
        assert_eq!(interval, None, "two runs have none");
    }
    assert!((cell(&rows, "pooled_query_us_mean", "dao").0 - 500.5).abs() < 1e-3);
    assert!((cell(&rows, "query_us_mean", "dao").0 - f64::midpoint(450.5, 950.5)).abs() < 1e-3);
    // One run is exactly itself; all runs together have 1,100 questions.
    assert!((cell(&rows, "pooled_query_us_p50", "da2").0 - 5_049.0).abs() < 1e-3);
    let (overall, _) = cell(&rows, "pooled_query_us_p50", "overall");
    assert!((550.0..=561.0).contains(&overall), "{overall}");
}

#[test]
fn rows_without_percentiles_or_questions_do_not_count() {
    let mut rows = vec![asked("dao", "a", "astar", &numbers(1..=100))];
    let mut old = asked("dao", "b", "astar", &numbers(800..=900));
    old.set_some("query_us_percentiles", None::<String>);
    let mut none = row("quick", "dao/c", "astar", 100, 0);
    none.set("map_set", "dao");
    none.set("questions", 0_i64);
    rows.extend([old, none]);
    assert!((cell(&rows, "pooled_query_us_p50", "dao").0 - 50.0).abs() < 1e-3);
}

/// Twelve maps a set. On `dao` the second search takes three times as long; on `da2` it is the faster one.
fn two_searches() -> Vec<Row> {
    let mut rows = Vec::new();
    for (set, factor) in [("dao", 3.0), ("da2", 0.5)] {
        for map in 0..12_u32 {
            let times = numbers(100 + map..=150 + 20 * map);
            let others: Vec<f64> = times.iter().map(|time| time * factor).collect();
            rows.push(asked(set, &map.to_string(), "astar", &times));
            rows.push(asked(set, &map.to_string(), "jps", &others));
        }
    }
    rows
}

#[test]
fn intervals_come_from_maps_drawn_again() {
    let (found, interval) = cell(&two_searches(), "pooled_query_us_p50", "dao");
    let (low, high) = interval.unwrap();
    assert!(low < found && found < high, "{low} {found} {high}");
    assert!(high - low > 20.0, "maps differ: {low} {high}");
    let text = report(
        &two_searches(),
        "[[table]]\nname = \"T\"\nrows = \"map_set\"\nmeasures = [\"pooled_query_us_p50\"]",
    )
    .markdown();
    assert!(text.contains("Time, median (ms), over all questions ± half of the 95 % interval"), "{text}");
}

#[test]
fn checks_compare_what_all_questions_come_to() {
    let rows = two_searches();
    let check = |kind: &str, rest: &str| {
        let pair = "these = [\"astar\"]\nthose = [\"jps\"]";
        verdict(&rows, &format!("measure = \"pooled_query_us_p50\"\nkind = \"{kind}\"\n{pair}\n{rest}")).0
    };
    let only = |set: &str| {
        let of_set: Vec<Row> = rows.iter().filter(|row| row.text("map_set") == Some(set)).cloned().collect();
        let text =
            "measure = \"pooled_query_us_p50\"\nkind = \"below\"\nthese = [\"astar\"]\nthose = [\"jps\"]\n";
        verdict(&of_set, &format!("{text}by = \"map_set\"\ntimes = 0.5"))
    };
    assert_eq!(only("dao").0, Verdict::Holds, "a third of the time");
    assert_eq!(only("da2").0, Verdict::Fails);
    assert_eq!(check("below", "by = \"map_set\""), Verdict::Fails, "on one of two sets it is not so");
    let target = |value: f64, these: &str, those: &str| {
        let text =
            format!("kind = \"at-most\"\nvalue = {value}\nthese = [\"{these}\"]\nthose = [\"{those}\"]");
        verdict(&rows, &format!("measure = \"pooled_query_us_p50\"\nby = \"map_set\"\n{text}"))
    };
    // 2 is the factor on the one set and a third on the other.
    assert_eq!(target(2.01, "astar", "jps").0, Verdict::Holds);
    assert_eq!(target(1.99, "astar", "jps").0, Verdict::Fails);
    let (_, words) = target(1.99, "astar", "jps");
    assert!(words.starts_with("nearest: da2: astar beside jps"), "{words}");
}

#[test]
fn groups_are_named_in_comparisons() {
    let (_, words) = verdict(
        &two_searches(),
        "measure = \"pooled_query_us_p75\"\nkind = \"below\"\nthese = [\"astar\"]\nthose = [\"jps\"]\nby = \"map_set\"",
    );
    assert!(words.starts_with("smallest lead: da2: astar − jps, +"), "{words}");
}

/// A target for some sets is not missed on the others.
#[test]
fn only_some_sets_count() {
    let rows = [
        asked("dao", "a", "astar", &numbers(100..=200)),
        asked("dao", "a", "jps", &numbers(10..=20)),
        asked("mazes", "b", "astar", &numbers(100..=200)),
        asked("mazes", "b", "jps", &numbers(50..=60)),
    ];
    let target = "kind = \"at-most\"\nmeasure = \"pooled_query_us_p50\"\nby = \"map_set\"\nvalue = 0.2\n\
                  these = [\"jps\"]\nthose = [\"astar\"]\n";
    assert_eq!(verdict(&rows, target).0, Verdict::Fails);
    assert_eq!(verdict(&rows, &format!("{target}only = {{ map_sets = [\"dao\"] }}")).0, Verdict::Holds);
    // A comparison in each group does not look for those that are left out.
    let below = "kind = \"below\"\nmeasure = \"pooled_query_us_p50\"\nby = \"map_set\"\n\
                 these = [\"jps\"]\nthose = [\"astar\"]\nonly = { map_sets = [\"dao\"] }";
    assert!(!verdict(&rows, below).1.contains("mazes"), "{}", verdict(&rows, below).1);
}
