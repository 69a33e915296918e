//! What decided: how much each feature contributed to the picks of a model.
//!
//! A model that can explain a pick returns the contribution of every feature to the difference between the predicted
//! utilities of the pick and of the runner-up (A. Saabas, *Interpreting Random Forests*, 2014). The importance of a feature is
//! the mean of the absolute contributions over the instances that the model was asked about.

use super::Predictor;

/// Returns the importance of each feature; none if the model cannot explain its picks, or was not asked.
pub(super) fn mean<'a>(learned: &dyn Predictor, rows: impl Iterator<Item = &'a [i32]>) -> Option<Vec<f64>> {
    let mut sums: Vec<f64> = Vec::new();
    let mut count = 0.0;
    for row in rows {
        let contributions = learned.contributions(row)?;
        sums.resize(contributions.len(), 0.0);
        for (sum, value) in sums.iter_mut().zip(contributions) {
            *sum += value.abs();
        }
        count += 1.0;
    }
    (count > 0.0).then(|| sums.into_iter().map(|sum| sum / count).collect())
}

/// Returns the values of some columns as values of all features; the others have none.
pub(super) fn spread(values: &[f64], columns: &[usize], features: usize) -> Vec<f64> {
    let mut all = vec![0.0; features];
    for (&value, &column) in values.iter().zip(columns) {
        all[column] = value;
    }
    all
}
