//! Statistics of runs: means with 95 % confidence intervals, paired comparisons, quantiles and percentiles.
//!
//! Intervals are percentile bootstrap intervals: the runs are resampled with replacement, and the interval is the middle
//! 95 % of the statistic over 2,000 resamples (B. Efron and R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993,
//! ch. 13). There are two departures. First, runs are resampled within their stratum (the runs that differ in the
//! instance only), because numbers of agents and maps are chosen and not random; if a stratum has a single run, all runs
//! are resampled together. Second, percentile intervals of a mean are too narrow for few runs, so they are widened about
//! the mean by `√(n / (n − strata)) · t / z`, with Student's t in place of the normal z (T. C. Hesterberg, *What Teachers
//! Should Know About the Bootstrap*, The American Statistician 69, 2015). Fewer than three runs give no interval.
//!
//! The resamples come from one fixed seed, and only the four basic operations and the square root are used, so the same
//! runs have the same intervals on every machine.

mod percentiles;
mod series;

use std::cmp::Ordering;

use throng::grid::SeededRng;

pub use percentiles::{Distribution, PercentilePool, Percentiles};
pub use series::TimeSeries;

/// Number of resamples of a bootstrap.
const RESAMPLES: usize = 2_000;

/// Seed of all resamples.
const SEED: u64 = 0x7A11_1E57;

/// Minimum number of runs for an interval.
pub const MIN_RUNS: usize = 3;

/// The two-sided 5 % point of the normal distribution.
const NORMAL_95: f64 = 1.959_964;

/// A closed interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Returns half the width.
    pub fn half(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// How the runs were resampled, from the best way to none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Resampling {
    /// Within strata: among runs that differ in the instance only.
    WithinStrata,
    /// Among all runs, because some settings have one run only.
    Pooled,
    /// Not at all: there are too few runs for an interval.
    TooFew,
}

/// A value with its confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The value; NaN without runs.
    pub value: f64,
    /// The 95 % interval; absent with fewer than [`MIN_RUNS`] runs.
    pub interval: Option<Interval>,
    /// Number of runs.
    pub runs: usize,
    /// How the runs were resampled for the interval.
    pub resampling: Resampling,
}

impl Estimate {
    /// Clips the interval to the possible values, such as shares to 0 and 1.
    #[must_use]
    pub fn within(mut self, low: f64, high: f64) -> Self {
        let clipped =
            |it: Interval| Interval { low: it.low.clamp(low, high), high: it.high.clamp(low, high) };
        self.interval = self.interval.map(clipped);
        self
    }

    /// Describes the interval; `number` formats its ends.
    pub(crate) fn describe_interval(&self, number: impl Fn(f64) -> String) -> String {
        self.interval.map_or_else(
            || "too few runs for an interval".to_owned(),
            |interval| format!("95\u{a0}%: {} to {}", number(interval.low), number(interval.high)),
        )
    }

    /// Multiplies value and interval by a positive factor.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.value *= factor;
        let scaled = |it: Interval| Interval { low: it.low * factor, high: it.high * factor };
        self.interval = self.interval.map(scaled);
        self
    }
}

/// Number of runs per stratum. The runs of a sample are ordered by stratum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strata {
    sizes: Vec<usize>,
    resampling: Resampling,
}

impl Strata {
    /// Creates strata of these sizes. Strata without runs do not count.
    pub fn new(sizes: impl IntoIterator<Item = usize>) -> Self {
        let sizes: Vec<usize> = sizes.into_iter().filter(|&size| size > 0).collect();
        let runs: usize = sizes.iter().sum();
        let resample_within = sizes.iter().all(|&size| size > 1) && runs - sizes.len() > 1;
        if runs < MIN_RUNS {
            Self { sizes: vec![runs], resampling: Resampling::TooFew }
        } else if resample_within {
            Self { sizes, resampling: Resampling::WithinStrata }
        } else {
            Self { sizes: vec![runs], resampling: Resampling::Pooled }
        }
    }

    /// Concatenates the strata of several samples. No resample mixes two samples.
    pub fn joined<'a>(samples: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut sizes, mut resampling) = (Vec::new(), Resampling::WithinStrata);
        for sample in samples {
            sizes.extend(&sample.sizes);
            resampling = resampling.max(sample.resampling);
        }
        Self { sizes, resampling }
    }

    fn runs(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// Draws as many runs per stratum as it has, with replacement.
    fn resample(&self, rng: &mut SeededRng, drawn: &mut Vec<usize>) {
        drawn.clear();
        let mut first = 0;
        for &size in &self.sizes {
            drawn.extend((0..size).map(|_| first + rng.below(size as u32) as usize));
            first += size;
        }
    }

    /// Returns the factor by which percentile intervals of a mean are too narrow.
    fn widening(&self) -> f64 {
        let (runs, freedom) = (self.runs(), self.runs() - self.sizes.len());
        (runs as f64 / freedom as f64).sqrt() * student(freedom) / NORMAL_95
    }
}

/// Estimates the mean of a sample, whose values are ordered by stratum.
///
/// # Panics
/// Panics if the number of values is not that of the strata.
pub fn mean(values: &[f64], strata: &Strata) -> Estimate {
    assert_eq!(values.len(), strata.runs(), "one value per run");
    widened(strata, |drawn| plain_mean(drawn.iter().map(|&run| values[run])))
}

/// Estimates a statistic that spreads like a mean, such as a difference of means or a median. `compute` gets the indices
/// of the runs. The interval is widened like that of a mean.
pub fn widened(strata: &Strata, compute: impl Fn(&[usize]) -> f64) -> Estimate {
    let plain = statistic(strata, compute);
    let interval = plain.interval.map(|interval| {
        let spread = |end: f64| plain.value + (end - plain.value) * strata.widening();
        Interval { low: spread(interval.low), high: spread(interval.high) }
    });
    Estimate { interval, ..plain }
}

/// Estimates any statistic. `compute` gets the indices of the runs. The interval is the plain percentile interval.
pub fn statistic(strata: &Strata, compute: impl Fn(&[usize]) -> f64) -> Estimate {
    let all: Vec<usize> = (0..strata.runs()).collect();
    let resamples = resamples(strata, &compute);
    let interval =
        resamples.map(|values| Interval { low: quantile(&values, 0.025), high: quantile(&values, 0.975) });
    Estimate { value: compute(&all), interval, runs: all.len(), resampling: strata.resampling }
}

/// Returns the statistic of each resample in ascending order, or `None` with too few runs.
fn resamples(strata: &Strata, compute: impl Fn(&[usize]) -> f64) -> Option<Vec<f64>> {
    if strata.resampling == Resampling::TooFew {
        return None;
    }
    let (mut rng, mut drawn) = (SeededRng::new(SEED), Vec::new());
    let mut values: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            strata.resample(&mut rng, &mut drawn);
            compute(&drawn)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    Some(values)
}

/// A comparison of two planners on the same instances.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Paired {
    /// Mean of the first's value minus the second's.
    pub difference: Estimate,
    /// Number of instances on which the first has the higher value, the same, and the lower value.
    pub counts: [usize; 3],
}

/// Compares pairs of values, one pair per instance, ordered by stratum.
///
/// # Panics
/// Panics if the number of pairs is not that of the strata.
pub fn paired(pairs: &[(f64, f64)], strata: &Strata) -> Paired {
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    let count = |order| pairs.iter().filter(|(a, b)| a.total_cmp(b) == order).count();
    let counts = [Ordering::Greater, Ordering::Equal, Ordering::Less].map(count);
    Paired { difference: mean(&differences, strata), counts }
}

/// Returns a quantile of sorted values with linear interpolation, or NaN without values.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * (place - place.floor())
}

/// Returns the values in ascending order, without NaN.
pub fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Returns the mean, or NaN without values.
fn plain_mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    values.sum::<f64>() / count as f64
}

/// Returns the two-sided 5 % point of Student's distribution.
fn student(freedom: usize) -> f64 {
    const SMALL: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match freedom {
        0 => f64::INFINITY,
        1..=10 => SMALL[freedom - 1],
        // The first terms of the expansion in 1 / freedom.
        _ => NORMAL_95 + (2.372 + 2.823 / freedom as f64) / freedom as f64,
    }
}

#[cfg(test)]
mod tests;
