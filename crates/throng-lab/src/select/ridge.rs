//! The model "ridge": regularised linear regression of every choice's utility, less the mean of the choices.
//!
//! A. E. Hoerl, R. W. Kennard, *Ridge Regression: Biased Estimation for Nonorthogonal Problems*, Technometrics 12(1), 1970.
//! Features are replaced by their signed logarithms and standardised on the training part. The penalty is the one of a few with the
//! smallest leave-one-out error on the training part, which has a closed form. With labels as targets this is a regularised
//! linear discriminant. It suits the few hundred maps, of which trees make too little.

use super::{Learner, Predictor};

/// The penalties that are tried, per training instance.
const PENALTIES: [f64; 7] = [0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0];

/// Standardised values are cut off here, so that a strange map does not decide a prediction.
const MOST_DEVIATIONS: f64 = 4.0;

/// Ridge regression.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ridge;

/// What was learned: how features are standardised, and the weights of each choice.
struct Linear {
    scale: Vec<(f64, f64)>,
    /// By choice: the mean, and one weight per feature.
    weights: Vec<(f64, Vec<f64>)>,
}

impl Learner for Ridge {
    fn name(&self) -> String {
        "ridge".to_owned()
    }

    fn fit(&self, rows: &[&[i32]], utilities: &[Vec<f64>]) -> Box<dyn Predictor> {
        let features = rows.first().map_or(0, |row| row.len());
        let choices = utilities.first().map_or(0, Vec::len);
        let scale: Vec<(f64, f64)> = (0..features).map(|at| scale_of(rows, at)).collect();
        let standardised: Vec<Vec<f64>> = rows.iter().map(|row| standardise(row, &scale)).collect();
        let means: Vec<f64> = (0..choices)
            .map(|choice| utilities.iter().map(|row| deviation(row, choice)).sum::<f64>() / rows.len() as f64)
            .collect();
        let targets: Vec<Vec<f64>> = (0..choices)
            .map(|choice| utilities.iter().map(|row| deviation(row, choice) - means[choice]).collect())
            .collect();
        let products = Products::new(&standardised, &targets, features);
        let fitted = PENALTIES
            .iter()
            .filter_map(|penalty| products.fit(&standardised, &targets, penalty * rows.len() as f64));
        let best = fitted.min_by(|a, b| a.0.total_cmp(&b.0));
        let weights = best.map_or_else(|| vec![vec![0.0; features]; choices], |(_, weights)| weights);
        Box::new(Linear { scale, weights: means.into_iter().zip(weights).collect() })
    }
}

impl Predictor for Linear {
    fn utilities(&self, row: &[i32]) -> Vec<f64> {
        let values = standardise(row, &self.scale);
        self.weights.iter().map(|(mean, weights)| mean + dot(weights, &values)).collect()
    }
}

/// Returns the utility of a choice less the mean of all choices.
fn deviation(utilities: &[f64], choice: usize) -> f64 {
    utilities[choice] - utilities.iter().sum::<f64>() / utilities.len() as f64
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the signed logarithm of a value.
fn logarithm(value: i32) -> f64 {
    f64::from(value).abs().ln_1p().copysign(f64::from(value))
}

/// Returns the mean of a feature, and the inverse of its standard deviation; 0 if it is constant.
fn scale_of(rows: &[&[i32]], feature: usize) -> (f64, f64) {
    let values = || rows.iter().map(|row| logarithm(row[feature]));
    let mean = values().sum::<f64>() / rows.len() as f64;
    let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / rows.len() as f64;
    (mean, if variance > 1e-12 { 1.0 / variance.sqrt() } else { 0.0 })
}

fn standardise(row: &[i32], scale: &[(f64, f64)]) -> Vec<f64> {
    let value = |(&value, &(mean, inverse)): (&i32, &(f64, f64))| {
        ((logarithm(value) - mean) * inverse).clamp(-MOST_DEVIATIONS, MOST_DEVIATIONS)
    };
    row.iter().zip(scale).map(value).collect()
}

/// The products that the normal equations are made of.
struct Products {
    /// Of the features with each other.
    squares: Vec<Vec<f64>>,
    /// Of the features with each target.
    targets: Vec<Vec<f64>>,
}

impl Products {
    fn new(rows: &[Vec<f64>], targets: &[Vec<f64>], features: usize) -> Self {
        let mut squares = vec![vec![0.0; features]; features];
        for row in rows {
            for (a, line) in squares.iter_mut().enumerate() {
                for (sum, value) in line.iter_mut().zip(row).take(a + 1) {
                    *sum += row[a] * value;
                }
            }
        }
        let with = |target: &Vec<f64>| {
            let product =
                |feature: usize| rows.iter().zip(target).map(|(row, value)| row[feature] * value).sum();
            (0..features).map(product).collect()
        };
        Self { squares, targets: targets.iter().map(with).collect() }
    }

    /// Returns the leave-one-out error with a penalty, and the weights of each target. Returns `None` if the equations have no
    /// solution.
    fn fit(&self, rows: &[Vec<f64>], targets: &[Vec<f64>], penalty: f64) -> Option<(f64, Vec<Vec<f64>>)> {
        let mut squares = self.squares.clone();
        for (at, line) in squares.iter_mut().enumerate() {
            line[at] += penalty;
        }
        let lower = cholesky(squares)?;
        let weights: Vec<Vec<f64>> = self.targets.iter().map(|target| solve(&lower, target)).collect();
        let mut error = 0.0;
        for (at, row) in rows.iter().enumerate() {
            // The prediction of an instance without itself follows from its leverage, which the mean adds to.
            let half = forward(&lower, row);
            let leverage = dot(&half, &half) + 1.0 / rows.len() as f64;
            for (weights, target) in weights.iter().zip(targets) {
                error += ((target[at] - dot(weights, row)) / (1.0 - leverage).max(1e-6)).powi(2);
            }
        }
        Some((error, weights))
    }
}

/// Returns the lower triangle whose square is a symmetric matrix, of which the lower triangle is given.
fn cholesky(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    for at in 0..matrix.len() {
        let (above, rest) = matrix.split_at_mut(at);
        let line = &mut rest[0];
        for column in 0..at {
            let sum = dot(&line[..column], &above[column][..column]);
            line[column] = (line[column] - sum) / above[column][column];
        }
        let square = line[at] - dot(&line[..at], &line[..at]);
        if square <= 0.0 {
            return None;
        }
        line[at] = square.sqrt();
    }
    Some(matrix)
}

/// Solves the equations of a lower triangle.
fn forward(lower: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut solved: Vec<f64> = Vec::with_capacity(right.len());
    for (at, line) in lower.iter().enumerate() {
        solved.push((right[at] - dot(&line[..at], &solved)) / line[at]);
    }
    solved
}

/// Solves the equations of the matrix whose lower triangle is given.
fn solve(lower: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut solved = forward(lower, right);
    for at in (0..solved.len()).rev() {
        solved[at] /= lower[at][at];
        let value = solved[at];
        for (below, factor) in solved.iter_mut().zip(&lower[at]).take(at) {
            *below -= factor * value;
        }
    }
    solved
}

#[cfg(test)]
mod tests {
    use throng::grid::SeededRng;

    use super::*;
    use crate::select::argmax;

    fn instances(count: usize, seed: u64) -> (Vec<Vec<i32>>, Vec<Vec<f64>>) {
        let mut rng = SeededRng::new(seed);
        let row = |rng: &mut SeededRng| (0..12).map(|_| rng.between(0, 1_000)).collect::<Vec<i32>>();
        let rows: Vec<Vec<i32>> = (0..count).map(|_| row(&mut rng)).collect();
        let utilities = |row: &Vec<i32>| {
            let better = if f64::from(row[0]).ln_1p() > f64::from(row[1]).ln_1p() { 0.2 } else { -0.2 };
            vec![f64::from(row[2]), f64::from(row[2]) + better]
        };
        let all = rows.iter().map(utilities).collect();
        (rows, all)
    }

    #[test]
    fn the_better_choice_is_learned_from_few_instances() {
        let (rows, utilities) = instances(120, 1);
        let slices: Vec<&[i32]> = rows.iter().map(Vec::as_slice).collect();
        let learned = Ridge.fit(&slices, &utilities);
        let (unseen, truth) = instances(200, 2);
        let right = unseen
            .iter()
            .zip(&truth)
            .filter(|(row, truth)| argmax(&learned.utilities(row)) == argmax(truth))
            .count();
        assert!(right >= 160, "{right} of 200");
    }

    /// Each instance is left out and predicted by a model of the others with the same scale and mean.
    #[test]
    fn the_leave_one_out_error_is_that_of_models_without_the_instance() {
        let (rows, _) = instances(30, 3);
        let slices: Vec<&[i32]> = rows.iter().map(Vec::as_slice).collect();
        let scale: Vec<(f64, f64)> = (0..12).map(|at| scale_of(&slices, at)).collect();
        let standard: Vec<Vec<f64>> = slices.iter().map(|row| standardise(row, &scale)).collect();
        let mut rng = SeededRng::new(4);
        let target: Vec<f64> = (0..30).map(|_| f64::from(rng.between(-100, 100)) / 100.0).collect();
        let whole = Products::new(&standard, std::slice::from_ref(&target), 12);
        let lower = {
            let mut squares = whole.squares.clone();
            (0..12).for_each(|at| squares[at][at] += 5.0);
            cholesky(squares).unwrap()
        };
        let weights = solve(&lower, &whole.targets[0]);
        for left_out in 0..30 {
            let keep = |values: &[Vec<f64>]| -> Vec<Vec<f64>> {
                values
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| *at != left_out)
                    .map(|(_, row)| row.clone())
                    .collect()
            };
            let others: Vec<f64> = target
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != left_out)
                .map(|(_, value)| *value)
                .collect();
            let part = Products::new(&keep(&standard), std::slice::from_ref(&others), 12);
            let (_, slow) = part.fit(&keep(&standard), std::slice::from_ref(&others), 5.0).unwrap();
            let half = forward(&lower, &standard[left_out]);
            let fast = (target[left_out] - dot(&weights, &standard[left_out])) / (1.0 - dot(&half, &half));
            let slow = target[left_out] - dot(&slow[0], &standard[left_out]);
            assert!((fast - slow).abs() < 1e-9, "{fast} is not {slow}");
        }
    }

    #[test]
    fn constant_features_and_no_instances_do_no_harm() {
        let learned = Ridge.fit(&[&[1, 5], &[1, 6]], &[vec![0.0, 1.0], vec![0.0, 1.0]]);
        assert_eq!(argmax(&learned.utilities(&[3, 4])), 1);
        assert!(Ridge.fit(&[], &[]).utilities(&[1, 2]).is_empty());
    }
}
