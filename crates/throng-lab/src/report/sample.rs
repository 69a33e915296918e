//! The values of a measure in several runs, and their aggregate: the mean, the lowest or the highest over runs, or the mean or
//! a percentile over all path queries, where a run has the weight of its number of queries.

use super::measure::{Aggregation, Measure, RunValue};
use crate::stats::{PercentilePool, Strata};

/// The values of a measure in several runs.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    aggregation: Aggregation,
    values: Vec<f64>,
    weights: Vec<u64>,
    /// For percentiles over queries: the percent and the pooled percentiles.
    pool: Option<(usize, PercentilePool)>,
}

impl Sample {
    pub(crate) fn new(measure: &Measure, values: &[RunValue]) -> Self {
        let pool = match measure.aggregation {
            Aggregation::Percentile(percent) => Some((
                percent,
                PercentilePool::new(values.iter().filter_map(|value| value.percentiles.as_ref())),
            )),
            _ => None,
        };
        Self {
            aggregation: measure.aggregation,
            values: values.iter().map(|value| value.value).collect(),
            weights: values.iter().map(|value| value.weight).collect(),
            pool,
        }
    }

    /// Returns the value of each run.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the aggregate of some runs. A run that is listed twice counts twice.
    pub(crate) fn aggregate(&self, runs: impl Iterator<Item = usize>) -> f64 {
        if let Some((percent, pool)) = &self.pool {
            let mut counts = vec![0; self.weights.len()];
            runs.for_each(|run| counts[run] += self.weights[run]);
            return pool.percentile(*percent, &counts);
        }
        match self.aggregation {
            Aggregation::Lowest => return runs.map(|run| self.values[run]).fold(f64::INFINITY, f64::min),
            Aggregation::Highest => {
                return runs.map(|run| self.values[run]).fold(f64::NEG_INFINITY, f64::max);
            }
            _ => {}
        }
        let (mut sum, mut weight) = (0.0, 0);
        for run in runs {
            sum += self.values[run] * self.weights[run] as f64;
            weight += self.weights[run];
        }
        sum / weight as f64
    }
}

/// The values of several planners on the same instances.
#[derive(Clone, Debug)]
pub(crate) struct JointSample {
    pub(crate) strata: Strata,
    /// One sample per planner, with one value per instance.
    pub(crate) planners: Vec<Sample>,
    /// Number of instances.
    pub(crate) instances: usize,
}

impl JointSample {
    /// Returns the aggregate of each planner over all instances.
    pub(crate) fn all(&self) -> Vec<f64> {
        self.on(&(0..self.instances))
    }

    /// Returns the aggregate of each planner over some instances.
    fn on(&self, instances: &(impl Iterator<Item = usize> + Clone)) -> Vec<f64> {
        self.planners.iter().map(|sample| sample.aggregate(instances.clone())).collect()
    }
}

/// Returns the strata of several samples, and a function from drawn instances to the aggregate of each planner per
/// sample.
pub(crate) fn joined<'a>(
    samples: impl Iterator<Item = &'a JointSample> + Clone,
) -> (Strata, impl Fn(&[usize]) -> Vec<Vec<f64>>) {
    let strata = Strata::joined(samples.clone().map(|joint| &joint.strata));
    let on = move |drawn: &[usize]| {
        let mut first = 0;
        let of_sample = |joint: &JointSample| {
            let own = &drawn[first..first + joint.instances];
            let before = first;
            first += joint.instances;
            joint.on(&own.iter().map(move |instance| instance - before))
        };
        samples.clone().map(of_sample).collect()
    };
    (strata, on)
}
