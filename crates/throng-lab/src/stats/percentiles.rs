//! Percentiles of many values, and percentiles of several runs pooled as one.
//!
//! A percentile is a nearest rank: the smallest value such that at least that share of all values is not above it. So it
//! is always one of the values. A run stores its 99 percentiles instead of all its values. When runs are pooled, each
//! percentile of a run stands for the hundredth of the run's values that ends with it. The p-th percentile of a pool
//! therefore lies between the true percentiles p and p + 1; that of a single run is exact.

use std::fmt;

use serde::Serialize;

/// Number of stored percentiles.
const COUNT: usize = 99;

/// Mean, percentiles and maximum of a set of values.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Distribution {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The 99.9th percentile.
    pub p999: f64,
    /// The maximum.
    pub max: f64,
}

impl Distribution {
    /// Computes the distribution of values in any order; all fields are 0 without values.
    pub fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let sorted = sorted(values);
        Self {
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            p50: nearest_rank(&sorted, 500),
            p99: nearest_rank(&sorted, 990),
            p999: nearest_rank(&sorted, 999),
            max: nearest_rank(&sorted, 1_000),
        }
    }
}

/// The 1st to the 99th percentile of a set of values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Percentiles([f64; COUNT]);

impl Percentiles {
    /// Computes the percentiles of values in any order. Returns `None` without values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values);
        (!sorted.is_empty())
            .then(|| Self(std::array::from_fn(|place| nearest_rank(&sorted, 10 * (place + 1)))))
    }

    /// Parses the text of percentiles. Returns `None` unless it consists of 99 ascending numbers separated by spaces.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers = text.split(' ').map(|number| number.parse().ok()).collect::<Option<Vec<f64>>>()?;
        let numbers: [f64; COUNT] = numbers.try_into().ok()?;
        (numbers.iter().all(|number| number.is_finite()) && numbers.is_sorted()).then_some(Self(numbers))
    }

    /// Returns the percentile `percent`.
    ///
    /// # Panics
    /// Panics if `percent` is not between 1 and 99.
    pub fn at(&self, percent: usize) -> f64 {
        self.0[percent - 1]
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// Returns the nearest rank of at least one sorted value, with the share given in thousandths.
fn nearest_rank(sorted: &[f64], thousandths: usize) -> f64 {
    sorted[(sorted.len() * thousandths).div_ceil(1_000) - 1]
}

impl fmt::Display for Percentiles {
    /// Writes the numbers with at most three decimals and a space between them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, value) in self.0.iter().enumerate() {
            let space = if place == 0 { "" } else { " " };
            write!(f, "{space}{}", (value * 1e3).round() / 1e3)?;
        }
        Ok(())
    }
}

/// The percentiles of several runs, pooled.
#[derive(Clone, PartialEq, Debug)]
pub struct PercentilePool {
    /// The percentiles of all runs in ascending order, each with the index of its run.
    points: Vec<(f64, usize)>,
}

impl PercentilePool {
    /// Pools the percentiles of runs.
    pub fn new<'a>(runs: impl IntoIterator<Item = &'a Percentiles>) -> Self {
        let of_run = |(run, percentiles): (usize, &Percentiles)| percentiles.0.map(|value| (value, run));
        let mut points: Vec<(f64, usize)> = runs.into_iter().enumerate().flat_map(of_run).collect();
        points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Self { points }
    }

    /// Returns a percentile of all values. `counts` has the number of values of each run. Without values the result is
    /// NaN.
    pub fn percentile(&self, percent: usize, counts: &[u64]) -> f64 {
        let needed = percent as u64 * counts.iter().sum::<u64>();
        let mut below = 0;
        let reaches = |&&(_, run): &&(f64, usize)| {
            below += counts[run];
            below >= needed
        };
        let found = self.points.iter().find(reaches).filter(|_| needed > 0);
        found.map_or(f64::NAN, |&(value, _)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng::grid::SeededRng;

    #[test]
    fn percentiles_are_nearest_ranks_and_can_be_written_and_read() {
        let of = |count: u32| Percentiles::of(&(1..=count).rev().map(f64::from).collect::<Vec<_>>());
        assert_eq!(of(0), None);
        let many = of(1_000).unwrap();
        let whole = |of: Percentiles, percents: &[usize]| {
            percents.iter().map(|&percent| of.at(percent).round() as i64).collect::<Vec<_>>()
        };
        assert_eq!(whole(many, &[1, 25, 50, 99]), [10, 250, 500, 990]);
        let few = of(3).unwrap();
        assert_eq!(whole(few, &[1, 33, 34, 66, 67, 99]), [1, 1, 2, 2, 3, 3]);
        assert_eq!(Percentiles::parse(&many.to_string()), Some(many));
        let short = Percentiles::of(&[0.123_456]).unwrap().to_string();
        assert!(short.starts_with("0.123 0.123 "), "{short}");
        for bad in ["", "1 2", &many.to_string().replacen("500 ", "NaN ", 1), &format!("{many} 991")] {
            assert_eq!(Percentiles::parse(bad), None, "{bad}");
        }
        let descending = many.to_string().replacen("10 20 ", "20 10 ", 1);
        assert_eq!(Percentiles::parse(&descending), None);
    }

    #[test]
    fn distributions_have_nearest_ranks() {
        let expected = |[mean, p50, p99, p999, max]: [f64; 5]| Distribution { mean, p50, p99, p999, max };
        assert_eq!(Distribution::of(&[]), Distribution::default());
        assert_eq!(Distribution::of(&[7.0]), expected([7.0; 5]));
        let values: Vec<f64> = (1..=199).rev().map(f64::from).collect();
        assert_eq!(Distribution::of(&values), expected([100.0, 100.0, 198.0, 199.0, 199.0]));
        assert_eq!(Distribution::of(&[1.0, 3.0, 2.0]), expected([2.0, 2.0, 3.0, 3.0, 3.0]));
    }

    #[test]
    fn a_pool_of_one_run_is_that_run() {
        let values: Vec<f64> = (1..=777).map(|value| f64::from(value * value)).collect();
        let run = Percentiles::of(&values).unwrap();
        let pool = PercentilePool::new([&run]);
        for percent in 1..=99 {
            assert_eq!(pool.percentile(percent, &[777]).to_bits(), run.at(percent).to_bits(), "{percent}");
        }
        assert!(pool.percentile(50, &[0]).is_nan());
    }

    /// Compares pools of runs of different sizes and ranges with the percentiles of all their values.
    #[test]
    fn pooled_percentiles_are_off_by_at_most_one_percent() {
        let mut rng = SeededRng::new(11);
        for round in 0..30 {
            let runs: Vec<Vec<f64>> = (0..=round % 5)
                .map(|_| {
                    let (count, first, range) = (1 + rng.below(3_000), rng.below(500), 1 + rng.below(900));
                    (0..count).map(|_| f64::from(first + rng.below(range))).collect()
                })
                .collect();
            let percentiles: Vec<Percentiles> =
                runs.iter().map(|run| Percentiles::of(run).unwrap()).collect();
            let counts: Vec<u64> = runs.iter().map(|run| run.len() as u64).collect();
            let truth = Percentiles::of(&runs.concat()).unwrap();
            let pool = PercentilePool::new(&percentiles);
            for percent in 1..=98 {
                let found = pool.percentile(percent, &counts);
                let range = truth.at(percent)..=truth.at(percent + 1);
                assert!(range.contains(&found), "round {round}, {percent}: {found} is not in {range:?}");
            }
        }
    }
}
