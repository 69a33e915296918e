//! The model: one forest of regression trees per planner, whose sum predicts the planner's utility.
//!
//! Trees are boosted (J. H. Friedman, *Greedy Function Approximation: A Gradient Boosting Machine*, Annals of Statistics
//! 29(5), 2001) by the laboratory and stored as one flat table of nodes. Thresholds and leaves are integers, so that a
//! prediction is exact and the same on every machine. Leaves are in 1/1,000,000, predictions in 1/10,000.

mod explain;
mod file;

pub use self::explain::{Explanation, Reason};
pub use self::file::ModelError;
use crate::features::{FEATURES, FeatureVector};

/// Units of a leaf per unit of a prediction.
const LEAF_UNITS: i64 = 100;

/// A node of a regression tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// Asks for a feature. Both children lie behind the node in the same tree.
    Split {
        /// The number of the feature in [`FEATURES`].
        feature: u16,
        /// The left child is taken if the feature is at most this value, the right child otherwise.
        threshold: i32,
        /// Position of the left child in the tree. The right child is the next node after it.
        left: u32,
        /// The mean of the leaves below, weighted by training instances, in 1/1,000,000. Explanations use it.
        mean: i32,
    },
    /// Ends a path.
    Leaf {
        /// What the tree adds to the prediction, in 1/1,000,000.
        value: i32,
    },
}

impl Node {
    /// Returns the value of a leaf or the mean of the leaves below a split.
    fn mean(self) -> i32 {
        match self {
            Self::Split { mean, .. } => mean,
            Self::Leaf { value } => value,
        }
    }
}

/// The trees that predict the utility of one planner.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Forest {
    /// What the prediction starts from, in 1/1,000,000.
    pub base: i32,
    /// Root mean square of the prediction's error on instances that were not used for training, in 1/10,000.
    pub error: i32,
    /// The trees; the first node of each is its root.
    pub trees: Vec<Vec<Node>>,
}

impl Forest {
    /// Returns the prediction in 1/10,000.
    pub fn predict(&self, features: &[i32]) -> i32 {
        let leaf = |tree: &Vec<Node>| path(tree, features).last().map_or(0, |node| i64::from(node.mean()));
        let sum = i64::from(self.base) + self.trees.iter().map(leaf).sum::<i64>();
        (sum + LEAF_UNITS / 2).div_euclid(LEAF_UNITS).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    }

    /// Returns the number of nodes of all trees.
    pub fn nodes(&self) -> usize {
        self.trees.iter().map(Vec::len).sum()
    }
}

/// Returns the nodes from the root to the leaf that features lead to.
fn path<'a>(tree: &'a [Node], features: &'a [i32]) -> impl Iterator<Item = Node> + 'a {
    let mut next = tree.first().copied();
    std::iter::from_fn(move || {
        let node = next?;
        next = match node {
            Node::Split { feature, threshold, left, .. } => {
                let right = features[usize::from(feature)] > threshold;
                Some(tree[left as usize + usize::from(right)])
            }
            Node::Leaf { .. } => None,
        };
        Some(node)
    })
}

/// A trained selector: a portfolio of planners, and the forest that predicts the utility of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    portfolio: Vec<String>,
    forests: Vec<Forest>,
    /// What the model was trained on, for people.
    note: String,
    /// See [`Model::margin`].
    margin: i32,
}

impl Model {
    /// Returns a model of planners, each with its forest, and a note on what it was trained on.
    ///
    /// # Errors
    /// If there is no planner, or a part is larger than a file can hold, or a tree is malformed.
    pub fn new(planners: Vec<(String, Forest)>, note: &str) -> Result<Self, ModelError> {
        let (portfolio, forests) = planners.into_iter().unzip();
        let model = Self { portfolio, forests, note: note.to_owned(), margin: 0 };
        file::validate(&model)?;
        Ok(model)
    }

    /// Sets the margin.
    #[must_use]
    pub fn with_margin(mut self, margin: i32) -> Self {
        self.margin = margin.max(0);
        self
    }

    /// Returns by how much another planner's predicted utility must exceed that of the first one of the portfolio before
    /// it is preferred, in 1/10,000. The first planner is the best one on average; a margin above 0 keeps errors of the
    /// prediction from costing more than the choice gains.
    pub fn margin(&self) -> i32 {
        self.margin
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If the file is damaged, of another version, or made for other features.
    pub fn read(bytes: &[u8]) -> Result<Self, ModelError> {
        file::read(bytes)
    }

    /// Returns the model as a file.
    pub fn write(&self) -> Vec<u8> {
        file::write(self)
    }

    /// Returns the specifications of the planners, in the order of [`Model::utilities`].
    pub fn portfolio(&self) -> &[String] {
        &self.portfolio
    }

    /// Returns the forests, in the order of the portfolio.
    pub fn forests(&self) -> &[Forest] {
        &self.forests
    }

    /// Returns the note on what the model was trained on.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Returns a hash of the whole model: the checksum of its file.
    pub fn hash(&self) -> u64 {
        file::checksum(&file::body(self))
    }

    /// Returns the predicted utility of each planner in 1/10,000.
    pub fn utilities(&self, features: &FeatureVector) -> Vec<i32> {
        self.forests.iter().map(|forest| forest.predict(features.values())).collect()
    }

    /// Returns the position in the portfolio of the planner with the largest predicted utility, the first among equals.
    pub fn pick(&self, features: &FeatureVector) -> usize {
        let utilities = self.utilities(features);
        (0..utilities.len()).rev().max_by_key(|&planner| utilities[planner]).unwrap_or(0)
    }

    /// Returns what each feature contributed to the difference between the predicted utilities of two planners, the largest
    /// contributions first, in either direction.
    ///
    /// # Panics
    /// If one of the positions is outside of the portfolio.
    pub fn explain_between(&self, features: &FeatureVector, planner: usize, other: usize) -> Vec<Reason> {
        explain::reasons(self, features, planner, Some(other))
    }

    /// Returns the pick and the features that led to it.
    pub fn explain(&self, features: &FeatureVector) -> Explanation {
        explain::explain(self, features)
    }
}

#[cfg(test)]
mod tests;
