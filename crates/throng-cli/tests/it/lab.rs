//! `throng lab run`, `show` and `list`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use throng_lab::columns::{COLUMNS, Role};
use throng_lab::files::Files;
use throng_lab::store::{JOURNAL_FILE, RESULTS_FILE, write_rows};
use throng_lab::{Experiment, Results, RunRow, task};

use crate::support::{Folder, document, failure, json, success, throng};

/// An experiment of 2 × 2 × 3 × 2 runs.
const SMALL: &str = r#"
title = "A small one"
maps = ["builtin:arena", "generate:rooms:room=5@24x24"]
agents = [5, 15]
instances = 3
planners = ["bmaa", "far"]
max_ticks = 60
check = true
"#;

/// Returns the columns that do not depend on machine and time.
fn deterministic(row: &RunRow) -> Vec<String> {
    let columns = row.columns().filter(|(column, _)| matches!(column.role, Role::Setting | Role::Measure));
    columns.map(|(column, value)| format!("{}={value:?}", column.name)).collect()
}

fn rows(folders: &[&Path]) -> Vec<Vec<String>> {
    Results::open(folders).unwrap().rows.iter().map(deterministic).collect()
}

#[test]
fn two_shards_make_the_whole_experiment() {
    let folder = Folder::new();
    let file = folder.write("small.toml", SMALL);
    let run = |out: &str, more: &[&str]| {
        let out = folder.path(out);
        json(&[&["lab", "run", &file, "-o", &out], more].concat())
    };
    let whole = run("whole", &["--jobs", "1"]);
    assert_eq!((&whole["planned"], &whole["made"], &whole["rows"]), (&24.into(), &24.into(), &24.into()));
    assert_eq!(run("first", &["--shard", "1/2", "--jobs", "3"])["made"], 12);
    assert_eq!(run("second", &["--shard", "2/2"])["made"], 12);
    let path = |name: &str| folder.join(name);
    let expected = rows(&[&path("whole")]);
    assert_eq!(rows(&[&path("second"), &path("first")]), expected);
    assert_eq!(expected.len(), 24);

    // Finished runs are not repeated, and the runs of other shards can be added.
    let again = run("first", &["--resume"]);
    assert_eq!((&again["earlier"], &again["made"]), (&12.into(), &12.into()));
    assert_eq!(rows(&[&path("first")]), expected);
    let report = json(&["lab", "report", &path("first").display().to_string()]);
    assert_eq!(report["planners"][0]["runs"], 12);
}

/// The scale `smoke` takes seconds, needs built-in maps only, and has no collisions.
#[test]
fn all_experiments_run_at_smoke_scale() {
    let folder = Folder::new();
    for name in Experiment::names() {
        let out = folder.join(name);
        success(&throng(&["lab", "run", name, "--scale", "smoke", "-o", &out.display().to_string()]));
        let results = Results::open(&[out]).unwrap();
        assert_eq!(results.rows.len(), Experiment::open(name).unwrap().plan("smoke").unwrap().len());
        for row in &results.rows {
            if task(row.text("task").unwrap()).unwrap().moves_agents {
                assert_eq!(
                    (row.flag("checked"), row.integer("collisions")),
                    (Some(true), Some(0)),
                    "{row:?}"
                );
                assert_eq!(row.integer("overruled"), Some(0), "{row:?}");
            }
            let missing = COLUMNS.iter().filter(|column| column.role == Role::Provenance);
            assert!(missing.clone().all(|column| row.value(column.name).is_some()), "{row:?}");
        }
    }
}

#[test]
fn plans_are_shown_with_their_cost() {
    let shown = json(&["lab", "show", "bmaa-completion", "--scale", "paper"]);
    // Ten maps, 24 numbers of agents, ten instances, nine planners.
    assert_eq!((&shown["runs"], &shown["by_the_clock"]), (&21_600.into(), &true.into()));
    assert_eq!(shown["axes"]["maps"].as_array().unwrap().len(), 10);
    assert!(shown["estimated_seconds"].as_f64().unwrap() > 1_000.0);
    let text = success(&throng(&["lab", "show", "churn", "--scale", "smoke"]));
    assert!(text.contains("retask_percent") && text.contains("runs "), "{text}");
    let listed = json(&["list", "experiments"]);
    let names: Vec<&str> = listed["experiments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, Experiment::names().collect::<Vec<_>>());
    assert_eq!(json(&["lab", "list"]).as_array().unwrap().len(), names.len());
}

#[test]
fn bad_experiments_are_refused_with_a_reason() {
    let folder = Folder::new();
    let out = folder.path("out");
    let run = |experiment: &str, more: &[&str]| {
        failure(&throng(&[&["lab", "run", experiment, "-o", &out], more].concat()), 2)
    };
    assert!(run("chrun", &[]).contains("did you mean `churn`?"));
    assert!(run("churn", &["--scale", "smok"]).contains("did you mean `smoke`?"));
    assert!(run("churn", &["--shard", "3/2"]).contains("for example 1/4"));
    assert!(run("churn", &["--instances", "3..3"]).contains("for example 0..5"));
    assert!(run("churn", &["--instances", "1000..1001"]).contains("no instance from 1000 to 1000"));
    let unknown = folder.write("unknown.toml", format!("{SMALL}\nmax_tick = 5\n"));
    assert!(
        run(&unknown, &[])
            .contains("unknown.toml:10:1: there is no key `max_tick`: did you mean `max_ticks`?")
    );
    let empty = folder.write("empty.toml", SMALL.replace("[5, 15]", "[]"));
    assert!(run(&empty, &[]).contains("empty.toml:4:10: `agents` is empty"));
    let missing = folder.write("missing.toml", SMALL.replace("builtin:arena", "dao/arena"));
    let text = run(&missing, &[]);
    assert!(text.contains("missing.toml:3:9: there is no map dao/arena in "), "{text}");
    assert!(text.contains("throng maps fetch dao"), "{text}");
    let missing = folder.write("scen.toml", format!("types = \"scen=none.scen\"\n{SMALL}"));
    assert!(run(&missing, &[]).contains("scen.toml:1:9: there is no scenario none.scen in "));
    // Input is checked before the first run. For a map that is generated per run only its size is known.
    let crowded = folder.write("crowded.toml", SMALL.replace("[5, 15]", "[5, 5000]"));
    assert!(run(&crowded, &[]).contains("crowded.toml:4:14: builtin:arena: 5000 agents do not fit"));
    let fresh = SMALL.replace("\"builtin:arena\", ", "");
    let crowded = folder.write("fresh.toml", fresh.replace("[5, 15]", "[5, 577]"));
    assert!(run(&crowded, &[]).contains("577 agents do not fit: such a map has 576 cells"));
    assert!(!Path::new(&out).exists(), "no run was started");
    let crowded = folder.write("late.toml", fresh.replace("[5, 15]", "[5, 576]"));
    let text = run(&crowded, &["--jobs", "1"]);
    assert!(
        text.contains("576 agents do not fit") && text.contains("2 finished runs are kept in "),
        "{text}"
    );
    assert!(text.contains("--resume continues"), "{text}");
}

/// Results of an old version of a map are not used for a new one.
#[test]
fn a_changed_map_makes_other_runs() {
    let folder = Folder::new();
    let map = |rows: &str| folder.write("own.map", format!("type octile\nheight 2\nwidth 8\nmap\n{rows}"));
    let file = folder.write("own.toml", SMALL.replace("builtin:arena", "own").replace(", 15", ""));
    let out = folder.path("out");
    let run = || {
        let done = json(&["lab", "run", &file, "-o", &out, "--resume"]);
        (done["earlier"].as_u64().unwrap(), done["made"].as_u64().unwrap())
    };
    map("........\n........\n");
    assert_eq!(run(), (0, 12));
    assert_eq!(run(), (12, 0));
    map("........\n...@....\n");
    assert_eq!(run(), (6, 6), "the runs on the unchanged map are used");
    map("........\n........\n");
    assert_eq!(run(), (12, 0), "the runs on the first version are used again");
    assert_eq!(Results::open(&[&out]).unwrap().rows.len(), 18);
}

/// Results of another version of the program are refused, and continued with `--mix-versions`.
#[test]
fn results_of_another_program_are_not_mixed_by_accident() {
    let folder = Folder::new();
    let file = folder.write("small.toml", SMALL);
    let out = folder.path("out");
    let run = |more: &[&str]| throng(&[&["lab", "run", &file, "-o", &out, "--json"], more].concat());
    assert_eq!(document(&run(&["--shard", "1/2"]))["made"], 12);
    let mut rows = Results::open(&[&out]).unwrap().rows;
    for row in &mut rows {
        row.set("commit", "another");
    }
    write_rows(&Files::default(), &folder.join("out").join(RESULTS_FILE), &rows).unwrap();
    let text = failure(&run(&["--resume"]), 2);
    assert!(text.contains("results of the program another") && text.contains("--mix-versions"), "{text}");
    assert!(failure(&run(&["--mix-versions"]), 2).contains("--resume"));
    let mixed = document(&run(&["--resume", "--mix-versions"]));
    assert_eq!((&mixed["earlier"], &mixed["made"], &mixed["rows"]), (&12.into(), &12.into(), &24.into()));
    let rows = Results::open(&[&out]).unwrap().rows;
    let keys: BTreeSet<&str> = rows.iter().filter_map(|row| row.text("run")).collect();
    assert_eq!(keys.len(), 24);
    assert_eq!(rows.iter().filter(|row| row.text("commit") == Some("another")).count(), 12);
}

/// Existing results are continued or refused, and a refusal does not change them.
#[test]
fn existing_results_are_not_overwritten() {
    let folder = Folder::new();
    let file = folder.write("small.toml", SMALL);
    let out = folder.join("out");
    let arguments = ["lab", "run", &file, "-o", &out.display().to_string()];
    success(&throng(&arguments));
    let text = failure(&throng(&arguments), 2);
    assert!(text.contains("--resume"), "{text}");
    let stored = out.join(RESULTS_FILE);
    let whole = fs::read(&stored).unwrap();
    fs::write(&stored, &whole[..whole.len() / 2]).unwrap();
    for command in
        [&["lab", "report", &out.display().to_string()][..], &[&arguments[..], &["--resume"]].concat()]
    {
        let text = failure(&throng(command), 2);
        assert!(text.contains(RESULTS_FILE) && text.contains("damaged"), "{text}");
    }
    assert_eq!(fs::read(&stored).unwrap(), whole[..whole.len() / 2]);
    assert!(!out.join(JOURNAL_FILE).exists(), "no journal is left");
    let nothing = folder.path("nothing");
    assert!(failure(&throng(&["lab", "report", &nothing]), 2).contains("holds no results"));
}

/// A thousand tiny runs take seconds; a release build does ten thousand in less than a minute.
#[test]
fn tiny_runs_have_little_overhead() {
    let folder = Folder::new();
    let text = "maps = \"builtin:arena\"\nagents = 2\nplanners = [\"bmaa\", \"far\"]\nmax_ticks = 20\ninstances = 500";
    let file = folder.write("tiny.toml", text);
    let out = folder.path("out");
    let output = throng(&["lab", "run", &file, "-o", &out, "--json"]);
    success(&output);
    let done = document(&output);
    assert_eq!(done["rows"], 1_000);
    let seconds = |key: &str| done[key].as_f64().unwrap();
    assert!(seconds("seconds") < 60.0, "{done}");
    let threads = seconds("seconds") * done["jobs"].as_f64().unwrap();
    let accounted = seconds("planner_seconds") + seconds("lab_seconds");
    assert!(
        seconds("planner_seconds") > 0.0 && seconds("lab_seconds") > 0.0 && accounted <= threads,
        "{done}"
    );
}

/// DuckDB reads the results. `THRONG_PYTHON` names the Python interpreter, `python3` by default.
#[test]
#[ignore = "soak: needs Python with DuckDB"]
fn soak_duckdb_reads_results() {
    const QUERY: &str = "import duckdb, sys; print(duckdb.sql(\"SELECT count(*), count(DISTINCT run), sum(agents), \
                         max(typeof(completion_rate)), count(budget) FROM '\" + sys.argv[1] + \"'\").fetchall())";
    let python = std::env::var("THRONG_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let folder = Folder::new();
    let file = folder.write("small.toml", format!("series = true\n{SMALL}"));
    let out = folder.join("out");
    success(&throng(&["lab", "run", &file, "-o", &out.display().to_string()]));
    let query = |sql: &str, file: &str| {
        let file = out.join(file).display().to_string();
        let output = std::process::Command::new(&python).args(["-c", sql, &file]).output().unwrap();
        success(&output)
    };
    assert_eq!(query(QUERY, RESULTS_FILE).trim(), "[(24, 24, 240, 'DOUBLE', 0)]");
    let series = "import duckdb, sys; print(duckdb.sql(\"SELECT count(DISTINCT run), min(tick) FROM '\" + \
                  sys.argv[1] + \"'\").fetchall())";
    assert_eq!(query(series, throng_lab::store::SERIES_FILE).trim(), "[(24, 1)]");
}
