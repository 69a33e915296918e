//! The part of one character: every search answers the same questions.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde::Serialize;
use throng::grid::random_queries;
use throng::grid::render::Picture;
use throng::searches::{SEARCHES, SearchInfo};
use throng::{Cell, Cost, Grid, Ground, MoveRules};

use super::SEED;
use crate::output::{self, measure, table};
use crate::timing::{self, Microseconds, Times};
use crate::{picture, source};

/// How many of the paths are drawn: more would hide the map.
const DRAWN: usize = 8;

/// The bar shown while searching.
const TEMPLATE: &str = "{msg:>9} [{bar:30}] {pos}/{len} {eta}";

/// What a search did.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    search: &'static str,
    optimal: bool,
    prepares: bool,
    us_per_query: Microseconds,
    expansions_per_query: f64,
    /// Mean of cost over least cost.
    length_over_shortest: f64,
    prepare_seconds: f64,
}

/// The answers of one search to all questions.
struct Run {
    costs: Vec<Option<Cost>>,
    /// The first paths, to be drawn.
    paths: Vec<Vec<Cell>>,
    times: Times,
    expansions: u64,
    prepare: Duration,
}

/// Puts every search to the same random questions, and draws the first shortest paths into a file.
pub(super) fn compare(map: &str, queries: usize, drawing: &Path) -> Result<Vec<Row>> {
    let grid = Grid::new(source::open_map(map)?, MoveRules::default());
    let ground = grid.ground();
    let questions = random_queries(ground, queries, SEED);
    let mut shortest: Option<(&str, Run)> = None;
    let mut rows = Vec::new();
    for info in SEARCHES.iter().filter(|info| info.supports(ground).is_ok()) {
        let run = Run::of(info.name, ground, &questions)?;
        // The first search of the registry is A*, so all that follow are compared with it.
        let (judge, least) =
            shortest.as_ref().map_or((info.name, &run.costs), |(name, run)| (*name, &run.costs));
        ensure!(
            !info.optimal || run.costs == *least,
            "{} and {judge} disagree about the least cost of some path; one of them is wrong",
            info.name
        );
        rows.push(run.row(info, least)?);
        if shortest.is_none() && info.optimal {
            // Drawn at once: a picture that cannot be written is better told before the other searches.
            let picture = run.paths.iter().fold(Picture::of_grid(&grid), |picture, path| picture.path(path));
            picture::write(&picture, drawing)?;
            shortest = Some((info.name, run));
        }
    }
    Ok(rows)
}

impl Run {
    /// Puts all questions to a search.
    fn of(name: &str, ground: &Ground, questions: &[(Cell, Cell)]) -> Result<Self> {
        let mut finder = throng::search(name)?;
        let mut run = Self {
            costs: Vec::with_capacity(questions.len()),
            paths: Vec::new(),
            times: Times::default(),
            expansions: 0,
            prepare: timing::prepare(&mut finder, ground)?,
        };
        let bar = output::progress(Some(questions.len() as u64), TEMPLATE, name.to_owned());
        let mut path = Vec::new();
        for &question in questions {
            let answer = run.times.find(&mut finder, ground, question, &mut path)?;
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

    /// What is told of it.
    fn row(&self, info: &SearchInfo, least: &[Option<Cost>]) -> Result<Row> {
        let mut over = 0.0;
        for (cost, least) in self.costs.iter().zip(least) {
            let (Some(cost), Some(least)) = (cost, least) else {
                anyhow::bail!("{} found no path where there is one", info.name)
            };
            over += f64::from(*cost) / f64::from(*least);
        }
        let queries = self.costs.len().max(1) as f64;
        Ok(Row {
            search: info.name,
            optimal: info.optimal,
            prepares: info.prepares,
            us_per_query: self.times.summary(),
            expansions_per_query: self.expansions as f64 / queries,
            length_over_shortest: over / queries,
            prepare_seconds: self.prepare.as_secs_f64(),
        })
    }
}

/// The searches side by side.
pub(super) fn text(rows: &[Row]) -> String {
    let header = ["search", ">µs/query", ">p99 µs", ">expansions/query", ">length/shortest", ">prepare ms"];
    let cells = rows.iter().map(|row| {
        [
            row.search.to_owned(),
            measure(row.us_per_query.mean),
            measure(row.us_per_query.p99),
            measure(row.expansions_per_query),
            format!("{:.4}", row.length_over_shortest),
            if row.prepares { measure(row.prepare_seconds * 1e3) } else { "–".to_owned() },
        ]
    });
    let optimal = rows.iter().filter(|row| row.optimal).count();
    let verdict = format!("\nThe {optimal} searches that promise shortest paths agree about every length.\n");
    table(&header, cells) + &verdict
}
