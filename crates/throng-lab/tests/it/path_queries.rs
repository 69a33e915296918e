//! Aggregates over all path queries of several runs, on generated rows with known queries.

use throng_lab::RunRow;
use throng_lab::report::Verdict;
use throng_lab::stats::Percentiles;

use crate::support::{ReportFiles, report, row, verdict};

/// Returns a run of a search on a map with these query times.
fn query_run(set: &str, map: &str, search: &str, times: &[f64]) -> RunRow {
    let mut row = row("quick", &format!("{set}/{map}"), search, 100, 0);
    row.set("task", "dynamic");
    row.set("search", search);
    row.set_some("planner", None::<&str>);
    row.set("map_set", set);
    row.set("queries", times.len());
    row.set("query_us_percentiles", Percentiles::of(times).unwrap().to_string());
    row.set("query_us_mean", times.iter().sum::<f64>() / times.len() as f64);
    row
}

/// Returns the aggregate of a measure over all runs of a map set, and its interval, in microseconds.
fn cell(rows: &[RunRow], measure: &str, set: &str) -> (f64, Option<(f64, f64)>) {
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
fn runs_are_weighted_by_their_number_of_queries() {
    // 1 to 900 and 901 to 1,000 are together 1 to 1,000. The mean of the medians would be 700.
    let rows = [
        query_run("dao", "a", "astar", &numbers(1..=900)),
        query_run("dao", "b", "astar", &numbers(901..=1_000)),
        query_run("da2", "c", "astar", &numbers(5_000..=5_099)),
    ];
    for (measure, truth) in
        [("pooled_query_us_p25", 250.0), ("pooled_query_us_p50", 500.0), ("pooled_query_us_p75", 750.0)]
    {
        let (found, interval) = cell(&rows, measure, "dao");
        assert!((truth..=truth + 10.0).contains(&found), "{measure}: {found}");
        assert_eq!(interval, None, "two runs have no interval");
    }
    assert!((cell(&rows, "pooled_query_us_mean", "dao").0 - 500.5).abs() < 1e-3);
    assert!((cell(&rows, "query_us_mean", "dao").0 - f64::midpoint(450.5, 950.5)).abs() < 1e-3);
    // A single run is exact. All runs together have 1,100 queries.
    assert!((cell(&rows, "pooled_query_us_p50", "da2").0 - 5_049.0).abs() < 1e-3);
    let (overall, _) = cell(&rows, "pooled_query_us_p50", "overall");
    assert!((550.0..=561.0).contains(&overall), "{overall}");
}

#[test]
fn rows_without_percentiles_or_queries_are_ignored() {
    let mut rows = vec![query_run("dao", "a", "astar", &numbers(1..=100))];
    let mut old = query_run("dao", "b", "astar", &numbers(800..=900));
    old.set_some("query_us_percentiles", None::<String>);
    let mut none = query_run("dao", "c", "astar", &[1.0]);
    none.set("queries", 0_i64);
    rows.extend([old, none]);
    assert!((cell(&rows, "pooled_query_us_p50", "dao").0 - 50.0).abs() < 1e-3);
}

/// Returns two searches on twelve maps per set. The second search takes three times as long on `dao` and half as long on
/// `da2`.
fn two_searches() -> Vec<RunRow> {
    let mut rows = Vec::new();
    for (set, factor) in [("dao", 3.0), ("da2", 0.5)] {
        for map in 0..12_u32 {
            let times = numbers(100 + map..=150 + 20 * map);
            let others: Vec<f64> = times.iter().map(|time| time * factor).collect();
            rows.push(query_run(set, &map.to_string(), "astar", &times));
            rows.push(query_run(set, &map.to_string(), "jps", &others));
        }
    }
    rows
}

#[test]
fn intervals_come_from_resampled_maps() {
    let (found, interval) = cell(&two_searches(), "pooled_query_us_p50", "dao");
    let (low, high) = interval.unwrap();
    assert!(low < found && found < high, "{low} {found} {high}");
    assert!(high - low > 20.0, "maps differ: {low} {high}");
    let text = report(
        &two_searches(),
        "[[table]]\nname = \"T\"\nrows = \"map_set\"\nmeasures = [\"pooled_query_us_p50\"]",
    )
    .markdown();
    assert!(text.contains("Time, median (ms), over all path queries ± half of the 95 % interval"), "{text}");
}

#[test]
fn checks_compare_aggregates_over_all_queries() {
    let rows = two_searches();
    let check = |kind: &str, rest: &str| {
        let pair = "planners = [\"astar\"]\nbaselines = [\"jps\"]";
        verdict(&rows, &format!("measure = \"pooled_query_us_p50\"\nkind = \"{kind}\"\n{pair}\n{rest}")).0
    };
    let only = |set: &str| {
        let of_set: Vec<RunRow> =
            rows.iter().filter(|row| row.text("map_set") == Some(set)).cloned().collect();
        let text = "measure = \"pooled_query_us_p50\"\nkind = \"below\"\nplanners = [\"astar\"]\nbaselines = [\"jps\"]\n";
        verdict(&of_set, &format!("{text}by = \"map_set\"\ntimes = 0.5"))
    };
    assert_eq!(only("dao").0, Verdict::Holds, "a third of the time");
    assert_eq!(only("da2").0, Verdict::Fails);
    assert_eq!(check("below", "by = \"map_set\""), Verdict::Fails, "it does not hold on one of two sets");
    let target = |value: f64, these: &str, those: &str| {
        let text = format!(
            "kind = \"at-most\"\nvalue = {value}\nplanners = [\"{these}\"]\nbaselines = [\"{those}\"]"
        );
        verdict(&rows, &format!("measure = \"pooled_query_us_p50\"\nby = \"map_set\"\n{text}"))
    };
    // The ratio is 2 on one set and a third on the other.
    assert_eq!(target(2.01, "astar", "jps").0, Verdict::Holds);
    assert_eq!(target(1.99, "astar", "jps").0, Verdict::Fails);
    let (_, words) = target(1.99, "astar", "jps");
    assert!(words.starts_with("nearest: da2: astar relative to jps"), "{words}");
}

#[test]
fn comparisons_name_their_group() {
    let (_, words) = verdict(
        &two_searches(),
        "measure = \"pooled_query_us_p75\"\nkind = \"below\"\nplanners = [\"astar\"]\nbaselines = [\"jps\"]\nby = \"map_set\"",
    );
    assert!(words.starts_with("smallest lead: da2: astar − jps, +"), "{words}");
}

/// A target for some map sets is not checked on others.
#[test]
fn filters_select_map_sets() {
    let rows = [
        query_run("dao", "a", "astar", &numbers(100..=200)),
        query_run("dao", "a", "jps", &numbers(10..=20)),
        query_run("mazes", "b", "astar", &numbers(100..=200)),
        query_run("mazes", "b", "jps", &numbers(50..=60)),
    ];
    let target = "kind = \"at-most\"\nmeasure = \"pooled_query_us_p50\"\nby = \"map_set\"\nvalue = 0.2\n\
                  planners = [\"jps\"]\nbaselines = [\"astar\"]\n";
    assert_eq!(verdict(&rows, target).0, Verdict::Fails);
    assert_eq!(verdict(&rows, &format!("{target}only = {{ map_sets = [\"dao\"] }}")).0, Verdict::Holds);
    // Groups that the filter excludes are not reported as missing.
    let below = "kind = \"below\"\nmeasure = \"pooled_query_us_p50\"\nby = \"map_set\"\n\
                 planners = [\"jps\"]\nbaselines = [\"astar\"]\nonly = { map_sets = [\"dao\"] }";
    assert!(!verdict(&rows, below).1.contains("mazes"), "{}", verdict(&rows, below).1);
}
