use std::sync::Arc;

use super::*;
use crate::columns::Role;
use crate::{Maps, Stopped, Value};

/// Returns settings with these values, and defaults for the others.
fn settings(own: &[(&str, Value)]) -> RunRow {
    let usual: [(&str, Value); 12] = [
        ("task", "crowd".into()),
        ("map", "builtin:rooms".into()),
        ("corners", "forbid".into()),
        ("terrain", "uniform".into()),
        ("type", "random".into()),
        ("agents", 30_u64.into()),
        ("instance", 0_u64.into()),
        ("seed", 7_u64.into()),
        ("planner", "far".into()),
        ("max_ticks", 2_000_u64.into()),
        ("max_queries", 30_u64.into()),
        ("search", "astar".into()),
    ];
    let mut row = RunRow::new();
    for (name, value) in usual.iter().chain(own) {
        row.set(name, value.clone());
    }
    row
}

fn make(context: &RunContext, settings: &RunRow) -> RunRow {
    (task(settings.text("task").unwrap()).unwrap().run)(context, settings).unwrap().unwrap().row
}

fn context() -> RunContext {
    RunContext::new(Maps::default(), true, false, Arc::default())
}

fn measures(row: &RunRow) -> Vec<(&str, Option<Value>)> {
    let columns = row.columns().filter(|(column, _)| column.role == Role::Measure);
    columns.map(|(column, value)| (column.name, value.cloned())).collect()
}

#[test]
fn each_limit_stops_a_run_and_is_named() {
    let context = context();
    let stopped = |own: &[(&str, Value)]| make(&context, &settings(own)).text("stopped").unwrap().to_owned();
    assert_eq!(stopped(&[]), Stopped::Arrived.name());
    assert_eq!(stopped(&[("max_ticks", 3_u64.into())]), Stopped::Ticks.name());
    assert_eq!(stopped(&[("max_expansions", 500_u64.into())]), Stopped::Expansions.name());
    assert_eq!(stopped(&[("wall_limit", 0.0.into())]), Stopped::Wall.name());
    // Agents whose planner may not search never move.
    let still = [("budget", 1_u64.into()), ("still_limit", 5_u64.into()), ("planner", "astar-replan".into())];
    let row = make(&context, &settings(&still));
    assert_eq!((row.text("stopped"), row.integer("ticks")), (Some("still"), Some(5)));
    let row = make(&context, &settings(&[("completion_limit", 0.5.into())]));
    assert_eq!(row.text("stopped"), Some("completion"));
    assert!((0.5..1.0).contains(&row.number("completion_rate").unwrap()));
}

/// No agent ever moves, and the run ends after five ticks.
#[test]
fn agents_that_stand_still_count_the_whole_limit() {
    let still = [("budget", 1_u64.into()), ("still_limit", 5_u64.into()), ("planner", "astar-replan".into())];
    let run = |limit: Option<f64>| {
        let mut settings = settings(&still);
        settings.set_some("wall_limit", limit);
        make(&context(), &settings)
    };
    let limited = run(Some(30.0));
    assert_eq!(limited.number("completion_rate"), Some(0.0));
    assert_eq!(limited.number("completion_ticks_mean"), Some(2_000.0));
    assert_eq!(limited.number("completion_seconds_mean"), Some(30.0));
    // Without a limit of time, 2,000 ticks of the pace of the five.
    let unlimited = run(None);
    let [seconds, wall] =
        ["completion_seconds_mean", "wall_seconds"].map(|name| unlimited.number(name).unwrap());
    assert!((seconds / wall - 400.0).abs() < 0.01, "{seconds} s instead of 400 times {wall} s");
}

#[test]
fn a_problem_is_drawn_once_for_all_planners() {
    let context = context();
    let problem = |planner: &str| context.problem(&settings(&[("planner", planner.into())])).unwrap();
    assert!(Arc::ptr_eq(&problem("bmaa"), &problem("far")));
    let other = context.problem(&settings(&[("seed", 8_u64.into())])).unwrap();
    assert_ne!(problem("bmaa").instance, other.instance);
}

#[test]
fn followers_are_measured_against_their_map() {
    let run = |planner: &str| {
        let own: [(&str, Value); 5] = [
            ("task", "follow".into()),
            ("map", "builtin:patrol-passages".into()),
            ("agents", 6_u64.into()),
            ("max_ticks", 300_u64.into()),
            ("planner", planner.into()),
        ];
        make(&context(), &settings(&own))
    };
    let greedy = run("dm-greedy:learn=2");
    assert_eq!(measures(&greedy), measures(&run("dm-greedy:learn=2")));
    assert_eq!((greedy.text("stopped"), greedy.integer("ticks")), (Some("ticks"), Some(300)));
    assert_eq!((greedy.number("contact_rate"), greedy.number("step_expansions")), (Some(1.0), Some(1.0)));
    let [on, cells, along, chance] = ["on_vectors", "vector_cells", "along_vectors", "along_by_chance"]
        .map(|name| greedy.number(name).unwrap());
    assert!(0.1 < cells && cells < on && on <= 1.0, "{cells} {on}");
    assert!(0.3 < chance && chance < 0.5 && chance + 0.2 < along && along <= 1.0, "{chance} {along}");
    // Without a map nothing is followed, and agents get one goal after the other.
    let searching = run("lra");
    assert_eq!((searching.number("contact_rate"), searching.number("vector_cells")), (Some(0.0), Some(0.0)));
    assert_eq!((searching.number("contact_ticks_mean"), searching.number("on_vectors")), (Some(300.0), None));
    assert!(searching.number("step_expansions").unwrap() > 1.0);
    assert!(searching.number("travel_mean").unwrap() > 200.0);
}

#[test]
fn churn_is_deterministic_and_counts_its_orders() {
    let own = |retask: f64, foreign: f64, walls: bool| {
        settings(&[
            ("task", "churn".into()),
            ("map", "generate:rooms:room=6@40x40".into()),
            ("max_ticks", 200_u64.into()),
            ("retask_percent", retask.into()),
            ("foreign_percent", foreign.into()),
            ("walls", walls.into()),
        ])
    };
    for planner in ["bmaa-c", "far", "whca", "lra"] {
        let mut busy = own(10.0, 30.0, true);
        busy.set("planner", planner);
        let row = make(&context(), &busy);
        assert_eq!(measures(&row), measures(&make(&context(), &busy)), "{planner}");
        // 30 first orders, and a tenth of 30 agents in each of 20 seconds.
        assert_eq!((row.integer("orders"), row.integer("ticks")), (Some(30 + 60), Some(200)), "{planner}");
        assert_eq!((row.integer("collisions"), row.integer("overruled")), (Some(0), Some(0)), "{planner}");
        let fulfilled = row.integer("orders_fulfilled").unwrap();
        assert!((10..=90).contains(&fulfilled), "{planner}: {fulfilled}");
        assert!(row.number("first_move_ticks_mean").unwrap() >= 1.0, "{planner}");
        let discarded = row.number("expansions_discarded").unwrap();
        assert!(discarded > 0.0 && discarded < row.number("expansions").unwrap(), "{planner}: {discarded}");
        assert_eq!(row.number("travel_over_shortest"), None);
    }
    let mut calm = own(0.0, 0.0, false);
    calm.set("max_ticks", 2_000_u64);
    let calm = make(&context(), &calm);
    assert_eq!((calm.integer("orders"), calm.number("expansions_discarded")), (Some(30), Some(0.0)));
    assert_eq!(calm.text("stopped"), Some("arrived"));
}

#[test]
fn scenarios_are_taken_from_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.map"), "type octile\nheight 1\nwidth 4\nmap\n....\n").unwrap();
    let scenario = "version 1\n0\tsmall.map\t4\t1\t0\t0\t3\t0\t3\n";
    std::fs::write(folder.path().join("small.map.scen"), scenario).unwrap();
    let context = RunContext::new(Maps::new(vec![folder.path().to_owned()]), true, true, Arc::default());
    let own = settings(&[("map", "small".into()), ("type", "scen".into()), ("agents", 1_u64.into())]);
    let record = (task("crowd").unwrap().run)(&context, &own).unwrap().unwrap();
    assert_eq!((record.row.number("travel_mean"), record.row.integer("ticks")), (Some(3.0), Some(3)));
    assert_eq!(record.series.iter().map(|sample| sample.arrived).collect::<Vec<_>>(), [0, 0, 1]);
    let too_many = settings(&[("map", "small".into()), ("type", "scen".into()), ("agents", 2_u64.into())]);
    let error = context.problem(&too_many).unwrap_err().to_string();
    assert!(error.contains("small.map.scen"), "{error}");
}

/// With a number of cells per agent, small maps and short scenario files have fewer agents; without one they are refused.
#[test]
fn crowds_can_be_limited_by_the_room() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.map"), "type octile\nheight 2\nwidth 4\nmap\n....\n...@\n")
        .unwrap();
    let scenario = "version 1\n0\tsmall.map\t4\t2\t0\t0\t3\t0\t3\n0\tsmall.map\t4\t2\t0\t1\t2\t1\t2\n";
    std::fs::write(folder.path().join("small-1.scen"), scenario).unwrap();
    let context = RunContext::new(Maps::new(vec![folder.path().to_owned()]), true, false, Arc::default());
    let check = |settings: &RunRow| (task("crowd").unwrap().check)(settings, &context.maps);
    for (kind, cells, expected) in
        [("random", 2_u64, 3), ("random", 3, 2), ("scen={map}-1.scen", 1, 2), ("scen={map}-1.scen", 7, 1)]
    {
        let mut own = settings(&[("map", "small".into()), ("type", kind.into()), ("agents", 30_u64.into())]);
        assert!(check(&own).is_err(), "{kind}");
        own.set("cells_per_agent", cells);
        assert!(check(&own).is_ok(), "{kind}");
        let row = make(&context, &own);
        assert_eq!((row.integer("crowd_size"), row.integer("agents")), (Some(expected), Some(30)), "{kind}");
    }
}

/// The limit of ticks follows the longest shortest path if that is more, and agents that have not arrived count it.
#[test]
fn long_paths_raise_the_limit_of_ticks() {
    let run = |max_ticks: u64, per_step: u64| {
        let still =
            [("budget", 1_u64.into()), ("still_limit", 5_u64.into()), ("planner", "astar-replan".into())];
        let mut own = settings(&still);
        own.set("max_ticks", max_ticks);
        own.set("ticks_per_step", per_step);
        make(&context(), &own)
    };
    let (once, twice) = (run(1, 1), run(1, 2));
    let limit = once.integer("tick_limit").unwrap();
    assert!(limit > 10, "{limit}");
    assert_eq!(twice.integer("tick_limit"), Some(2 * limit));
    assert_eq!(twice.number("completion_ticks_mean"), Some(2.0 * limit as f64));
    assert_eq!(run(2_000, 2).integer("tick_limit"), Some(2_000));
    let steps = once.number("shortest_steps_mean").unwrap();
    assert!(steps < limit as f64);
    assert_eq!(once.number("delay_mean"), Some(limit as f64 - steps));
}

/// In four directions lengths are numbers of steps, and threads change no measure.
#[test]
fn agents_can_move_in_four_directions_on_several_threads() {
    let run = |threads: u64| {
        let own = [("four_way", true.into()), ("threads", threads.into()), ("planner", "surge".into())];
        make(&context(), &settings(&own))
    };
    let row = run(1);
    assert_eq!(row.number("shortest_mean"), row.number("shortest_steps_mean"));
    let travel = row.number("travel_mean").unwrap() * 30.0;
    assert!((travel - travel.round()).abs() < 1e-6, "{travel}");
    assert_eq!((row.number("completion_rate"), row.integer("collisions")), (Some(1.0), Some(0)));
    assert_eq!(measures(&row), measures(&run(2)));
    let eight = make(&context(), &settings(&[("planner", "surge".into())]));
    assert_ne!(eight.number("shortest_mean"), eight.number("shortest_steps_mean"));
}

#[test]
fn lifelong_runs_measure_their_throughput() {
    let own = |warm_up: u64| {
        settings(&[
            ("task", "lifelong".into()),
            ("planner", "pibt".into()),
            ("max_ticks", 200_u64.into()),
            ("warm_up", warm_up.into()),
        ])
    };
    let row = make(&context(), &own(50));
    assert_eq!(measures(&row), measures(&make(&context(), &own(50))));
    assert_eq!((row.text("stopped"), row.integer("ticks")), (Some("ticks"), Some(200)));
    assert_eq!((row.integer("collisions"), row.number("travel_over_shortest")), (Some(0), None));
    let finished = row.integer("tasks_finished").unwrap();
    let counted = row.number("throughput").unwrap() * 150.0;
    assert!(counted > 10.0 && counted < finished as f64, "{counted} of {finished}");
    let check = |row: &RunRow| (task("lifelong").unwrap().check)(row, &Maps::default());
    assert!(check(&own(199)).is_ok());
    assert_eq!(check(&own(200)).unwrap_err().key, "warm_up");
}

#[test]
fn a_stopped_run_returns_nothing() {
    let context = context();
    context.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!((task("crowd").unwrap().run)(&context, &settings(&[])).unwrap().is_none());
}

#[test]
fn every_search_has_the_same_queries() {
    let context = context();
    let own = |search: &str, map: &str, perturb: &str| {
        let own = [("task", "dynamic".into()), ("map", map.into()), ("search", search.into())];
        let mut row = settings(&own);
        row.set("perturb", perturb);
        row.set("corners", "mixed");
        row
    };
    for map in ["builtin:arena", "generate:rooms:room=6@40x40"] {
        let rows: Vec<RunRow> = ["astar", "cpd-search", "cpd-near"]
            .iter()
            .map(|search| make(&context, &own(search, map, "exp1")))
            .collect();
        for row in &rows {
            assert_eq!(row.integer("queries"), rows[0].integer("queries"), "{map}");
            assert_eq!((row.integer("bound_violations"), row.number("solved_rate")), (Some(0), Some(1.0)));
            let cost = row.number("cost_over_optimal_max").unwrap();
            assert!((1.0..=1.1).contains(&cost), "{map}: {cost}");
        }
        assert!(rows[0].integer("queries").unwrap() + rows[0].integer("dropped").unwrap() <= 30);
        assert!(rows[1].number("expanded_p50") < rows[0].number("expanded_p50"), "{map}");
        assert_eq!(measures(&rows[2]), measures(&make(&self::context(), &own("cpd-near", map, "exp1"))));
    }
    let error = |own: &RunRow| (task("dynamic").unwrap().run)(&context, own).unwrap_err().to_string();
    let mut odd = own("astar", "builtin:arena", "exp2");
    odd.set("type", "swap-sides");
    assert!(error(&odd).contains("swap-sides"));
}

#[test]
fn queries_of_a_rectangle_are_the_problems_inside_it() {
    let folder = tempfile::tempdir().unwrap();
    let rows = vec![".".repeat(30); 30].join("\n");
    std::fs::write(
        folder.path().join("open.map"),
        format!("type octile\nheight 30\nwidth 30\nmap\n{rows}\n"),
    )
    .unwrap();
    let scenario = "version 1\n0\topen.map\t30\t30\t6\t5\t24\t20\t0\n0\topen.map\t30\t30\t0\t0\t24\t20\t0\n";
    std::fs::write(folder.path().join("open.map.scen"), scenario).unwrap();
    let context = RunContext::new(Maps::new(vec![folder.path().to_owned()]), true, true, Arc::default());
    let mut own =
        settings(&[("task", "dynamic".into()), ("type", "scen".into()), ("search", "cpd-near".into())]);
    own.set("perturb", "exp1");
    for (map, kind, queries) in [
        ("open", "scen", 2),
        ("open", "scen=open.map.scen", 2),
        ("open@25x25+5+5", "scen=open.map.scen", 1),
        ("open@20x15+5+5", "scen=open.map.scen", 0),
    ] {
        own.set("map", map);
        own.set("type", kind);
        let row = make(&context, &own);
        assert_eq!((row.integer("queries"), row.integer("dropped")), (Some(queries), Some(0)), "{map}");
    }
}

/// A scenario of 100 problems, and a rectangle of its map, which has queries of its own.
#[test]
fn a_sample_has_the_first_queries_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let rows = vec![".".repeat(40); 40].join("\n");
    let map = format!("type octile\nheight 40\nwidth 40\nmap\n{rows}\n");
    std::fs::write(folder.path().join("open.map"), map).unwrap();
    let line = |number: usize| format!("0\topen.map\t40\t40\t{}\t{}\t39\t39\t0\n", number % 20, number / 20);
    let scenario: String = (0..100).map(line).collect();
    std::fs::write(folder.path().join("open.map.scen"), format!("version 1\n{scenario}")).unwrap();
    let context = RunContext::new(Maps::new(vec![folder.path().to_owned()]), true, true, Arc::default());
    let drawn = |map: &str, kind: &str, one_in: Option<i64>, max_queries: u64| {
        let mut own =
            settings(&[("map", map.into()), ("type", kind.into()), ("max_queries", max_queries.into())]);
        own.set_some("one_in", one_in);
        let grid = context.maps.grid(map, "forbid", "uniform", 0).unwrap();
        query_pairs::query_pairs(&context, &own, grid.ground()).unwrap()
    };
    let all = drawn("open", "scen", None, 1_000);
    assert_eq!(all.len(), 100);
    for (one_in, max_queries, count) in
        [(1, 1_000, 100), (3, 1_000, 34), (5, 1_000, 20), (50, 1_000, 20), (2, 10, 10)]
    {
        assert_eq!(
            drawn("open", "scen", Some(one_in), max_queries),
            all[..count],
            "one in {one_in}, {max_queries}"
        );
    }
    assert_eq!(drawn("open", "random", Some(4), 200).len(), 50);
    // A diagonal of 20 cells is as long as 27 straight moves: buckets of lengths below 4, 8, … 28.
    let part = drawn("open@20x20+10+10", "scen", None, 1_000);
    assert!((60..=70).contains(&part.len()), "{}", part.len());
    assert_eq!(part, drawn("open@20x20+10+10", "scen", Some(1), 1_000));
    assert_eq!(drawn("open@20x20+10+10", "scen", Some(2), 1_000), part[..part.len().div_ceil(2)]);
    // The rectangle needs no scenario file.
    std::fs::remove_file(folder.path().join("open.map.scen")).unwrap();
    let text = "task = \"dynamic\"\nmaps = \"open@20x20+10+10\"\ntypes = \"scen\"\nmax_queries = 5\nsearches = \"astar\"\n";
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, text).unwrap();
    let mut plan = crate::Experiment::open(file.to_str().unwrap()).unwrap().plan("quick").unwrap();
    crate::precheck::precheck(&mut plan, &Maps::new(vec![folder.path().to_owned()])).unwrap();
}

#[test]
fn a_planner_that_needs_the_map_is_refused_before_the_first_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let refused = |planners: &str, fog: &str| {
        let text = format!("maps = \"builtin:rooms\"\nagents = 5\nplanners = {planners}\nfog = {fog}\n");
        std::fs::write(&file, text).unwrap();
        let mut plan = crate::Experiment::open(file.to_str().unwrap()).unwrap().plan("quick").unwrap();
        crate::precheck::precheck(&mut plan, &Maps::default()).err().map(|error| error.to_string())
    };
    assert_eq!(refused("[\"lra\", \"bmaa-f\"]", "[\"none\", \"3:shared\"]"), None);
    let text = refused("[\"lra\", \"far\"]", "[\"none\", \"3\"]").unwrap();
    assert!(text.contains("mine.toml:3:20") && text.contains("`far` requires the whole map"), "{text}");
    let row = make(&context(), &settings(&[("planner", "lra".into()), ("fog", "3".into())]));
    assert!(row.integer("discoveries").unwrap() > 0 && row.integer("collisions") == Some(0));
    assert_eq!(make(&context(), &settings(&[])).integer("discoveries"), None);
}

/// The course of a run to a large limit has the results of runs with smaller limits.
#[test]
fn a_course_has_the_results_of_runs_with_smaller_limits() {
    for planner in ["far", "whca:window=8", "bmaa"] {
        let with_limit = |limit: u64| {
            let own =
                [("agents", 200_u64.into()), ("planner", planner.into()), ("max_expansions", limit.into())];
            make(&context(), &settings(&own))
        };
        let long = with_limit(150_000);
        let course = crate::Course::parse(long.text("course").unwrap()).unwrap();
        let mut compared = 0;
        let (_, marks) = course.marks().split_last().unwrap();
        for mark in marks.iter().step_by(7) {
            let short = with_limit(mark.expansions);
            let arrived = (short.number("completion_rate").unwrap() * 200.0).round();
            assert!((mark.arrived - arrived).abs() < 1e-9, "{planner}: {mark:?}, {arrived}");
            assert!((mark.ticks - short.number("ticks").unwrap()).abs() < 1e-9, "{planner}: {mark:?}");
            assert!(
                (mark.travel - short.number("travel_mean").unwrap()).abs() < 0.006,
                "{planner}: {mark:?}"
            );
            compared += 1;
        }
        assert!(compared > 0, "{planner}: {course}");
    }
}

/// Every task that moves agents ends in the same state when its stored run is repeated, and its recording has all ticks.
#[test]
fn a_stored_run_is_repeated_and_recorded() {
    const LIMITS: RepeatLimits = RepeatLimits { agents: 100, ticks: 250, seconds: 60.0, threads: 2 };
    let tasks = [
        ("crowd", "builtin:rooms", "far"),
        ("churn", "builtin:rooms", "far"),
        ("lifelong", "builtin:rooms", "far"),
        ("follow", "builtin:patrol-passages", "dm-greedy:learn=2"),
    ];
    for (name, map, planner) in tasks {
        let mut settings = settings(&[("planner", planner.into())]);
        settings.set("task", name);
        settings.set("map", map);
        settings.set("max_ticks", 150_u64);
        let of_map = (task(name).unwrap().content_hash)(&settings, &Maps::default()).unwrap();
        settings.set("map_hash", format!("{of_map:016x}"));
        let stored = make(&context(), &settings);
        assert!(can_repeat(&stored), "{name}");
        let repeated = repeat(context(), &stored, LIMITS).unwrap().unwrap();
        assert_eq!(repeated.row.text("state_hash"), stored.text("state_hash"), "{name}");
        let recording = throng::Recording::read(&repeated.recording).unwrap();
        assert_eq!(Some(recording.ticks.len() as i64), stored.integer("ticks"), "{name}");
        assert!(throng::check(&recording).is_clean(), "{name}");
        let refusal = |name: &str, value: Value| {
            let mut row = stored.clone();
            row.set(name, value);
            repeat(context(), &row, LIMITS).unwrap_err().to_string()
        };
        assert!(refusal("map_hash", "0123456789abcdef".into()).contains("differs"), "{name}");
        assert!(refusal("agents", 101_u64.into()).contains("at most 100"), "{name}");
        assert!(refusal("task", "walks".into()).contains("moves no agents"), "{name}");
        assert!(refusal("planner", "nobody".into()).contains("nobody"), "{name}");
        assert!(refusal("map", "no/such".into()).contains("no/such"), "{name}");
    }
    // A run that would go on is ended by the limits.
    let mut long = settings(&[("planner", "lra".into()), ("agents", 60_u64.into())]);
    long.set("max_ticks", 1_000_000_000_u64);
    let short = repeat(context(), &long, RepeatLimits { ticks: 3, ..LIMITS }).unwrap().unwrap();
    assert_eq!(short.row.integer("ticks"), Some(3));
    let stopped = context();
    stopped.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(repeat(stopped, &long, LIMITS).unwrap().is_none());
}
