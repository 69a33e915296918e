//! `throng path --scen`: solves every problem of a scenario file and compares the lengths with the file.
//!
//! Lengths are compared only for searches that guarantee shortest paths, under the rules of the file: uniform terrain
//! and no cut corners. For other searches the report gives the mean ratio of their cost to the optimal cost, and for
//! real-time searches the distribution of this ratio, to which an agent that gave up contributes its cap. An optimal search
//! computes that cost, because some sets have files made for other versions of their maps.

use anyhow::{Result, bail};
use serde::Serialize;
use throng::grid::movingai::{Flaw, Problem, Scenario};
use throng::{Cell, Cost, Ground, RegisteredSearch};
use throng_lab::stats::Distribution;

use super::super::cpd;
use super::{Arguments, length};
use crate::output::{self, bad_input, count, fields, measure, note, print_either, thousands};
use crate::source;
use crate::timing::{self, QueryTimes};

/// Maximum difference between a length and the file's.
const TOLERANCE: f64 = 0.01;

/// Maximum number of lines per kind that are reported individually.
const MAX_REPORTED: usize = 10;

/// Progress bar while searching.
const TEMPLATE: &str = "{msg} [{bar:30}] {pos}/{len} problems {eta}";

/// The report on a scenario file.
#[derive(Debug, Serialize)]
struct ScenarioReport<'a> {
    map: &'a str,
    search: &'a str,
    /// Number of problems in the file, or the limit.
    problems: usize,
    #[serde(flatten)]
    totals: ScenarioTotals,
    /// Total time of the search alone.
    seconds: f64,
    expansions_per_second: f64,
    us_per_query: Distribution,
    prepare_seconds: f64,
    /// Whether lengths were compared with the file.
    checked: bool,
    /// Mean ratio of cost to optimal cost; none if the search guarantees shortest paths, or is a real-time search.
    mean_suboptimality: Option<f64>,
    /// What is reported of a real-time search instead of mismatches.
    #[serde(flatten)]
    walks: Option<WalkReport>,
}

/// The quality of the paths of a real-time search.
#[derive(Debug, Serialize)]
struct WalkReport {
    /// The ratio of cost to optimal cost; the cap for an agent that gave up.
    suboptimality: Suboptimality,
    /// Problems whose agent gave up.
    capped: usize,
}

/// The ratio of cost to optimal cost over all problems.
#[derive(Debug, Serialize)]
struct Suboptimality {
    mean: f64,
    p50: f64,
    p99: f64,
}

/// Totals over the problems solved so far.
#[derive(Debug, Default, Serialize)]
struct ScenarioTotals {
    #[serde(skip)]
    times: QueryTimes,
    solved: usize,
    /// Problems whose length differs from the file's; none for a real-time search.
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatches: Option<ReportedLines>,
    /// Problems with a blocked end or without a path.
    unsolvable: ReportedLines,
    /// Total length of all paths, in straight steps on uniform terrain.
    total_length: f64,
    expansions: u64,
    /// The ratio of cost to optimal cost of each problem, if the search does not guarantee shortest paths.
    #[serde(skip)]
    ratios: Vec<f64>,
    /// Problems whose agent gave up.
    #[serde(skip)]
    capped: usize,
}

/// Lines of the file with the same defect: their number, and the first ones as text.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
struct ReportedLines {
    count: usize,
    #[serde(skip)]
    first: Vec<String>,
}

/// `throng path --scen`.
pub(super) fn run(arguments: &Arguments, file: &str, json: bool) -> Result<()> {
    let grid = arguments.rules.grid(source::open_map(&arguments.map)?);
    let mut scenario = source::open_scenario_for(file, &arguments.map, &grid)?;
    scenario.problems.truncate(arguments.limit.unwrap_or(usize::MAX));
    let mut finder = cpd::finder_with(&arguments.search, arguments.cpd.as_deref(), grid.ground())?;
    let prepare = timing::prepare(&mut finder, grid.ground()).map_err(bad_input)?;
    let mut reference = LengthReference::new(&finder, grid.ground(), arguments.rules.match_scenario_files())?;
    let totals = solve(&scenario, &mut finder, grid.ground(), &mut reference)?;

    totals.unsolvable.print(file, "unsolvable");
    totals.mismatches.iter().for_each(|lines| lines.print(file, "mismatch"));
    let mismatches = totals.mismatches.as_ref().map_or(0, |lines| lines.count);
    if totals.unsolvable.count + mismatches > 0 {
        note_other_map(&scenario, &arguments.map);
    }
    let seconds = totals.times.total_seconds();
    let is_real_time = finder.info().real_time;
    let report = ScenarioReport {
        map: &arguments.map,
        search: &arguments.search,
        problems: scenario.problems.len(),
        seconds,
        expansions_per_second: if seconds > 0.0 { totals.expansions as f64 / seconds } else { 0.0 },
        us_per_query: totals.times.distribution(),
        prepare_seconds: prepare.as_secs_f64(),
        checked: matches!(reference, LengthReference::File),
        mean_suboptimality: (matches!(reference, LengthReference::Search(_)) && !is_real_time)
            .then(|| suboptimality(&totals.ratios).mean),
        walks: is_real_time
            .then(|| WalkReport { suboptimality: suboptimality(&totals.ratios), capped: totals.capped }),
        totals,
    };
    print_either(json, &report, || report.text(arguments))?;
    if mismatches > 0 {
        bail!("{mismatches} of {} problems have another length than the file states", report.problems);
    }
    Ok(())
}

/// Notes that the scenario was made for a map of another name. Many maps are 512×512, so their size does not show it.
fn note_other_map(scenario: &Scenario, map: &str) {
    let name = map.rsplit(['/', '\\']).next().unwrap_or(map);
    if let Some(problem) = scenario.problems.iter().find(|problem| problem.map != name) {
        note(format_args!("note: the scenario file was made for {}, not for {map}", problem.map));
    }
}

/// What a path's length or cost is compared with.
enum LengthReference {
    /// The length in the file.
    File,
    /// The cost of a search that guarantees shortest paths.
    Search(RegisteredSearch),
    /// Nothing: the search guarantees shortest paths, but the file's lengths hold for other rules.
    None,
}

impl LengthReference {
    fn new(finder: &RegisteredSearch, ground: &Ground, rules_match_file: bool) -> Result<Self> {
        if finder.info().optimal {
            return Ok(if rules_match_file { Self::File } else { Self::None });
        }
        for name in ["jps", "astar"] {
            let optimal = throng::search(name)?;
            if optimal.info().supports(ground).is_ok() {
                return Ok(Self::Search(optimal));
            }
        }
        bail!("no search finds shortest paths under these rules, so lengths cannot be compared")
    }
}

fn solve(
    scenario: &Scenario,
    finder: &mut RegisteredSearch,
    ground: &Ground,
    reference: &mut LengthReference,
) -> Result<ScenarioTotals> {
    let mismatches = (!finder.info().real_time).then(ReportedLines::default);
    let mut totals = ScenarioTotals { mismatches, ..ScenarioTotals::default() };
    let (mut path, mut other) = (Vec::new(), Vec::new());
    let bar = output::progress(Some(scenario.problems.len() as u64), TEMPLATE, finder.info().name.to_owned());
    for problem in &scenario.problems {
        bar.inc(1);
        if let Some(flaw) = problem.flaw(ground) {
            totals.unsolvable.add(problem, || reason(problem, flaw));
            continue;
        }
        let (Some(from), Some(to)) = (ground.cell(problem.start), ground.cell(problem.goal)) else {
            continue;
        };
        let answer = totals.times.find(finder, ground, (from, to), &mut path)?;
        totals.expansions += answer.expansions;
        let Some(cost) = answer.cost else {
            match finder.cap() {
                Some(cap) => {
                    totals.capped += 1;
                    totals.ratios.push(cap as f64);
                }
                None => {
                    totals.add_mismatch(problem, || "the search found no path, but there is one".to_owned());
                }
            }
            continue;
        };
        totals.solved += 1;
        let length = length(ground, &path, cost);
        totals.total_length += length;
        match reference {
            LengthReference::File if (length - problem.length).abs() > TOLERANCE => {
                totals.add_mismatch(problem, || {
                    format!("length {length:.5}, the file says {:.5}", problem.length)
                });
            }
            LengthReference::Search(optimal) => {
                totals.ratios.push(cost_ratio(optimal, ground, (from, to), cost, &mut other)?);
            }
            LengthReference::File | LengthReference::None => {}
        }
    }
    bar.finish_and_clear();
    Ok(totals)
}

/// Returns the ratio of a cost to the optimal cost.
fn cost_ratio(
    optimal: &mut RegisteredSearch,
    ground: &Ground,
    (from, to): (Cell, Cell),
    cost: Cost,
    path: &mut Vec<Cell>,
) -> Result<f64> {
    let least = optimal.find(ground, from, to, path)?.cost.unwrap_or(cost);
    Ok(if least > 0 { f64::from(cost) / f64::from(least) } else { 1.0 })
}

/// Returns the distribution of ratios of cost to optimal cost; 1 without any.
fn suboptimality(ratios: &[f64]) -> Suboptimality {
    let Distribution { mean, p50, p99, .. } =
        Distribution::of(if ratios.is_empty() { &[1.0] } else { ratios });
    Suboptimality { mean, p50, p99 }
}

/// Explains why a problem is unsolvable.
fn reason(problem: &Problem, flaw: Flaw) -> String {
    let Problem { start, goal, .. } = problem;
    format!("{flaw} (from {},{} to {},{})", start.x, start.y, goal.x, goal.y)
}

impl ScenarioTotals {
    fn add_mismatch(&mut self, problem: &Problem, text: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.mismatches {
            lines.add(problem, text);
        }
    }
}

impl ReportedLines {
    fn add(&mut self, problem: &Problem, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < MAX_REPORTED {
            self.first.push(format!("{}: {}", problem.line, text()));
        }
    }

    fn print(&self, file: &str, what: &str) {
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

impl ScenarioReport<'_> {
    /// Returns the report as text.
    fn text(&self, arguments: &Arguments) -> String {
        let (us, totals) = (self.us_per_query, &self.totals);
        let title = format!("{}: {} ({})\n\n", self.map, self.search, arguments.rules);
        let mut lines = vec![
            ("problems", thousands(self.problems as u64)),
            ("solved", thousands(totals.solved as u64)),
            ("unsolvable", thousands(totals.unsolvable.count as u64)),
        ];
        if let (true, Some(mismatches)) = (self.checked, &totals.mismatches) {
            lines.push(("mismatches", format!("{} (lengths that differ from the file)", mismatches.count)));
        }
        if let Some(WalkReport { suboptimality, capped }) = &self.walks {
            let Suboptimality { mean, p50, p99 } = suboptimality;
            lines.extend([
                ("capped", format!("{} (agents that gave up)", thousands(*capped as u64))),
                ("cost/optimal", format!("mean {mean:.4}, p50 {p50:.4}, p99 {p99:.4}")),
            ]);
        }
        if let Some(mean) = self.mean_suboptimality {
            lines.push(("cost/optimal", format!("{mean:.4}")));
        }
        lines.extend([
            ("total length", measure(totals.total_length)),
            ("expansions", thousands(totals.expansions)),
            ("seconds", format!("{:.3}", self.seconds)),
            ("expansions/second", measure(self.expansions_per_second)),
            ("µs/query", {
                let [mean, p50, p99, max] = [us.mean, us.p50, us.p99, us.max].map(measure);
                format!("mean {mean}, p50 {p50}, p99 {p99}, max {max}")
            }),
        ]);
        if self.prepare_seconds > 1e-4 {
            lines.push(("preparation", format!("{} ms", measure(self.prepare_seconds * 1e3))));
        }
        title + &fields(&lines)
    }
}
