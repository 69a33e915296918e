//! Where the hundredths of many values lie: what is kept of the questions of a run, so that several runs can be looked
//! at as one.
//!
//! Percentiles are nearest ranks, so each is a value that was there. Put together, every percentile of a run stands for a
//! hundredth of its values, those that end with it. So nothing is known of what lies within a hundredth: the p-th
//! percentile of several runs is found somewhere between the true one and the true percentile p + 1, and that of one run
//! exactly.

use std::fmt;
use std::str::FromStr;

/// How many percentiles there are.
const COUNT: usize = 99;

/// The 1st to the 99th percentile of many values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hundredths([f64; COUNT]);

impl Hundredths {
    /// Of values in any order; nothing of none.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Some(Self(std::array::from_fn(|place| sorted[(sorted.len() * (place + 1)).div_ceil(100) - 1])))
    }

    /// One of them.
    ///
    /// # Panics
    /// When `percent` is not between 1 and 99.
    pub fn at(&self, percent: usize) -> f64 {
        self.0[percent - 1]
    }
}

impl fmt::Display for Hundredths {
    /// Numbers with three digits behind the point or fewer, a space between them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, value) in self.0.iter().enumerate() {
            let space = if place == 0 { "" } else { " " };
            write!(f, "{space}{}", (value * 1e3).round() / 1e3)?;
        }
        Ok(())
    }
}

/// A text that is not 99 numbers, none below the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("these are not 99 percentiles")]
pub struct NotHundredths;

impl FromStr for Hundredths {
    type Err = NotHundredths;

    fn from_str(text: &str) -> Result<Self, NotHundredths> {
        let numbers = text.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>();
        let numbers: [f64; COUNT] =
            numbers.map_err(|_| NotHundredths)?.try_into().map_err(|_| NotHundredths)?;
        if numbers.iter().all(|number| number.is_finite()) && numbers.is_sorted() {
            Ok(Self(numbers))
        } else {
            Err(NotHundredths)
        }
    }
}

/// The values of several runs as one.
#[derive(Clone, PartialEq, Debug)]
pub struct Pool {
    /// All percentiles in order, each with its run.
    points: Vec<(f64, usize)>,
}

impl Pool {
    /// Of runs, whose places count from 0.
    pub fn new<'a>(runs: impl IntoIterator<Item = &'a Hundredths>) -> Self {
        let of_run = |(run, hundredths): (usize, &Hundredths)| hundredths.0.map(|value| (value, run));
        let mut points: Vec<(f64, usize)> = runs.into_iter().enumerate().flat_map(of_run).collect();
        points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Self { points }
    }

    /// A percentile of all values, when each run has so many; not a number when there are none.
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
    fn percentiles_are_nearest_ranks_and_outlive_being_written() {
        let of = |count: u32| Hundredths::of(&(1..=count).rev().map(f64::from).collect::<Vec<_>>());
        assert_eq!(of(0), None);
        let many = of(1_000).unwrap();
        let whole = |of: Hundredths, percents: &[usize]| {
            percents.iter().map(|&percent| of.at(percent).round() as i64).collect::<Vec<_>>()
        };
        assert_eq!(whole(many, &[1, 25, 50, 99]), [10, 250, 500, 990]);
        let few = of(3).unwrap();
        assert_eq!(whole(few, &[1, 33, 34, 66, 67, 99]), [1, 1, 2, 2, 3, 3]);
        assert_eq!(many.to_string().parse(), Ok(many));
        let short = Hundredths::of(&[0.123_456]).unwrap().to_string();
        assert!(short.starts_with("0.123 0.123 "), "{short}");
        for bad in ["", "1 2", &many.to_string().replacen("500 ", "NaN ", 1), &format!("{many} 991")] {
            assert_eq!(bad.parse::<Hundredths>(), Err(NotHundredths), "{bad}");
        }
        let fallen = many.to_string().replacen("10 20 ", "20 10 ", 1);
        assert_eq!(fallen.parse::<Hundredths>(), Err(NotHundredths));
    }

    #[test]
    fn a_pool_of_one_run_is_that_run() {
        let values: Vec<f64> = (1..=777).map(|value| f64::from(value * value)).collect();
        let run = Hundredths::of(&values).unwrap();
        let pool = Pool::new([&run]);
        for percent in 1..=99 {
            assert_eq!(pool.percentile(percent, &[777]).to_bits(), run.at(percent).to_bits(), "{percent}");
        }
        assert!(pool.percentile(50, &[0]).is_nan());
    }

    /// Runs of very different sizes and places, against the percentiles of all their values.
    #[test]
    fn pooled_percentiles_are_those_of_all_values_within_a_hundredth() {
        let mut rng = SeededRng::new(11);
        for round in 0..30 {
            let runs: Vec<Vec<f64>> = (0..=round % 5)
                .map(|_| {
                    let (count, first, range) = (1 + rng.below(3_000), rng.below(500), 1 + rng.below(900));
                    (0..count).map(|_| f64::from(first + rng.below(range))).collect()
                })
                .collect();
            let hundredths: Vec<Hundredths> = runs.iter().map(|run| Hundredths::of(run).unwrap()).collect();
            let counts: Vec<u64> = runs.iter().map(|run| run.len() as u64).collect();
            let truth = Hundredths::of(&runs.concat()).unwrap();
            let pool = Pool::new(&hundredths);
            for percent in 1..=98 {
                let found = pool.percentile(percent, &counts);
                let range = truth.at(percent)..=truth.at(percent + 1);
                assert!(range.contains(&found), "round {round}, {percent}: {found} is not in {range:?}");
            }
        }
    }
}
