//! Targets: numbers that a planner has to reach in every group of runs. They are met or missed by the means themselves;
//! how far chance may have helped is for the tables to say.

use super::{Context, Line, Outcome, Verdict, weakest};
use crate::report::data::Run;
use crate::stats::{Estimate, Resampling};

impl Context<'_> {
    /// Whether each of these reaches the target in every group; `sign` is the side of it on which it has to be.
    pub(super) fn target(self, sign: f64) -> Outcome {
        let mut lines = Vec::new();
        let mut worst: Option<(f64, String)> = None;
        for group in self.groups() {
            for one in &self.settings.these {
                for (target, mean, label) in self.targets(one, &group) {
                    let verdict =
                        if (mean - target) * sign >= -1e-9 { Verdict::Holds } else { Verdict::Fails };
                    if worst.as_ref().is_none_or(|(lead, _)| (mean - target) * sign < *lead) {
                        let words = |value: f64| self.measure.number(value * self.measure.factor);
                        let text = format!("{label}: {} where {} is needed", words(mean), words(target));
                        worst = Some(((mean - target) * sign, text));
                    }
                    let difference = Estimate {
                        value: (mean - target) * self.measure.factor,
                        interval: None,
                        runs: 1,
                        resampling: Resampling::TooFew,
                    };
                    lines.push(Line {
                        label,
                        difference: Some(difference),
                        paper: None,
                        verdict,
                        counts: None,
                    });
                }
            }
        }
        let decisive = worst.map_or_else(|| "no such run".to_owned(), |(_, text)| format!("nearest: {text}"));
        Outcome { scale: self.runs.scale.clone(), verdict: weakest(&lines), decisive, lines }
    }

    /// The targets of a planner in a group, its means on the same instances, and what to call them.
    fn targets(self, one: &str, group: &str) -> Vec<(f64, f64, String)> {
        let of = |run: &Run| self.settings.only.holds(run) && self.in_group(run, Some(group));
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
        let beside = |other: &String| {
            let means = mean_of(&[one, other])?;
            Some((value * means[1], means[0], format!("{name} beside {}", self.label(other))))
        };
        those.filter_map(beside).collect()
    }
}
