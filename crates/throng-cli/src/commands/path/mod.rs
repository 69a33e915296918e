//! `throng path`: finds one path, or solves every problem of a scenario file.

mod scenario;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Args;
use serde::Serialize;
use throng::grid::Steps;
use throng::grid::moves::STRAIGHT;
use throng::grid::render::Picture;
use throng::{Cell, Cost, Grid, Ground, Pos, SearchResult};

use super::cpd;
use crate::output::{bad_input, fields, measure, print_either, thousands};
use crate::rules::{self, Rules};
use crate::timing::{self, QueryTimes};
use crate::{picture, source};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng path builtin:arena --from 24,4 --to 24,44 --search jps -o path.png
  throng path dao/arena.map --scen dao/arena.map.scen --search jps";

/// The arguments of `throng path`.
#[derive(Debug, Args)]
#[command(override_usage = "\
throng path [OPTIONS] <MAP> --from <X,Y> --to <X,Y>
       throng path [OPTIONS] <MAP> --scen <FILE>")]
#[command(group = clap::ArgGroup::new("queries").required(true).multiple(true).args(["from", "to", "scen"]))]
pub(crate) struct Arguments {
    /// A map file, or builtin:NAME
    pub(crate) map: String,
    /// Start of the path; columns and rows count from 0
    #[arg(long, value_name = "X,Y", value_parser = rules::position, allow_hyphen_values = true, requires = "to")]
    from: Option<Pos>,
    /// Goal of the path
    #[arg(long, value_name = "X,Y", value_parser = rules::position, allow_hyphen_values = true, requires = "from")]
    to: Option<Pos>,
    /// A scenario file; every problem is solved and its length compared with the file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to", "picture"])]
    scen: Option<String>,
    /// The search with optional parameters
    #[arg(long, value_name = "NAME[:KEY=VALUE,..]", default_value = "astar")]
    pub(crate) search: String,
    /// A path database of the map, for searches that need one
    #[arg(long, value_name = "FILE")]
    pub(crate) cpd: Option<String>,
    /// Solve the first N problems of the scenario file only
    #[arg(long, value_name = "N", requires = "scen", conflicts_with_all = ["from", "to"])]
    pub(crate) limit: Option<usize>,
    /// Terrain costs and legal moves.
    #[command(flatten)]
    pub(crate) rules: Rules,
    /// Draw the path and the cells that the search expanded
    #[arg(short = 'o', long = "out", id = "picture", value_name = "FILE.png")]
    picture: Option<PathBuf>,
}

/// A query for one path.
#[derive(Debug)]
pub(crate) struct PathQuery<'a> {
    /// The search with optional parameters.
    pub(crate) search: &'a str,
    /// File of a path database, for searches that need one.
    pub(crate) cpd: Option<&'a str>,
    /// Start of the path.
    pub(crate) from: Pos,
    /// Goal of the path.
    pub(crate) to: Pos,
}

/// The answer to a [`PathQuery`], with the data for reports and pictures.
#[derive(Debug)]
pub(crate) struct QueryAnswer {
    /// Cost and number of expansions.
    pub(crate) answer: SearchResult,
    /// The path; empty if there is none.
    pub(crate) path: Vec<Cell>,
    /// The expanded cells.
    pub(crate) expanded: Vec<Cell>,
    /// The time of the query.
    times: QueryTimes,
    /// Preparation time in seconds.
    prepare_seconds: f64,
}

/// The report on one path.
#[derive(Debug, Serialize)]
struct PathReport<'a> {
    map: &'a str,
    search: &'a str,
    from: [i32; 2],
    to: [i32; 2],
    found: bool,
    /// Why there is no path; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Length in straight steps on uniform terrain.
    length: Option<f64>,
    /// Cost in integer units, of which a straight step costs 1632.
    cost: Option<Cost>,
    steps: u32,
    straight: u32,
    diagonal: u32,
    expansions: u64,
    microseconds: f64,
    prepare_seconds: f64,
    path: Vec<[i32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<&'a Path>,
}

/// `throng path`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    if let Some(file) = &arguments.scen {
        return scenario::run(arguments, file, json);
    }
    let (Some(from), Some(to)) = (arguments.from, arguments.to) else {
        return Err(bad_input("give --from and --to, or --scen"));
    };
    let grid = arguments.rules.grid(source::open_map(&arguments.map)?);
    let query = PathQuery { search: &arguments.search, cpd: arguments.cpd.as_deref(), from, to };
    let found = query.run(&grid)?;
    let drawn = arguments.picture.as_deref().filter(|_| found.answer.cost.is_some());
    if let Some(file) = drawn {
        let picture = Picture::of_grid(&grid).expanded(&found.expanded).path(&found.path);
        picture::write(&picture, file)?;
    }
    let report = PathReport::new(&arguments.map, &query, &grid, &found, drawn);
    let no_path = report.reason.as_ref().map(|reason| anyhow!("no path: {reason}"));
    if json || no_path.is_none() {
        print_either(json, &report, || report.text(arguments.rules))?;
    }
    no_path.map_or(Ok(()), Err)
}

impl PathQuery<'_> {
    /// Runs the search. A missing path is a valid answer. A position outside the map is an error, and so is a search
    /// that does not support the rules of the map.
    pub(crate) fn run(&self, grid: &Grid) -> Result<QueryAnswer> {
        let from = rules::cell(grid, "start", self.from)?;
        let to = rules::cell(grid, "goal", self.to)?;
        let mut finder = cpd::finder_with(self.search, self.cpd, grid.ground())?;
        let (mut times, mut path) = (QueryTimes::default(), Vec::new());
        let prepare = timing::prepare(&mut finder, grid.ground()).map_err(bad_input)?;
        let answer = times.find(&mut finder, grid.ground(), (from, to), &mut path).map_err(bad_input)?;
        let expanded = picture::cells(finder.expanded());
        Ok(QueryAnswer { answer, path, expanded, times, prepare_seconds: prepare.as_secs_f64() })
    }

    /// Explains why there is no path.
    pub(crate) fn explain_failure(&self, grid: &Grid) -> String {
        let blocked = |what: &str, pos: Pos| {
            let terrain = grid.tiles().at(pos).map(rules::terrain_name);
            format!("the {what} {},{} is blocked ({})", pos.x, pos.y, terrain.unwrap_or_default())
        };
        let free = |pos| grid.cell(pos).filter(|&cell| grid.ground().is_free(cell));
        match (free(self.from), free(self.to)) {
            (None, _) => blocked("start", self.from),
            (_, None) => blocked("goal", self.to),
            (Some(from), Some(to)) if grid.ground().reachable(from, to) => {
                format!("the search {} gave up, although a path exists", self.search)
            }
            _ => {
                let ends = format!("{},{} and {},{}", self.from.x, self.from.y, self.to.x, self.to.y);
                format!("{ends} are free, but not connected")
            }
        }
    }
}

/// Returns the length of a path in straight steps on uniform terrain. With uniform costs it is computed from the steps,
/// which is exact; a cost counts a diagonal step as 2308/1632, two millionths too much.
pub(crate) fn length(ground: &Ground, path: &[Cell], cost: Cost) -> f64 {
    if ground.profile().is_uniform() {
        Steps::of(path.iter().map(|&cell| ground.pos(cell))).length()
    } else {
        f64::from(cost) / f64::from(STRAIGHT)
    }
}

impl<'a> PathReport<'a> {
    fn new(
        map: &'a str,
        query: &PathQuery<'a>,
        grid: &Grid,
        found: &QueryAnswer,
        picture: Option<&'a Path>,
    ) -> Self {
        let QueryAnswer { answer, path, times, prepare_seconds, .. } = found;
        let pair = |pos: Pos| [pos.x, pos.y];
        let positions = || path.iter().map(|&cell| grid.ground().pos(cell));
        let steps = Steps::of(positions());
        Self {
            map,
            search: query.search,
            from: pair(query.from),
            to: pair(query.to),
            found: answer.cost.is_some(),
            reason: answer.cost.is_none().then(|| query.explain_failure(grid)),
            length: answer.cost.map(|cost| length(grid.ground(), path, cost)),
            cost: answer.cost,
            steps: steps.total(),
            straight: steps.straight,
            diagonal: steps.diagonal,
            expansions: answer.expansions,
            microseconds: times.distribution().max,
            prepare_seconds: *prepare_seconds,
            path: positions().map(pair).collect(),
            picture,
        }
    }

    /// Returns the report as text.
    fn text(&self, rules: Rules) -> String {
        let Self { map, search, from, to, straight, diagonal, .. } = self;
        let title =
            format!("{map}: {},{} to {},{} with {search} ({rules})\n\n", from[0], from[1], to[0], to[1]);
        let mut lines = vec![
            ("length", format!("{:.2}", self.length.unwrap_or_default())),
            ("steps", format!("{} ({straight} straight, {diagonal} diagonal)", self.steps)),
            ("expansions", thousands(self.expansions)),
            ("time", format!("{} µs", measure(self.microseconds))),
        ];
        if self.prepare_seconds > 1e-4 {
            lines.push(("preparation", format!("{} ms", measure(self.prepare_seconds * 1e3))));
        }
        if let Some(picture) = self.picture {
            lines.push(("picture", picture.display().to_string()));
        }
        title + &fields(&lines)
    }
}
