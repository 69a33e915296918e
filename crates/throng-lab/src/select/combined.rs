//! Models that are made of others: the average of several, and a model that also sees probes.

use super::{Inputs, Learner, Predictor};

/// The mean of the predictions of several models that see the same.
pub struct Average(pub Vec<Box<dyn Learner>>);

/// The predictors of the models.
struct Averaged(Vec<Box<dyn Predictor>>);

impl Learner for Average {
    fn name(&self) -> String {
        self.0.iter().map(|learner| learner.name()).collect::<Vec<_>>().join("+")
    }

    fn fit(&self, rows: &[&[i32]], utilities: &[Vec<f64>]) -> Box<dyn Predictor> {
        Box::new(Averaged(self.0.iter().map(|learner| learner.fit(rows, utilities)).collect()))
    }
}

impl Predictor for Averaged {
    fn utilities(&self, row: &[i32]) -> Vec<f64> {
        let mut sums = Vec::new();
        for predictor in &self.0 {
            // A pick depends on deviations from the mean of the choices alone; one of the models may predict no mean.
            let utilities = predictor.utilities(row);
            let mean = utilities.iter().sum::<f64>() / utilities.len().max(1) as f64;
            sums.resize(utilities.len(), 0.0);
            for (sum, utility) in sums.iter_mut().zip(utilities) {
                *sum += (utility - mean) / self.0.len() as f64;
            }
        }
        sums
    }
}

/// A model that also sees what searches on other problems of the map measured.
pub struct Probed(pub Box<dyn Learner>);

impl Learner for Probed {
    fn name(&self) -> String {
        format!("{}+probes", self.0.name())
    }

    fn inputs(&self) -> Inputs {
        Inputs::Probed
    }

    fn fit(&self, rows: &[&[i32]], utilities: &[Vec<f64>]) -> Box<dyn Predictor> {
        self.0.fit(rows, utilities)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::{NearestNeighbours, Ridge};

    #[test]
    fn an_average_has_the_mean_deviation() {
        let rows: [&[i32]; 3] = [&[1], &[2], &[3]];
        let utilities = [vec![0.0, 2.0], vec![1.0, 1.0], vec![4.0, 0.0]];
        let one = NearestNeighbours { count: 1 };
        let both = Average(vec![Box::new(one), Box::new(NearestNeighbours { count: 3 })]);
        assert_eq!(both.name(), "1 nearest neighbours+3 nearest neighbours");
        let found = both.fit(&rows, &utilities).utilities(&[1]);
        // Deviations of 1 from the nearest, and of 1/3 from all.
        assert!((found[1] - 1.0 / 3.0).abs() < 1e-9 && (found[0] + found[1]).abs() < 1e-9, "{found:?}");
        let probed = Probed(Box::new(Ridge));
        assert_eq!((probed.name().as_str(), probed.inputs()), ("ridge+probes", Inputs::Probed));
    }
}
