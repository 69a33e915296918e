//! Targets: numbers that a planner must reach in every group of runs. The means alone decide; the tables show their
//! intervals.

use super::{CheckContext, CheckResult, Comparison, Verdict, weakest};
use crate::stats::{Estimate, Resampling};

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
            let verdict = if lead(&found) >= -1e-9 { Verdict::Holds } else { Verdict::Fails };
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
        let baselines = self.settings.baselines.iter();
        let relative = |other: &String| {
            let means = mean_of(&[one, other])?;
            Some((value * means[1], means[0], format!("{name} relative to {}", self.label(other))))
        };
        baselines.filter_map(relative).collect()
    }
}
