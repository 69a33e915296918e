//! Targets: numbers that a planner must reach in every group of runs, or in the geometric mean over the groups. The means alone
//! decide; the tables show their intervals.

use super::super::sample::{JointSample, joined};
use super::{CheckContext, CheckResult, Comparison, Verdict, best, weakest};
use crate::stats::{Estimate, Resampling, widened};

/// Values this close to a target count as equal to it.
const TOLERANCE: f64 = 1e-9;

impl CheckContext<'_> {
    /// Checks that each planner reaches the target in every group. `sign` is 1 for a minimum and −1 for a maximum.
    pub(super) fn target(self, sign: f64) -> CheckResult {
        let mut targets = Vec::new();
        for group in self.groups() {
            targets.extend(self.planners().iter().flat_map(|one| self.targets(one, &group)));
        }
        let lead = |(target, mean, _): &(f64, f64, String)| (mean - target) * sign;
        let number = |value: f64| self.measure.number(value * self.measure.factor);
        let decisive = targets.iter().min_by(|a, b| lead(a).total_cmp(&lead(b))).map_or_else(
            || "no runs match".to_owned(),
            |(target, mean, label)| {
                format!("nearest: {label}: {}, required: {}", number(*mean), number(*target))
            },
        );
        let compare = |found: (f64, f64, String)| {
            let verdict = if lead(&found) >= -TOLERANCE { Verdict::Holds } else { Verdict::Fails };
            let (target, mean, label) = found;
            let difference = Estimate {
                value: (mean - target) * self.measure.factor,
                interval: None,
                runs: 1,
                resampling: Resampling::TooFew,
            };
            Comparison { verdict, ..Comparison::new(label, Some(difference), sign, None) }
        };
        let comparisons: Vec<Comparison> = targets.into_iter().map(compare).collect();
        self.outcome(weakest(&comparisons), decisive, comparisons)
    }

    /// Checks that the geometric mean over the groups of the ratio of each planner's mean to that of the baselines reaches the
    /// target. The ratio with the smallest lead is shown, with its interval.
    pub(super) fn geometric_target(self, sign: f64) -> CheckResult {
        let value = self.settings.value.unwrap_or_default();
        let mut ratios = Vec::new();
        for one in self.planners() {
            ratios.extend(self.rivals().into_iter().filter_map(|others| self.geometric_mean(one, &others)));
        }
        let nearest = ratios.iter().min_by(|a, b| (a.0.value * sign).total_cmp(&(b.0.value * sign)));
        let Some((estimate, label)) = nearest else {
            let decisive = "no group was run with all planners".to_owned();
            return self.outcome(Verdict::Unknown, decisive, Vec::new());
        };
        let number = |ratio: f64| format!("{ratio:.3}");
        let decisive = format!(
            "nearest: {label}: {} ({}), required: {}",
            number(estimate.value),
            estimate.describe_interval(number),
            number(value)
        );
        let verdict = if !estimate.value.is_finite() {
            Verdict::Unknown
        } else if (estimate.value - value) * sign >= -TOLERANCE {
            Verdict::Holds
        } else {
            Verdict::Fails
        };
        self.outcome(verdict, decisive, Vec::new())
    }

    /// Estimates the geometric mean over the groups of the ratio of a planner's mean to the best mean of some others.
    fn geometric_mean(self, one: &str, others: &[&str]) -> Option<(Estimate, String)> {
        let names: Vec<&str> = std::iter::once(one).chain(others.iter().copied()).collect();
        let samples = self.groups().into_iter().map(|group| self.joint(&names, Some(&group)));
        let samples: Vec<JointSample> = samples.filter(|joint| joint.instances > 0).collect();
        if samples.is_empty() {
            return None;
        }
        let (strata, means) = joined(samples.iter());
        let estimate = widened(&strata, |drawn| {
            let logarithms =
                means(drawn).into_iter().map(|means| (means[0] / self.best_of(&means[1..])).ln());
            (logarithms.sum::<f64>() / samples.len() as f64).exp()
        });
        let label = format!(
            "geometric mean over {} groups: {} relative to {}",
            samples.len(),
            self.label(one),
            self.rival_label(others)
        );
        Some((estimate, label))
    }

    /// Returns the baselines that a planner is compared with at a time: each alone, or all of them for the best.
    fn rivals(&self) -> Vec<Vec<&str>> {
        let baselines: Vec<&str> = self.settings.baselines.iter().map(String::as_str).collect();
        if self.settings.best_baseline {
            vec![baselines]
        } else {
            baselines.into_iter().map(|other| vec![other]).collect()
        }
    }

    fn best_of(&self, means: &[f64]) -> f64 {
        let sign = self.measure.better.sign();
        best(means, sign) * sign
    }

    fn rival_label(&self, others: &[&str]) -> String {
        let names: Vec<&str> = others.iter().map(|other| self.label(other)).collect();
        if names.len() > 1 { format!("the best of {}", names.join(", ")) } else { names.concat() }
    }

    /// Returns the targets of a planner in a group, its means on the same instances, and their labels.
    fn targets(self, one: &str, group: &str) -> Vec<(f64, f64, String)> {
        let value = self.settings.value.unwrap_or_default();
        let mean_of = |planners: &[&str]| {
            let joint = self.joint(planners, Some(group));
            (joint.instances > 0).then(|| joint.all())
        };
        let name = format!("{}: {}", self.label(group), self.label(one));
        if self.settings.baselines.is_empty() {
            return mean_of(&[one]).map(|means| (value, means[0], name)).into_iter().collect();
        }
        if let Some(table) = self.table() {
            let printed = |column: &String| {
                let target = value * table.value(group, column)? / self.measure.factor;
                Some((target, mean_of(&[one])?[0], format!("{name} relative to {}", self.label(column))))
            };
            return self.settings.baselines.iter().filter_map(printed).collect();
        }
        let relative = |others: Vec<&str>| {
            let names: Vec<&str> = std::iter::once(one).chain(others.iter().copied()).collect();
            let means = mean_of(&names)?;
            let label = format!("{name} relative to {}", self.rival_label(&others));
            Some((value * self.best_of(&means[1..]), means[0], label))
        };
        self.rivals().into_iter().filter_map(relative).collect()
    }
}
