//! `throng dynamic`: solves the problems of a scenario file, each on a map perturbed after its path database was built.
//!
//! The laboratory generates and measures the queries, so that experiments use the same ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;
use throng::grid::SeededRng;
use throng::grid::render::Picture;
use throng::{Cell, Corners, Grid, MoveRules};
use throng_cpd::{Cpd, Perturbation};
use throng_lab::queries::{self, PerturbedQuery, Quartiles, QuerySearch, QuerySet};

use super::cpd;
use crate::output::{self, bad_input, measure, note, print_either, table, thousands};
use crate::rules::TerrainChoice;
use crate::{picture, source};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Example:
  throng dynamic dao/arena.map --scen dao/arena.map.scen --perturb exp1 --search cpd-near,astar";

/// Progress bar while searching.
const TEMPLATE: &str = "{msg} [{bar:30}] {pos}/{len} problems {eta}";

/// The arguments of `throng dynamic`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A map file, or builtin:NAME
    map: String,
    /// The scenario file with the problems
    #[arg(long, value_name = "FILE")]
    scen: String,
    /// The searches, separated by commas, with optional parameters
    #[arg(long, value_name = "NAME[:KEY=VALUE,..],..")]
    search: String,
    /// How the map is perturbed before each query
    #[arg(long, value_enum)]
    perturb: PerturbChoice,
    /// Suboptimality bound of searches that take one and are given without it
    #[arg(long, default_value = "1.1")]
    epsilon: String,
    /// Solve N problems only, drawn at random
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Seed for drawing the problems
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Whether corners of new walls may be cut; corners of the original walls never may
    #[arg(long, value_enum, default_value_t = CornerChoice::Mixed)]
    corners: CornerChoice,
    /// Terrain costs
    #[arg(long, value_enum, default_value_t = TerrainChoice::Uniform)]
    terrain: TerrainChoice,
    /// The path database of the map; built first if not given
    #[arg(long, value_name = "FILE")]
    cpd: Option<String>,
    /// Draw the cells that each search expands for the first problem, as SEARCH.png in this folder
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
}

/// Perturbations of the map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PerturbChoice {
    /// Blocked discs close every shortest path
    Exp1,
    /// Discs are blocked until the optimal cost is 15 % higher
    Exp2,
}

/// Rules for cutting corners.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum CornerChoice {
    /// Corners of new walls may be cut
    Mixed,
    /// No corner may be cut
    Strict,
}

/// The results of one search.
#[derive(Debug, Serialize)]
struct DynamicReport {
    search: String,
    instances: usize,
    /// Problems that the perturbation made unsolvable.
    dropped: usize,
    solved: usize,
    /// Illegal paths, paths that exceed the suboptimality bound, and wrong lower bounds.
    bound_violations: usize,
    cost_over_optimal: Ratio,
    us_per_query: Quartiles,
    expansions: Quartiles,
}

#[derive(Debug, Default, Serialize)]
struct Ratio {
    mean: f64,
    max: f64,
}

/// `throng dynamic`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let corners = match arguments.corners {
        CornerChoice::Mixed => Corners::Mixed,
        CornerChoice::Strict => Corners::Forbid,
    };
    let tiles = source::open_map(&arguments.map)?;
    let mut grid = Grid::with_profile(tiles, MoveRules::eight_way(corners), arguments.terrain.profile());
    let problems = problems(arguments, &grid)?;
    let cpd = Arc::new(match &arguments.cpd {
        Some(file) => cpd::open(file, grid.ground())?,
        None => built(&grid)?,
    });
    let mut searches = Vec::new();
    for text in split_names(&arguments.search) {
        cpd::finder(&text, Some(&cpd))?.info().supports(grid.ground()).map_err(bad_input)?;
        searches.push(QuerySearch::new(&text, &arguments.epsilon, &cpd).map_err(bad_input)?);
    }
    let perturbation = match arguments.perturb {
        PerturbChoice::Exp1 => Perturbation::Exp1,
        PerturbChoice::Exp2 => Perturbation::Exp2,
    };
    let pictures = arguments.pictures.as_deref();
    let reports = answer_all(&mut grid, &problems, perturbation, searches, pictures)?;
    print_either(json, &reports, || text(arguments, &reports))?;
    let violations: usize = reports.iter().map(|report| report.bound_violations).sum();
    if violations > 0 {
        bail!("{violations} paths are illegal or exceed their suboptimality bound");
    }
    Ok(())
}

/// Returns the solvable problems of the file, at most `--limit` of them.
fn problems(arguments: &Arguments, grid: &Grid) -> Result<Vec<(Cell, Cell)>> {
    let scenario = source::open_scenario_for(&arguments.scen, &arguments.map, grid)?;
    let ground = grid.ground();
    let ends = |problem: &throng::grid::movingai::Problem| {
        let (from, to) = (ground.cell(problem.start)?, ground.cell(problem.goal)?);
        (from != to && ground.reachable(from, to)).then_some((from, to))
    };
    let mut problems: Vec<(Cell, Cell)> = scenario.problems.iter().filter_map(ends).collect();
    if let Some(limit) = arguments.limit
        && limit < problems.len()
    {
        SeededRng::new(arguments.seed).shuffle(&mut problems);
        problems.truncate(limit);
    }
    Ok(problems)
}

/// Builds the database of a map on all processors.
fn built(grid: &Grid) -> Result<Cpd> {
    let rows = grid.ground().free_count() as u64;
    note(format_args!("no --cpd: building the path database, {} rows", thousands(rows)));
    let bar = output::progress(Some(rows), TEMPLATE, "database".to_owned());
    let built = queries::build(grid.ground(), |done| {
        bar.set_position(done as u64);
        true
    })?;
    bar.finish_and_clear();
    built.context("the build was interrupted")
}

/// Splits names at commas. Parameters are separated by commas too; a piece with `=` and without `:` belongs to the name
/// before it.
fn split_names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in text.split(',') {
        match names.last_mut().filter(|_| part.contains('=') && !part.contains(':')) {
            Some(name) => {
                name.push(',');
                name.push_str(part);
            }
            None => names.push(part.to_owned()),
        }
    }
    names
}

/// Perturbs the map for each problem and runs every search on all queries.
fn answer_all(
    grid: &mut Grid,
    problems: &[(Cell, Cell)],
    perturbation: Perturbation,
    searches: Vec<QuerySearch>,
    pictures: Option<&Path>,
) -> Result<Vec<DynamicReport>> {
    let steps = problems.len() * (1 + searches.len() * queries::PASSES);
    let bar = output::progress(Some(steps as u64), TEMPLATE, "queries".to_owned());
    let advance = || {
        bar.inc(1);
        true
    };
    let QuerySet { solvable, dropped } = QuerySet::new(grid, problems, perturbation, advance)?;
    let mut reports = Vec::new();
    for mut search in searches {
        let results = search.answer(grid, &solvable, advance)?.unwrap_or_default();
        if let (Some(folder), Some(first)) = (pictures, solvable.first()) {
            draw(&mut search, grid, first, folder)?;
        }
        let (mean, max) = results.cost_over_optimal;
        reports.push(DynamicReport {
            search: search.text,
            instances: solvable.len(),
            dropped,
            solved: results.solved,
            bound_violations: results.violations,
            cost_over_optimal: Ratio { mean, max },
            us_per_query: results.us_per_query,
            expansions: results.expansions,
        });
    }
    bar.finish_and_clear();
    Ok(reports)
}

/// Draws the cells that a search expands for a query.
fn draw(search: &mut QuerySearch, grid: &mut Grid, query: &PerturbedQuery, folder: &Path) -> Result<()> {
    let file = folder.join(format!("{}.png", search.text.replace([':', ','], "-")));
    search.show(grid, query, |grid, path, expanded| {
        let expanded = picture::cells(expanded);
        let picture = Picture::of_grid(grid).expanded(&expanded).path(path);
        picture::write(&picture, &file)
    })?
}

/// Returns the results as a table.
fn text(arguments: &Arguments, reports: &[DynamicReport]) -> String {
    let (instances, dropped) = reports.first().map_or((0, 0), |report| (report.instances, report.dropped));
    let title = format!(
        "{}: {} perturbed problems, {} dropped as unsolvable\n\n",
        arguments.map,
        thousands(instances as u64),
        thousands(dropped as u64)
    );
    let rows = reports.iter().map(|report| {
        let (us, expansions) = (report.us_per_query, report.expansions);
        let numbers = [us.p25, us.p50, us.p75, us.mean, expansions.p50, expansions.mean].map(measure);
        let cost = format!("{:.4}", report.cost_over_optimal.mean);
        let max = format!("{:.4}", report.cost_over_optimal.max);
        let violations = report.bound_violations.to_string();
        std::iter::once(report.search.clone()).chain(numbers).chain([cost, max, violations])
    });
    let header = [
        "search",
        ">µs p25",
        ">p50",
        ">p75",
        ">mean",
        ">expanded p50",
        ">mean",
        ">cost/optimal",
        ">max",
        ">violations",
    ];
    title + &table(&header, rows)
}
