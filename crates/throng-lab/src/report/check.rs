//! Findings as checks: what a paper found, tried on our runs. Each estimate has an interval, and the verdict is read
//! off the interval: it holds when the whole interval is on the finding's side, it does not when the whole interval is on
//! the other, and there is not enough data when it is on both or there are too few runs.

mod along;
mod target;

use serde::Serialize;

use super::data::{Run, Runs};
use super::measure::{Better, Measure};
use super::sample::{Joint, joined};
use super::settings::{CheckKind, CheckSettings};
use crate::paper::{OVERALL, Paper, PaperTable};
use crate::stats::{Estimate, Interval, statistic};

/// What came of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Verdict {
    /// The finding is ours too.
    #[serde(rename = "holds")]
    Holds,
    /// Ours is another one.
    #[serde(rename = "does not hold")]
    Fails,
    /// Neither can be said.
    #[serde(rename = "not enough data")]
    Unknown,
}

impl Verdict {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "does not hold",
            Self::Unknown => "not enough data",
        }
    }

    /// By the interval of something that must be above a threshold.
    fn above(estimate: Option<Estimate>, threshold: f64) -> Self {
        match estimate.and_then(|estimate| estimate.interval) {
            Some(interval) if interval.low > threshold => Self::Holds,
            Some(interval) if interval.high <= threshold => Self::Fails,
            _ => Self::Unknown,
        }
    }
}

/// One comparison that a check is made of.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Line {
    pub(crate) label: String,
    /// The first less the second, on the same instances.
    pub(crate) difference: Option<Estimate>,
    /// The paper's difference.
    pub(crate) paper: Option<f64>,
    /// What the finding says of it.
    pub(crate) verdict: Verdict,
    /// Instances on which the first is higher, equal, lower.
    pub(crate) counts: Option<[usize; 3]>,
}

/// A check on the runs of one scale.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Outcome {
    pub(crate) scale: String,
    pub(crate) verdict: Verdict,
    /// The estimate that decides, in words.
    pub(crate) decisive: String,
    pub(crate) lines: Vec<Line>,
}

/// A finding and what became of it at each scale.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) text: String,
    pub(crate) source: String,
    pub(crate) measure: &'static Measure,
    pub(crate) outcomes: Vec<Outcome>,
}

/// What checks look at.
#[derive(Clone, Copy)]
struct Context<'a> {
    settings: &'a CheckSettings,
    runs: &'a Runs,
    planners: &'a [String],
    paper: &'a Paper,
    measure: &'static Measure,
}

impl Finding {
    /// Tries a check on the runs of each scale.
    pub(crate) fn new(settings: &CheckSettings, sets: &[Runs], planners: &[String], paper: &Paper) -> Self {
        let measure = Measure::of(&settings.measure);
        let outcome = |runs| Context { settings, runs, planners, paper, measure }.outcome();
        Self {
            text: settings.finding.clone(),
            source: settings.source.clone(),
            measure,
            outcomes: sets.iter().map(outcome).collect(),
        }
    }
}

impl<'a> Context<'a> {
    fn outcome(self) -> Outcome {
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

    /// A comparison of two planners; `sign` is the side on which the finding expects it.
    fn line(self, label: String, pair: (&str, &str), group: Option<&str>, sign: f64) -> Line {
        self.line_times(label, pair, 1.0, group, sign)
    }

    /// The same with the second planner's value taken so many times.
    fn line_times(
        self,
        label: String,
        pair: (&str, &str),
        times: f64,
        group: Option<&str>,
        sign: f64,
    ) -> Line {
        let of = |run: &Run| self.settings.only.holds(run) && self.in_group(run, group);
        let comparison = self.runs.paired(self.measure, pair, times, of);
        let difference = comparison.map(|comparison| comparison.difference);
        let turned = difference.map(|estimate| turned(estimate, sign));
        let (row, groups) = (group.unwrap_or(OVERALL), self.groups());
        let printed = |planner| match self.table()? {
            table if table.rows == "planner" => table.value(planner, self.measure.name),
            table => table.comparable(row, planner, &groups),
        };
        let paper = printed(pair.0).zip(printed(pair.1)).map(|(one, other)| one - other * times);
        Line {
            label,
            difference,
            paper,
            verdict: Verdict::above(turned, 0.0),
            counts: comparison.map(|it| [it.higher, it.equal, it.lower]),
        }
    }

    fn in_group(self, run: &Run, group: Option<&str>) -> bool {
        group.is_none_or(|group| run.setting(self.settings.group_column()) == group)
    }

    /// The groups of the runs that count, in the paper's order.
    fn groups(self) -> Vec<String> {
        self.paper.ordered(self.runs.values_among(self.settings.group_column(), &self.settings.only))
    }

    /// Each of these with each of those, in each group if there are some.
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

    /// What a comparison is called; the second value is taken so many times.
    fn pair_label(self, group: Option<&str>, one: &str, times: &str, other: &str) -> String {
        let group = group.map_or_else(String::new, |group| format!("{}: ", self.label(group)));
        format!("{group}{} − {times}{}", self.label(one), self.label(other))
    }

    /// Each of these on one side of each of those.
    fn all_pairs(self, sign: f64) -> Outcome {
        let times = self.settings.times.unwrap_or(1.0);
        let line = |(group, one, other): (Option<String>, &str, &str)| {
            let counted =
                if (times - 1.0).abs() < f64::EPSILON { String::new() } else { format!("{times} × ") };
            let label = self.pair_label(group.as_deref(), one, &counted, other);
            self.line_times(label, (one, other), times, group.as_deref(), sign)
        };
        let lines: Vec<Line> = self.pairs().into_iter().map(line).collect();
        let verdict = weakest(&lines);
        let nearest = lines.iter().filter_map(|line| Some((line, turned(line.difference?, sign).value)));
        let decisive = nearest.min_by(|a, b| a.1.total_cmp(&b.1)).map_or_else(
            || "no instance was run by both planners".to_owned(),
            |(line, _)| match line.difference {
                Some(difference) => {
                    format!("smallest lead: {}, {}", line.label, difference_words(self.measure, difference))
                }
                None => String::new(),
            },
        );
        Outcome { scale: self.runs.scale.clone(), verdict, decisive, lines }
    }

    /// One of these before all others, on a number of groups.
    fn extreme_on(self, side: Better) -> Outcome {
        let these: Vec<&str> = self.settings.these.iter().map(String::as_str).collect();
        let others: Vec<&str> =
            self.planners.iter().map(String::as_str).filter(|name| !these.contains(name)).collect();
        let sign = if side == Better::High { 1.0 } else { -1.0 };
        let best = |means: &[f64]| means.iter().map(|mean| mean * sign).fold(f64::NEG_INFINITY, f64::max);
        let is_so = |_: &str, means: &[f64]| best(&means[..these.len()]) > best(&means[these.len()..]);
        let all = [these.as_slice(), &others].concat();
        let groups = self.groups();
        let line = |group: &String| {
            let one = self.champion(&these, group, sign);
            let rival = self.rival(one, &others, group, sign);
            let label = format!("{}: {} − {}", self.label(group), self.label(one), self.label(rival));
            self.line(label, (one, rival), Some(group), sign)
        };
        let lines = groups.iter().map(line).collect();
        self.counted(&groups, &all, is_so, lines)
    }

    /// Of some planners the one with the most extreme mean in a group.
    fn champion<'b>(self, these: &[&'b str], group: &str, sign: f64) -> &'b str {
        let mean = |planner: &str| {
            let of = |run: &Run| {
                run.planner() == planner && self.settings.only.holds(run) && self.in_group(run, Some(group))
            };
            self.runs.estimate(self.measure, of).map_or(f64::NEG_INFINITY, |it| it.value * sign)
        };
        these.iter().copied().max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap_or_default()
    }

    /// Of the others the one that comes nearest to a planner, or is furthest before it.
    fn rival<'b>(self, one: &str, others: &[&'b str], group: &str, sign: f64) -> &'b str {
        let of = |run: &Run| self.settings.only.holds(run) && self.in_group(run, Some(group));
        let lead = |other: &str| {
            let comparison = self.runs.paired(self.measure, (one, other), 1.0, of);
            comparison.map_or(f64::INFINITY, |it| it.difference.value * sign)
        };
        others.iter().copied().min_by(|a, b| lead(a).total_cmp(&lead(b))).unwrap_or_default()
    }

    /// One planner before or behind another, group by group, where the paper says so.
    fn signs(self) -> Outcome {
        let (one, other) = (self.settings.these[0].as_str(), self.settings.those[0].as_str());
        let expected = |group: &str| {
            let table = self.table()?;
            let difference = table.value(group, one)? - table.value(group, other)?;
            (difference != 0.0).then(|| difference.signum())
        };
        let groups: Vec<String> =
            self.groups().into_iter().filter(|group| expected(group).is_some()).collect();
        let lines = groups
            .iter()
            .map(|group| {
                let sign = expected(group).unwrap_or(1.0);
                let side = if sign > 0.0 { "+" } else { "−" };
                self.line(format!("{} (paper: {side})", self.label(group)), (one, other), Some(group), sign)
            })
            .collect();
        let agrees = |group: &str, means: &[f64]| {
            expected(group).is_some_and(|sign| (means[0] - means[1]) * sign > 0.0)
        };
        self.counted(&groups, &[one, other], agrees, lines)
    }

    /// The best planner of each group is the paper's.
    fn winners(self) -> Outcome {
        let names: Vec<&str> = self.planners.iter().map(String::as_str).collect();
        let sign = if self.measure.better == Better::High { 1.0 } else { -1.0 };
        let expected = |group: &str| {
            let table = self.table()?;
            let known =
                names.iter().copied().filter_map(|name| Some((name, table.value(group, name)? * sign)));
            known.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name)
        };
        let groups: Vec<String> =
            self.groups().into_iter().filter(|group| expected(group).is_some()).collect();
        let lines = groups
            .iter()
            .filter_map(|group| {
                let one = expected(group)?;
                let others: Vec<&str> = names.iter().copied().filter(|name| *name != one).collect();
                let rival = self.rival(one, &others, group, sign);
                let label = format!("{}: {} − {}", self.label(group), self.label(one), self.label(rival));
                Some(self.line(label, (one, rival), Some(group), sign))
            })
            .collect();
        let is_best = |group: &str, means: &[f64]| {
            let Some(place) = names.iter().position(|name| Some(*name) == expected(group)) else {
                return false;
            };
            means.iter().enumerate().all(|(other, mean)| other == place || (means[place] - mean) * sign > 0.0)
        };
        self.counted(&groups, &names, is_best, lines)
    }

    /// On how many groups something is so, with the interval of that number.
    fn counted(
        self,
        groups: &[String],
        planners: &[&str],
        is_so: impl Fn(&str, &[f64]) -> bool,
        lines: Vec<Line>,
    ) -> Outcome {
        let samples: Vec<(&String, Joint)> = groups
            .iter()
            .map(|group| {
                let of = |run: &Run| self.settings.only.holds(run) && self.in_group(run, Some(group));
                (group, self.runs.joint(self.measure, planners, of))
            })
            .filter(|(_, joint)| joint.instances > 0)
            .collect();
        let needed = self.settings.at_least.unwrap_or(groups.len());
        let scale = self.runs.scale.clone();
        if samples.is_empty() || samples.len() < needed {
            let decisive = match needed {
                0 => format!("no {} of the paper was run", self.settings.group_column()),
                _ => format!("needed on {needed}, but all planners were run on {} only", samples.len()),
            };
            return Outcome { scale, verdict: Verdict::Unknown, decisive, lines };
        }
        let estimate = count_of(&samples, is_so);
        let verdict = Verdict::above(Some(estimate), needed as f64 - 0.5);
        let interval = estimate.interval.map_or_else(
            || "too few runs for an interval".to_owned(),
            |interval| format!("95\u{a0}%: {:.0} to {:.0}", interval.low, interval.high),
        );
        let decisive =
            format!("on {:.0} of {} ({interval}); needed: {needed}", estimate.value, samples.len());
        Outcome { scale, verdict, decisive, lines }
    }
}

/// The number of groups on which something is so of the planners' means.
fn count_of(samples: &[(&String, Joint)], is_so: impl Fn(&str, &[f64]) -> bool) -> Estimate {
    let joints: Vec<&Joint> = samples.iter().map(|(_, joint)| joint).collect();
    let (strata, means) = joined(&joints);
    statistic(&strata, |drawn| {
        let means = means(drawn);
        let holds = samples.iter().zip(&means).filter(|((group, _), means)| is_so(group, means));
        holds.count() as f64
    })
}

/// A difference seen from the other side, if the sign is negative.
fn turned(mut estimate: Estimate, sign: f64) -> Estimate {
    if sign < 0.0 {
        estimate.value = -estimate.value;
        estimate.interval =
            estimate.interval.map(|interval| Interval { low: -interval.high, high: -interval.low });
    }
    estimate
}

/// Of several that must all hold.
fn weakest(lines: &[Line]) -> Verdict {
    let any = |verdict| lines.iter().any(|line| line.verdict == verdict);
    if any(Verdict::Fails) {
        Verdict::Fails
    } else if lines.is_empty() || any(Verdict::Unknown) {
        Verdict::Unknown
    } else {
        Verdict::Holds
    }
}

/// A difference with its interval, in words.
pub(crate) fn difference_words(measure: &Measure, difference: Estimate) -> String {
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
