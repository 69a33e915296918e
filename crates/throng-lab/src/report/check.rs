//! Checks of findings: a paper's finding, tested on our runs. The verdict follows from the confidence interval of an
//! estimate: the finding holds if the whole interval is on the finding's side, does not hold if the whole interval is on
//! the other side, and is open otherwise or with too few runs.

mod each_map;
mod groups;
mod sequence;
mod target;

use serde::Serialize;

use super::measure::{Better, Measure};
use super::runs::{ReportRun, RunSet};
use super::sample::JointSample;
use super::settings::{CheckKind, CheckSettings};
use crate::findings::Findings;
use crate::paper::{OVERALL, Paper, PaperTable};
use crate::stats::{Estimate, Interval};
use crate::task::is_solver_column;

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Verdict {
    /// The finding holds.
    #[serde(rename = "holds")]
    Holds,
    /// The finding does not hold.
    #[serde(rename = "does not hold")]
    Fails,
    /// There are too few runs to decide.
    #[serde(rename = "not enough data")]
    Unknown,
}

impl Verdict {
    /// Returns the verdict as text.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "does not hold",
            Self::Unknown => "not enough data",
        }
    }

    /// Returns the verdict on a numbered finding as text: what is not decided is open.
    pub const fn finding_text(self) -> &'static str {
        match self {
            Self::Unknown => "open",
            decided => decided.text(),
        }
    }

    /// Returns the verdict on statements that must all hold; unknown if there are none.
    pub(crate) fn weakest(verdicts: &[Self]) -> Self {
        if verdicts.contains(&Self::Fails) {
            Self::Fails
        } else if verdicts.is_empty() || verdicts.contains(&Self::Unknown) {
            Self::Unknown
        } else {
            Self::Holds
        }
    }

    /// Returns the verdict on an estimate that should be above a threshold.
    fn above(estimate: Option<Estimate>, threshold: f64) -> Self {
        match estimate.and_then(|estimate| estimate.interval) {
            Some(interval) if interval.low > threshold => Self::Holds,
            Some(interval) if interval.high <= threshold => Self::Fails,
            _ => Self::Unknown,
        }
    }
}

/// One comparison of a check.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Comparison {
    pub(crate) label: String,
    /// Mean of the first planner minus that of the second, on the same instances.
    pub(crate) difference: Option<Estimate>,
    /// The paper's difference.
    pub(crate) paper: Option<f64>,
    /// Whether the finding holds in this comparison.
    pub(crate) verdict: Verdict,
    /// Number of instances on which the first planner is higher, equal and lower.
    pub(crate) counts: Option<[usize; 3]>,
    /// 1 if the finding expects a positive difference and −1 otherwise.
    sign: f64,
}

impl Comparison {
    /// Judges a difference by its interval.
    fn new(label: String, difference: Option<Estimate>, sign: f64, paper: Option<f64>) -> Self {
        let verdict = Verdict::above(difference.map(|estimate| flipped(estimate, sign)), 0.0);
        Self { label, difference, paper, verdict, counts: None, sign }
    }

    /// Judges the difference again: it may be on the other side by a tolerance.
    fn with_tolerance(mut self, tolerance: f64) -> Self {
        self.verdict = Verdict::above(self.difference.map(|it| flipped(it, self.sign)), -tolerance);
        self
    }
}

/// The result of a check at one scale.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CheckResult {
    pub(crate) scale: String,
    pub(crate) verdict: Verdict,
    /// The deciding estimate, as text.
    pub(crate) decisive: String,
    pub(crate) comparisons: Vec<Comparison>,
}

/// A finding and the results of its check at each scale.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) text: String,
    /// The name of the paper's finding that the check decides.
    pub(crate) decides: Option<String>,
    pub(crate) source: String,
    pub(crate) measure: &'static Measure,
    pub(crate) results: Vec<CheckResult>,
}

/// The inputs of a check at one scale.
#[derive(Clone, Copy)]
struct CheckContext<'a> {
    settings: &'a CheckSettings,
    runs: &'a RunSet,
    /// All planners of the report.
    all_planners: &'a [String],
    paper: &'a Paper,
    measure: &'static Measure,
}

impl Finding {
    /// Checks a finding at each scale.
    pub(crate) fn new(
        settings: &CheckSettings,
        sets: &[RunSet],
        all_planners: &[String],
        paper: &Paper,
    ) -> Self {
        let sets = sets.iter().filter(|set| settings.is_made_at(&set.scale));
        let result = |runs| check(settings, runs, all_planners, paper);
        Self {
            text: settings.finding.clone(),
            decides: settings.decides.clone(),
            source: source(settings),
            measure: Measure::of(&settings.measure),
            results: sets.map(result).collect(),
        }
    }
}

/// Checks a finding at one scale.
pub(super) fn check(
    settings: &CheckSettings,
    runs: &RunSet,
    all_planners: &[String],
    paper: &Paper,
) -> CheckResult {
    let measure = Measure::of(&settings.measure);
    let context = CheckContext { settings, runs, all_planners, paper, measure };
    let mut result = if settings.each_map { context.on_each_map() } else { context.result() };
    if runs.loaded(measure, |run| settings.only.matches(run)) > 0 {
        result.decisive += "; includes times measured on a loaded machine";
    }
    result
}

/// Returns the origin of a check: the paper's finding, or its own text.
fn source(settings: &CheckSettings) -> String {
    let Some(id) = settings.named() else { return settings.source.clone() };
    let findings = Findings::embedded();
    let finding = findings.get(id).map_or_else(String::new, |it| format!(": {} ({})", it.claim, it.source));
    let reading = if settings.decides.is_some() { "" } else { "another reading of " };
    format!("{reading}{id}{finding}")
}

impl<'a> CheckContext<'a> {
    fn result(self) -> CheckResult {
        match self.settings.kind {
            CheckKind::Above => self.all_pairs(1.0),
            CheckKind::Below => self.all_pairs(-1.0),
            CheckKind::HighestOnAtLeast => self.extreme_on(Better::High),
            CheckKind::LowestOnAtLeast => self.extreme_on(Better::Low),
            CheckKind::SignAgrees => self.signs(),
            CheckKind::BestByGroup => self.winners(),
            CheckKind::Within => self.within(),
            CheckKind::Rises => self.along(1.0),
            CheckKind::Falls => self.along(-1.0),
            CheckKind::BestInside => self.best_inside(),
            CheckKind::LevelsOff => self.levels_off(),
            CheckKind::AtLeast if self.settings.geometric_mean => self.geometric_target(1.0),
            CheckKind::AtMost if self.settings.geometric_mean => self.geometric_target(-1.0),
            CheckKind::AtLeast => self.target(1.0),
            CheckKind::AtMost => self.target(-1.0),
        }
    }

    fn label<'b>(&'b self, name: &'b str) -> &'b str {
        self.paper.label(name)
    }

    /// Returns the planners of the check, or all.
    fn planners(self) -> &'a [String] {
        let given = &self.settings.planners;
        if given.is_empty() { self.all_planners } else { given }
    }

    fn table(&self) -> Option<&PaperTable> {
        self.paper.table(self.settings.table.as_deref()?)
    }

    fn outcome(self, verdict: Verdict, decisive: String, comparisons: Vec<Comparison>) -> CheckResult {
        CheckResult { scale: self.runs.scale.clone(), verdict, decisive, comparisons }
    }

    /// Returns true if the check includes a run, of one group or of all.
    fn includes(self, run: &ReportRun, group: Option<&str>) -> bool {
        let is_in_group = |group: &str| run.setting(self.settings.group_column()) == group;
        self.settings.only.matches(run) && group.is_none_or(is_in_group)
    }

    /// Returns the values of some planners on the instances that all of them were run on.
    fn joint(self, planners: &[&str], group: Option<&str>) -> JointSample {
        self.runs.joint(self.measure, planners, |run| self.includes(run, group))
    }

    /// Compares two planners; the second's value is multiplied by `times`. `sign` is 1 if the finding expects a positive
    /// difference and −1 otherwise.
    fn compare(
        self,
        label: String,
        pair: (&str, &str),
        times: f64,
        group: Option<&str>,
        sign: f64,
    ) -> Comparison {
        let paired = self.runs.paired(self.measure, pair, times, |run| self.includes(run, group));
        let (row, groups) = (group.unwrap_or(OVERALL), self.groups());
        let printed = |planner| match self.table()? {
            table if is_solver_column(&table.rows) => table.value(planner, self.measure.name),
            table => table.comparable(row, planner, &groups),
        };
        let paper = printed(pair.0).zip(printed(pair.1)).map(|(one, other)| one - other * times);
        Comparison {
            counts: paired.map(|it| it.counts),
            ..Comparison::new(label, paired.map(|it| it.difference), sign, paper)
        }
    }

    /// Returns the groups of the included runs in the paper's order.
    fn groups(self) -> Vec<String> {
        self.paper.ordered(self.runs.values_among(self.settings.group_column(), &self.settings.only))
    }

    /// Returns all pairs of a planner and a baseline, in each group if groups are given.
    fn pairs(self) -> Vec<(Option<String>, &'a str, &'a str)> {
        let groups = match self.settings.by {
            Some(_) => self.groups().into_iter().map(Some).collect(),
            None => vec![None],
        };
        let mut pairs = Vec::new();
        for group in groups {
            for (place, one) in self.settings.planners.iter().enumerate() {
                let those = self.settings.baselines.iter().enumerate();
                let those = those.filter(|(other, _)| !self.settings.pairwise || *other == place);
                pairs.extend(those.map(|(_, other)| (group.clone(), one.as_str(), other.as_str())));
            }
        }
        pairs
    }

    /// Returns the label of a comparison. `times` is the factor of the second planner as text.
    fn pair_label(self, group: Option<&str>, one: &str, times: &str, other: &str) -> String {
        let group = group.map_or_else(String::new, |group| format!("{}: ", self.label(group)));
        format!("{group}{} − {times}{}", self.label(one), self.label(other))
    }

    /// Checks that the measure of each planner is on one side of another measure of the same runs.
    fn other_measure(self, than: &Measure, sign: f64) -> CheckResult {
        let compare = |one: &String| {
            let of = |run: &ReportRun| run.planner() == one && self.includes(run, None);
            let paired = self.runs.paired_measures((self.measure, than), of);
            let label = format!("{}: {} − {}", self.label(one), self.measure.label, than.label);
            Comparison::new(label, paired.map(|it| it.difference), sign, None)
        };
        self.all_hold("smallest lead", self.settings.planners.iter().map(compare).collect())
    }

    /// Checks that each planner is on one side of each baseline, or on the other side by no more than the tolerance.
    fn all_pairs(self, sign: f64) -> CheckResult {
        if let Some(than) = &self.settings.than {
            return self.other_measure(Measure::of(than), sign);
        }
        let times = self.settings.times.unwrap_or(1.0);
        let tolerance = self.settings.tolerance.unwrap_or(0.0);
        let counted = if (times - 1.0).abs() < f64::EPSILON { String::new() } else { format!("{times} × ") };
        let compare = |(group, one, other): (Option<String>, &str, &str)| {
            let label = self.pair_label(group.as_deref(), one, &counted, other);
            self.compare(label, (one, other), times, group.as_deref(), sign).with_tolerance(tolerance)
        };
        self.all_hold("smallest lead", self.pairs().into_iter().map(compare).collect())
    }

    /// Returns the result of comparisons that must all hold. Of those with the verdict, the one with the smallest lead is
    /// shown; `what` names it.
    fn all_hold(self, what: &str, comparisons: Vec<Comparison>) -> CheckResult {
        let verdict = weakest(&comparisons);
        let lead = |it: &Comparison| it.difference.map(|difference| difference.value * it.sign);
        let decide = comparisons.iter().filter(|it| it.verdict == verdict);
        let leads = decide.filter_map(|it| Some((it, it.difference?, lead(it)?)));
        let decisive = leads.min_by(|a, b| a.2.total_cmp(&b.2)).map_or_else(
            || "no instance was run with both planners".to_owned(),
            |(it, difference, _)| {
                format!("{what}: {}, {}", it.label, describe_difference(self.measure, difference))
            },
        );
        self.outcome(verdict, decisive, comparisons)
    }
}

/// Negates a difference if the sign is negative.
fn flipped(mut estimate: Estimate, sign: f64) -> Estimate {
    if sign < 0.0 {
        estimate.value = -estimate.value;
        estimate.interval =
            estimate.interval.map(|interval| Interval { low: -interval.high, high: -interval.low });
    }
    estimate
}

/// Returns the best of some means, multiplied by the sign of the better side.
fn best(means: &[f64], sign: f64) -> f64 {
    means.iter().map(|mean| mean * sign).fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the verdict of several comparisons that must all hold.
fn weakest(comparisons: &[Comparison]) -> Verdict {
    Verdict::weakest(&comparisons.iter().map(|comparison| comparison.verdict).collect::<Vec<_>>())
}

/// Formats a difference with its interval.
pub(crate) fn describe_difference(measure: &Measure, difference: Estimate) -> String {
    let signed = |value: f64| {
        let text = measure.number(value);
        if value > 0.0 { format!("+{text}") } else { text }
    };
    let unit = match measure.unit {
        "%" => " points".to_owned(),
        "" | "×" => String::new(),
        unit => format!(" {unit}"),
    };
    format!("{}{unit} ({})", signed(difference.value), difference.describe_interval(signed))
}
