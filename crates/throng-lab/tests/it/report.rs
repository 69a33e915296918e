//! Reports of generated rows with known findings.

use throng::grid::SeededRng;
use throng_lab::RunRow;
use throng_lab::paper::Paper;
use throng_lab::report::{Report, ReportConfig, ReportSettings, Verdict};

use crate::support::{self, ReportFiles, config, row};

const PLANNERS: [&str; 6] = ["astar-replan", "bmaa", "bmaa-c", "bmaa-f", "bmaa-f-c", "far"];

/// Returns rows in which completion falls with the number of agents, the faster the larger the planner's weakness.
fn rows(scale: &str, maps: &[&str], weakness: impl Fn(&str) -> f64, instances: i64) -> Vec<RunRow> {
    let mut rng = SeededRng::new(7);
    let mut rows = Vec::new();
    for (place, map) in maps.iter().enumerate() {
        for agents in [25, 50, 100, 200, 400, 800, 1600] {
            for instance in 0..instances {
                let luck = f64::from(rng.below(1000)) / 1000.0;
                for planner in PLANNERS {
                    let noise = f64::from(rng.below(1000)) / 1000.0;
                    let crowded = agents as f64 * (1.0 + place as f64 * 0.3) * weakness(planner);
                    let completion = 1.0 / (1.0 + crowded / 900.0) - 0.05 * noise - 0.08 * luck;
                    let mut row = row(scale, map, planner, agents, instance);
                    let longer = if planner == "far" { 1.05 } else { 1.3 + weakness(planner) };
                    row.set("completion_rate", completion.clamp(0.0, 1.0));
                    row.set("travel_mean", 150.0 * longer + 20.0 * noise + 30.0 * luck);
                    row.set("travel_over_shortest", longer + 0.3 * noise);
                    row.set("completion_seconds_mean", 0.5 + crowded / 300.0 + noise);
                    row.set("tick_us_p99", 30.0 * agents as f64 * (0.5 + weakness(planner)) * (0.7 + noise));
                    rows.push(row);
                }
            }
        }
    }
    rows
}

const MAPS: [&str; 10] = [
    "bg/AR0414SR",
    "bg512/AR0414SR",
    "bg512/AR0504SR",
    "bg512/AR0701SR",
    "wc3/blastedlands",
    "wc3/duskwood",
    "wc3/golemsinthemist",
    "dao/lak304d",
    "dao/lak307d",
    "dao/lgt300d",
];

/// The planners' weaknesses as in the paper: planners that follow whole paths are weak.
fn as_printed(planner: &str) -> f64 {
    match planner {
        "far" => 9.0,
        "astar-replan" => 6.0,
        "bmaa-f" | "bmaa-f-c" => 0.7,
        _ => 1.0,
    }
}

const SETTINGS: &str = r#"
title = "Completion <BMAA* & others>"
question = "How does the completion rate depend on the number of agents?"
distributions = ["travel_over_shortest", "tick_us_p99"]

[[table]]
name = "Table I"
caption = "Completion rates averaged over all instances of a map"
rows = "map"
measures = ["completion_rate"]

[[curve]]
name = "Figure 2"
measure = "completion_rate"
each = "map"

[[check]]
finding = "Every BMAA* version completes more than FAR and A*-Replan beyond 200 agents"
source = "Section V.A, Figure 2"
kind = "above"
measure = "completion_rate"
planners = ["bmaa", "bmaa-c", "bmaa-f", "bmaa-f-c"]
baselines = ["far", "astar-replan"]
only = { agents_above = 200 }

[[check]]
finding = "Every BMAA* version takes less time than FAR"
kind = "below"
measure = "completion_seconds_mean"
planners = ["bmaa", "bmaa-c", "bmaa-f", "bmaa-f-c"]
baselines = ["far"]
only = { agents_at_most = 200 }

[[check]]
finding = "FAR walks the least on nine maps"
kind = "lowest-on-at-least"
measure = "travel_mean"
planners = ["far"]
at_least = 9

[[check]]
finding = "Flow annotations help and hurt where Table I says"
kind = "sign-agrees"
measure = "completion_rate"
planners = ["bmaa-f"]
baselines = ["bmaa"]
table = "Table I"

[[check]]
finding = "BMAA* completes more than BMAA*-c"
kind = "above"
measure = "completion_rate"
planners = ["bmaa"]
baselines = ["bmaa-c"]
"#;

fn paper_config(_experiment: &str) -> ReportConfig {
    let settings = ReportSettings::parse("report.toml", SETTINGS).unwrap();
    let text = include_str!("../../experiments/bmaa-completion/paper.toml");
    let paper = Paper::parse("paper.toml", text).unwrap();
    ReportConfig { settings, paper }
}

fn report(rows: &[RunRow]) -> Report {
    Report::new(rows, paper_config, false).unwrap()
}

/// Returns the elements that are not closed. Panics if an element is closed that was not opened.
fn open_elements(html: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let body = html.strip_prefix("<!DOCTYPE html>").expect("a document type");
    let style = body.find("</style>").expect("a style sheet");
    let head = &body[..body.find("<style>").unwrap()];
    for text in [head, &body[style + "</style>".len()..]] {
        for piece in text.split('<').skip(1) {
            let (tag, _) = piece.split_once('>').expect("tags are closed");
            assert!(tag.matches('"').count().is_multiple_of(2), "quotes are closed: {tag}");
            let name = tag.trim_matches('/').split_whitespace().next().unwrap_or_default().to_owned();
            if tag.starts_with('/') {
                assert_eq!(open.pop().as_ref(), Some(&name), "in {tag}");
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    open
}

#[test]
fn the_page_is_well_formed_and_self_contained() {
    let report = report(&rows("quick", &MAPS, as_printed, 3));
    let html = report.html();
    assert_eq!(open_elements(&html), Vec::<String>::new());
    for forbidden in ["http://", "https://", "<script", "<link", "@import", "url("] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    assert!(html.contains("Completion &lt;BMAA* &amp; others&gt;"));
    assert!(html.contains("a machine &amp; more"));
    assert!(html.contains("throng lab run bmaa-completion --scale quick -o results/bmaa-completion-quick"));
    assert_eq!(html.matches("class=\"finding\"").count(), 5);
    // A large chart at two widths, a small one per map, and two distributions at two widths.
    assert_eq!(html.matches("<svg class=\"chart").count(), 2 + 10 + 4);
}

#[test]
fn verdicts_follow_from_the_rows() {
    let report = report(&rows("quick", &MAPS, as_printed, 3));
    let verdicts: Vec<Verdict> = report.findings().iter().map(|finding| finding.verdict).collect();
    // Flow annotations help on every map here, unlike in the paper. The last two planners differ randomly only.
    assert_eq!(verdicts, [Verdict::Holds, Verdict::Holds, Verdict::Holds, Verdict::Fails, Verdict::Unknown]);
    let markdown = report.markdown();
    assert!(
        markdown.contains("FAR walks the least on nine maps: **holds**, on 10 of 10 (95\u{a0}%: 10 to 10)"),
        "{markdown}"
    );
}

/// A target applies to the mean of every group, or to the mean relative to another planner's.
#[test]
fn targets_must_be_reached_in_every_group() {
    let verdicts = |kind: &str, value: f64, those: &str| {
        let check = format!(
            "[[check]]\nfinding = \"F\"\nkind = \"{kind}\"\nmeasure = \"completion_rate\"\nvalue = {value}\n\
             planners = [\"bmaa\"]\nbaselines = [{those}]\n"
        );
        support::report(&rows("quick", &MAPS, as_printed, 1), &check).findings()[0].verdict
    };
    assert_eq!(verdicts("at-least", 0.0, ""), Verdict::Holds);
    assert_eq!(verdicts("at-least", 1.01, ""), Verdict::Fails);
    assert_eq!(verdicts("at-most", 1.0, ""), Verdict::Holds);
    assert_eq!(verdicts("at-most", 0.0, ""), Verdict::Fails);
    assert_eq!(verdicts("at-least", 1.0, "\"far\""), Verdict::Holds);
    assert_eq!(verdicts("at-most", 1.0, "\"far\""), Verdict::Fails);
    assert_eq!(verdicts("at-least", 1.0, "\"nobody\""), Verdict::Unknown);
    let text = "[[check]]\nfinding = \"F\"\nkind = \"at-most\"\nmeasure = \"ticks\"\nplanners = [\"far\"]\n";
    let refusal = ReportSettings::parse("report.toml", text).unwrap_err().to_string();
    assert!(refusal.contains("needs `value`"), "{refusal}");
}

/// On one map `one` needs half the time of both others, on the other map twice the time of the better one.
fn ratio_rows() -> Vec<RunRow> {
    let times = [("x/a", [100.0, 200.0, 200.0]), ("x/b", [160.0, 100.0, 80.0])];
    let mut rows = Vec::new();
    for (map, means) in times {
        for instance in 0..4 {
            for (planner, mean) in ["one", "two", "three"].into_iter().zip(means) {
                let mut row = row("paper", map, planner, 10, instance);
                row.set("completion_ticks_mean", mean + instance as f64 * 1e-3);
                row.set("type", if instance < 2 { "random" } else { "swap-sides" });
                row.set_some("four_way", (instance % 2 == 0).then_some(true));
                row.set_some("threads", (instance == 3).then_some(2_i64));
                rows.push(row);
            }
        }
    }
    rows
}

#[test]
fn geometric_means_of_ratios_are_targets() {
    let rows = ratio_rows();
    let verdict = |value: f64, baselines: &str, more: &str| {
        let check = format!(
            "kind = \"at-most\"\nmeasure = \"completion_ticks_mean\"\nplanners = [\"one\"]\n\
             baselines = [{baselines}]\nvalue = {value}\n{more}"
        );
        support::verdict(&rows, &check)
    };
    let geometric = "geometric_mean = true";
    // √(0.5 · 1.6) and √(0.5 · 2).
    assert_eq!(verdict(0.9, "\"two\"", geometric).0, Verdict::Holds);
    assert_eq!(verdict(0.89, "\"two\"", geometric).0, Verdict::Fails);
    let both = "\"two\", \"three\"";
    assert_eq!(verdict(1.0001, both, geometric).0, Verdict::Holds);
    assert_eq!(verdict(0.95, both, geometric).0, Verdict::Fails);
    let best = verdict(1.0001, both, "geometric_mean = true\nbest_baseline = true");
    assert_eq!(best.0, Verdict::Holds);
    let expected = "geometric mean over 2 groups: one relative to the best of two, three: 1.000 (";
    assert!(best.1.contains(expected) && best.1.contains("required: 1.000"), "{}", best.1);
    assert_eq!(verdict(0.95, both, "geometric_mean = true\nbest_baseline = true").0, Verdict::Fails);
    assert_eq!(verdict(2.0001, both, "best_baseline = true").0, Verdict::Holds);
    assert_eq!(verdict(1.9, both, "best_baseline = true").0, Verdict::Fails);
    assert_eq!(verdict(2.0, "\"nobody\"", geometric).0, Verdict::Unknown);
    // The second map alone is the worse one.
    assert_eq!(verdict(0.5001, both, "only = { except_maps = [\"x/b\"] }").0, Verdict::Holds);
    assert_eq!(verdict(0.5001, both, "").0, Verdict::Fails);
}

/// Filters by type, directions and threads select runs; a run without a value has the default.
#[test]
fn filters_select_settings() {
    let count = |only: &str| {
        let table = "[[table]]\nname = \"t\"\nrows = \"map\"\nmeasures = [\"completion_ticks_mean\"]\n";
        let csv = support::report(&ratio_rows(), &format!("{table}only = {{ {only} }}")).csv();
        let line = csv.lines().find(|line| line.contains(",x/a,one,"));
        line.and_then(|line| line.split(',').nth(10)?.parse().ok()).unwrap_or(0)
    };
    assert_eq!(count(""), 4);
    assert_eq!([count("types = [\"random\"]"), count("types = [\"cross-sides\"]")], [2, 0]);
    assert_eq!([count("four_way = true"), count("four_way = false")], [2, 2]);
    assert_eq!([count("threads = 1"), count("threads = 2")], [3, 1]);
}

/// A number of the paper is a target for the groups that the paper has.
#[test]
fn printed_numbers_are_targets() {
    let paper = "citation = \"c\"\n[[table]]\nname = \"T\"\nmeasure = \"completion_ticks_mean\"\nrows = \"map\"\n\
                 columns = [\"other\"]\n[table.cells]\n\"x/a\" = [101]\n\"x/c\" = [1]\n";
    let verdict = |value: f64| {
        let check = format!(
            "[[check]]\nfinding = \"f\"\nkind = \"at-most\"\nmeasure = \"completion_ticks_mean\"\n\
             planners = [\"one\"]\nbaselines = [\"other\"]\ntable = \"T\"\nvalue = {value}"
        );
        let settings = ReportSettings::parse("report.toml", &check).unwrap();
        let config = |_: &str| ReportConfig {
            settings: settings.clone(),
            paper: Paper::parse("paper.toml", paper).unwrap(),
        };
        Report::new(&ratio_rows(), config, false).unwrap().findings()[0].verdict
    };
    assert_eq!((verdict(1.0), verdict(0.99)), (Verdict::Holds, Verdict::Fails));
    // A table shows them in a column of their own.
    let table = "[[table]]\nname = \"T\"\nrows = \"map\"\nmeasures = [\"completion_ticks_mean\"]\nprinted = [\"other\"]";
    let settings = ReportSettings::parse("report.toml", table).unwrap();
    let config = |_: &str| ReportConfig {
        settings: settings.clone(),
        paper: Paper::parse("paper.toml", paper).unwrap(),
    };
    let csv = Report::new(&ratio_rows(), config, false).unwrap().csv();
    let other = csv.lines().find(|line| line.contains(",x/a,other,")).unwrap();
    assert!(other.ends_with(",,,,0,0,101"), "{other}");
}

#[test]
fn too_few_runs_decide_nothing() {
    let few: Vec<RunRow> = rows("quick", &MAPS[..1], as_printed, 1)
        .into_iter()
        .filter(|row| row.integer("agents") == Some(400))
        .collect();
    let report = report(&few);
    assert!(report.findings().iter().all(|finding| finding.verdict == Verdict::Unknown));
    assert!(report.html().contains("n&#160;=&#160;1"));
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let all = rows("quick", &MAPS[..3], as_printed, 3);
    let mut shuffled = all.clone();
    SeededRng::new(1).shuffle(&mut shuffled);
    let (one, other) = (report(&all), report(&shuffled));
    for ((name, one), (_, other)) in one.files().into_iter().zip(other.files()) {
        assert!(one == other, "{name} differs");
    }
}

#[test]
fn two_scales_are_shown_side_by_side() {
    let mut all = rows("quick", &MAPS[..2], as_printed, 3);
    all.extend(rows("starved", &MAPS[..2], |planner| as_printed(planner) * 3.0, 2));
    let report = report(&all);
    let html = report.html();
    assert!(html.contains("<b>2</b> scales") || html.contains("quick + starved"), "both scales are named");
    assert!(html.contains("class=\"other\""), "the second scale has its own numbers");
    let csv = report.csv();
    let lines = |scale: &str| csv.lines().filter(|line| line.contains(&format!(",{scale},"))).count();
    assert_eq!(
        (lines("quick"), lines("starved")),
        (21, 21),
        "(two maps + overall) × (six planners + overall)"
    );
}

#[test]
fn tables_show_our_means_and_the_papers_numbers() {
    let mut all = Vec::new();
    for (planner, rates) in [("bmaa", [0.8, 0.9, 1.0]), ("far", [0.1, 0.2, 0.3])] {
        for (instance, rate) in rates.into_iter().enumerate() {
            let mut row = row("quick", "dao/lak304d", planner, 100, instance as i64);
            row.set("completion_rate", rate);
            all.push(row);
        }
    }
    let report = report(&all);
    let csv = report.csv();
    let line = csv.lines().find(|line| line.contains(",dao/lak304d,bmaa,")).unwrap();
    assert!(
        line.starts_with("bmaa-completion,Table I,dao/lak304d,bmaa,completion_rate,%,quick,90.000000,"),
        "{line}"
    );
    assert!(line.ends_with(",3,0,39"), "{line}");
    // The paper's averages are over ten maps, so they are not compared with ours over two.
    let overall = rows("quick", &MAPS[..2], as_printed, 2);
    assert!(self::report(&overall).csv().contains(",overall,bmaa,completion_rate,%,quick,"));
    let papers = |csv: &str| {
        let mut lines = csv.lines().filter(|line| line.contains(",overall,bmaa,"));
        lines.next().unwrap().rsplit(',').next().unwrap().to_owned()
    };
    assert_eq!(papers(&self::report(&overall).csv()), "");
    assert_eq!(papers(&self::report(&rows("quick", &MAPS, as_printed, 1)).csv()), "65");
    assert!(report.markdown().contains("| DAO-lak304d (193×193) |"), "{}", report.markdown());
    assert!(
        report.latex().contains("DAO-lak304d (193$\\times$193) & \\boldmath$90.0 \\pm "),
        "{}",
        report.latex()
    );
    assert!(report.html().contains("<span class=\"paper\"><b>39</b></span>"));
}

/// Times of loaded runs are marked, other measures of these runs are not.
#[test]
fn times_of_loaded_runs_are_marked() {
    let settings = "[[table]]\nname = \"T\"\nrows = \"planner\"\nmeasures = [\"completion_rate\", \"tick_us_p99\"]\n\
                    [[check]]\nfinding = \"f\"\nkind = \"below\"\nmeasure = \"tick_us_p99\"\n\
                    planners = [\"bmaa\"]\nbaselines = [\"far\"]\n";
    let mut rows = rows("quick", &MAPS[..1], as_printed, 2);
    let quiet = support::report(&rows, settings);
    assert!(!quiet.markdown().contains('†') && !quiet.html().contains("loaded machine"));
    let loaded = rows.iter_mut().find(|row| row.text("planner") == Some("far")).unwrap();
    loaded.set("load", "loaded");
    let report = support::report(&rows, settings);
    let text = report.markdown();
    let far = text.lines().find(|line| line.starts_with("| far |")).unwrap();
    assert_eq!((far.matches('†').count(), text.matches("† |").count()), (1, 1), "{text}");
    assert!(text.contains("† includes times measured on a loaded machine"), "{text}");
    assert!(report.findings()[0].estimate.ends_with("; includes times measured on a loaded machine"));
    assert!(report.latex().contains("$^\\dagger$"), "{}", report.latex());
    assert!(report.csv().lines().any(|line| line.contains(",far,tick_us_p99,") && line.ends_with(",14,1,")));
}

#[test]
fn selectors_choose_by_completion_then_travel() {
    let settings = "selectors = true\n[[table]]\nname = \"Table 5.1\"\nrows = \"planner\"\n\
                    measures = [\"completion_rate\", \"travel_mean\", \"best_share\"]";
    let mut all = Vec::new();
    for (planner, runs) in
        [("bmaa", [(1.0, 10.0), (0.5, 10.0), (0.8, 9.0)]), ("far", [(1.0, 5.0), (0.7, 20.0), (0.2, 9.0)])]
    {
        for (instance, (rate, travel)) in runs.into_iter().enumerate() {
            let mut row = row("quick", "m", planner, 300, instance as i64);
            row.set("completion_rate", rate);
            row.set("travel_mean", travel);
            all.push(row);
        }
    }
    let csv = support::report(&all, settings).csv();
    let mean = |row: &str, measure: &str| {
        let start = format!("bmaa-completion,Table 5.1,{row},{measure},{measure},");
        let line =
            csv.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{start} in {csv}"));
        line.split(',').nth(7).unwrap().parse::<f64>().unwrap()
    };
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-3, "{found} is not {expected}");
    near(mean("oracle", "completion_rate"), (100.0 + 70.0 + 80.0) / 3.0);
    near(mean("oracle", "travel_mean"), (5.0 + 20.0 + 9.0) / 3.0);
    near(mean("worst", "completion_rate"), (100.0 + 50.0 + 20.0) / 3.0);
    near(mean("far", "best_share"), 200.0 / 3.0);
}

#[test]
fn all_embedded_experiments_have_a_report() {
    for name in throng_lab::Experiment::names() {
        let config = ReportConfig::embedded(name);
        assert!(!config.settings.title.is_empty(), "{name}");
        for table in config.settings.checks.iter().filter_map(|check| check.table.as_ref()) {
            assert!(config.paper.table(table).is_some(), "{name}: the paper has no `{table}`");
        }
        let mut rows = rows("quick", &MAPS[..2], as_printed, 2);
        for row in &mut rows {
            row.set("experiment", name);
        }
        let html = Report::new(&rows, ReportConfig::embedded, false).unwrap().html();
        assert_eq!(open_elements(&html), Vec::<String>::new(), "{name}");
    }
    assert_eq!(ReportConfig::embedded("unknown"), ReportConfig::default());
}

#[test]
fn heat_maps_are_embedded_in_the_page() {
    let heat = "heat = { map = \"patrol-passages\", agents = 12, ticks = 120, type = \"swap-sides\" }";
    let rows = rows("smoke", &["builtin:arena"], as_printed, 1);
    let html = Report::new(&rows, |_| config(heat), true).unwrap().html();
    assert_eq!(html.matches("src=\"data:image/png;base64,iVBOR").count(), 6);
    assert_eq!(open_elements(&html), Vec::<String>::new());
    let misspelt = "heat = { map = \"arenna\" }";
    let error = Report::new(&rows, |_| config(misspelt), true).unwrap_err().to_string();
    assert_eq!(error, "report: heat: there is no built-in map `arenna`: did you mean `arena`?");
}

/// With many planners the table is transposed; settings have readable labels and the best cell is still marked.
#[test]
fn many_planners_become_rows() {
    let rows: Vec<RunRow> = (0..24)
        .flat_map(|place: i64| {
            ["bmaa", "bmaa-c", "bmaa-f", "bmaa-f-c", "far", "whca", "lra", "rtaa", "pibt", "surge"].map(
                |planner| {
                    let mut row = row("quick", "generate:rooms@64x64", planner, 100, place % 4);
                    row.set("experiment", "churn");
                    row.set("task", "churn");
                    row.set("run", format!("{planner}{place}"));
                    row.set("walls", place % 2 == 0);
                    row.set("retask_percent", [0.0, 1.0, 10.0][(place / 2 % 3) as usize]);
                    row.set("foreign_percent", [0.0, 30.0][(place / 6 % 2) as usize]);
                    row.set("order_rate", if planner == "surge" { 0.75 } else { 0.5 });
                    row
                },
            )
        })
        .collect();
    let report = Report::new(&rows, ReportConfig::embedded, false).unwrap();
    let text = report.markdown();
    assert!(text.contains("| planner, by retasked per second (%) | 0 | 1 | 10 | Overall |"), "{text}");
    assert!(text.contains("| planner, by moving walls | no | yes | Overall |"), "{text}");
    let best = text.lines().filter(|line| line.starts_with("| surge | **75.0"));
    assert!(best.count() >= 3, "{text}");
    let page = report.html();
    assert!(page.contains("foreign units (%): 30") && !page.contains(">retask_percent"), "{page}");
}

#[test]
fn a_time_series_is_drawn_until_half_of_its_runs_have_ended() {
    let mut rows: Vec<RunRow> = (0..4).map(|instance| row("quick", "m", "a", 50, instance)).collect();
    for (row, series) in rows.iter_mut().zip(["30:400 500 600", "30:420 520", "30:410 530", "30:450"]) {
        row.set("task", "patrol");
        row.set("coherence_curve", series);
    }
    let curve = "[[curve]]\nname = \"Lanes\"\nmeasure = \"coherence_mean\"\nover = \"coherence_curve\"";
    let html = support::report(&rows, curve).html();
    let drawn = |text: &str| html.contains(text);
    assert!(drawn("a, 30: 0.420, ") && drawn("a, 60: 0.517, ") && !drawn("a, 90: "), "{html}");
    assert!(drawn("Coherence by simulation time"));
    for row in &mut rows {
        row.set_some("coherence_curve", None::<String>);
    }
    assert!(!support::report(&rows, curve).html().contains("Lanes"), "rows of older versions have no series");
    let refusal =
        ReportSettings::parse("report.toml", &curve.replace("_curve", "_curv")).unwrap_err().to_string();
    assert!(
        refusal.contains("there is no time series `coherence_curv`: did you mean `coherence_curve`?"),
        "{refusal}"
    );
}
