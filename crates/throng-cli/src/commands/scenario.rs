//! `throng path --scen`: every problem of a scenario file, each length compared with the file's.
//!
//! Lengths are compared where the file's are meant: searches that promise shortest paths, plain terrain, no cut
//! corners. What other searches lose is told as the mean of their costs over the least ones, which an optimal search
//! computes anew: files of some sets were made for other editions of their maps.

use anyhow::{Result, bail};
use serde::Serialize;
use throng::grid::movingai::{Flaw, Problem, Scenario};
use throng::{Cell, Cost, Grid, Ground, RegisteredSearch};

use super::cpd;
use super::path::{Arguments, length};
use crate::output::{self, bad_input, count, fields, measure, note, print_either, thousands};
use crate::source;
use crate::timing::{self, Microseconds, Times};

/// How far a length may lie from the file's.
const TOLERANCE: f64 = 0.01;

/// How many lines of one kind are told one by one.
const TOLD: usize = 10;

/// The bar shown while searching.
const TEMPLATE: &str = "{msg} [{bar:30}] {pos}/{len} problems {eta}";

/// What is printed about a scenario file.
#[derive(Debug, Serialize)]
struct Report<'a> {
    map: &'a str,
    search: &'a str,
    /// Lines looked at.
    problems: usize,
    solved: usize,
    /// Lines whose length is not the file's.
    mismatches: usize,
    /// Lines on walls or without a path.
    unsolvable: usize,
    /// Of all solved problems, in straight steps on plain ground.
    total_length: f64,
    expansions: u64,
    /// In the search alone.
    seconds: f64,
    expansions_per_second: f64,
    us_per_query: Microseconds,
    prepare_seconds: f64,
    /// Whether lengths were compared with the file's.
    checked: bool,
    /// Mean of cost over least cost; none where the search promises shortest paths.
    mean_suboptimality: Option<f64>,
}

/// What the problems have given so far.
#[derive(Default)]
struct Tally {
    times: Times,
    solved: usize,
    mismatches: Lines,
    unsolvable: Lines,
    total_length: f64,
    expansions: u64,
    suboptimality: f64,
}

/// Lines of the file that something is to be told about.
#[derive(Default)]
struct Lines {
    count: usize,
    first: Vec<String>,
}

/// `throng path --scen`.
pub(super) fn run(arguments: &Arguments, file: &str, json: bool) -> Result<()> {
    let grid = arguments.rules.grid(source::open_map(&arguments.map)?);
    let mut scenario = source::open_scenario(file)?;
    scenario.problems.truncate(arguments.limit.unwrap_or(usize::MAX));
    check_sizes(&scenario, file, &arguments.map, &grid)?;
    let mut finder = cpd::finder_with(&arguments.search, arguments.cpd.as_deref(), grid.ground())?;
    let prepare = timing::prepare(&mut finder, grid.ground()).map_err(bad_input)?;
    let mut judge = Judge::new(&finder, grid.ground(), arguments.rules.are_those_of_scenarios())?;
    let tally = solve(&scenario, &mut finder, grid.ground(), &mut judge)?;

    tally.unsolvable.tell(file, "unsolvable");
    tally.mismatches.tell(file, "mismatch");
    if tally.unsolvable.count + tally.mismatches.count > 0 {
        tell_other_map(&scenario, &arguments.map);
    }
    let seconds = tally.times.total().as_secs_f64();
    let mean = |sum: f64| if tally.solved > 0 { sum / tally.solved as f64 } else { 1.0 };
    let report = Report {
        map: &arguments.map,
        search: &arguments.search,
        problems: scenario.problems.len(),
        solved: tally.solved,
        mismatches: tally.mismatches.count,
        unsolvable: tally.unsolvable.count,
        total_length: tally.total_length,
        expansions: tally.expansions,
        seconds,
        expansions_per_second: if seconds > 0.0 { tally.expansions as f64 / seconds } else { 0.0 },
        us_per_query: tally.times.summary(),
        prepare_seconds: prepare.as_secs_f64(),
        checked: matches!(judge, Judge::File),
        mean_suboptimality: matches!(judge, Judge::Search(_)).then(|| mean(tally.suboptimality)),
    };
    print_either(json, &report, || report.text(arguments))?;
    if report.mismatches > 0 {
        bail!("{} of {} problems disagree with the file", report.mismatches, report.problems);
    }
    Ok(())
}

/// Refuses a scenario file that was made for a map of another size: nothing that came out would mean anything.
fn check_sizes(scenario: &Scenario, file: &str, map: &str, grid: &Grid) -> Result<()> {
    let size = grid.size();
    match scenario.problems.iter().find(|problem| problem.size != size) {
        None => Ok(()),
        Some(Problem { line, size: stated, .. }) => Err(bad_input(format_args!(
            "{file}:{line}:1: the problem is for a map of {}×{} cells, but {map} has {}×{}",
            stated.width(),
            stated.height(),
            size.width(),
            size.height(),
        ))),
    }
}

/// Many maps are 512×512, so the wrong one is noticed only by its results.
fn tell_other_map(scenario: &Scenario, map: &str) {
    let name = map.rsplit(['/', '\\']).next().unwrap_or(map);
    if let Some(problem) = scenario.problems.iter().find(|problem| problem.map != name) {
        note(format_args!("note: the scenario file was made for {}, not for {map}", problem.map));
    }
}

/// What a cost is compared with.
enum Judge {
    /// The file's length.
    File,
    /// The cost of a search that promises shortest paths.
    Search(RegisteredSearch),
    /// Nothing: the search promises shortest paths, but the file's lengths are for other rules.
    Nobody,
}

impl Judge {
    fn new(finder: &RegisteredSearch, ground: &Ground, rules_of_files: bool) -> Result<Self> {
        if finder.info().optimal {
            return Ok(if rules_of_files { Self::File } else { Self::Nobody });
        }
        for name in ["jps", "astar"] {
            let judge = throng::search(name)?;
            if judge.info().supports(ground).is_ok() {
                return Ok(Self::Search(judge));
            }
        }
        bail!("no search knows the shortest paths under these rules")
    }
}

fn solve(
    scenario: &Scenario,
    finder: &mut RegisteredSearch,
    ground: &Ground,
    judge: &mut Judge,
) -> Result<Tally> {
    let mut tally = Tally::default();
    let (mut path, mut other) = (Vec::new(), Vec::new());
    let bar = output::progress(Some(scenario.problems.len() as u64), TEMPLATE, finder.info().name.to_owned());
    for problem in &scenario.problems {
        bar.inc(1);
        if let Some(flaw) = problem.flaw(ground) {
            tally.unsolvable.add(problem, || reason(problem, flaw));
            continue;
        }
        let (Some(from), Some(to)) = (ground.cell(problem.start), ground.cell(problem.goal)) else {
            continue;
        };
        let answer = tally.times.find(finder, ground, (from, to), &mut path)?;
        tally.expansions += answer.expansions;
        let Some(cost) = answer.cost else {
            tally.mismatches.add(problem, || "the search found no path, but there is one".to_owned());
            continue;
        };
        tally.solved += 1;
        let length = length(ground, &path, cost);
        tally.total_length += length;
        match judge {
            Judge::File if (length - problem.length).abs() > TOLERANCE => {
                tally
                    .mismatches
                    .add(problem, || format!("length {length:.5}, the file says {:.5}", problem.length));
            }
            Judge::Search(best) => {
                tally.suboptimality += over_least(best, ground, (from, to), cost, &mut other)?;
            }
            Judge::File | Judge::Nobody => {}
        }
    }
    bar.finish_and_clear();
    Ok(tally)
}

/// A cost over the least one.
fn over_least(
    best: &mut RegisteredSearch,
    ground: &Ground,
    (from, to): (Cell, Cell),
    cost: Cost,
    path: &mut Vec<Cell>,
) -> Result<f64> {
    let least = best.find(ground, from, to, path)?.cost.unwrap_or(cost);
    Ok(if least > 0 { f64::from(cost) / f64::from(least) } else { 1.0 })
}

/// Why a problem is unsolvable, with the place.
fn reason(problem: &Problem, flaw: Flaw) -> String {
    let Problem { start, goal, .. } = problem;
    format!("{flaw} (from {},{} to {},{})", start.x, start.y, goal.x, goal.y)
}

impl Lines {
    fn add(&mut self, problem: &Problem, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < TOLD {
            self.first.push(format!("{}: {}", problem.line, text()));
        }
    }

    fn tell(&self, file: &str, what: &str) {
        for line in &self.first {
            let (number, text) = line.split_once(": ").unwrap_or((line, ""));
            note(format_args!("{file}:{number}:1: {what}: {text}"));
        }
        let more = self.count - self.first.len();
        if more > 0 {
            note(format_args!("{file}: {what}: … and {}", count(more, "more line", "more lines")));
        }
    }
}

impl Report<'_> {
    /// For people.
    fn text(&self, arguments: &Arguments) -> String {
        let us = self.us_per_query;
        let title = format!("{}: {} ({})\n\n", self.map, self.search, arguments.rules);
        let mut lines = vec![
            ("problems", thousands(self.problems as u64)),
            ("solved", thousands(self.solved as u64)),
            ("unsolvable", thousands(self.unsolvable as u64)),
        ];
        if self.checked {
            lines.push(("mismatches", format!("{} (lengths compared with the file's)", self.mismatches)));
        }
        if let Some(mean) = self.mean_suboptimality {
            lines.push(("cost over least", format!("{mean:.4}")));
        }
        lines.extend([
            ("total length", measure(self.total_length)),
            ("expansions", thousands(self.expansions)),
            ("seconds", format!("{:.3}", self.seconds)),
            ("expansions/second", measure(self.expansions_per_second)),
            ("µs/query", {
                let [mean, p50, p99, max] = [us.mean, us.p50, us.p99, us.max].map(measure);
                format!("mean {mean}, p50 {p50}, p99 {p99}, max {max}")
            }),
        ]);
        if self.prepare_seconds > 1e-4 {
            lines.push(("prepared in", format!("{} ms", measure(self.prepare_seconds * 1e3))));
        }
        title + &fields(&lines)
    }
}
