//! Stored walks are read as they were written, and the four granularities are evaluated on them.

use std::sync::Arc;

use super::stored::{integers, text};
use super::*;
use crate::files::Files;
use crate::select::NearestNeighbours;
use crate::store::{StoredRun, write_table};
use crate::{Experiment, Maps, Results, RunContext, RunRow};

/// Returns the rows of an experiment.
fn executed(experiment: &str, change: impl Fn(&mut RunRow)) -> Vec<RunRow> {
    let context = RunContext::new(Maps::default(), false, false, Arc::default());
    let plan = Experiment::open(experiment).unwrap().plan("smoke").unwrap();
    let run = |settings: &RunRow| {
        let mut settings = settings.clone();
        change(&mut settings);
        let StoredRun { row, .. } = (plan.task.run)(&context, &settings).unwrap().unwrap();
        row
    };
    plan.runs().map(|settings| run(&settings)).collect()
}

#[test]
fn stored_walks_are_the_walks_of_the_runs() {
    let mut rows = executed("rths-maps", |_| {});
    rows.extend(executed("rths-maps", |settings| settings.set("instance", 1_i64)));
    rows.extend(executed("rths-problems", |_| {}));
    let walks = StoredWalks::from_results(&Results { rows: rows.clone(), ..Results::default() }).unwrap();
    assert_eq!(walks.maps.len(), 2);
    assert_eq!(walks.maps[0].problems, 6, "two blocks of three problems");
    assert_eq!((walks.problems.len(), walks.problems[0].len()), (5, 20));
    // The mean over maps and configurations is that of the runs.
    let all: Vec<f64> =
        walks.maps.iter().flat_map(|map| &map.suboptimality).map(|&value| f64::from(value)).collect();
    let of_runs: f64 =
        rows[..4].iter().map(|row| row.number("suboptimality_mean").unwrap()).sum::<f64>() / 4.0;
    let mean = all.iter().sum::<f64>() / all.len() as f64 / 100.0;
    assert!((mean - of_runs).abs() < 0.005, "{mean} is not {of_runs}");
    let arrived: f64 = rows[..4].iter().map(|row| row.number("arrived_rate").unwrap()).sum::<f64>() / 4.0;
    let capped: u32 = walks.maps.iter().flat_map(|map| &map.capped).sum();
    assert_eq!(capped, ((1.0 - arrived) * 6.0 * 12.0 * 2.0).round() as u32);

    let MapWalks { suboptimality, halves: [first, second], .. } = &walks.maps[0];
    assert_ne!(first, second);
    for (mean, (first, second)) in suboptimality.iter().zip(first.iter().zip(second)) {
        assert!((first + second).abs_diff(2 * mean) <= 2, "{first} and {second} have the mean {mean}");
    }

    let folder = tempfile::tempdir().unwrap();
    walks.write(folder.path()).unwrap();
    assert_eq!(StoredWalks::read_maps(folder.path()).unwrap(), walks.maps);
    assert_eq!(StoredWalks::read_problems(folder.path()).unwrap(), walks.problems);
}

#[test]
fn runs_that_do_not_fit_together_are_refused() {
    let mut rows = executed("rths-maps", |_| {});
    rows[0].set("configurations", 7_i64);
    let refused = StoredWalks::from_results(&Results { rows, ..Results::default() });
    assert!(matches!(refused, Err(SelectError::Runs(_))), "{refused:?}");
    let rows = executed("rths-problems", |settings| settings.set("instance", 1_i64));
    let refused = StoredWalks::from_results(&Results { rows, ..Results::default() });
    assert!(matches!(refused, Err(SelectError::Runs(_))), "{refused:?}");
}

/// 40 maps of four games. Configuration 0 is best on RPG maps, 1 on maps of sc1, 2 on maps of wc3, 3 over all.
pub(crate) fn write_synthetic(folder: &Path) {
    let games = ["bg512", "dao", "sc1", "wc3"];
    let map = |at: usize| {
        let game = games[at % 4];
        let best = [0, 0, 1, 2][at % 4];
        let value = |configuration: usize| match configuration {
            3 => 200,
            it if it == best => 150,
            _ => 900,
        };
        MapWalks {
            map: format!("{game}/{at:02}"),
            problems: 10,
            suboptimality: (0..5).map(value).collect(),
            halves: [0, 1].map(|_| (0..5).map(value).collect()),
            capped: vec![0; 5],
        }
    };
    let mut maps: Vec<MapWalks> = (0..40).map(map).collect();
    maps.sort_by(|a, b| a.map.cmp(&b.map));
    let problems = (0..60)
        .map(|at| (0..5).map(|it| if it == at % 2 { 100 } else { 300 + it as u32 }).collect())
        .collect();
    StoredWalks { maps: maps.clone(), problems }.write(folder).unwrap();
    let game = |walks: &MapWalks| games.iter().position(|game| *game == walks.game()).unwrap() as i64;
    let columns = [
        text("game", maps.iter().map(MapWalks::game)),
        text("map", maps.iter().map(|walks| walks.map.as_str())),
        integers("feature", maps.iter().map(game)),
    ];
    write_table(&Files::default(), &folder.join(MAP_FEATURES_FILE), &columns).unwrap();
    let columns = [integers("problem", 0..60), integers("feature", (0..60).map(|at| at % 2))];
    write_table(&Files::default(), &folder.join(PROBLEM_FEATURES_FILE), &columns).unwrap();
}

#[test]
fn the_four_granularities_have_their_own_choices() {
    let folder = tempfile::tempdir().unwrap();
    write_synthetic(folder.path());
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    let evaluated = |granularity: Granularity| {
        granularity
            .evaluate(folder.path(), SPLIT_SEED, &[&NearestNeighbours { count: 1 }])
            .unwrap()
            .stored
            .evaluation
    };
    let genre = evaluated(Granularity::Genre);
    assert_eq!(
        (genre.portfolio.as_slice(), genre.instances, genre.splits),
        (&["RPG", "RTS"].map(str::to_owned)[..], 40, 20)
    );
    near(genre.models[0].accuracy, 1.0);
    near(genre.prior.quality, 2.0);
    // Configuration 3 is the best for all RTS maps together, and 0 for RPG maps.
    assert!((1.5..2.0).contains(&genre.models[0].quality), "{}", genre.models[0].quality);
    near(genre.models[0].quality, genre.perfect_label.unwrap().quality);
    let game = evaluated(Granularity::Game);
    assert_eq!(game.portfolio, ["bg512", "dao", "sc1", "wc3"]);
    near(game.models[0].quality, 1.5);
    near(game.best.quality, 1.5);
    let map = evaluated(Granularity::Map);
    assert_eq!(map.portfolio.len(), 2);
    near(map.models[0].gap_closed.mean.unwrap(), 1.0);
    let other_half = |granularity: Granularity| {
        granularity
            .evaluate(folder.path(), SPLIT_SEED, &[])
            .unwrap()
            .other_half
            .map(|half| half.gap_closed.mean)
    };
    near(other_half(Granularity::Map).unwrap().unwrap(), 1.0);
    assert!(other_half(Granularity::Game).is_none());
    let problem = evaluated(Granularity::Problem);
    assert_eq!((problem.instances, problem.holdout), (60, Holdout::Problems));
    near(problem.models[0].quality, 1.0);
    assert_eq!(problem.models[0].splits_won, 20);
}

#[test]
fn larger_portfolios_are_better_and_greedy_ones_best() {
    let folder = tempfile::tempdir().unwrap();
    write_synthetic(folder.path());
    let data = Granularity::Map.dataset(folder.path()).unwrap();
    let curve = portfolio_curve(Granularity::Map, &data, &[1, 2, 4, 5]);
    assert!(curve.is_sorted_by(|a, b| a.greedy.quality >= b.greedy.quality && a.random.quality >= b.random.quality));
    assert!(curve[..3].iter().all(|point| point.greedy.quality < point.random.quality));
    assert!((curve[3].greedy.quality - 1.5).abs() < 1e-9 && (curve[3].random.quality - 1.5).abs() < 1e-9);
}

#[test]
fn missing_data_say_how_to_make_them() {
    let folder = tempfile::tempdir().unwrap();
    let error = Granularity::Map.dataset(folder.path()).unwrap_err().to_string();
    assert!(error.contains(MAPS_FILE) && error.contains("throng select gather"), "{error}");
}

#[test]
fn the_gaps_of_the_thesis_are_those_that_it_discusses() {
    let gaps = Granularity::ALL.map(|granularity| (granularity.thesis().gap_closed * 100.0).round() as u32);
    assert_eq!(gaps, [100, 90, 7, 17]);
}

#[test]
fn configurations_of_another_program_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_synthetic(folder.path());
    let path = folder.path().join(CONFIGURATIONS_FILE);
    let mut columns = crate::store::read_table(&path).unwrap();
    columns[1].values[3] = Some(1.5.into());
    write_table(&Files::default(), &path, &columns).unwrap();
    let error = Granularity::Map.dataset(folder.path()).unwrap_err().to_string();
    assert!(error.contains("not those of this program"), "{error}");
}
