//! Why a model picks a planner: what each feature contributed to the difference between the pick and the runner-up.
//!
//! Each step down a tree changes the mean of the leaves below; the change is attributed to the feature that the node
//! asks for (A. Saabas, *Interpreting Random Forests*, 2014). The contributions of a tree add up to its leaf less the
//! mean of all its leaves.

use super::{FEATURES, FeatureVector, Forest, LEAF_UNITS, Model, Node, path};

/// A feature's part in a pick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The name of the feature.
    pub feature: &'static str,
    /// What the feature means.
    pub meaning: &'static str,
    /// The value of the feature.
    pub value: i32,
    /// How much the feature raised the predicted utility of the pick above that of the runner-up, in 1/10,000. Negative
    /// if it speaks for the runner-up.
    pub contribution: i32,
}

/// A pick and its reasons.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// Position of the pick in the portfolio.
    pub pick: usize,
    /// Position of the planner with the second largest utility, `None` in a portfolio of one.
    pub runner_up: Option<usize>,
    /// Predicted utility of each planner in 1/10,000.
    pub utilities: Vec<i32>,
    /// All features that contributed, the largest contributions first, in either direction.
    pub reasons: Vec<Reason>,
}

pub(super) fn explain(model: &Model, features: &FeatureVector) -> Explanation {
    let utilities = model.utilities(features);
    let pick = model.pick(features);
    let runner_up = (0..utilities.len())
        .rev()
        .filter(|&planner| planner != pick)
        .max_by_key(|&planner| utilities[planner]);
    let reasons = reasons(model, features, pick, runner_up);
    Explanation { pick, runner_up, utilities, reasons }
}

/// Returns what each feature contributed to the prediction of a planner, less that of another one.
pub(super) fn reasons(
    model: &Model,
    features: &FeatureVector,
    planner: usize,
    other: Option<usize>,
) -> Vec<Reason> {
    let mut contributions = vec![0_i64; FEATURES.len()];
    contribute(&model.forests[planner], features.values(), 1, &mut contributions);
    if let Some(other) = other {
        contribute(&model.forests[other], features.values(), -1, &mut contributions);
    }
    let reasons = FEATURES.iter().zip(features.values()).zip(contributions);
    let mut reasons: Vec<Reason> = reasons
        .map(|((feature, &value), contribution)| Reason {
            feature: feature.name,
            meaning: feature.meaning,
            value,
            contribution: (contribution / LEAF_UNITS).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32,
        })
        .filter(|reason| reason.contribution != 0)
        .collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.contribution.abs()));
    reasons
}

/// Adds the contribution of each feature to a forest's prediction, times a sign.
fn contribute(forest: &Forest, features: &[i32], sign: i64, contributions: &mut [i64]) {
    for tree in &forest.trees {
        let mut above: Option<Node> = None;
        for node in path(tree, features) {
            if let Some(Node::Split { feature, mean, .. }) = above {
                contributions[usize::from(feature)] += sign * (i64::from(node.mean()) - i64::from(mean));
            }
            above = Some(node);
        }
    }
}
