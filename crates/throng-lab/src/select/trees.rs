//! The model "trees": boosted regression trees that predict the utility of every choice.
//!
//! Utilities of one instance rise and fall together: a hard instance is hard for every planner. Only their differences
//! matter for the pick. So one forest predicts the mean of the utilities, and one per choice its deviation from that mean;
//! their sum is the utility.

use throng_select::{Forest, Model, ModelError, Node};

use super::boosting::{Binned, Boosting};
use super::{Learner, Predictor, argmax};

/// Units of a utility in the trainer.
const UNITS: f64 = 1_000_000.0;

/// Units of a prediction of a forest.
const PREDICTION_UNITS: f64 = 10_000.0;

/// How forests are trained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trees {
    /// The forest of the mean.
    pub mean: Boosting,
    /// The forests of the deviations.
    pub deviation: Boosting,
}

impl Default for Trees {
    /// Returns settings that were chosen on splits of the crowd data whose seeds are not those of the evaluation.
    fn default() -> Self {
        let deviation = Boosting {
            trees: 200,
            leaves: 8,
            min_leaf: 15,
            learning_rate: 40,
            rows: 600,
            features: 200,
            regularization: 40,
            seed: 1,
        };
        // The mean does not affect the pick. It sees more features per tree, or it stays too near to the overall mean.
        Self { mean: Boosting { trees: 100, learning_rate: 80, features: 500, ..deviation }, deviation }
    }
}

impl Trees {
    /// Returns settings for labels of maps: leaves may be small, or a game with 15 maps would never have its own. Labels have no
    /// noise that small leaves could fit, unlike utilities.
    pub fn for_labels() -> Self {
        let Self { mean, deviation } = Self::default();
        let few = |boosting: Boosting| Boosting { min_leaf: 3, regularization: 5, ..boosting };
        Self { mean: few(mean), deviation: few(deviation) }
    }

    /// Returns settings for models that are part of a program: fewer trees.
    pub fn for_programs() -> Self {
        let deviation = Boosting {
            trees: 80,
            min_leaf: 10,
            learning_rate: 80,
            regularization: 10,
            ..Self::default().deviation
        };
        Self { mean: Boosting { trees: 30, learning_rate: 150, features: 500, ..deviation }, deviation }
    }

    /// Returns one forest per choice.
    pub fn forests(&self, rows: &[&[i32]], utilities: &[Vec<f64>]) -> Vec<Forest> {
        let Some(choices) = utilities.first().map(Vec::len) else { return Vec::new() };
        let data = Binned::new(rows);
        let targets: Vec<Vec<i64>> = utilities
            .iter()
            .map(|utilities| utilities.iter().map(|utility| (utility * UNITS).round() as i64).collect())
            .collect();
        let means: Vec<i64> =
            targets.iter().map(|targets| targets.iter().sum::<i64>() / choices as i64).collect();
        let mean = self.mean.fit(&data, &means);
        (0..choices)
            .map(|choice| {
                let deviations: Vec<i64> =
                    targets.iter().zip(&means).map(|(targets, mean)| targets[choice] - mean).collect();
                let mut forest = self.deviation.fit(&data, &deviations);
                forest.base += mean.base;
                forest.trees.extend(mean.trees.iter().cloned());
                forest
            })
            .collect()
    }

    /// Trains a model of a portfolio. The error of each forest is that on the instances `held_out` after training on the
    /// others; the forests themselves are trained on all.
    ///
    /// # Errors
    /// If the rows are not those of the features of this program.
    pub fn model(
        &self,
        portfolio: &[String],
        rows: &[&[i32]],
        utilities: &[Vec<f64>],
        is_held_out: impl Fn(usize) -> bool,
        note: &str,
    ) -> Result<Model, ModelError> {
        let (held, kept): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|&at| is_held_out(at));
        let kept_rows: Vec<&[i32]> = kept.iter().map(|&at| rows[at]).collect();
        let kept_utilities: Vec<Vec<f64>> = kept.iter().map(|&at| utilities[at].clone()).collect();
        let partial = self.forests(&kept_rows, &kept_utilities);
        let mut forests = self.forests(rows, utilities);
        for (choice, (forest, partial)) in forests.iter_mut().zip(&partial).enumerate() {
            let difference = |&at: &usize| {
                (f64::from(partial.predict(rows[at])) - utilities[at][choice] * PREDICTION_UNITS).powi(2)
            };
            let mean = held.iter().map(difference).sum::<f64>() / held.len().max(1) as f64;
            forest.error = mean.sqrt().round() as i32;
        }
        Model::new(portfolio.iter().cloned().zip(forests).collect(), note)
    }
}

impl Learner for Trees {
    fn name(&self) -> String {
        "trees".to_owned()
    }

    fn fit(&self, rows: &[&[i32]], utilities: &[Vec<f64>]) -> Box<dyn Predictor> {
        Box::new(Trained(self.forests(rows, utilities)))
    }
}

/// Trained forests.
struct Trained(Vec<Forest>);

impl Predictor for Trained {
    fn utilities(&self, row: &[i32]) -> Vec<f64> {
        self.0.iter().map(|forest| f64::from(forest.predict(row)) / PREDICTION_UNITS).collect()
    }

    fn contributions(&self, row: &[i32]) -> Option<Vec<f64>> {
        let utilities = self.utilities(row);
        let pick = argmax(&utilities);
        let mut others = utilities;
        others[pick] = f64::NEG_INFINITY;
        let runner_up = argmax(&others);
        let mut contributions = vec![0.0; row.len()];
        for (forest, sign) in [(pick, 1.0), (runner_up, -1.0)] {
            for tree in &self.0[forest].trees {
                contribute(tree, row, sign / UNITS, &mut contributions);
            }
        }
        Some(contributions)
    }
}

/// Adds what each split on the path of a row through a tree changes in the mean of the leaves below, times a factor.
fn contribute(tree: &[Node], row: &[i32], factor: f64, contributions: &mut [f64]) {
    let mut at = 0;
    while let Some(&Node::Split { feature, threshold, left, mean }) = tree.get(at) {
        at = left as usize + usize::from(row[usize::from(feature)] > threshold);
        let below = match tree[at] {
            Node::Split { mean, .. } => mean,
            Node::Leaf { value } => value,
        };
        contributions[usize::from(feature)] += factor * (f64::from(below) - f64::from(mean));
    }
}

#[cfg(test)]
mod tests {
    use throng::grid::SeededRng;
    use throng_select::{FEATURES, FeatureVector};

    use super::*;

    /// Utilities that rise and fall together, and a first feature that decides which choice is better.
    fn instances(count: usize, seed: u64) -> (Vec<Vec<i32>>, Vec<Vec<f64>>) {
        let mut rng = SeededRng::new(seed);
        let mut rows = Vec::new();
        let mut utilities = Vec::new();
        for _ in 0..count {
            let row: Vec<i32> = (0..FEATURES.len()).map(|_| rng.between(0, 1_000)).collect();
            let ease = f64::from(row[1]) / 2_000.0;
            let better = if row[0] > 500 { [0.1, 0.2, 0.0] } else { [0.2, 0.1, 0.0] };
            utilities.push(better.iter().map(|part| part + ease).collect());
            rows.push(row);
        }
        (rows, utilities)
    }

    fn slices(rows: &[Vec<i32>]) -> Vec<&[i32]> {
        rows.iter().map(Vec::as_slice).collect()
    }

    #[test]
    fn the_better_choice_is_learned() {
        let (rows, utilities) = instances(600, 1);
        let learned = Trees::default().fit(&slices(&rows), &utilities);
        let (unseen, truth) = instances(300, 2);
        let right =
            unseen.iter().zip(&truth).filter(|(row, truth)| argmax(&learned.utilities(row)) == argmax(truth));
        let right = right.count();
        assert!(right >= 280, "{right} of 300");
        let difference = |(row, truth): (&Vec<i32>, &Vec<f64>)| (learned.utilities(row)[0] - truth[0]).abs();
        let error = unseen.iter().zip(&truth).map(difference).sum::<f64>() / 300.0;
        assert!(error < 0.05, "utilities are predicted with a mean error of {error}");
    }

    #[test]
    fn a_model_predicts_like_its_forests() {
        let (rows, utilities) = instances(300, 3);
        let names = ["a", "b", "c"].map(str::to_owned);
        let trees = Trees::default();
        let model = trees.model(&names, &slices(&rows), &utilities, |at| at % 4 == 0, "test").unwrap();
        assert_eq!(model.portfolio(), names);
        let learned = trees.fit(&slices(&rows), &utilities);
        for row in &rows {
            let features = FeatureVector::from_values(row).unwrap();
            let stored: Vec<f64> =
                model.utilities(&features).iter().map(|&utility| f64::from(utility) / 1e4).collect();
            assert_eq!(stored, learned.utilities(row));
        }
        for forest in model.forests() {
            assert!((50..1_500).contains(&forest.error), "{}", forest.error);
        }
        assert!(model.write().len() < 1_000_000, "{} bytes", model.write().len());
        assert_eq!(
            model.write(),
            trees.model(&names, &slices(&rows), &utilities, |at| at % 4 == 0, "test").unwrap().write()
        );
    }

    /// The contributions add up to the difference between pick and runner-up, apart from the mean predictions.
    #[test]
    fn the_feature_that_decides_contributes_most() {
        let (rows, utilities) = instances(400, 5);
        let learned = Trees::default().fit(&slices(&rows), &utilities);
        let mean = crate::select::importance::mean(&*learned, rows.iter().map(Vec::as_slice)).unwrap();
        assert_eq!(argmax(&mean), 0, "{mean:?}");
        assert!(mean[0] > 10.0 * mean[5], "{} and {}", mean[0], mean[5]);
    }

    #[test]
    fn nothing_is_learned_from_nothing() {
        assert!(Trees::default().forests(&[], &[]).is_empty());
    }
}
