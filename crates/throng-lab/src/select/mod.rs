//! Algorithm selection: which algorithm of a portfolio to use on an instance.
//!
//! J. R. Rice, *The Algorithm Selection Problem*, Advances in Computers 15, 1976. A [`Dataset`] has a row of features and the
//! utility of every algorithm per instance. A [`Learner`] learns from the training part of a [`Split`], and [`evaluate`]
//! measures its picks on the test part, between the single best algorithm of the training part and the virtual best one.
//! Portfolio, prior and the algorithm of a label also come from the training part alone.

mod baselines;
mod boosting;
mod configurations;
pub mod crowd;
mod crowd_dataset;
mod dataset;
mod evaluate;
mod evaluation;
pub mod features;
pub mod pictures;
mod portfolio;
mod predictions;
pub mod single_agent;
mod splits;
mod task;
mod trees;

pub use baselines::{Lookup, NearestNeighbours, RandomPick};
pub use boosting::{Binned, Boosting};
pub use configurations::{CONFIGURATION_SEED, configurations, specification};
pub use crowd_dataset::{CROWD_FILE, CrowdData, ExpectedUtility, PRICES_FILE, WorkLimit, expected_utility};
pub use dataset::{Dataset, Group, InstanceId, Measure};
pub use evaluate::{Choices, Portfolio, evaluate};
pub use evaluation::{Evaluation, ModelEvaluation, Quality, Single, Spread};
pub use portfolio::{best_single, greedy_portfolio, random_portfolio, virtual_best, worst};
pub use predictions::{Prediction, StoredEvaluation, StoredPredictions, evaluate_stored, training_hash};
pub use splits::{Holdout, Split, splits};
pub use task::{SelectionTask, crowd_splits, crowd_task_name};
pub use trees::Trees;

/// What a learner sees of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inputs {
    /// The features.
    #[default]
    Features,
    /// The numbers of game, map and type: for baselines that know where an instance comes from.
    Group,
    /// The number of the instance in the dataset: for predictions that were made elsewhere.
    Number,
}

/// A method that learns to predict utilities.
pub trait Learner: Sync {
    /// Returns the name in evaluations.
    fn name(&self) -> String;

    /// Returns what the rows of this learner are.
    fn inputs(&self) -> Inputs {
        Inputs::Features
    }

    /// Learns from instances: their rows, and the utility of every choice for each of them. Higher is better. A label that
    /// is to be predicted has utility 1 and all others 0.
    fn fit(&self, rows: &[&[i32]], utilities: &[Vec<f64>]) -> Box<dyn Predictor>;
}

/// What a learner has learned.
pub trait Predictor {
    /// Returns the predicted utility of every choice. The first of the highest is picked.
    fn utilities(&self, row: &[i32]) -> Vec<f64>;
}

/// Returns the position of the first of the largest values; 0 without values.
pub fn argmax(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best })
}

#[cfg(test)]
mod tests;
