//! `throng dynamic`: the problems of a scenario file, each on a map that was perturbed since its database was built.
//!
//! Every search is asked the same questions on the same maps. Only the questions are timed: before them each search may
//! look at what has changed on the map. Every path is checked: its steps, its cost against the least, and the search's
//! own lower bound.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;
use throng::Pool;
use throng::cpd::{Build, Cpd, Perturbation};
use throng::grid::Dice;
use throng::searches::spec::{MILLION, Values};
use throng::{Cell, Corners, Cost, Executor, Finder, Grid, MoveRules, Profile};

use super::cpd;
use crate::output::{self, bad_input, measure, note, print_either, table, thousands};
use crate::rules::TerrainChoice;
use crate::source;
use crate::timing::{Quartiles, quartiles};

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

/// One search and what it has given so far.
struct Candidate {
    text: String,
    finder: Finder,
    /// What it promises, in millionths of the least cost.
    factor: Option<u64>,
    microseconds: Vec<f64>,
    expansions: Vec<f64>,
    solved: usize,
    violations: usize,
    ratio: Ratio,
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
        candidates.push(Candidate::new(&text, &arguments.epsilon, &cpd, &grid)?);
    }
    let perturbation = match arguments.perturb {
        PerturbChoice::Exp1 => Perturbation::Exp1,
        PerturbChoice::Exp2 => Perturbation::Exp2,
    };
    let (instances, dropped) = ask_all(&mut grid, &problems, perturbation, &mut candidates)?;
    let reports: Vec<Report> =
        candidates.into_iter().map(|candidate| candidate.report(instances, dropped)).collect();
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
        Dice::new(arguments.seed).shuffle(&mut problems);
        problems.truncate(limit);
    }
    Ok(problems)
}

/// The database of a map, built on all processors.
fn built(grid: &Grid) -> Result<Cpd> {
    let pool = Pool::new(std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get))?;
    let mut build = Build::new(grid.ground());
    note(format_args!("no --cpd: building the path database, {} rows", thousands(build.rows() as u64)));
    let bar = output::progress(Some(build.rows() as u64), TEMPLATE, "database".to_owned());
    while build.advance(&|count, piece| pool.run(count, piece)).is_some() {
        bar.set_position(build.done() as u64);
    }
    bar.finish_and_clear();
    Ok(build.finish())
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

/// Perturbs the map for each problem and asks every search; returns how many were asked and dropped.
fn ask_all(
    grid: &mut Grid,
    problems: &[(Cell, Cell)],
    perturbation: Perturbation,
    candidates: &mut [Candidate],
) -> Result<(usize, usize)> {
    let mut shortest = throng::search("astar")?;
    let (mut instances, mut dropped) = (0, 0);
    let bar = output::progress(Some(problems.len() as u64), TEMPLATE, "questions".to_owned());
    for &(from, to) in problems {
        bar.inc(1);
        let Some(perturbed) = perturbation.apply(grid, (from, to), &mut shortest)? else { continue };
        if let Some(least) = perturbed.after {
            instances += 1;
            for candidate in &mut *candidates {
                candidate.ask(grid, (from, to), least)?;
            }
        } else {
            dropped += 1;
        }
        perturbed.undo(grid);
    }
    bar.finish_and_clear();
    Ok((instances, dropped))
}

impl Candidate {
    fn new(text: &str, epsilon: &str, cpd: &Arc<Cpd>, grid: &Grid) -> Result<Self> {
        let plain = cpd::finder(text, Some(cpd))?;
        let info = plain.info();
        let takes = |name: &str| info.parameters.iter().any(|parameter| parameter.name == name);
        let factor_name = ["epsilon", "weight"].into_iter().find(|name| takes(name));
        let full = match factor_name.filter(|name| !text.contains(&format!("{name}="))) {
            Some(name) => format!("{text}{}{name}={epsilon}", if text.contains(':') { "," } else { ":" }),
            None => text.to_owned(),
        };
        let finder = cpd::finder(&full, Some(cpd))?;
        info.supports(grid.ground()).map_err(bad_input)?;
        let (name, parameters) = throng::searches::spec::split(&full);
        let values = Values::parse(name, info.parameters, parameters).map_err(bad_input)?;
        Ok(Self {
            text: full,
            finder,
            factor: factor_name.map(|name| values.get(name)).or(info.optimal.then_some(MILLION)),
            microseconds: Vec::new(),
            expansions: Vec::new(),
            solved: 0,
            violations: 0,
            ratio: Ratio::default(),
        })
    }

    fn ask(&mut self, grid: &Grid, (from, to): (Cell, Cell), least: Cost) -> Result<()> {
        let mut path = Vec::new();
        self.finder.prepare(grid.ground())?;
        let start = Instant::now();
        let answer = self.finder.find(grid.ground(), from, to, &mut path)?;
        self.microseconds.push(start.elapsed().as_secs_f64() * 1e6);
        self.expansions.push(answer.expansions as f64);
        let Some(cost) = answer.cost else {
            self.violations += 1;
            return Ok(());
        };
        self.solved += 1;
        let legal = grid.ground().path_cost(&path) == Some(cost)
            && (path.first(), path.last()) == (Some(&from), Some(&to));
        let within = self.factor.is_none_or(|factor| u64::from(cost) * MILLION <= u64::from(least) * factor);
        if !legal || !within || answer.lower_bound > least {
            self.violations += 1;
        }
        let ratio = f64::from(cost) / f64::from(least);
        self.ratio.mean += ratio;
        self.ratio.max = self.ratio.max.max(ratio);
        Ok(())
    }

    fn report(self, instances: usize, dropped: usize) -> Report {
        let solved = self.solved.max(1) as f64;
        Report {
            search: self.text,
            instances,
            dropped,
            solved: self.solved,
            bound_violations: self.violations,
            cost_over_optimal: Ratio { mean: self.ratio.mean / solved, max: self.ratio.max },
            us_per_query: quartiles(self.microseconds),
            expansions: quartiles(self.expansions),
        }
    }
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
