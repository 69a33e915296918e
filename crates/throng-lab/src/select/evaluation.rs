//! The result of an evaluation, as the command line prints it.

use serde::Serialize;

use super::Holdout;
use crate::stats::{Estimate, Strata, mean};

/// A mean over splits with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Spread {
    /// The mean; none without splits.
    pub mean: Option<f64>,
    /// The lower end; none with fewer than three splits.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Spread {
    /// Returns the mean of one value per split and its interval.
    pub(super) fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self { mean: None, low: None, high: None };
        }
        let Estimate { value, interval, .. } = mean(values, &Strata::new([values.len()]));
        Self {
            mean: Some(value),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
        }
    }
}

/// A quality: the mean over splits of the mean over their test parts.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Quality {
    /// The mean.
    pub quality: f64,
    /// The standard deviation over the splits, which the thesis prints after ±.
    pub deviation: f64,
}

impl Quality {
    /// Returns the mean and deviation of one value per split.
    pub(super) fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let quality = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - quality).powi(2)).sum();
        Self { quality, deviation: (squares / (count - 1.0).max(1.0)).sqrt() }
    }
}

/// A single algorithm of a fixed portfolio, or a label.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Single {
    /// Its name.
    pub name: String,
    /// Its quality if it is always chosen.
    pub quality: f64,
    /// The share of the test instances for which it is the right choice.
    pub best_share: f64,
}

/// The evaluation of one model.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ModelEvaluation {
    /// The name of the model.
    pub model: String,
    /// The share of right choices: the mean over the splits.
    pub accuracy: f64,
    /// The standard deviation of the accuracy over the splits.
    pub accuracy_deviation: f64,
    /// The mean over the choices of the share of their instances that were chosen rightly.
    pub balanced_accuracy: f64,
    /// The mean quality of the chosen algorithms.
    pub quality: f64,
    /// The standard deviation of the quality over the splits.
    pub quality_deviation: f64,
    /// The share of the gap between prior and best that is closed, computed per split. Splits without a gap do not count.
    pub gap_closed: Spread,
    /// How much better than the prior, in units of quality.
    pub over_prior: Spread,
    /// The number of splits in which it is better than the prior.
    pub splits_won: usize,
    /// The share of the test instances for which each choice was chosen, in the order of the portfolio.
    pub chosen: Vec<f64>,
}

/// The evaluation of several models on the same splits.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Evaluation {
    /// What is chosen: algorithms or labels. If each split forms its own portfolio, that of all instances.
    pub portfolio: Vec<String>,
    /// The number of instances.
    pub instances: usize,
    /// The number of splits.
    pub splits: usize,
    /// What test and training part do not share.
    pub holdout: Holdout,
    /// The models.
    pub models: Vec<ModelEvaluation>,
    /// The single best algorithm of the training part.
    pub prior: Quality,
    /// The perfect label; none if algorithms are chosen.
    pub perfect_label: Option<Quality>,
    /// The best algorithm of the portfolio, chosen per instance.
    pub best: Quality,
    /// The worst algorithm of the portfolio, chosen per instance.
    pub worst: Quality,
    /// Each choice alone; empty if each split forms its own portfolio.
    pub singles: Vec<Single>,
}
