//! What runs have of a measure, and what several of them come to together: a mean over runs, or a mean or percentile
//! over all their questions, where a run counts as often as it has questions.

use super::measure::{Measure, Over, Part};
use crate::stats::{PercentilePool, Strata};

/// What runs have of a measure.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    values: Vec<f64>,
    weights: Vec<u64>,
    /// For a percentile over questions: which one, of what.
    pool: Option<(usize, PercentilePool)>,
}

impl Sample {
    pub(crate) fn new(measure: &Measure, parts: &[Part]) -> Self {
        let pool = match measure.over {
            Over::Percentile(percent) => Some((
                percent,
                PercentilePool::new(parts.iter().filter_map(|part| part.percentiles.as_ref())),
            )),
            Over::Runs | Over::Questions => None,
        };
        Self {
            values: parts.iter().map(|part| part.value).collect(),
            weights: parts.iter().map(|part| part.weight).collect(),
            pool,
        }
    }

    /// What each run has by itself.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// What some of the runs come to, each taken as often as it is named.
    pub(crate) fn together(&self, runs: impl Iterator<Item = usize>) -> f64 {
        if let Some((percent, pool)) = &self.pool {
            let mut counts = vec![0; self.weights.len()];
            runs.for_each(|run| counts[run] += self.weights[run]);
            return pool.percentile(*percent, &counts);
        }
        let (mut sum, mut weight) = (0.0, 0);
        for run in runs {
            sum += self.values[run] * self.weights[run] as f64;
            weight += self.weights[run];
        }
        sum / weight as f64
    }
}

/// What several planners have of a measure on the same instances.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub(crate) strata: Strata,
    /// A sample a planner, an instance a place.
    pub(crate) planners: Vec<Sample>,
    /// How many instances.
    pub(crate) instances: usize,
}

impl Joint {
    /// What each planner comes to on all instances.
    pub(crate) fn all(&self) -> Vec<f64> {
        self.on(&(0..self.instances))
    }

    /// What each planner comes to on some of the instances.
    fn on(&self, instances: &(impl Iterator<Item = usize> + Clone)) -> Vec<f64> {
        self.planners.iter().map(|sample| sample.together(instances.clone())).collect()
    }
}

/// The strata of several samples together, and what each planner of each sample comes to on drawn instances.
pub(crate) fn joined(samples: &[&Joint]) -> (Strata, impl Fn(&[usize]) -> Vec<Vec<f64>>) {
    let strata = Strata::joined(samples.iter().map(|joint| &joint.strata));
    let on = |drawn: &[usize]| {
        let mut first = 0;
        let of_sample = |joint: &&Joint| {
            let own = &drawn[first..first + joint.instances];
            let before = first;
            first += joint.instances;
            joint.on(&own.iter().map(move |instance| instance - before))
        };
        samples.iter().map(of_sample).collect()
    };
    (strata, on)
}
