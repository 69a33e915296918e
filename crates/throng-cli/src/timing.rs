//! How long searches take: only the call itself is timed.

use std::time::{Duration, Instant};

use serde::Serialize;
use throng::searches::Unsupported;
use throng::{Answer, Cell, Finder, Ground};

/// The times of many calls.
#[derive(Debug, Default)]
pub(crate) struct Times {
    nanoseconds: Vec<u64>,
}

/// A summary of [`Times`], in microseconds. A percentile is the smallest of the times such that at least that share
/// of all times is not above it (the nearest-rank definition), so it is always a time that was measured.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Microseconds {
    /// The mean.
    pub(crate) mean: f64,
    /// The median.
    pub(crate) p50: f64,
    /// 99 of 100 calls took no longer.
    pub(crate) p99: f64,
    /// The longest.
    pub(crate) max: f64,
}

impl Times {
    /// Asks a question and keeps the time it took.
    pub(crate) fn find(
        &mut self,
        finder: &mut Finder,
        ground: &Ground,
        (from, to): (Cell, Cell),
        path: &mut Vec<Cell>,
    ) -> Result<Answer, Unsupported> {
        let start = Instant::now();
        let answer = finder.find(ground, from, to, path)?;
        self.nanoseconds.push(start.elapsed().as_nanos() as u64);
        Ok(answer)
    }

    /// All of them together.
    pub(crate) fn total(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.iter().sum())
    }

    /// The summary; all zero when there are none.
    pub(crate) fn summary(&self) -> Microseconds {
        let mut sorted = self.nanoseconds.clone();
        sorted.sort_unstable();
        let Some(&longest) = sorted.last() else { return Microseconds::default() };
        let percentile = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100) - 1] as f64 / 1e3;
        Microseconds {
            mean: self.total().as_secs_f64() * 1e6 / sorted.len() as f64,
            p50: percentile(50),
            p99: percentile(99),
            max: longest as f64 / 1e3,
        }
    }
}

/// Where the quarters of many values lie, as nearest ranks, and their mean.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Quartiles {
    /// A quarter is not above it.
    pub(crate) p25: f64,
    /// The median.
    pub(crate) p50: f64,
    /// Three quarters are not above it.
    pub(crate) p75: f64,
    /// The mean.
    pub(crate) mean: f64,
}

/// The quartiles of values; all zero when there are none.
pub(crate) fn quartiles(mut values: Vec<f64>) -> Quartiles {
    values.sort_unstable_by(f64::total_cmp);
    if values.is_empty() {
        return Quartiles::default();
    }
    let rank = |percent: usize| values[(values.len() * percent).div_ceil(100) - 1];
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    Quartiles { p25: rank(25), p50: rank(50), p75: rank(75), mean }
}

/// Lets a search prepare for a ground, and says how long that took.
pub(crate) fn prepare(finder: &mut Finder, ground: &Ground) -> Result<Duration, Unsupported> {
    let start = Instant::now();
    finder.prepare(ground)?;
    Ok(start.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let summary = |nanoseconds: Vec<u64>| {
            let Microseconds { mean, p50, p99, max } = Times { nanoseconds }.summary();
            [mean, p50, p99, max].map(|microseconds| (microseconds * 1e3).round() as u64)
        };
        assert_eq!(summary(vec![]), [0; 4]);
        assert_eq!(summary(vec![7_000]), [7_000; 4]);
        assert_eq!(summary((1..=199).rev().collect()), [100, 100, 198, 199]);
        assert_eq!(summary(vec![1, 2, 3]), [2, 2, 3, 3]);
    }
}
