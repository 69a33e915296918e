//! Evaluates learners: each learns from the training part of a split and picks for its test part.
//!
//! Everything that a selector may know comes from the training part of its [`Trial`]: the portfolio, the prior, the algorithm
//! of a label, and for crowds the limit of work. The prior, single algorithms, the best and the worst choice are judged by
//! the same function as the models.

use std::borrow::Cow;

use rayon::prelude::*;

use super::evaluation::Evaluation;
use super::outcome::{Judge, SplitOutcome};
use super::portfolio::{best_single, greedy_portfolio};
use super::{Dataset, Holdout, Learner, Split, argmax, importance};

/// The choices of a selector. They are made from the training part of each split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Portfolio {
    /// All algorithms of the dataset.
    All,
    /// At most this number of algorithms, formed greedily.
    Greedy(usize),
    /// A label is predicted, and stands for the algorithm that is best on the training instances with this label.
    Labels {
        /// The names of the labels.
        names: Vec<String>,
        /// The label of each instance.
        of: Vec<usize>,
    },
}

/// A split with its data. The data may depend on the training part.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// The instances.
    pub data: Cow<'a, Dataset>,
    /// The parts, as numbers of these instances.
    pub split: Split,
}

impl<'a> Trial<'a> {
    /// Returns the trials of data that do not depend on the split.
    pub fn all(data: &'a Dataset, splits: Vec<Split>) -> Vec<Self> {
        splits.into_iter().map(|split| Self { data: Cow::Borrowed(data), split }).collect()
    }
}

/// The choices of one split.
pub struct Choices {
    /// The algorithm of each choice.
    pub algorithms: Vec<usize>,
    /// The right choice of each instance.
    pub labels: Vec<usize>,
    /// The single best algorithm of the training part.
    pub prior: usize,
}

impl Portfolio {
    /// Returns true if a label is predicted instead of an algorithm.
    pub(super) const fn is_labels(&self) -> bool {
        matches!(self, Self::Labels { .. })
    }

    /// Returns the choices that a training part gives.
    pub fn choices(&self, data: &Dataset, train: &[usize]) -> Choices {
        let prior = best_single(&data.utilities, train).unwrap_or(0);
        let algorithms: Vec<usize> = match self {
            Self::All => (0..data.algorithms.len()).collect(),
            Self::Greedy(size) => greedy_portfolio(&data.utilities, train, *size),
            Self::Labels { names, of } => {
                let with = |label| train.iter().copied().filter(|&at| of[at] == label).collect::<Vec<_>>();
                (0..names.len())
                    .map(|label| best_single(&data.utilities, &with(label)).unwrap_or(prior))
                    .collect()
            }
        };
        let best = |at: usize| {
            argmax(&algorithms.iter().map(|&algorithm| data.utilities[at][algorithm]).collect::<Vec<_>>())
        };
        let labels = match (self, &data.labels) {
            (Self::Labels { of, .. }, _) => of.clone(),
            (Self::All, Some(labels)) => labels.clone(),
            _ => (0..data.len()).map(best).collect(),
        };
        Choices { algorithms, labels, prior }
    }

    /// Returns what a learner learns of an instance.
    pub fn target(&self, data: &Dataset, choices: &Choices, at: usize) -> Vec<f64> {
        match self {
            Self::Labels { names, of } => {
                (0..names.len()).map(|label| if of[at] == label { 1.0 } else { 0.0 }).collect()
            }
            _ => choices.algorithms.iter().map(|&algorithm| data.utilities[at][algorithm]).collect(),
        }
    }

    /// Returns the names of the choices.
    pub(super) fn names(&self, data: &Dataset) -> Vec<String> {
        match self {
            Self::All => data.algorithms.clone(),
            Self::Labels { names, .. } => names.clone(),
            Self::Greedy(_) => {
                let all: Vec<usize> = (0..data.len()).collect();
                let formed = self.choices(data, &all).algorithms;
                formed.into_iter().map(|algorithm| data.algorithms[algorithm].clone()).collect()
            }
        }
    }
}

/// Evaluates learners on trials. Returns `None` without trials.
pub fn evaluate(
    trials: &[Trial<'_>],
    portfolio: &Portfolio,
    holdout: Holdout,
    learners: &[&dyn Learner],
) -> Option<Evaluation> {
    let outcomes: Vec<SplitOutcome> =
        trials.par_iter().map(|trial| evaluate_trial(trial, portfolio, learners)).collect();
    Evaluation::join(trials, portfolio, holdout, &outcomes)
}

/// Evaluates learners on one trial.
pub fn evaluate_trial(trial: &Trial<'_>, portfolio: &Portfolio, learners: &[&dyn Learner]) -> SplitOutcome {
    let data = &*trial.data;
    let Split { train, test } = &trial.split;
    let judge = Judge::new(trial, portfolio);
    let targets: Vec<Vec<f64>> = train.iter().map(|&at| portfolio.target(data, &judge.choices, at)).collect();
    let tested = |learner: &&dyn Learner| {
        let columns = data.columns(learner.inputs());
        let rows = data.inputs(learner.inputs());
        let seen: Vec<&[i32]> = train.iter().map(|&at| rows[at].as_slice()).collect();
        let learned = learner.fit(&seen, &targets);
        let picks: Vec<usize> = test.iter().map(|&at| argmax(&learned.utilities(&rows[at]))).collect();
        let mut outcome = judge.choices(&learner.name(), &picks);
        let asked = test.iter().map(|&at| rows[at].as_slice());
        outcome.importance = importance::mean(&*learned, asked)
            .map(|values| importance::spread(&values, &columns, data.features.len()));
        outcome
    };
    judge.outcome(learners.iter().map(tested).collect())
}
