//! Evaluates learners on splits of a dataset: accuracy, quality, and the share of the gap between prior and best that is
//! closed.

use rayon::prelude::*;

use super::evaluation::{Evaluation, ModelEvaluation, Quality, Single, Spread};
use super::portfolio::{best_single, greedy_portfolio};
use super::{Dataset, Holdout, Inputs, Learner, Split, argmax};

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
        let best = |at: usize| argmax(&utilities_of(data, &algorithms, at));
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
            _ => utilities_of(data, &choices.algorithms, at),
        }
    }

    /// Returns the names of the choices.
    fn names(&self, data: &Dataset) -> Vec<String> {
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

fn utilities_of(data: &Dataset, algorithms: &[usize], at: usize) -> Vec<f64> {
    algorithms.iter().map(|&algorithm| data.utilities[at][algorithm]).collect()
}

/// The outcome of one split. Utilities are means over its test part.
struct Outcome {
    prior: f64,
    label: f64,
    best: f64,
    worst: f64,
    /// The utility of each choice alone, and the share of the instances for which it is the right one.
    singles: Vec<(f64, f64)>,
    models: Vec<ModelOutcome>,
}

/// The outcome of one model on one split.
struct ModelOutcome {
    accuracy: f64,
    balanced_accuracy: f64,
    utility: f64,
    /// The share of the instances for which each choice was chosen.
    chosen: Vec<f64>,
}

/// Evaluates learners on splits.
pub fn evaluate(
    data: &Dataset,
    portfolio: &Portfolio,
    (holdout, splits): (Holdout, &[Split]),
    learners: &[&dyn Learner],
) -> Evaluation {
    let groups = data.group_rows();
    let outcomes: Vec<Outcome> =
        splits.par_iter().map(|split| outcome(data, &groups, portfolio, split, learners)).collect();
    let quality = |of: fn(&Outcome) -> f64| {
        Quality::of(&outcomes.iter().map(|outcome| data.measure.quality(of(outcome))).collect::<Vec<_>>())
    };
    let names = portfolio.names(data);
    let mean = |of: &dyn Fn(&Outcome) -> f64| outcomes.iter().map(of).sum::<f64>() / outcomes.len() as f64;
    let single = |(at, name): (usize, &String)| Single {
        name: name.clone(),
        quality: data.measure.quality(mean(&|outcome| outcome.singles[at].0)),
        best_share: mean(&|outcome| outcome.singles[at].1),
    };
    let singles = match portfolio {
        Portfolio::Greedy(_) => Vec::new(),
        _ => names.iter().enumerate().map(single).collect(),
    };
    let labels = matches!(portfolio, Portfolio::Labels { .. });
    Evaluation {
        instances: data.len(),
        splits: splits.len(),
        holdout,
        models: (0..learners.len()).map(|at| model(data, learners[at], at, &outcomes)).collect(),
        prior: quality(|outcome| outcome.prior),
        perfect_label: labels.then(|| quality(|outcome| outcome.label)),
        best: quality(|outcome| outcome.best),
        worst: quality(|outcome| outcome.worst),
        singles,
        portfolio: names,
    }
}

/// Learns and tests on one split.
fn outcome(
    data: &Dataset,
    groups: &[Vec<i32>],
    portfolio: &Portfolio,
    Split { train, test }: &Split,
    learners: &[&dyn Learner],
) -> Outcome {
    let choices = portfolio.choices(data, train);
    let mean = |of: &dyn Fn(usize) -> f64| test.iter().map(|&at| of(at)).sum::<f64>() / test.len() as f64;
    let prior = |at: usize| data.utilities[at][choices.prior];
    let worth = |at: usize, choice: usize| data.utilities[at][choices.algorithms[choice]];
    let extreme = |at: usize, pick: fn(f64, f64) -> f64| {
        utilities_of(data, &choices.algorithms, at).into_iter().fold(prior(at), pick)
    };
    let single = |choice: usize| {
        let right = |at: usize| if choices.labels[at] == choice { 1.0 } else { 0.0 };
        (mean(&|at| worth(at, choice)), mean(&right))
    };
    let targets: Vec<Vec<f64>> = train.iter().map(|&at| portfolio.target(data, &choices, at)).collect();
    let numbers: Vec<Vec<i32>> = (0..data.len()).map(|at| vec![at as i32]).collect();
    let tested = |learner: &&dyn Learner| {
        let rows = match learner.inputs() {
            Inputs::Features => &data.rows,
            Inputs::Group => groups,
            Inputs::Number => &numbers,
        };
        let seen: Vec<&[i32]> = train.iter().map(|&at| rows[at].as_slice()).collect();
        let learned = learner.fit(&seen, &targets);
        let picks: Vec<usize> = test.iter().map(|&at| argmax(&learned.utilities(&rows[at]))).collect();
        let utility =
            test.iter().zip(&picks).map(|(&at, &pick)| worth(at, pick)).sum::<f64>() / test.len() as f64;
        let right: Vec<usize> = test.iter().map(|&at| choices.labels[at]).collect();
        model_outcome(&picks, &right, choices.algorithms.len(), utility)
    };
    Outcome {
        prior: mean(&prior),
        label: mean(&|at| worth(at, choices.labels[at])),
        best: mean(&|at| extreme(at, f64::max)),
        worst: mean(&|at| extreme(at, f64::min)),
        singles: (0..choices.algorithms.len()).map(single).collect(),
        models: learners.iter().map(tested).collect(),
    }
}

/// Compares picks with the right choices.
fn model_outcome(picks: &[usize], right: &[usize], choices: usize, utility: f64) -> ModelOutcome {
    let count = |is: &dyn Fn(usize, usize) -> bool| {
        picks.iter().zip(right).filter(|&(&pick, &right)| is(pick, right)).count() as f64
    };
    let present: Vec<usize> = (0..choices).filter(|choice| right.contains(choice)).collect();
    let recall = |&choice: &usize| {
        count(&|pick, right| right == choice && pick == choice) / count(&|_, right| right == choice)
    };
    ModelOutcome {
        accuracy: count(&|pick, right| pick == right) / picks.len() as f64,
        balanced_accuracy: present.iter().map(recall).sum::<f64>() / present.len() as f64,
        utility,
        chosen: (0..choices).map(|choice| count(&|pick, _| pick == choice) / picks.len() as f64).collect(),
    }
}

/// Joins the outcomes of a model.
fn model(data: &Dataset, learner: &dyn Learner, at: usize, outcomes: &[Outcome]) -> ModelEvaluation {
    let values = |of: &dyn Fn(&Outcome, &ModelOutcome) -> f64| -> Vec<f64> {
        outcomes.iter().map(|outcome| of(outcome, &outcome.models[at])).collect()
    };
    let accuracy = Quality::of(&values(&|_, model| model.accuracy));
    let quality = Quality::of(&values(&|_, model| data.measure.quality(model.utility)));
    let gains = values(&|outcome, model| model.utility - outcome.prior);
    let gaps = values(&|outcome, _| outcome.best - outcome.prior);
    let closed: Vec<f64> =
        gains.iter().zip(&gaps).filter(|(_, gap)| **gap > 1e-9).map(|(gain, gap)| gain / gap).collect();
    let choices = outcomes.iter().map(|outcome| outcome.models[at].chosen.len()).max().unwrap_or(0);
    let share = |choice: usize| values(&|_, model| model.chosen.get(choice).copied().unwrap_or(0.0));
    ModelEvaluation {
        model: learner.name(),
        accuracy: accuracy.quality,
        accuracy_deviation: accuracy.deviation,
        balanced_accuracy: Quality::of(&values(&|_, model| model.balanced_accuracy)).quality,
        quality: quality.quality,
        quality_deviation: quality.deviation,
        gap_closed: Spread::of(&closed),
        over_prior: Spread::of(&gains),
        splits_won: gains.iter().filter(|&&gain| gain > 1e-9).count(),
        chosen: (0..choices).map(|choice| Quality::of(&share(choice)).quality).collect(),
    }
}
