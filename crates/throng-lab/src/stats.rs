//! Statistics of runs: means with 95 % intervals, comparisons on the same instances, ranks, quantiles.
//!
//! Intervals are made by the bootstrap: the runs are drawn again with replacement, and the statistic is computed of
//! each draw; the middle 95 % of 2,000 draws are the interval (B. Efron and R. J. Tibshirani, *An Introduction to the
//! Bootstrap*, 1993, ch. 13). Two departures. Runs are drawn within their stratum (the runs that differ in the instance
//! only), because counts of agents and maps are chosen and not random; where a stratum has a single run, all runs are
//! drawn as one. And percentile intervals of a mean are too narrow for few runs, so they are widened about the mean
//! by `√(n / (n − strata)) · t / z`, with Student's t in place of the normal z (T. C. Hesterberg, *What Teachers
//! Should Know About the Bootstrap*, The American Statistician 69, 2015). Fewer than three runs give no interval.
//!
//! The draws come from one fixed seed, and only the four operations and the root are used: the same runs have the
//! same intervals on every machine.

mod hundredths;

use std::cmp::Ordering;

use throng::grid::SeededRng;

pub use hundredths::{Hundredths, NotHundredths, Pool};

/// Draws of a bootstrap.
const DRAWS: usize = 2_000;

/// The seed of all draws.
const SEED: u64 = 0x7A11_1E57;

/// The least number of runs that give an interval.
pub const FEWEST: usize = 3;

/// The two-sided 5 % point of the normal distribution.
const NORMAL: f64 = 1.959_964;

/// Between two numbers, both included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Cut to what is possible, such as shares to 0 and 1.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { low: self.low.clamp(low, high), high: self.high.clamp(low, high) }
    }

    /// Half its width.
    pub fn half(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// How the draws of an interval were made, from the best to none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// Among runs that differ in the instance only.
    WithinStrata,
    /// Among all runs, because some settings were run once only.
    Pooled,
    /// There are too few runs for an interval.
    TooFew,
}

/// A number with what is known of its uncertainty.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The number itself; not a number without any run.
    pub value: f64,
    /// 95 %; absent with fewer than [`FEWEST`] runs.
    pub interval: Option<Interval>,
    /// How many runs it is made of.
    pub runs: usize,
    /// How the interval was made.
    pub basis: Basis,
}

impl Estimate {
    /// With the interval cut to what is possible.
    #[must_use]
    pub fn within(mut self, low: f64, high: f64) -> Self {
        self.interval = self.interval.map(|interval| interval.within(low, high));
        self
    }

    /// With everything multiplied by a positive factor.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.value *= factor;
        let scaled = |it: Interval| Interval { low: it.low * factor, high: it.high * factor };
        self.interval = self.interval.map(scaled);
        self
    }
}

/// How many runs each stratum has; the runs of a sample are given stratum after stratum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strata {
    sizes: Vec<usize>,
    basis: Basis,
}

impl Strata {
    /// Of the sizes; strata without runs do not count.
    pub fn new(sizes: impl IntoIterator<Item = usize>) -> Self {
        let sizes: Vec<usize> = sizes.into_iter().filter(|&size| size > 0).collect();
        let runs: usize = sizes.iter().sum();
        let inside = sizes.iter().all(|&size| size > 1) && runs - sizes.len() > 1;
        if runs < FEWEST {
            Self { sizes: vec![runs], basis: Basis::TooFew }
        } else if inside {
            Self { sizes, basis: Basis::WithinStrata }
        } else {
            Self { sizes: vec![runs], basis: Basis::Pooled }
        }
    }

    /// One stratum.
    pub fn single(runs: usize) -> Self {
        Self::new([runs])
    }

    /// Those of several samples, one after the other; no draw mixes two samples.
    pub fn joined<'a>(samples: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut sizes, mut basis) = (Vec::new(), Basis::WithinStrata);
        for sample in samples {
            sizes.extend(&sample.sizes);
            basis = basis.max(sample.basis);
        }
        Self { sizes, basis }
    }

    fn runs(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// Draws runs with replacement, each stratum as many as it has.
    fn draw(&self, rng: &mut SeededRng, drawn: &mut Vec<usize>) {
        drawn.clear();
        let mut first = 0;
        for &size in &self.sizes {
            drawn.extend((0..size).map(|_| first + rng.below(size as u32) as usize));
            first += size;
        }
    }

    /// By how much percentile intervals of a mean are too narrow.
    fn widening(&self) -> f64 {
        let (runs, freedom) = (self.runs(), self.runs() - self.sizes.len());
        (runs as f64 / freedom as f64).sqrt() * student(freedom) / NORMAL
    }
}

/// The mean of a sample, given stratum after stratum.
///
/// # Panics
/// When there are more or fewer values than the strata say.
pub fn mean(values: &[f64], strata: &Strata) -> Estimate {
    assert_eq!(values.len(), strata.runs(), "a value a run");
    widened(strata, |drawn| plain_mean(drawn.iter().map(|&run| values[run])))
}

/// Anything that spreads as a mean does, such as a difference of means or a median, given the numbers of the runs that it
/// is made of. Its interval is widened as that of a mean.
pub fn widened(strata: &Strata, compute: impl Fn(&[usize]) -> f64) -> Estimate {
    let plain = statistic(strata, compute);
    let interval = plain.interval.map(|interval| {
        let spread = |end: f64| plain.value + (end - plain.value) * strata.widening();
        Interval { low: spread(interval.low), high: spread(interval.high) }
    });
    Estimate { interval, ..plain }
}

/// Any statistic of runs, given the numbers of the runs that it is made of. Its interval is the plain percentile one.
pub fn statistic(strata: &Strata, compute: impl Fn(&[usize]) -> f64) -> Estimate {
    let all: Vec<usize> = (0..strata.runs()).collect();
    let draws = draws(strata, &compute);
    let interval =
        draws.map(|draws| Interval { low: quantile(&draws, 0.025), high: quantile(&draws, 0.975) });
    Estimate { value: compute(&all), interval, runs: all.len(), basis: strata.basis }
}

/// The statistic of each draw, sorted; nothing when there are too few runs.
fn draws(strata: &Strata, compute: impl Fn(&[usize]) -> f64) -> Option<Vec<f64>> {
    if strata.basis == Basis::TooFew {
        return None;
    }
    let (mut rng, mut drawn) = (SeededRng::new(SEED), Vec::new());
    let mut draws: Vec<f64> = (0..DRAWS)
        .map(|_| {
            strata.draw(&mut rng, &mut drawn);
            compute(&drawn)
        })
        .collect();
    draws.sort_by(f64::total_cmp);
    Some(draws)
}

/// Two competitors on the same instances.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Paired {
    /// Mean of the first's value less the second's.
    pub difference: Estimate,
    /// Instances on which the first has the higher value.
    pub higher: usize,
    /// Instances on which both have the same.
    pub equal: usize,
    /// Instances on which the first has the lower value.
    pub lower: usize,
}

/// Compares pairs of values, each of one instance, given stratum after stratum.
///
/// # Panics
/// When there are more or fewer pairs than the strata say.
pub fn paired(pairs: &[(f64, f64)], strata: &Strata) -> Paired {
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    let count = |order| pairs.iter().filter(|(a, b)| a.total_cmp(b) == order).count();
    Paired {
        difference: mean(&differences, strata),
        higher: count(Ordering::Greater),
        equal: count(Ordering::Equal),
        lower: count(Ordering::Less),
    }
}

/// How a competitor stands among the others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standing {
    /// Mean rank, 1 for the best; equal ones share the mean of their ranks.
    pub rank: Estimate,
    /// Share of the instances on which nobody is better; equal best ones share an instance.
    pub best: Estimate,
}

/// The standing of each competitor over instances, given stratum after stratum. `order` says which of two competitors
/// is better on an instance: less is better.
pub fn standings(
    competitors: usize,
    strata: &Strata,
    order: impl Fn(usize, usize, usize) -> Ordering,
) -> Vec<Standing> {
    let standing = |one: usize| {
        let (ranks, bests): (Vec<f64>, Vec<f64>) = (0..strata.runs())
            .map(|instance| {
                let others = || (0..competitors).map(|other| order(instance, other, one));
                let better = others().filter(|order| order.is_lt()).count();
                let equal = others().filter(|order| order.is_eq()).count().max(1);
                let best = if better == 0 { 1.0 / equal as f64 } else { 0.0 };
                (better as f64 + f64::midpoint(1.0, equal as f64), best)
            })
            .unzip();
        Standing { rank: mean(&ranks, strata), best: mean(&bests, strata).within(0.0, 1.0) }
    };
    (0..competitors).map(standing).collect()
}

/// A quantile of sorted values, between two of them in proportion; not a number of nothing.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * (place - place.floor())
}

/// A sorted copy; what is not a number is left out.
pub fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The mean; not a number of nothing.
fn plain_mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    values.sum::<f64>() / count as f64
}

/// The two-sided 5 % point of Student's distribution.
fn student(freedom: usize) -> f64 {
    const SMALL: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match freedom {
        0 => f64::INFINITY,
        1..=10 => SMALL[freedom - 1],
        // The first terms of the expansion in 1 / freedom.
        _ => NORMAL + (2.372 + 2.823 / freedom as f64) / freedom as f64,
    }
}

#[cfg(test)]
mod tests;
