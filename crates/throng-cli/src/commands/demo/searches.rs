//! The path queries of the demo: every search solves the same ones.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde::Serialize;
use throng::grid::random_queries;
use throng::grid::render::Picture;
use throng::{Cell, Cost, Grid, Ground, MoveRules};
use throng_lab::stats::Distribution;
use throng_search::{SEARCHES, SearchInfo};

use super::SEED;
use crate::output::{self, measure, table};
use crate::timing::{self, QueryTimes};
use crate::{picture, source};

/// Number of paths in the picture; more would hide the map.
const DRAWN: usize = 8;

/// Progress bar while searching.
const TEMPLATE: &str = "{msg:>9} [{bar:30}] {pos}/{len} {eta}";

/// The measurements of one search.
#[derive(Debug, Serialize)]
pub(super) struct SearchMeasurement {
    search: &'static str,
    optimal: bool,
    prepares: bool,
    us_per_query: Distribution,
    expansions_per_query: f64,
    /// Mean ratio of cost to optimal cost.
    length_over_shortest: f64,
    prepare_seconds: f64,
}

/// The answers of one search to all queries.
struct QueryRun {
    costs: Vec<Option<Cost>>,
    /// The first paths, for the picture.
    paths: Vec<Vec<Cell>>,
    times: QueryTimes,
    expansions: u64,
    prepare: Duration,
}

/// Runs every search on the same random queries, and draws the first shortest paths into a file.
pub(super) fn compare(map: &str, count: usize, drawing: &Path) -> Result<Vec<SearchMeasurement>> {
    let grid = Grid::new(source::open_map(map)?, MoveRules::default());
    let ground = grid.ground();
    let queries = random_queries(ground, count, SEED);
    let mut shortest: Option<(&str, QueryRun)> = None;
    let mut results = Vec::new();
    // The walk of a real-time search is no answer to the query that the others are compared on.
    for info in SEARCHES.iter().filter(|info| !info.real_time && info.supports(ground).is_ok()) {
        let run = QueryRun::of(info.name, ground, &queries)?;
        // The first search of the registry is A*, which all others are compared with.
        let (reference, least) =
            shortest.as_ref().map_or((info.name, &run.costs), |(name, run)| (*name, &run.costs));
        ensure!(
            !info.optimal || run.costs == *least,
            "{} and {reference} disagree about an optimal cost; one of them is wrong",
            info.name
        );
        results.push(run.result(info, least)?);
        if shortest.is_none() && info.optimal {
            // The picture is drawn first, so that a failure to write it is reported before the other searches run.
            let picture = run.paths.iter().fold(Picture::of_grid(&grid), |picture, path| picture.path(path));
            picture::write(&picture, drawing)?;
            shortest = Some((info.name, run));
        }
    }
    Ok(results)
}

impl QueryRun {
    /// Runs a search on all queries.
    fn of(name: &str, ground: &Ground, queries: &[(Cell, Cell)]) -> Result<Self> {
        let mut finder = throng::search(name)?;
        let mut run = Self {
            costs: Vec::with_capacity(queries.len()),
            paths: Vec::new(),
            times: QueryTimes::default(),
            expansions: 0,
            prepare: timing::prepare(&mut finder, ground)?,
        };
        let bar = output::progress(Some(queries.len() as u64), TEMPLATE, name.to_owned());
        let mut path = Vec::new();
        for &query in queries {
            let answer = run.times.find(&mut finder, ground, query, &mut path)?;
            run.costs.push(answer.cost);
            run.expansions += answer.expansions;
            if run.paths.len() < DRAWN {
                run.paths.push(path.clone());
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(run)
    }

    /// Returns the measurements. `least` has the optimal costs.
    fn result(&self, info: &SearchInfo, least: &[Option<Cost>]) -> Result<SearchMeasurement> {
        let mut over = 0.0;
        for (cost, least) in self.costs.iter().zip(least) {
            let (Some(cost), Some(least)) = (cost, least) else {
                anyhow::bail!("{} found no path although one exists", info.name)
            };
            over += f64::from(*cost) / f64::from(*least);
        }
        let queries = self.costs.len().max(1) as f64;
        Ok(SearchMeasurement {
            search: info.name,
            optimal: info.optimal,
            prepares: info.prepares,
            us_per_query: self.times.distribution(),
            expansions_per_query: self.expansions as f64 / queries,
            length_over_shortest: over / queries,
            prepare_seconds: self.prepare.as_secs_f64(),
        })
    }
}

/// Returns a table with one row per search.
pub(super) fn text(results: &[SearchMeasurement]) -> String {
    let header = ["search", ">µs/query", ">p99 µs", ">expansions/query", ">length/shortest", ">prepare ms"];
    let cells = results.iter().map(|result| {
        [
            result.search.to_owned(),
            measure(result.us_per_query.mean),
            measure(result.us_per_query.p99),
            measure(result.expansions_per_query),
            format!("{:.4}", result.length_over_shortest),
            if result.prepares { measure(result.prepare_seconds * 1e3) } else { "–".to_owned() },
        ]
    });
    let optimal = results.iter().filter(|result| result.optimal).count();
    let verdict = format!("\nThe {optimal} searches that guarantee shortest paths agree on every length.\n");
    table(&header, cells) + &verdict
}
