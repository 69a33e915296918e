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
    let all = splits(&data, Holdout::Maps, 10, 70, 1);
    let learners: [&dyn Learner; 3] =
        [&NearestNeighbours { count: 5 }, &Lookup::MapAndType, &RandomPick { seed: 1 }];
    let found = evaluate(&data, &Portfolio::All, (Holdout::Maps, &all), &learners);
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
    let all = splits(&data, Holdout::Problems, 10, 70, 1);
    let found = evaluate(&data, &Portfolio::All, (Holdout::Problems, &all), &[&Lookup::MapAndType]);
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
    let all = splits(&data, Holdout::Problems, 20, 75, 1);
    let found = evaluate(&data, &portfolio, (Holdout::Problems, &all), &[&NearestNeighbours { count: 1 }]);
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
    let all = splits(&data, Holdout::Problems, 5, 75, 1);
    let found =
        evaluate(&data, &Portfolio::Greedy(2), (Holdout::Problems, &all), &[&NearestNeighbours { count: 3 }]);
    assert_eq!(found.portfolio, ["a", "b"]);
    near(found.models[0].accuracy, 1.0);
    near(found.models[0].gap_closed.mean.unwrap(), 1.0);
    assert!(found.best.quality < 0.9, "the third algorithm is not in the portfolio");
    assert!(found.singles.is_empty());
}
