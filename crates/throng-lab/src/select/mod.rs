//! Algorithm selection: which algorithm of a portfolio to use on an instance.
//!
//! J. R. Rice, *The Algorithm Selection Problem*, Advances in Computers 15, 1976. A [`Dataset`] has a row of features and the
//! utility of every algorithm per instance. A [`Learner`] learns from the training part of a [`Split`], and [`evaluate`]
//! measures its picks on the test part, between the single best algorithm of the training part and the virtual best one.
//! Portfolio, prior, the algorithm of a label and the limit of work also come from the training part alone.

mod auto_dataset;
mod auto_models;
mod baselines;
mod boosting;
mod charts;
mod combined;
mod configurations;
pub mod crowd;
mod crowd_dataset;
mod dataset;
mod evaluate;
mod evaluation;
pub mod features;
mod importance;
mod models;
mod outcome;
pub mod pictures;
mod portfolio;
mod predictions;
mod ridge;
pub(crate) mod sample;
pub mod single_agent;
mod situations;
mod splits;
mod task;
mod trees;

pub use auto_dataset::{AUTO_FILE, AutoData, AutoProblem, AutoRuns, BudgetKind};
pub use auto_models::{AutoModel, best_planner, train_auto};
pub use baselines::{Lookup, NearestNeighbours, RandomPick};
pub use boosting::{Binned, Boosting};
pub use charts::{WorkCurve, importance_chart};
pub use combined::{Average, Probed};
pub use configurations::{CONFIGURATION_SEED, configurations, specification};
pub use crowd_dataset::{CROWD_FILE, CrowdData, CrowdTrials, LimitSpread, PRICES_FILE, WorkLimit};
pub use dataset::{Dataset, Group, InstanceId, Measure};
pub use evaluate::{Choices, Portfolio, Trial, evaluate, evaluate_trial};
pub use evaluation::{
    Evaluation, ExpectedUtility, FeatureImportance, ModelEvaluation, Quality, Single, Spread,
};
pub use models::Target;
pub use outcome::{PickOutcome, SplitOutcome};
pub use portfolio::{best_single, greedy_portfolio, random_portfolio, virtual_best, worst};
pub use predictions::{Prediction, StoredEvaluation, StoredPredictions, evaluate_stored, training_hash};
pub use ridge::Ridge;
pub use situations::{Situation, situations};
pub use splits::{Holdout, Split, splits};
pub use task::{SelectionTask, crowd_task_name};
pub use trees::Trees;

/// What a learner sees of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inputs {
    /// The features that are computed from map and problem without a search of the portfolio.
    #[default]
    Features,
    /// These and the features that searches of the portfolio on other problems of the map measured.
    Probed,
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

    /// Returns what each feature contributed to the difference between the utilities of the pick and of the runner-up; none if
    /// the model cannot tell.
    fn contributions(&self, row: &[i32]) -> Option<Vec<f64>> {
        let _ = row;
        None
    }
}

/// Returns the position of the first of the largest values; 0 without values.
pub fn argmax(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best })
}

#[cfg(test)]
mod tests;
