//! Targets: numbers that a planner must reach in every group of runs. The means alone decide; the tables show their
//! intervals.

use super::{CheckContext, CheckResult, Comparison, Verdict, weakest};
use crate::report::runs::ReportRun;
use crate::stats::{Estimate, Resampling};

impl CheckContext<'_> {
    /// Checks that each of these planners reaches the target in every group. `sign` is 1 for a minimum and −1 for a maximum.
    pub(super) fn target(self, sign: f64) -> CheckResult {
        let mut comparisons = Vec::new();
        let mut worst: Option<(f64, String)> = None;
        for group in self.groups() {
            for one in &self.settings.these {
                for (target, mean, label) in self.targets(one, &group) {
                    let verdict =
                        if (mean - target) * sign >= -1e-9 { Verdict::Holds } else { Verdict::Fails };
                    if worst.as_ref().is_none_or(|(lead, _)| (mean - target) * sign < *lead) {
                        let number = |value: f64| self.measure.number(value * self.measure.factor);
                        let text = format!("{label}: {}, required: {}", number(mean), number(target));
                        worst = Some(((mean - target) * sign, text));
                    }
                    let difference = Estimate {
                        value: (mean - target) * self.measure.factor,
                        interval: None,
                        runs: 1,
                        resampling: Resampling::TooFew,
                    };
                    comparisons.push(Comparison {
                        label,
                        difference: Some(difference),
                        paper: None,
                        verdict,
                        counts: None,
                    });
                }
            }
        }
        let decisive =
            worst.map_or_else(|| "no runs match".to_owned(), |(_, text)| format!("nearest: {text}"));
        CheckResult { scale: self.runs.scale.clone(), verdict: weakest(&comparisons), decisive, comparisons }
    }

    /// Returns the targets of a planner in a group, its means on the same instances, and their labels.
    fn targets(self, one: &str, group: &str) -> Vec<(f64, f64, String)> {
        let of = |run: &ReportRun| self.settings.only.matches(run) && self.in_group(run, Some(group));
        let value = self.settings.value.unwrap_or_default();
        let mean_of = |planners: &[&str]| {
            let joint = self.runs.joint(self.measure, planners, of);
            (joint.instances > 0).then(|| joint.all())
        };
        let name = format!("{}: {}", self.label(group), self.label(one));
        if self.settings.those.is_empty() {
            return mean_of(&[one]).map(|means| (value, means[0], name)).into_iter().collect();
        }
        let those = self.settings.those.iter();
        let relative = |other: &String| {
            let means = mean_of(&[one, other])?;
            Some((value * means[1], means[0], format!("{name} relative to {}", self.label(other))))
        };
        those.filter_map(relative).collect()
    }
}
