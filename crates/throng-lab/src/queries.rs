//! Path queries on maps that have changed since their path database was built.
//!
//! Every search answers the same queries on the same perturbed maps, all of them in a row, so that no search finds data in
//! the processor's caches that another one has fetched. The queries are answered in several passes, and the least time of
//! each counts: other work on the machine only adds to it. Only the query is timed; the search may inspect the changed map
//! before. Every path is checked: its moves, its cost against the optimal cost, and the search's own lower bound.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use throng::{Cell, Cost, Executor, Grid, Ground, Pool, RegisteredSearch};
use throng_cpd::{Cpd, CpdBuilder, Perturbation, Perturbed, any_search};
use throng_search::Unsupported;
use throng_search::spec::{MILLION, SpecError, Values, split};

use crate::stats::Percentiles;

/// The number of passes over all queries.
pub const PASSES: usize = 3;

/// Builds the path database of a ground on all processors. `progress` gets the number of finished rows and may return false
/// to stop; then there is no database.
///
/// # Errors
/// If no threads can be started.
pub fn build(ground: &Ground, mut progress: impl FnMut(usize) -> bool) -> std::io::Result<Option<Cpd>> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let pool = Pool::new(threads).map_err(std::io::Error::other)?;
    let mut build = CpdBuilder::new(ground);
    while build.advance(&|count, piece| pool.run(count, piece)).is_some() {
        if !progress(build.done()) {
            return Ok(None);
        }
    }
    Ok(Some(build.finish()))
}

/// A path query on a perturbed map.
#[derive(Clone, Debug)]
pub struct PerturbedQuery {
    /// The start and the goal.
    pub ends: (Cell, Cell),
    /// The changes of the map.
    perturbed: Perturbed,
    /// The cost of a shortest path on the perturbed map.
    pub optimal: Cost,
}

/// The queries of a map.
#[derive(Clone, Debug, Default)]
pub struct QuerySet {
    /// The queries that have a path on the perturbed map.
    pub solvable: Vec<PerturbedQuery>,
    /// The number of queries that the perturbation made unsolvable.
    pub dropped: usize,
}

impl QuerySet {
    /// Perturbs a map for each pair of cells. `progress` is called after each and may return false to stop early.
    ///
    /// # Errors
    /// If A* does not support the map; it supports all.
    pub fn new(
        grid: &mut Grid,
        pairs: &[(Cell, Cell)],
        perturbation: Perturbation,
        mut progress: impl FnMut() -> bool,
    ) -> Result<Self, Unsupported> {
        let mut astar = throng::search("astar").unwrap_or_else(|error| panic!("{error}"));
        let mut queries = Self::default();
        for &ends in pairs {
            if !progress() {
                break;
            }
            let Some(perturbed) = perturbation.apply(grid, ends, &mut astar)? else { continue };
            perturbed.undo(grid);
            match perturbed.after {
                Some(optimal) => queries.solvable.push(PerturbedQuery { ends, perturbed, optimal }),
                None => queries.dropped += 1,
            }
        }
        Ok(queries)
    }
}

/// The quartiles of many values, as nearest ranks, and their mean.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct Quartiles {
    /// The lower quartile.
    pub p25: f64,
    /// The median.
    pub p50: f64,
    /// The upper quartile.
    pub p75: f64,
    /// The mean.
    pub mean: f64,
}

impl Quartiles {
    /// Returns the quartiles of values in any order; all 0 if there are none.
    pub fn of(values: &[f64]) -> Self {
        let Some(all) = Percentiles::of(values) else { return Self::default() };
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Self { p25: all.at(25), p50: all.at(50), p75: all.at(75), mean }
    }
}

/// The results of a search on a set of queries.
#[derive(Clone, Debug, Default)]
pub struct QueryResults {
    /// The number of queries that were answered with a valid path within the search's bound.
    pub solved: usize,
    /// The number of other answers: no path, an invalid path, a cost above the bound, or a wrong lower bound.
    pub violations: usize,
    /// Path cost over optimal cost: mean and maximum.
    pub cost_over_optimal: (f64, f64),
    /// Time per query, the least of all passes.
    pub us_per_query: Quartiles,
    /// The median time of the first pass.
    pub us_first: f64,
    /// Nodes expanded per query.
    pub expansions: Quartiles,
    /// Repeated expansions of the same node per query: the mean.
    pub re_expansions: f64,
    /// All percentiles of the times; none without queries.
    pub us_percentiles: Option<Percentiles>,
    /// All percentiles of the expansions; none without queries.
    pub expansion_percentiles: Option<Percentiles>,
}

impl QueryResults {
    /// Counts one of `total` answers.
    fn count(&mut self, ratio: Result<f64, BoundViolation>, total: usize) {
        match ratio {
            Ok(ratio) => {
                self.solved += 1;
                self.cost_over_optimal.0 += ratio / total as f64;
                self.cost_over_optimal.1 = self.cost_over_optimal.1.max(ratio);
            }
            Err(BoundViolation) => self.violations += 1,
        }
    }
}

/// A search with its suboptimality bound.
#[derive(Debug)]
pub struct QuerySearch {
    /// Its name and parameters.
    pub text: String,
    search: RegisteredSearch,
    /// The bound on the path cost, in millionths of the optimal cost; none if the search has no bound.
    bound: Option<u64>,
}

impl QuerySearch {
    /// Creates the search that a text names. A search that takes a factor has `epsilon`, unless the text sets it.
    ///
    /// # Errors
    /// If the name or a parameter is unknown, or a value is out of range.
    pub fn new(text: &str, epsilon: &str, cpd: &Arc<Cpd>) -> Result<Self, SpecError> {
        let info = any_search(text, Some(cpd))?.info();
        let takes = |name: &&str| info.parameters.iter().any(|parameter| parameter.name == *name);
        let name = ["epsilon", "weight"].into_iter().find(takes);
        let full = match name.filter(|name| !text.contains(&format!("{name}="))) {
            Some(name) => format!("{text}{}{name}={epsilon}", if text.contains(':') { "," } else { ":" }),
            None => text.to_owned(),
        };
        let search = any_search(&full, Some(cpd))?;
        let (name_of_search, parameters) = split(&full);
        let values = Values::parse(name_of_search, info.parameters, parameters)?;
        let bound = name.map(|name| values.get(name)).or(info.optimal.then_some(MILLION));
        Ok(Self { text: full, search, bound })
    }

    /// Answers all queries in several passes. `progress` is called after each query and may return false to stop; then
    /// there are no results.
    ///
    /// # Errors
    /// If the search does not support the map.
    pub fn answer(
        &mut self,
        grid: &mut Grid,
        queries: &[PerturbedQuery],
        mut progress: impl FnMut() -> bool,
    ) -> Result<Option<QueryResults>, Unsupported> {
        let mut results = QueryResults::default();
        let (mut microseconds, mut expansions) = (vec![f64::MAX; queries.len()], Vec::new());
        let mut path = Vec::new();
        for pass in 0..PASSES {
            for (query, min_time) in queries.iter().zip(&mut microseconds) {
                query.perturbed.redo(grid, query.ends);
                let answered = self.time(grid, query, &mut path);
                query.perturbed.undo(grid);
                let (time, expanded, ratio) = answered?;
                *min_time = min_time.min(time);
                if pass == 0 {
                    expansions.push(expanded as f64);
                    results.re_expansions += self.re_expansions() as f64 / queries.len() as f64;
                    results.count(ratio, queries.len());
                }
                if !progress() {
                    return Ok(None);
                }
            }
            if pass == 0 {
                results.us_first = Quartiles::of(&microseconds).p50;
            }
        }
        results.us_per_query = Quartiles::of(&microseconds);
        results.us_percentiles = Percentiles::of(&microseconds);
        results.expansions = Quartiles::of(&expansions);
        results.expansion_percentiles = Percentiles::of(&expansions);
        Ok(Some(results))
    }

    /// Answers one query and passes the perturbed map, the path and the expanded cells to `draw`.
    ///
    /// # Errors
    /// If the search does not support the map.
    pub fn show<R>(
        &mut self,
        grid: &mut Grid,
        query: &PerturbedQuery,
        draw: impl FnOnce(&Grid, &[Cell], &[u32]) -> R,
    ) -> Result<R, Unsupported> {
        query.perturbed.redo(grid, query.ends);
        let mut path = Vec::new();
        let answer = self.search.find(grid.ground(), query.ends.0, query.ends.1, &mut path);
        let drawn = answer.map(|_| draw(grid, &path, self.search.expanded()));
        query.perturbed.undo(grid);
        drawn
    }

    /// Returns how many expansions of the last query were of a node that had been expanded before.
    fn re_expansions(&self) -> usize {
        let expanded = self.search.expanded();
        expanded.len() - expanded.iter().collect::<HashSet<_>>().len()
    }

    /// Answers a query. Returns its time in microseconds, its expansions, and the path cost over the optimal cost.
    fn time(
        &mut self,
        grid: &Grid,
        PerturbedQuery { ends: (from, to), optimal, .. }: &PerturbedQuery,
        path: &mut Vec<Cell>,
    ) -> Result<(f64, u64, Result<f64, BoundViolation>), Unsupported> {
        let ground = grid.ground();
        self.search.prepare(ground)?;
        let start = Instant::now();
        let answer = self.search.find(ground, *from, *to, path)?;
        let microseconds = start.elapsed().as_secs_f64() * 1e6;
        let valid = answer.cost.filter(|&cost| {
            let within =
                self.bound.is_none_or(|bound| u64::from(cost) * MILLION <= u64::from(*optimal) * bound);
            let ends = (path.first(), path.last()) == (Some(from), Some(to));
            within && ends && ground.path_cost(path) == Some(cost) && answer.lower_bound <= *optimal
        });
        let ratio = valid.map(|cost| f64::from(cost) / f64::from(*optimal)).ok_or(BoundViolation);
        Ok((microseconds, answer.expansions, ratio))
    }
}

/// An answer that is no valid path, exceeds the search's bound, or has a wrong lower bound.
#[derive(Clone, Copy, Debug)]
struct BoundViolation;

#[cfg(test)]
mod tests {
    use super::*;
    use throng::grid::random_queries;
    use throng::{Corners, MoveRules};

    #[test]
    fn quartiles_are_nearest_ranks() {
        assert_eq!(Quartiles::of(&[]), Quartiles::default());
        let found = Quartiles::of(&(1..=8).rev().map(f64::from).collect::<Vec<_>>());
        assert_eq!(found, Quartiles { p25: 2.0, p50: 4.0, p75: 6.0, mean: 4.5 });
    }

    #[test]
    fn all_searches_meet_the_same_perturbed_maps_and_restore_them() {
        let tiles = throng::grid::builtin::builtin("arena").unwrap();
        let mut grid = Grid::new(tiles, MoveRules::eight_way(Corners::Mixed));
        let before = grid.ground().fingerprint();
        let cpd = Arc::new(build(grid.ground(), |_| true).unwrap().unwrap());
        let pairs = random_queries(grid.ground(), 40, 3);
        let queries = QuerySet::new(&mut grid, &pairs, Perturbation::Exp1, || true).unwrap().solvable;
        assert!(queries.len() > 20, "{} of 40", queries.len());
        for text in ["astar", "wastar", "cpd-search", "cpd-near"] {
            let mut search = QuerySearch::new(text, "1.1", &cpd).unwrap();
            let results = search.answer(&mut grid, &queries, || true).unwrap().unwrap();
            assert_eq!((results.solved, results.violations), (queries.len(), 0), "{text}");
            let (mean, max) = results.cost_over_optimal;
            assert!((1.0..1.100_001).contains(&mean) && max < 1.100_001, "{text}: {mean}, {max}");
            assert_eq!(grid.ground().fingerprint(), before, "{text}");
            assert!(0.0 < results.us_per_query.p50 && results.us_per_query.p50 <= results.us_first, "{text}");
        }
        let mut re_expansions = |text| {
            let mut search = QuerySearch::new(text, "1.1", &cpd).unwrap();
            search.answer(&mut grid, &queries, || true).unwrap().unwrap().re_expansions
        };
        assert!(re_expansions("astar") < 1e-9, "a consistent heuristic needs no re-expansions");
        assert!(re_expansions("focal") > 0.0, "focal search reopens closed nodes");
        // A path above the optimal cost violates the bound of an optimal search.
        let mut weighted = QuerySearch::new("cpd-weighted:epsilon=2", "1.1", &cpd).unwrap();
        weighted.bound = Some(MILLION);
        assert!(weighted.answer(&mut grid, &queries, || true).unwrap().unwrap().violations > 0);
    }
}
