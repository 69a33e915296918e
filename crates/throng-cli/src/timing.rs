//! How long searches take: only the call itself is timed.

use std::time::{Duration, Instant};

use serde::Serialize;
use throng::searches::Unsupported;
use throng::{Cell, Ground, RegisteredSearch, SearchResult};

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
        finder: &mut RegisteredSearch,
        ground: &Ground,
        (from, to): (Cell, Cell),
        path: &mut Vec<Cell>,
    ) -> Result<SearchResult, Unsupported> {
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

/// Lets a search prepare for a ground, and says how long that took.
pub(crate) fn prepare(finder: &mut RegisteredSearch, ground: &Ground) -> Result<Duration, Unsupported> {
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
