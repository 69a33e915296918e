//! `throng demo`: every search on an embedded game-like map, compared; a picture; and what to try next.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;
use throng::grid::random_pairs;
use throng::grid::render::Picture;
use throng::searches::{SEARCHES, SearchInfo};
use throng::{Cell, Cost, Grid, Ground, MoveRules};

use crate::output::{self, count, measure, note, print_either, table};
use crate::timing::{self, Microseconds, Times};
use crate::{picture, source};

/// What closes the help.
pub(crate) const EXAMPLE: &str = "Example: throng demo --out demo.png";

/// The map: 512×512, woods, water, caves and ruins.
const MAP: &str = "builtin:valley";

/// The questions are the same each time.
const SEED: u64 = 1;

/// How many of the paths are drawn: more would hide the map.
const DRAWN: usize = 8;

/// The bar shown while searching.
const TEMPLATE: &str = "{msg:>9} [{bar:30}] {pos}/{len} {eta}";

/// The arguments of `throng demo`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where the picture goes
    #[arg(short, long, value_name = "FILE.png", default_value = "throng-demo.png")]
    out: PathBuf,
    /// Random questions
    #[arg(long, value_name = "N", default_value_t = 200, hide = true)]
    queries: usize,
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Report<'a> {
    map: &'static str,
    queries: usize,
    seed: u64,
    searches: Vec<Row>,
    picture: &'a Path,
}

/// What a search did.
#[derive(Debug, Serialize)]
struct Row {
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

/// `throng demo`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let grid = Grid::new(source::open_map(MAP)?, MoveRules::default());
    let ground = grid.ground();
    let questions = random_pairs(ground, arguments.queries, SEED);
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
            let drawing = run.paths.iter().fold(Picture::of_grid(&grid), |drawing, path| drawing.path(path));
            picture::write(&drawing, &arguments.out)?;
            shortest = Some((info.name, run));
        }
    }
    let report =
        Report { map: MAP, queries: questions.len(), seed: SEED, searches: rows, picture: &arguments.out };
    print_either(json, &report, || report.text())?;
    if cfg!(debug_assertions) {
        note("note: this is a debug build, whose times say little; cargo run --release -- demo");
    }
    Ok(())
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

impl Report<'_> {
    /// For people.
    fn text(&self) -> String {
        let header =
            ["search", ">µs/query", ">p99 µs", ">expansions/query", ">length/shortest", ">prepare ms"];
        let rows = self.searches.iter().map(|row| {
            [
                row.search.to_owned(),
                measure(row.us_per_query.mean),
                measure(row.us_per_query.p99),
                measure(row.expansions_per_query),
                format!("{:.4}", row.length_over_shortest),
                if row.prepares { measure(row.prepare_seconds * 1e3) } else { "–".to_owned() },
            ]
        });
        let title = format!(
            "{} on {}, put to every search\n\n",
            count(self.queries, "random question", "random questions"),
            self.map
        );
        let optimal = self.searches.iter().filter(|row| row.optimal).count();
        let verdict = format!(
            "\nThe {optimal} searches that promise shortest paths agree about every length.\nPicture: {}\n",
            self.picture.display()
        );
        title + &table(&header, rows) + &verdict + NEXT
    }
}

/// What to try next.
const NEXT: &str = "
Try next:
  throng list                                                      what there is
  throng explain jps                                               how a search works
  throng path builtin:arena --from 24,4 --to 24,44 -o path.png     one path, drawn
  throng map render builtin:keep -o keep.png                       a castle
  throng map generate caves --size 128x128 --seed 7 -o caves.map   a map of your own
";
