//! `throng dynamic`: the problems of a scenario file, each on a map that was perturbed since its database was built.
//!
//! What is asked and measured is in the laboratory, where experiments ask the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;
use throng::cpd::{Cpd, Perturbation};
use throng::grid::SeededRng;
use throng::grid::render::Picture;
use throng::{Cell, Corners, Grid, MoveRules, Profile};
use throng_lab::dynamic::{self, Candidate, Quartiles, Question, Questions};

use super::cpd;
use crate::output::{self, bad_input, measure, note, print_either, table, thousands};
use crate::rules::TerrainChoice;
use crate::{picture, source};

/// What closes the help.
pub(crate) const EXAMPLE: &str = "\
Example:
  throng dynamic dao/arena.map --scen dao/arena.map.scen --perturb exp1 --search cpd-near,astar";

/// The bar shown while searching.
const TEMPLATE: &str = "{msg} [{bar:30}] {pos}/{len} problems {eta}";

/// The arguments of `throng dynamic`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A map file, or builtin:NAME
    map: String,
    /// A scenario file with the problems
    #[arg(long, value_name = "FILE")]
    scen: String,
    /// The searches, separated by commas, with their parameters if need be
    #[arg(long, value_name = "NAME[:KEY=VALUE,..],..")]
    search: String,
    /// What happens to the map before each question
    #[arg(long, value_enum)]
    perturb: PerturbChoice,
    /// The factor for searches that take one and are not given another
    #[arg(long, default_value = "1.1")]
    epsilon: String,
    /// Only so many problems, drawn by the seed
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Draws the problems
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Whether the corners of new walls may be cut; those of the map's own walls never may
    #[arg(long, value_enum, default_value_t = CornerReading::Mixed)]
    corners: CornerReading,
    /// What terrain costs
    #[arg(long, value_enum, default_value_t = TerrainChoice::Uniform)]
    terrain: TerrainChoice,
    /// The path database of the map; built first when not given
    #[arg(long, value_name = "FILE")]
    cpd: Option<String>,
    /// Draw what each search expands for the first problem, as SEARCH.png in this folder
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
}

/// What happens to the map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PerturbChoice {
    /// Discs block every shortest path
    Exp1,
    /// Discs until the least cost is 15 % higher
    Exp2,
}

/// How corners are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum CornerReading {
    /// New walls may be cut
    Mixed,
    /// No wall may be cut
    Strict,
}

/// What is printed about one search.
#[derive(Debug, Serialize)]
struct Report {
    search: String,
    instances: usize,
    /// Made unsolvable by the perturbation.
    dropped: usize,
    solved: usize,
    /// Paths that are illegal or cost more than promised, and lower bounds that are none.
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
        CornerReading::Mixed => Corners::Mixed,
        CornerReading::Strict => Corners::Forbid,
    };
    let profile = match arguments.terrain {
        TerrainChoice::Uniform => Profile::WALKER,
        TerrainChoice::Wc3 => Profile::WC3,
    };
    let tiles = source::open_map(&arguments.map)?;
    let mut grid = Grid::with_profile(tiles, MoveRules::eight_way(corners), profile);
    let problems = problems(arguments, &grid)?;
    let cpd = Arc::new(match &arguments.cpd {
        Some(file) => cpd::open(file, grid.ground())?,
        None => built(&grid)?,
    });
    let mut candidates = Vec::new();
    for text in split_names(&arguments.search) {
        cpd::finder(&text, Some(&cpd))?.info().supports(grid.ground()).map_err(bad_input)?;
        candidates.push(Candidate::new(&text, &arguments.epsilon, &cpd).map_err(bad_input)?);
    }
    let perturbation = match arguments.perturb {
        PerturbChoice::Exp1 => Perturbation::Exp1,
        PerturbChoice::Exp2 => Perturbation::Exp2,
    };
    let pictures = arguments.pictures.as_deref();
    let reports = ask_all(&mut grid, &problems, perturbation, candidates, pictures)?;
    print_either(json, &reports, || text(arguments, &reports))?;
    let violations: usize = reports.iter().map(|report| report.bound_violations).sum();
    if violations > 0 {
        bail!("{violations} answers break their promise");
    }
    Ok(())
}

/// The problems of the file that can be solved, as many as asked for.
fn problems(arguments: &Arguments, grid: &Grid) -> Result<Vec<(Cell, Cell)>> {
    let scenario = source::open_scenario(&arguments.scen)?;
    let ground = grid.ground();
    if let Some(problem) = scenario.problems.iter().find(|problem| problem.size != grid.size()) {
        return Err(bad_input(format_args!(
            "{}:{}:1: the problem is for a map of another size than {}",
            arguments.scen, problem.line, arguments.map
        )));
    }
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

/// The database of a map, built on all processors.
fn built(grid: &Grid) -> Result<Cpd> {
    let rows = grid.ground().free_count() as u64;
    note(format_args!("no --cpd: building the path database, {} rows", thousands(rows)));
    let bar = output::progress(Some(rows), TEMPLATE, "database".to_owned());
    let built = dynamic::build(grid.ground(), |done| {
        bar.set_position(done as u64);
        true
    })?;
    bar.finish_and_clear();
    built.context("the build was given up")
}

/// Names separated by commas, each with its parameters, which are separated by commas too.
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

/// Perturbs the map for each problem, and asks every search all questions.
fn ask_all(
    grid: &mut Grid,
    problems: &[(Cell, Cell)],
    perturbation: Perturbation,
    candidates: Vec<Candidate>,
    pictures: Option<&Path>,
) -> Result<Vec<Report>> {
    let steps = problems.len() * (1 + candidates.len() * dynamic::PASSES);
    let bar = output::progress(Some(steps as u64), TEMPLATE, "questions".to_owned());
    let tell = || {
        bar.inc(1);
        true
    };
    let Questions { asked, dropped } = Questions::new(grid, problems, perturbation, tell)?;
    let mut reports = Vec::new();
    for mut candidate in candidates {
        let answers = candidate.ask(grid, &asked, tell)?.unwrap_or_default();
        if let (Some(folder), Some(first)) = (pictures, asked.first()) {
            draw(&mut candidate, grid, first, folder)?;
        }
        let (mean, max) = answers.cost_over_optimal;
        reports.push(Report {
            search: candidate.text,
            instances: asked.len(),
            dropped,
            solved: answers.solved,
            bound_violations: answers.violations,
            cost_over_optimal: Ratio { mean, max },
            us_per_query: answers.us_per_query,
            expansions: answers.expansions,
        });
    }
    bar.finish_and_clear();
    Ok(reports)
}

/// Draws what a search expands for a question.
fn draw(candidate: &mut Candidate, grid: &mut Grid, question: &Question, folder: &Path) -> Result<()> {
    let file = folder.join(format!("{}.png", candidate.text.replace([':', ','], "-")));
    candidate.show(grid, question, |grid, path, expanded| {
        let expanded = picture::cells(expanded);
        let picture = Picture::of_grid(grid).expanded(&expanded).path(path);
        picture::write(&picture, &file)
    })?
}

/// For people.
fn text(arguments: &Arguments, reports: &[Report]) -> String {
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
        let most = format!("{:.4}", report.cost_over_optimal.max);
        let violations = report.bound_violations.to_string();
        std::iter::once(report.search.clone()).chain(numbers).chain([cost, most, violations])
    });
    let header = [
        "search",
        ">µs p25",
        ">p50",
        ">p75",
        ">mean",
        ">expanded p50",
        ">mean",
        ">cost/least",
        ">max",
        ">violations",
    ];
    title + &table(&header, rows)
}
