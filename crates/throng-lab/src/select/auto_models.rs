//! Trains the models of the planner `auto`: one per sharing setting and kind of budget.
//!
//! A portfolio is formed greedily: the best planner on average, and others as long as they raise the virtual best by a point.
//! The trees are tested on maps that were held out, in folds. The margin, by which another planner's prediction must exceed
//! that of the first one, is the one with the largest lower bound of the mean gain over the maps that were held out.
//! If this bound is not above 0 or the gain is below half a point, a choice does not pay, since features and a switch cost time:
//! the model has the first planner alone, and `auto` computes no features.

use serde::Serialize;
use throng_select::{Forest, Model, ModelError};

use super::{Dataset, Trees, best_single, greedy_portfolio, virtual_best};
use crate::stats::{Strata, mean};

/// Most planners of a portfolio.
const MAX_PORTFOLIO: usize = 4;

/// What a planner must add to the virtual best of a portfolio, in shares of the agents.
const MIN_ADDED: f64 = 0.01;

/// Number of parts into which maps are divided; each is held out once.
const FOLDS: usize = 10;

/// Margins that are tried, in 1/10,000.
const MARGINS: [i32; 9] = [0, 50, 100, 200, 300, 500, 800, 1_200, 2_000];

/// Standard errors below the mean gain that the lower bound is.
const CAUTION: f64 = 1.0;

/// The mean gain below which a choice is not worth its cost, in shares of the agents.
const MIN_GAIN: f64 = 0.005;

/// Units of a prediction of a forest, and of its base.
const UNITS: f64 = 10_000.0;
const BASE_UNITS: f64 = 1_000_000.0;

/// A trained model and what was measured on maps that were held out. Shares of the agents.
#[derive(Clone, Debug, Serialize)]
pub struct AutoModel {
    /// The model.
    #[serde(skip)]
    pub model: Model,
    /// The number of problems, and of their maps.
    pub problems: usize,
    /// The number of maps.
    pub maps: usize,
    /// The planners.
    pub portfolio: Vec<String>,
    /// The margin; none if a choice does not pay.
    pub margin: Option<f64>,
    /// Mean completion of the first planner.
    pub single: f64,
    /// Mean completion of the picks on maps that were held out.
    pub picks: f64,
    /// Mean completion of the best planner per problem, of all that are allowed.
    pub best: f64,
    /// The 95 % interval of the gain of the picks; maps are resampled.
    pub gain: Option<[f64; 2]>,
    /// What two choices could gain for two groups with different problem types on one map over one choice for both, at most.
    pub two_groups: f64,
}

/// Trains a model.
///
/// # Errors
/// If there are no problems, or their features are not those of this program.
pub fn train_auto(data: &Dataset, note: &str) -> Result<AutoModel, ModelError> {
    let all: Vec<usize> = (0..data.len()).collect();
    let portfolio = portfolio(data, &all);
    let utilities: Vec<Vec<f64>> =
        data.utilities.iter().map(|row| portfolio.iter().map(|&planner| row[planner]).collect()).collect();
    let names: Vec<String> = portfolio.iter().map(|&planner| data.algorithms[planner].clone()).collect();
    let rows: Vec<&[i32]> = data.rows.iter().map(Vec::as_slice).collect();
    let folds = folds(data);
    let predicted = predict_held_out(&rows, &utilities, &folds);
    let margin = best_margin(&utilities, &predicted, &folds);
    let gains = |margin: i32| gains(&utilities, &predicted, margin);
    let (model, picked) = match margin {
        Some(margin) => {
            let mut forests = Trees::for_programs().forests(&rows, &utilities);
            for (planner, forest) in forests.iter_mut().enumerate() {
                forest.error = error(&utilities, &predicted, planner);
            }
            let model = Model::new(names.into_iter().zip(forests).collect(), note)?.with_margin(margin);
            (model, gains(margin))
        }
        None => (constant(&names, &utilities, note)?, vec![0.0; data.len()]),
    };
    let single = average(&utilities, |row| row[0]);
    Ok(AutoModel {
        problems: data.len(),
        maps: folds.maps,
        portfolio: model.portfolio().to_vec(),
        margin: margin.map(|margin| f64::from(margin) / UNITS),
        single,
        picks: single + picked.iter().sum::<f64>() / picked.len().max(1) as f64,
        best: virtual_best(&data.utilities, &all, &(0..data.algorithms.len()).collect::<Vec<_>>()),
        gain: interval_over_maps(&picked, &folds),
        two_groups: two_groups(data),
        model,
    })
}

/// Returns the planners that are worth a forest, the best one on average first.
fn portfolio(data: &Dataset, all: &[usize]) -> Vec<usize> {
    let formed = greedy_portfolio(&data.utilities, all, MAX_PORTFOLIO);
    let reached = |size: usize| virtual_best(&data.utilities, all, &formed[..size]);
    let kept = (2..=formed.len()).take_while(|&size| reached(size) - reached(size - 1) >= MIN_ADDED).count();
    formed[..(kept + 1).min(formed.len())].to_vec()
}

/// The model of one planner, which predicts its mean.
fn constant(names: &[String], utilities: &[Vec<f64>], note: &str) -> Result<Model, ModelError> {
    let base = (average(utilities, |row| row[0]) * BASE_UNITS).round() as i32;
    let planners = names.first().map(|name| (name.clone(), Forest { base, ..Forest::default() }));
    Model::new(planners.into_iter().collect(), note)
}

/// Maps in parts that are held out together.
struct Folds {
    /// The number of the map of each problem, in the order of the names.
    map: Vec<usize>,
    maps: usize,
}

impl Folds {
    fn part(&self, problem: usize) -> usize {
        self.map[problem] % FOLDS
    }
}

fn folds(data: &Dataset) -> Folds {
    let mut maps: Vec<&str> = data.groups.iter().map(|group| group.map.as_str()).collect();
    maps.sort_unstable();
    maps.dedup();
    let number = |map: &str| maps.partition_point(|other| *other < map);
    Folds { map: data.groups.iter().map(|group| number(&group.map)).collect(), maps: maps.len() }
}

/// Returns the predictions of each problem by trees that have not seen its map, in 1/10,000.
fn predict_held_out(rows: &[&[i32]], utilities: &[Vec<f64>], folds: &Folds) -> Vec<Vec<i32>> {
    let mut predicted = vec![Vec::new(); rows.len()];
    for part in 0..FOLDS {
        let (held, kept): (Vec<usize>, Vec<usize>) =
            (0..rows.len()).partition(|&problem| folds.part(problem) == part);
        let kept_rows: Vec<&[i32]> = kept.iter().map(|&problem| rows[problem]).collect();
        let kept_utilities: Vec<Vec<f64>> = kept.iter().map(|&problem| utilities[problem].clone()).collect();
        let forests = Trees::for_programs().forests(&kept_rows, &kept_utilities);
        for problem in held {
            predicted[problem] = forests.iter().map(|forest| forest.predict(rows[problem])).collect();
        }
    }
    predicted
}

/// Returns what the picks gain over the first planner, by problem.
fn gains(utilities: &[Vec<f64>], predicted: &[Vec<i32>], margin: i32) -> Vec<f64> {
    let gain = |(utilities, predicted): (&Vec<f64>, &Vec<i32>)| {
        let best = (0..predicted.len()).rev().max_by_key(|&planner| predicted[planner]).unwrap_or(0);
        let is_better = predicted.first().is_some_and(|first| predicted[best] - first > margin);
        if is_better { utilities[best] - utilities[0] } else { 0.0 }
    };
    utilities.iter().zip(predicted).map(gain).collect()
}

/// Returns the margin whose gain has the largest lower bound; none if the bound is not above 0 or the gain is too small.
fn best_margin(utilities: &[Vec<f64>], predicted: &[Vec<i32>], folds: &Folds) -> Option<i32> {
    let bound = |margin: i32| {
        let sums = map_means(&gains(utilities, predicted, margin), folds);
        let count = sums.len() as f64;
        let mean = sums.iter().sum::<f64>() / count;
        let variance = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        mean - CAUTION * (variance / count).sqrt()
    };
    let bounds = MARGINS.map(|margin| (bound(margin), margin));
    let (bound, margin) =
        bounds.into_iter().reduce(|best, other| if other.0 > best.0 { other } else { best })?;
    let gain = gains(utilities, predicted, margin).iter().sum::<f64>() / utilities.len().max(1) as f64;
    (bound > 0.0 && gain >= MIN_GAIN).then_some(margin)
}

/// Returns the mean of a value over the problems of each map, weighted so that the mean over maps is that over problems.
fn map_means(values: &[f64], folds: &Folds) -> Vec<f64> {
    let mut sums = vec![0.0; folds.maps];
    for (value, &map) in values.iter().zip(&folds.map) {
        sums[map] += value;
    }
    let scale = folds.maps as f64 / values.len().max(1) as f64;
    sums.into_iter().map(|sum| sum * scale).collect()
}

fn interval_over_maps(values: &[f64], folds: &Folds) -> Option<[f64; 2]> {
    let means = map_means(values, folds);
    let interval = mean(&means, &Strata::new([means.len()])).interval?;
    Some([interval.low, interval.high])
}

/// Returns the root mean square of the error of a planner's predictions, in 1/10,000.
fn error(utilities: &[Vec<f64>], predicted: &[Vec<i32>], planner: usize) -> i32 {
    let square = |(utilities, predicted): (&Vec<f64>, &Vec<i32>)| {
        utilities[planner].mul_add(-UNITS, f64::from(predicted[planner])).powi(2)
    };
    let sum: f64 = utilities.iter().zip(predicted).map(square).sum();
    (sum / utilities.len().max(1) as f64).sqrt().round() as i32
}

fn average(utilities: &[Vec<f64>], value: impl Fn(&[f64]) -> f64) -> f64 {
    utilities.iter().map(|row| value(row)).sum::<f64>() / utilities.len().max(1) as f64
}

/// Returns the mean, over all pairs of problems with different types on the same map, of what the best planner for each of
/// the two completes more than the best one for both. It is a bound: the groups do not meet, and the choices are perfect.
fn two_groups(data: &Dataset) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0_f64);
    for a in 0..data.len() {
        for b in a + 1..data.len() {
            let [one, other] = [a, b].map(|at| &data.groups[at]);
            if one.map != other.map || one.kind == other.kind {
                continue;
            }
            let [one, other] = [a, b].map(|at| &data.utilities[at]);
            let best = |row: &[f64]| row.iter().copied().fold(0.0, f64::max);
            let joint: Vec<f64> = one.iter().zip(other).map(|(one, other)| one + other).collect();
            sum += (best(one) + best(other) - best(&joint)) / 2.0;
            pairs += 1.0;
        }
    }
    sum / pairs.max(1.0)
}

/// Returns the planner with the highest mean, and its mean.
pub fn best_planner(data: &Dataset) -> Option<(&str, f64)> {
    let all: Vec<usize> = (0..data.len()).collect();
    let best = best_single(&data.utilities, &all)?;
    Some((&data.algorithms[best], average(&data.utilities, |row| row[best])))
}

#[cfg(test)]
mod tests {
    use throng::grid::SeededRng;
    use throng_select::{FEATURES, FeatureVector};

    use super::*;
    use crate::select::{Group, Measure};

    /// Problems on twenty maps; if feature 3 is above 500, the second planner completes more, elsewhere the first one does.
    /// `luck` hides the difference.
    fn problems(difference: f64, luck: f64) -> Dataset {
        let mut rng = SeededRng::new(1);
        let mut data = Dataset {
            measure: Measure::Completion,
            features: FEATURES.iter().map(|feature| feature.name.to_owned()).collect(),
            rows: Vec::new(),
            groups: Vec::new(),
            algorithms: ["dm", "lra", "bmaa"].map(str::to_owned).to_vec(),
            utilities: Vec::new(),
            ids: Vec::new(),
            travel: None,
            labels: None,
        };
        for problem in 0..400 {
            let row: Vec<i32> = (0..FEATURES.len()).map(|_| rng.between(0, 1_000)).collect();
            let mut noise = || luck * f64::from(rng.between(-500, 500)) / 500.0;
            let second = if row[3] > 500 { difference } else { -difference - 0.01 };
            data.utilities.push(vec![0.5 + noise(), 0.5 + second + noise(), 0.1]);
            let [map, kind] = [format!("map {}", problem % 20), format!("type {}", problem / 20 % 2)];
            data.groups.push(Group { game: "game".to_owned(), map, kind });
            data.rows.push(row);
        }
        data
    }

    #[test]
    fn a_choice_that_pays_is_learned_and_useless_planners_are_left_out() {
        let trained = train_auto(&problems(0.2, 0.05), "test").unwrap();
        assert_eq!(trained.portfolio, ["dm", "lra"]);
        assert_eq!((trained.problems, trained.maps), (400, 20));
        assert!(trained.margin.is_some() && trained.picks > trained.single + 0.08, "{}", trained.picks);
        assert!(trained.gain.is_some_and(|[low, _]| low > 0.05), "{:?}", trained.gain);
        // In half of the pairs each group wants another planner, which gains 0.1.
        assert!((0.04..0.06).contains(&trained.two_groups), "{}", trained.two_groups);
        let mut values = vec![0; FEATURES.len()];
        let mut pick = |value: i32| {
            values[3] = value;
            trained.model.pick(&FeatureVector::from_values(&values).unwrap())
        };
        assert_eq!([pick(100), pick(900)], [0, 1]);
        let again = train_auto(&problems(0.2, 0.05), "test").unwrap();
        assert_eq!(again.model.write(), trained.model.write());
    }

    #[test]
    fn a_choice_that_does_not_pay_is_not_made() {
        let trained = train_auto(&problems(0.0, 0.3), "test").unwrap();
        assert_eq!(trained.margin, None);
        assert_eq!(trained.portfolio.len(), 1, "luck decides which one is best on average");
        assert_eq!((trained.picks, trained.model.forests()[0].nodes()), (trained.single, 0));
        let alone = problems(0.0, 0.0);
        let trained = train_auto(&alone, "test").unwrap();
        assert_eq!((trained.margin, trained.portfolio), (None, vec!["dm".to_owned()]));
        assert_eq!(best_planner(&alone).map(|(name, _)| name), Some("dm"));
    }
}
