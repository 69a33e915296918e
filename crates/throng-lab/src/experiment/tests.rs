use std::collections::BTreeSet;

use super::*;

fn parse(text: &str) -> Result<Experiment, ExperimentError> {
    Experiment::parse("mine", "mine.toml", text, None)
}

const SMALL: &str = r#"
maps = ["builtin:arena", "builtin:rooms"]
agents = [5, 10]
instances = 3
planners = ["bmaa", "far:reserve=2"]
max_ticks = 100

[smoke]
maps = "builtin:arena"
budgets = ["none", 200]

[own]
instances = [7]
"#;

#[test]
fn every_combination_is_planned_once() {
    let experiment = parse(SMALL).unwrap();
    assert_eq!(experiment.scales().collect::<Vec<_>>(), ["smoke", "quick", "paper", "own"]);
    let runs = |scale: &str| experiment.plan(scale).unwrap().runs().collect::<Vec<_>>();
    assert_eq!((runs("quick").len(), runs("smoke").len(), runs("own").len()), (24, 24, 8));
    assert_eq!(runs("quick").len(), runs("paper").len());
    let ids: BTreeSet<_> = runs("smoke").iter().map(|run| run.text("run").unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 24);
    assert_eq!(runs("own")[0].integer("instance"), Some(7));
    assert_eq!(
        runs("smoke")[0].integer("max_ticks"),
        Some(100),
        "the defaults of a scale do not override the experiment"
    );
    assert_eq!((runs("smoke")[0].integer("budget"), runs("smoke")[2].integer("budget")), (None, Some(200)));
}

#[test]
fn all_planners_and_limits_have_the_same_problems() {
    let runs = parse(SMALL).unwrap().plan("smoke").unwrap().runs().collect::<Vec<_>>();
    let key = |run: &crate::RunRow| (run.integer("agents"), run.integer("instance"));
    for a in &runs {
        for b in &runs {
            assert_eq!(key(a) == key(b), a.integer("seed") == b.integer("seed"));
        }
    }
    // Problems of stored results are drawn again from these seeds: they never change.
    assert_eq!(runs[0].integer("seed"), Some(3_934_199_956_195_249));
}

#[test]
fn a_key_contains_the_settings_and_the_program() {
    let runs = parse(SMALL).unwrap().plan("smoke").unwrap().runs().collect::<Vec<_>>();
    let key = |run: usize, program: &str| run_key(&runs[run], program);
    assert_eq!(key(0, "a"), "df53538f7852fd42");
    assert_ne!(key(0, "a"), key(0, "b"));
    assert_ne!(key(0, "a"), key(1, "a"));
    assert_eq!(runs[0].text("run"), Some(key(0, crate::Provenance::here(1).program()).as_str()));
}

#[test]
fn shards_are_parts_of_the_whole() {
    let whole = parse(SMALL).unwrap().plan("quick").unwrap();
    let mut parts = Vec::new();
    for index in 1..=5 {
        let mut part = whole.clone();
        part.shard(index, 5);
        parts.extend(part.runs());
    }
    parts.sort_by(crate::RunRow::compare_settings);
    let mut runs: Vec<_> = whole.runs().collect();
    runs.sort_by(crate::RunRow::compare_settings);
    assert_eq!(parts, runs);
}

#[test]
fn ranges_of_instances_are_parts_of_the_whole() {
    let whole = parse(SMALL).unwrap().plan("quick").unwrap();
    let of = |instances: std::ops::Range<u64>| {
        let mut part = whole.clone();
        part.keep_instances(&instances);
        part.runs().collect::<Vec<_>>()
    };
    let (first, rest) = (of(0..1), of(1..u64::MAX));
    assert!(!first.is_empty() && first.iter().all(|run| run.integer("instance") == Some(0)));
    assert!(!rest.is_empty());
    assert_eq!(first.len() + rest.len(), whole.len());
}

#[test]
fn errors_name_their_place() {
    let refusal = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(
        refusal("agents = 5\nplaners = [\"far\"]"),
        "mine.toml:2:1: there is no key `planers`: did you mean `planners`?"
    );
    assert_eq!(refusal("agents = []"), "mine.toml:1:10: `agents` is empty: nothing would be run");
    assert_eq!(refusal("agents = [5, -1]"), "mine.toml:1:14: `agents` takes an integer, at least 0");
    assert_eq!(refusal("[quick]\ninstances = 0"), "mine.toml:2:13: `instances` is 0: nothing would be run");
    assert_eq!(refusal("[quik]"), "mine.toml:1:2: there is no scale `quik`: did you mean `quick`?");
    assert_eq!(
        refusal("planners = [\"farr\"]"),
        "mine.toml:1:13: there is no planner `farr`: did you mean `far`?"
    );
    assert_eq!(refusal("planners = [\"far\", \"far\"]"), "mine.toml:1:12: `planners` has `far` twice");
    assert!(refusal("planners = [\"far:reserv=2\"]").contains("did you mean `reserve`?"));
    assert_eq!(
        refusal("maps = \"builtin:aren\""),
        "mine.toml:1:8: there is no built-in map `aren`: did you mean `arena`?"
    );
    assert!(refusal("maps = \"generate:maez@9x9\"").contains("did you mean `maze`?"));
    assert!(refusal("types = [\"swap\"]").starts_with("mine.toml:1:10: there is no problem type `swap`"));
    assert!(refusal("corners = \"alow\"").contains("did you mean `allow`?"));
    assert_eq!(refusal("check = 1"), "mine.toml:1:9: `check` takes true or false");
    assert_eq!(
        refusal("budgets = \"some\""),
        "mine.toml:1:11: `budgets` takes an integer, at least 1, or \"none\""
    );
    assert_eq!(
        refusal("wall_limit = 0"),
        "mine.toml:1:14: `wall_limit` takes a number above 0, at most 1000000, or \"none\""
    );
    assert_eq!(refusal("wall_limit = 0.0"), refusal("wall_limit = 0"));
    assert!(parse("wall_limit = 0.5").is_ok());
    assert!(refusal("budgets = 0").contains("at least 1"));
    assert!(refusal("agents = ").starts_with("mine.toml:1:"));
    assert!(refusal("agents = 1\nagents = 2").starts_with("mine.toml:2:1: "));
}

#[test]
fn missing_keys_scales_and_files_are_named() {
    let plan = |text: &str, scale: &str| parse(text).unwrap().plan(scale).unwrap_err().to_string();
    assert!(plan("agents = 1\nplanners = \"far\"", "quick").starts_with("mine.toml: `maps` is missing"));
    assert_eq!(
        plan(SMALL, "papers"),
        "there is no scale `papers`: did you mean `paper`? (it has smoke, quick, paper, own)"
    );
    let unknown = Experiment::open("bmaa-tim").unwrap_err().to_string();
    assert!(unknown.starts_with("there is no experiment `bmaa-tim`: did you mean `bmaa-time`?"), "{unknown}");
    assert!(Experiment::open("none.toml").unwrap_err().to_string().starts_with("cannot read none.toml"));
}

#[test]
fn keys_of_another_task_are_refused() {
    let plan = |text: &str, scale: &str| {
        let text = format!("{SMALL}\n[other]\nwalls = true\n").replacen("maps", &format!("{text}\nmaps"), 1);
        parse(&text).unwrap().plan(scale).map(|plan| plan.len()).map_err(|error| error.to_string())
    };
    assert_eq!(
        plan("retask_percent = 1", "quick").unwrap_err(),
        "mine.toml:2:1: the task `crowd` has no key `retask_percent`: did you mean `task = \"churn\"`?"
    );
    assert!(plan("", "other").unwrap_err().contains("has no key `walls`"));
    assert_eq!((plan("", "quick"), plan("task = \"churn\"", "other")), (Ok(24), Ok(24)));
}

#[test]
fn churn_runs_every_planner_on_the_same_problems() {
    let runs = Experiment::open("churn").unwrap().plan("quick").unwrap().runs().collect::<Vec<_>>();
    let planners: BTreeSet<&str> = runs.iter().filter_map(|run| run.text("planner")).collect();
    let aliases = throng_planners::ALIASES.iter().map(|(alias, _)| *alias);
    let with_goals = throng_planners::PLANNERS.iter().filter(|info| info.has_goals);
    let known: BTreeSet<&str> = with_goals.map(|info| info.name).chain(aliases).collect();
    assert_eq!(planners, known);
    let seeds: BTreeSet<_> = runs.iter().map(|run| run.integer("seed")).collect();
    assert_eq!(
        seeds.len() * planners.len(),
        runs.len(),
        "all planners have the same problems, and no two settings share one"
    );
}

#[test]
fn every_experiment_has_the_three_scales() {
    for name in Experiment::names() {
        let experiment = Experiment::open(name).unwrap();
        assert!(!experiment.title.is_empty() && !experiment.about.is_empty(), "{name}");
        for scale in SCALES {
            let plan = experiment.plan(scale).unwrap();
            assert!(!plan.is_empty(), "{name}");
            // At most 20 minutes on two cores, as far as the estimate goes.
            assert!(scale != "quick" || plan.estimate() < 2.0 * 1_200.0, "{name}: {} s", plan.estimate());
            let embedded = |run: &crate::RunRow| {
                let sample = run.text("data") == Some("sample");
                run.text("map").map_or(sample, |map| map.contains(':'))
            };
            assert!(scale != "smoke" || (plan.check && plan.runs().all(|run| embedded(&run))), "{name}");
        }
    }
}

#[test]
fn the_task_dynamic_has_searches_instead_of_planners() {
    const TEXT: &str = "task = \"dynamic\"\nmaps = [\"sets/a/b\", \"builtin:arena\"]\nmax_queries = 5\n";
    let plan = |rest: &str| parse(&format!("{TEXT}{rest}")).and_then(|experiment| experiment.plan("quick"));
    let found = plan("perturb = \"exp2\"\nsearches = [\"astar\", \"cpd-near:search=walls\"]\n").unwrap();
    let named = |name: &str| found.runs().map(|run| run.text(name).unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(named("search"), ["astar", "cpd-near:search=walls", "astar", "cpd-near:search=walls"]);
    assert_eq!(named("map_set"), ["a", "a", "builtin", "builtin"]);
    let refusal = |rest: &str| plan(rest).unwrap_err().to_string();
    assert!(refusal("searches = \"cpd-nera\"").contains("did you mean `cpd-near`?"));
    assert!(refusal("perturb = \"exp3\"\nsearches = \"astar\"").contains("did you mean `exp"));
    assert!(refusal("searches = \"astar\"\nplanners = \"far\"").contains("`dynamic` has no key `planners`"));
    assert!(refusal("searches = \"astar\"\nmax_ticks = 5").contains("`dynamic` has no key `max_ticks`"));
    assert!(refusal("").contains("`searches` is missing"));
}

/// The samples of whole games have the maps and the seeds of the whole games.
#[test]
fn the_scale_games_is_a_sample_of_the_scale_paper() {
    for name in ["dynamic-exp1", "dynamic-exp2"] {
        let experiment = Experiment::open(name).unwrap();
        let runs = |scale: &str| experiment.plan(scale).unwrap().runs().collect::<Vec<_>>();
        let (games, paper) = (runs("games"), runs("paper"));
        assert_eq!(games.len(), paper.len(), "{name}");
        for (sample, whole) in games.iter().zip(&paper) {
            for column in ["map", "map_set", "search", "max_queries", "seed"] {
                assert_eq!(sample.value(column), whole.value(column), "{name}");
            }
            assert_eq!((sample.integer("one_in"), whole.integer("one_in")), (Some(5), None), "{name}");
        }
        let sets: BTreeSet<_> = games.iter().map(|run| run.text("map_set").unwrap()).collect();
        assert_eq!(sets.into_iter().collect::<Vec<_>>(), ["da2", "dao"], "{name}");
    }
}
