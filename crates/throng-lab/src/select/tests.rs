//! Datasets for tests, and evaluations whose numbers are known.

use throng::grid::SeededRng;

use super::*;

/// Returns a dataset of 4 games, 20 maps and 2 types in which the first feature decides which of three algorithms is best.
pub(super) fn dataset(instances: usize, seed: u64) -> Dataset {
    let mut rng = SeededRng::new(seed);
    let mut data = Dataset {
        measure: Measure::Completion,
        features: vec!["decides".to_owned(), "noise".to_owned()],
        rows: Vec::new(),
        groups: Vec::new(),
        ids: (0..instances).map(|at| InstanceId::Problem("map".to_owned(), at)).collect(),
        algorithms: ["a", "b", "c"].map(str::to_owned).to_vec(),
        utilities: Vec::new(),
        labels: None,
        travel: None,
    };
    for at in 0..instances {
        let best = rng.below(10);
        let best = if best < 5 {
            0
        } else if best < 8 {
            1
        } else {
            2
        };
        data.rows.push(vec![best, rng.between(0, 3)]);
        let map = at % 20;
        data.groups.push(Group {
            game: format!("game {}", map % 4),
            map: format!("map {map}"),
            kind: format!("{}", at % 2),
        });
        data.utilities.push((0..3).map(|algorithm| if algorithm == best { 0.9 } else { 0.5 }).collect());
    }
    data
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn a_perfect_learner_closes_the_gap_and_a_constant_one_does_not() {
    let data = dataset(400, 7);
    let all = splits(&data.groups, Holdout::Maps, 10, 70, 1);
    let learners: [&dyn Learner; 3] =
        [&NearestNeighbours { count: 5 }, &Lookup::MapAndType, &RandomPick { seed: 1 }];
    let found = evaluate(&Trial::all(&data, all), &Portfolio::All, Holdout::Maps, &learners).unwrap();
    let [perfect, constant, random] = &found.models[..] else { panic!("three models") };
    near(perfect.accuracy, 1.0);
    near(perfect.balanced_accuracy, 1.0);
    near(perfect.gap_closed.mean.unwrap(), 1.0);
    near(perfect.quality, 0.9);
    assert_eq!(perfect.splits_won, 10);
    // A lookup knows no map of the test part, so it picks the algorithm that is best most often, the prior.
    near(constant.gap_closed.mean.unwrap(), 0.0);
    near(constant.quality, found.prior.quality);
    near(constant.accuracy, found.singles[0].best_share);
    near(constant.balanced_accuracy, 1.0 / 3.0);
    assert_eq!((constant.splits_won, constant.chosen.as_slice()), (0, &[1.0, 0.0, 0.0][..]));
    near(constant.accuracy * 0.4 + 0.5, found.prior.quality);
    assert!((0.25..0.42).contains(&random.accuracy), "{}", random.accuracy);
    assert!(random.gap_closed.high.unwrap() < 0.0);
    near(found.best.quality, 0.9);
    near(found.worst.quality, 0.5);
    assert_eq!(found.perfect_label, None);
}

#[test]
fn a_lookup_knows_the_maps_of_held_out_problems() {
    let mut data = dataset(400, 7);
    for (at, utilities) in data.utilities.iter_mut().enumerate() {
        *utilities = (0..3).map(|algorithm| if algorithm == at % 20 % 3 { 0.9 } else { 0.5 }).collect();
    }
    let all = splits(&data.groups, Holdout::Problems, 10, 70, 1);
    let found = evaluate(&Trial::all(&data, all), &Portfolio::All, Holdout::Problems, &[&Lookup::MapAndType])
        .unwrap();
    near(found.models[0].accuracy, 1.0);
}

/// Two labels, and a pool of four algorithms: each label has its best, and a third is best over all.
#[test]
fn labels_stand_for_the_best_algorithm_of_the_training_part() {
    let mut data = dataset(100, 3);
    data.measure = Measure::Suboptimality;
    data.algorithms = ["left", "right", "both", "none"].map(str::to_owned).to_vec();
    let of: Vec<usize> = (0..100).map(|at| usize::from(at % 3 == 0)).collect();
    data.rows = of.iter().map(|&label| vec![label as i32]).collect();
    let by_label = [vec![-1.0, -9.0, -2.0, -9.5], vec![-9.0, -1.0, -2.0, -9.5]];
    data.utilities = of.iter().map(|&label| by_label[label].clone()).collect();
    let portfolio = Portfolio::Labels { names: vec!["l".to_owned(), "r".to_owned()], of };
    let all = splits(&data.groups, Holdout::Problems, 20, 75, 1);
    let found =
        evaluate(&Trial::all(&data, all), &portfolio, Holdout::Problems, &[&NearestNeighbours { count: 1 }])
            .unwrap();
    near(found.prior.quality, 2.0);
    near(found.perfect_label.unwrap().quality, 1.0);
    near(found.best.quality, 1.0);
    near(found.models[0].quality, 1.0);
    near(found.models[0].gap_closed.mean.unwrap(), 1.0);
    near(found.worst.quality, 9.0);
    assert_eq!(found.portfolio, ["l", "r"]);
}

#[test]
fn greedy_portfolios_are_formed_per_split() {
    let data = dataset(200, 5);
    let all = splits(&data.groups, Holdout::Problems, 5, 75, 1);
    let found = evaluate(
        &Trial::all(&data, all),
        &Portfolio::Greedy(2),
        Holdout::Problems,
        &[&NearestNeighbours { count: 3 }],
    )
    .unwrap();
    assert_eq!(found.portfolio, ["a", "b"]);
    near(found.models[0].accuracy, 1.0);
    near(found.models[0].gap_closed.mean.unwrap(), 1.0);
    assert!(found.best.quality < 0.9, "the third algorithm is not in the portfolio");
    assert!(found.singles.is_empty());
}

/// Four instances of each of ten maps. The first algorithm is better on even maps, except for one instance of each. The mean
/// of the others of its map and type is right for three instances of four.
#[test]
fn expected_utilities_do_not_know_the_luck_of_an_instance() {
    let mut data = dataset(40, 1);
    data.algorithms.truncate(2);
    for at in 0..40 {
        let (map, instance) = (at / 4, at % 4);
        let first = (map % 2 == 0) != (instance == 3);
        data.groups[at] = Group { game: "g".to_owned(), map: map.to_string(), kind: "random".to_owned() };
        data.utilities[at] = if first { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
    }
    let every: Vec<usize> = (0..data.len()).collect();
    let whole = vec![Split { train: every.clone(), test: every }];
    let found = evaluate(&Trial::all(&data, whole), &Portfolio::All, Holdout::Problems, &[]).unwrap();
    near(found.expected_utility.quality, 0.75);
    near(found.expected_utility.gap_closed.mean.unwrap(), 0.5);
    let all = splits(&data.groups, Holdout::Maps, 5, 70, 1);
    let found = evaluate(&Trial::all(&data, all), &Portfolio::All, Holdout::Maps, &[]).unwrap();
    near(found.expected_utility.quality, 0.75);
    assert!(evaluate(&[], &Portfolio::All, Holdout::Maps, &[]).is_none());
}

#[test]
fn distances_decide_between_equal_choices_and_are_reported_with_types() {
    let mut data = dataset(40, 1);
    data.utilities = vec![vec![0.5, 0.5, 0.25]; 40];
    data.travel = Some(vec![vec![9.0, 3.0, 1.0]; 40]);
    data.labels = Some(vec![1; 40]);
    let trial = &Trial::all(&data, splits(&data.groups, Holdout::Maps, 1, 70, 1))[0];
    let found = evaluate_trial(trial, &Portfolio::All, &[&RandomPick { seed: 1 }]);
    assert_eq!((found.best.travel, found.worst.travel), (Some(3.0), Some(1.0)));
    assert_eq!(
        (found.prior.travel, found.prior.accuracy, found.best.accuracy),
        (Some(9.0), Some(0.0), Some(1.0))
    );
    assert_eq!(found.singles.iter().map(|single| single.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(
        found.best.by_kind.into_iter().collect::<Vec<_>>(),
        [("0".to_owned(), 0.5), ("1".to_owned(), 0.5)]
    );
    assert_eq!((found.best.gap_closed, found.tested), (None, 12));
}

#[test]
fn probes_are_seen_by_models_that_ask_for_them_alone() {
    let mut data = dataset(10, 1);
    data.features = vec!["rths_probe_0".to_owned(), "noise".to_owned()];
    assert_eq!((data.columns(Inputs::Features), data.columns(Inputs::Probed)), (vec![1], vec![0, 1]));
    assert_eq!(data.inputs(Inputs::Features)[3], [data.rows[3][1]]);
    assert_eq!(data.inputs(Inputs::Probed)[3], data.rows[3]);
    assert_eq!(data.inputs(Inputs::Group)[3].len(), 3);
}
