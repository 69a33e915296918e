//! Checks that count groups, such as maps: in how many of them a planner is the best, or differs from another as in the
//! paper. The number of groups has a confidence interval, which decides.

use super::super::measure::Better;
use super::super::runs::ReportRun;
use super::super::sample::{JointSample, joined};
use super::{CheckContext, CheckResult, Comparison, Verdict, best};
use crate::stats::{Estimate, statistic};

impl CheckContext<'_> {
    /// Checks that one of the planners is best in a minimum number of groups.
    pub(super) fn extreme_on(self, side: Better) -> CheckResult {
        let planners: Vec<&str> = self.settings.planners.iter().map(String::as_str).collect();
        let rivals =
            Some(&self.settings.baselines[..]).filter(|names| !names.is_empty()).unwrap_or(self.all_planners);
        let others: Vec<&str> =
            rivals.iter().map(String::as_str).filter(|name| !planners.contains(name)).collect();
        let sign = side.sign();
        let best = |means: &[f64]| best(means, sign);
        let holds = |_: &str, means: &[f64]| best(&means[..planners.len()]) > best(&means[planners.len()..]);
        let all = [planners.as_slice(), &others].concat();
        let groups = self.groups();
        let compare =
            |group: &String| self.against_rival(self.champion(&planners, group, sign), &others, group, sign);
        let comparisons = groups.iter().map(compare).collect();
        self.counted(&groups, &all, holds, comparisons)
    }

    /// Returns the planner with the most extreme mean in a group.
    fn champion<'b>(self, planners: &[&'b str], group: &str, sign: f64) -> &'b str {
        let mean = |planner: &str| {
            let of = |run: &ReportRun| run.planner() == planner && self.includes(run, Some(group));
            self.runs.estimate(self.measure, of).map_or(f64::NEG_INFINITY, |it| it.value * sign)
        };
        planners.iter().copied().max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap_or_default()
    }

    /// Compares a planner with its rival in a group: the one with the smallest distance behind it, or the largest before.
    fn against_rival(self, one: &str, others: &[&str], group: &str, sign: f64) -> Comparison {
        let lead = |other: &str| {
            let of = |run: &ReportRun| self.includes(run, Some(group));
            let paired = self.runs.paired(self.measure, (one, other), 1.0, of);
            paired.map_or(f64::INFINITY, |it| it.difference.value * sign)
        };
        let rival = others.iter().copied().min_by(|a, b| lead(a).total_cmp(&lead(b))).unwrap_or_default();
        let label = self.pair_label(Some(group), one, "", rival);
        self.compare(label, (one, rival), 1.0, Some(group), sign)
    }

    /// Checks that one planner is above or below another in each group where the paper's numbers say so.
    pub(super) fn signs(self) -> CheckResult {
        let (one, other) = (self.settings.planners[0].as_str(), self.settings.baselines[0].as_str());
        let expected = |group: &str| {
            let table = self.table()?;
            let difference = table.value(group, one)? - table.value(group, other)?;
            (difference != 0.0).then(|| difference.signum())
        };
        let groups: Vec<String> =
            self.groups().into_iter().filter(|group| expected(group).is_some()).collect();
        let comparisons = groups
            .iter()
            .map(|group| {
                let sign = expected(group).unwrap_or(1.0);
                let side = if sign > 0.0 { "+" } else { "−" };
                let label = format!("{} (paper: {side})", self.label(group));
                self.compare(label, (one, other), 1.0, Some(group), sign)
            })
            .collect();
        let agrees = |group: &str, means: &[f64]| {
            expected(group).is_some_and(|sign| (means[0] - means[1]) * sign > 0.0)
        };
        self.counted(&groups, &[one, other], agrees, comparisons)
    }

    /// Checks that the best planner of each group is the paper's.
    pub(super) fn winners(self) -> CheckResult {
        let names: Vec<&str> = self.planners().iter().map(String::as_str).collect();
        let sign = self.measure.better.sign();
        let expected = |group: &str| {
            let table = self.table()?;
            let known =
                names.iter().copied().filter_map(|name| Some((name, table.value(group, name)? * sign)));
            known.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name)
        };
        let groups: Vec<String> =
            self.groups().into_iter().filter(|group| expected(group).is_some()).collect();
        let comparisons = groups
            .iter()
            .filter_map(|group| {
                let one = expected(group)?;
                let others: Vec<&str> = names.iter().copied().filter(|name| *name != one).collect();
                Some(self.against_rival(one, &others, group, sign))
            })
            .collect();
        let is_best = |group: &str, means: &[f64]| {
            let Some(place) = names.iter().position(|name| Some(*name) == expected(group)) else {
                return false;
            };
            means.iter().enumerate().all(|(other, mean)| other == place || (means[place] - mean) * sign > 0.0)
        };
        self.counted(&groups, &names, is_best, comparisons)
    }

    /// Estimates the number of groups for which `holds` is true of the planners' means, and compares it with the minimum.
    fn counted(
        self,
        groups: &[String],
        planners: &[&str],
        holds: impl Fn(&str, &[f64]) -> bool,
        comparisons: Vec<Comparison>,
    ) -> CheckResult {
        let samples: Vec<(&String, JointSample)> = groups
            .iter()
            .map(|group| (group, self.joint(planners, Some(group))))
            .filter(|(_, joint)| joint.instances > 0)
            .collect();
        let needed = self.settings.at_least.unwrap_or(groups.len());
        if samples.is_empty() || samples.len() < needed {
            let decisive = match needed {
                0 => format!("no {} of the paper was run", self.settings.group_column()),
                _ => format!("required on {needed}, but all planners were run on {} only", samples.len()),
            };
            return self.outcome(Verdict::Unknown, decisive, comparisons);
        }
        let estimate = count_groups(&samples, holds);
        let verdict = Verdict::above(Some(estimate), needed as f64 - 0.5);
        let interval = estimate.describe_interval(|count| format!("{count:.0}"));
        let decisive =
            format!("on {:.0} of {} ({interval}); required: {needed}", estimate.value, samples.len());
        self.outcome(verdict, decisive, comparisons)
    }
}

/// Estimates the number of groups for which `holds` is true of the planners' means.
fn count_groups(samples: &[(&String, JointSample)], holds: impl Fn(&str, &[f64]) -> bool) -> Estimate {
    let (strata, means) = joined(samples.iter().map(|(_, joint)| joint));
    statistic(&strata, |drawn| {
        let means = means(drawn);
        let counted = samples.iter().zip(&means).filter(|((group, _), means)| holds(group, means));
        counted.count() as f64
    })
}
