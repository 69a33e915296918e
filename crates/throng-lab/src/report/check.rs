//! Checks of findings: a paper's finding, tested on our runs. The verdict follows from the confidence interval of an
//! estimate: the finding holds if the whole interval is on the finding's side, does not hold if the whole interval is on
//! the other side, and is open otherwise or with too few runs.

mod groups;
mod sequence;
mod target;

use serde::Serialize;

use super::measure::{Better, Measure};
use super::runs::{ReportRun, RunSet};

use super::settings::{CheckKind, CheckSettings};
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
    pub(crate) source: String,
    pub(crate) measure: &'static Measure,
    pub(crate) results: Vec<CheckResult>,
}

/// The inputs of a check at one scale.
#[derive(Clone, Copy)]
struct CheckContext<'a> {
    settings: &'a CheckSettings,
    runs: &'a RunSet,
    planners: &'a [String],
    paper: &'a Paper,
    measure: &'static Measure,
}

impl Finding {
    /// Checks a finding at each scale.
    pub(crate) fn new(settings: &CheckSettings, sets: &[RunSet], planners: &[String], paper: &Paper) -> Self {
        let measure = Measure::of(&settings.measure);
        let result = |runs: &RunSet| {
            let mut result = CheckContext { settings, runs, planners, paper, measure }.result();
            if runs.loaded(measure, |run| settings.only.matches(run)) > 0 {
                result.decisive += "; includes times measured on a loaded machine";
            }
            result
        };
        Self {
            text: settings.finding.clone(),
            source: settings.source.clone(),
            measure,
            results: sets.iter().map(result).collect(),
        }
    }
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
            CheckKind::AtLeast => self.target(1.0),
            CheckKind::AtMost => self.target(-1.0),
        }
    }

    fn label<'b>(&'b self, name: &'b str) -> &'b str {
        self.paper.label(name)
    }

    fn table(&self) -> Option<&PaperTable> {
        self.paper.table(self.settings.table.as_deref()?)
    }

    /// Compares two planners. `sign` is 1 if the finding expects a positive difference and −1 otherwise.
    fn comparison(self, label: String, pair: (&str, &str), group: Option<&str>, sign: f64) -> Comparison {
        self.scaled_comparison(label, pair, 1.0, group, sign)
    }

    /// As `comparison`, with the second planner's value multiplied by `times`.
    fn scaled_comparison(
        self,
        label: String,
        pair: (&str, &str),
        times: f64,
        group: Option<&str>,
        sign: f64,
    ) -> Comparison {
        let of = |run: &ReportRun| self.settings.only.matches(run) && self.in_group(run, group);
        let comparison = self.runs.paired(self.measure, pair, times, of);
        let difference = comparison.map(|comparison| comparison.difference);
        let expected_positive = difference.map(|estimate| flipped(estimate, sign));
        let (row, groups) = (group.unwrap_or(OVERALL), self.groups());
        let printed = |planner| match self.table()? {
            table if is_solver_column(&table.rows) => table.value(planner, self.measure.name),
            table => table.comparable(row, planner, &groups),
        };
        let paper = printed(pair.0).zip(printed(pair.1)).map(|(one, other)| one - other * times);
        Comparison {
            label,
            difference,
            paper,
            verdict: Verdict::above(expected_positive, 0.0),
            counts: comparison.map(|it| [it.higher, it.equal, it.lower]),
        }
    }

    fn in_group(self, run: &ReportRun, group: Option<&str>) -> bool {
        group.is_none_or(|group| run.setting(self.settings.group_column()) == group)
    }

    /// Returns the groups of the included runs in the paper's order.
    fn groups(self) -> Vec<String> {
        self.paper.ordered(self.runs.values_among(self.settings.group_column(), &self.settings.only))
    }

    /// Returns all pairs of these and those planners, in each group if groups are given.
    fn pairs(self) -> Vec<(Option<String>, &'a str, &'a str)> {
        let groups = match self.settings.by {
            Some(_) => self.groups().into_iter().map(Some).collect(),
            None => vec![None],
        };
        let those = |group: &Option<String>, one: &'a str| {
            let group = group.clone();
            self.settings.those.iter().map(move |other| (group.clone(), one, other.as_str()))
        };
        let these = |group: &Option<String>| {
            self.settings.these.iter().flat_map(|one| those(group, one)).collect::<Vec<_>>()
        };
        groups.iter().flat_map(these).collect()
    }

    /// Returns the label of a comparison. `times` is the factor of the second planner as text.
    fn pair_label(self, group: Option<&str>, one: &str, times: &str, other: &str) -> String {
        let group = group.map_or_else(String::new, |group| format!("{}: ", self.label(group)));
        format!("{group}{} − {times}{}", self.label(one), self.label(other))
    }

    /// Checks that each of these planners is on one side of each of those.
    fn all_pairs(self, sign: f64) -> CheckResult {
        let times = self.settings.times.unwrap_or(1.0);
        let compare = |(group, one, other): (Option<String>, &str, &str)| {
            let counted =
                if (times - 1.0).abs() < f64::EPSILON { String::new() } else { format!("{times} × ") };
            let label = self.pair_label(group.as_deref(), one, &counted, other);
            self.scaled_comparison(label, (one, other), times, group.as_deref(), sign)
        };
        let comparisons: Vec<Comparison> = self.pairs().into_iter().map(compare).collect();
        let verdict = weakest(&comparisons);
        let leads = comparisons
            .iter()
            .filter_map(|comparison| Some((comparison, flipped(comparison.difference?, sign).value)));
        let decisive = leads.min_by(|a, b| a.1.total_cmp(&b.1)).map_or_else(
            || "no instance was run with both planners".to_owned(),
            |(comparison, _)| match comparison.difference {
                Some(difference) => {
                    format!(
                        "smallest lead: {}, {}",
                        comparison.label,
                        describe_difference(self.measure, difference)
                    )
                }
                None => String::new(),
            },
        );
        CheckResult { scale: self.runs.scale.clone(), verdict, decisive, comparisons }
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

/// Returns the verdict of several comparisons that must all hold.
fn weakest(comparisons: &[Comparison]) -> Verdict {
    let any = |verdict| comparisons.iter().any(|comparison| comparison.verdict == verdict);
    if any(Verdict::Fails) {
        Verdict::Fails
    } else if comparisons.is_empty() || any(Verdict::Unknown) {
        Verdict::Unknown
    } else {
        Verdict::Holds
    }
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
    let interval = difference.interval.map_or_else(
        || "too few runs for an interval".to_owned(),
        |interval| format!("95\u{a0}%: {} to {}", signed(interval.low), signed(interval.high)),
    );
    format!("{}{unit} ({interval})", signed(difference.value))
}
