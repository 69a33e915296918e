//! The result of an evaluation over all splits, as the command line prints it.

use serde::Serialize;

use super::evaluate::{Portfolio, Trial};
use super::outcome::{PickOutcome, SplitOutcome};
use super::{Holdout, Measure};
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

/// What a selector could reach that knows the expected utilities of map and type, but not the luck of an instance.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ExpectedUtility {
    /// Mean quality of its picks.
    pub quality: f64,
    /// Share of the gap between prior and best that its picks close.
    pub gap_closed: Spread,
}

/// How much a feature decided.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FeatureImportance {
    /// The name of the feature.
    pub feature: String,
    /// Mean absolute contribution to the difference between the pick and the runner-up, in units of utility.
    pub contribution: f64,
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
    /// The features, the most important first; empty if the model has no measure of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub importance: Vec<FeatureImportance>,
}

/// The evaluation of several models on the same splits.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Evaluation {
    /// What is chosen: algorithms or labels. If each split forms its own portfolio, that of all instances.
    pub portfolio: Vec<String>,
    /// The number of instances: the largest of all splits.
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
    /// What is possible with the expected utilities of map and type.
    pub expected_utility: ExpectedUtility,
    /// Each choice alone; empty if each split forms its own portfolio.
    pub singles: Vec<Single>,
}

impl Evaluation {
    /// Joins the outcomes of all splits; none without splits.
    pub(super) fn join(
        trials: &[Trial<'_>],
        portfolio: &Portfolio,
        holdout: Holdout,
        outcomes: &[SplitOutcome],
    ) -> Option<Self> {
        let first = &*trials.first()?.data;
        let joined = Joined { measure: first.measure, outcomes };
        let names = portfolio.names(first);
        let singles = match portfolio {
            Portfolio::Greedy(_) => Vec::new(),
            _ => (0..names.len()).map(|at| joined.single(&names[at], at)).collect(),
        };
        let models = outcomes.first().map_or(0, |outcome| outcome.models.len());
        Some(Self {
            instances: trials.iter().map(|trial| trial.data.len()).max().unwrap_or(0),
            splits: trials.len(),
            holdout,
            models: (0..models).map(|at| joined.model(at, &first.features)).collect(),
            prior: joined.quality(|outcome| &outcome.prior),
            perfect_label: portfolio
                .is_labels()
                .then(|| joined.quality(|outcome| outcome.perfect_label.as_ref().unwrap_or(&outcome.best))),
            best: joined.quality(|outcome| &outcome.best),
            worst: joined.quality(|outcome| &outcome.worst),
            expected_utility: ExpectedUtility {
                quality: joined.quality(|outcome| &outcome.expected).quality,
                gap_closed: joined.gap_closed(|outcome| &outcome.expected),
            },
            singles,
            portfolio: names,
        })
    }
}

/// The outcomes of all splits.
struct Joined<'a> {
    measure: Measure,
    outcomes: &'a [SplitOutcome],
}

impl Joined<'_> {
    fn values(&self, of: impl Fn(&SplitOutcome) -> f64) -> Vec<f64> {
        self.outcomes.iter().map(of).collect()
    }

    fn quality(&self, of: impl Fn(&SplitOutcome) -> &PickOutcome) -> Quality {
        Quality::of(&self.values(|outcome| self.measure.quality(of(outcome).utility)))
    }

    fn gap_closed(&self, of: impl Fn(&SplitOutcome) -> &PickOutcome) -> Spread {
        let closed: Vec<f64> = self.outcomes.iter().filter_map(|outcome| of(outcome).gap_closed).collect();
        Spread::of(&closed)
    }

    fn single(&self, name: &str, at: usize) -> Single {
        let share = self.values(|outcome| outcome.singles[at].accuracy.unwrap_or(0.0));
        Single {
            name: name.to_owned(),
            quality: self.quality(|outcome| &outcome.singles[at]).quality,
            best_share: Quality::of(&share).quality,
        }
    }

    fn model(&self, at: usize, features: &[String]) -> ModelEvaluation {
        let values = |of: &dyn Fn(&PickOutcome) -> f64| self.values(|outcome| of(&outcome.models[at]));
        let accuracy = Quality::of(&values(&|model| model.accuracy.unwrap_or(0.0)));
        let quality = self.quality(|outcome| &outcome.models[at]);
        let gains = values(&|model| model.over_prior);
        let choices = self.outcomes.iter().map(|outcome| outcome.models[at].chosen.len()).max().unwrap_or(0);
        let share = |choice: usize| values(&|model| model.chosen.get(choice).copied().unwrap_or(0.0));
        ModelEvaluation {
            model: self.outcomes[0].models[at].name.clone(),
            accuracy: accuracy.quality,
            accuracy_deviation: accuracy.deviation,
            balanced_accuracy: Quality::of(&values(&|model| model.balanced_accuracy.unwrap_or(0.0))).quality,
            quality: quality.quality,
            quality_deviation: quality.deviation,
            gap_closed: self.gap_closed(|outcome| &outcome.models[at]),
            over_prior: Spread::of(&gains),
            splits_won: gains.iter().filter(|&&gain| gain > 1e-9).count(),
            chosen: (0..choices).map(|choice| Quality::of(&share(choice)).quality).collect(),
            importance: self.importance(at, features),
        }
    }

    /// Returns the mean importance of each feature, the largest first.
    fn importance(&self, at: usize, features: &[String]) -> Vec<FeatureImportance> {
        let all: Option<Vec<&Vec<f64>>> =
            self.outcomes.iter().map(|outcome| outcome.models[at].importance.as_ref()).collect();
        let Some(all) = all.filter(|all| all.iter().all(|values| values.len() == features.len())) else {
            return Vec::new();
        };
        let mean = |feature: usize| all.iter().map(|values| values[feature]).sum::<f64>() / all.len() as f64;
        let mut found: Vec<FeatureImportance> = features
            .iter()
            .enumerate()
            .map(|(at, feature)| FeatureImportance { feature: feature.clone(), contribution: mean(at) })
            .filter(|found| found.contribution > 0.0)
            .collect();
        found.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then(a.feature.cmp(&b.feature)));
        found
    }
}
