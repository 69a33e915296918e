//! Times of path searches. Only the search itself is timed.

use std::time::{Duration, Instant};

use throng::{Cell, Ground, RegisteredSearch, SearchResult};
use throng_lab::stats::Distribution;
use throng_search::Unsupported;

/// The times of a sequence of queries, in microseconds.
#[derive(Debug, Default)]
pub(crate) struct QueryTimes(Vec<f64>);

impl QueryTimes {
    /// Runs one query and stores the time it took.
    pub(crate) fn find(
        &mut self,
        finder: &mut RegisteredSearch,
        ground: &Ground,
        (from, to): (Cell, Cell),
        path: &mut Vec<Cell>,
    ) -> Result<SearchResult, Unsupported> {
        let start = Instant::now();
        let answer = finder.find(ground, from, to, path)?;
        self.0.push(start.elapsed().as_secs_f64() * 1e6);
        Ok(answer)
    }

    /// Returns the sum of all times in seconds.
    pub(crate) fn total_seconds(&self) -> f64 {
        self.0.iter().sum::<f64>() * 1e-6
    }

    /// Returns mean and percentiles in microseconds; all are 0 without queries.
    pub(crate) fn distribution(&self) -> Distribution {
        Distribution::of(&self.0)
    }
}

/// Prepares a search for a map and returns the time that took.
pub(crate) fn prepare(finder: &mut RegisteredSearch, ground: &Ground) -> Result<Duration, Unsupported> {
    let start = Instant::now();
    finder.prepare(ground)?;
    Ok(start.elapsed())
}
