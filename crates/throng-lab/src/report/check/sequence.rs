//! Checks along a sequence of settings: about constant, rising, falling, or best between the ends.
//!
//! A sequence is a list of planners, compared on the same instances, or one planner along the values of a setting, each
//! with its own runs. Rising is judged by the slope of the regression line through the means and by the last mean minus
//! the first: single steps may go the other way, as they do in papers.

use super::super::measure::Better;
use super::super::runs::ReportRun;
use super::super::sample::{JointSample, joined};
use super::{CheckContext, CheckResult, Comparison, Verdict, describe_difference, flipped, weakest};
use crate::stats::{Estimate, statistic, widened};

/// The means along a sequence.
struct Sequence {
    labels: Vec<String>,
    /// The paper's numbers.
    printed: Vec<Option<f64>>,
    /// One sample with one value per element, or one sample per element.
    samples: Vec<JointSample>,
}

impl Sequence {
    /// Estimates the weighted sum of the means.
    fn combination(&self, weights: &[f64]) -> Estimate {
        let samples: Vec<&JointSample> = self.samples.iter().collect();
        let (strata, means) = joined(&samples);
        widened(&strata, |drawn| {
            means(drawn).iter().flatten().zip(weights).map(|(mean, weight)| mean * weight).sum()
        })
    }

    /// Returns the weighted sum of the paper's numbers, if it prints all that are needed.
    fn printed(&self, weights: &[f64]) -> Option<f64> {
        let needed = self.printed.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        needed.map(|(value, weight)| Some((*value)? * weight)).sum()
    }

    /// Returns the weights of the difference of two means.
    fn difference(&self, minuend: usize, subtrahend: usize) -> Vec<f64> {
        let mut weights = vec![0.0; self.labels.len()];
        weights[minuend] += 1.0;
        weights[subtrahend] -= 1.0;
        weights
    }

    /// Returns the weights of the slope per element of the regression line through the means.
    fn slope(&self) -> Vec<f64> {
        let middle = (self.labels.len() as f64 - 1.0) / 2.0;
        let offsets = (0..self.labels.len()).map(|place| place as f64 - middle);
        let squares: f64 = offsets.clone().map(|offset| offset * offset).sum();
        offsets.map(|offset| offset / squares).collect()
    }
}

impl CheckContext<'_> {
    /// Returns the sequence of the check, or `None` if an element was not run.
    fn sequence(self) -> Option<Sequence> {
        let these: Vec<&str> = self.settings.these.iter().map(String::as_str).collect();
        let (labels, samples) = if let [one] = these[..] {
            let groups = self.groups();
            let sample = |group: &String| {
                let of = |run: &ReportRun| self.settings.only.matches(run) && self.in_group(run, Some(group));
                self.runs.joint(self.measure, &[one], of)
            };
            (groups.clone(), groups.iter().map(sample).collect())
        } else {
            let of = |run: &ReportRun| self.settings.only.matches(run);
            let labels = these.iter().map(|name| self.label(name).to_owned()).collect();
            (labels, vec![self.runs.joint(self.measure, &these, of)])
        };
        let keys: Vec<String> = if these.len() == 1 { self.groups() } else { self.settings.these.clone() };
        let printed = keys.iter().map(|key| self.table()?.value(key, self.measure.name)).collect();
        let is_complete = labels.len() > 1 && samples.iter().all(|joint| joint.instances > 0);
        is_complete.then_some(Sequence { labels, printed, samples })
    }

    fn not_run(self) -> CheckResult {
        let decisive = "not all elements of the sequence were run".to_owned();
        CheckResult {
            scale: self.runs.scale.clone(),
            verdict: Verdict::Unknown,
            decisive,
            comparisons: Vec::new(),
        }
    }

    fn sequence_comparison(
        self,
        label: String,
        sequence: &Sequence,
        weights: &[f64],
        sign: f64,
    ) -> Comparison {
        let difference = sequence.combination(weights).scaled(self.measure.factor);
        let verdict = Verdict::above(Some(flipped(difference, sign)), 0.0);
        Comparison {
            label,
            difference: Some(difference),
            paper: sequence.printed(weights),
            verdict,
            counts: None,
        }
    }

    /// Checks that the means rise (`sign` 1) or fall (`sign` −1).
    pub(super) fn along(self, sign: f64) -> CheckResult {
        let Some(sequence) = self.sequence() else { return self.not_run() };
        let last = sequence.labels.len() - 1;
        let label =
            |one: usize, other: usize| format!("{} − {}", sequence.labels[one], sequence.labels[other]);
        let slope = self.sequence_comparison("slope per step".to_owned(), &sequence, &sequence.slope(), sign);
        let decisive = format!(
            "slope per step: {}",
            slope.difference.map_or_else(String::new, |it| describe_difference(self.measure, it))
        );
        let ends = self.sequence_comparison(label(last, 0), &sequence, &sequence.difference(last, 0), sign);
        let mut comparisons = vec![slope, ends];
        let verdict = weakest(&comparisons);
        if last > 1 {
            let step = |place: usize| {
                self.sequence_comparison(
                    label(place, place - 1),
                    &sequence,
                    &sequence.difference(place, place - 1),
                    sign,
                )
            };
            comparisons.extend((1..=last).map(step));
        }
        CheckResult { scale: self.runs.scale.clone(), verdict, decisive, comparisons }
    }

    /// Checks that some element between the ends is better than both ends.
    pub(super) fn best_inside(self) -> CheckResult {
        let Some(sequence) = self.sequence() else { return self.not_run() };
        let sign = if self.measure.better == Better::High { 1.0 } else { -1.0 };
        let best = |means: &[f64]| means.iter().map(|mean| mean * sign).fold(f64::NEG_INFINITY, f64::max);
        let last = sequence.labels.len() - 1;
        let lead = |means: &[f64]| best(&means[1..last]) - best(&[means[0], means[last]]);
        if last < 2 {
            return self.not_run();
        }
        let samples: Vec<&JointSample> = sequence.samples.iter().collect();
        let (strata, means) = joined(&samples);
        let estimate = statistic(&strata, |drawn| lead(&means(drawn).concat())).scaled(self.measure.factor);
        let inside = (1..last).max_by(|&a, &b| {
            let value = |place| sequence.combination(&sequence.difference(place, 0)).value * sign;
            value(a).total_cmp(&value(b))
        });
        let inside = inside.unwrap_or(1);
        let compare = |end: usize| {
            let label = format!("{} − {}", sequence.labels[inside], sequence.labels[end]);
            self.sequence_comparison(label, &sequence, &sequence.difference(inside, end), sign)
        };
        let decisive = format!(
            "best: {}, ahead of the better end by {}",
            sequence.labels[inside],
            describe_difference(self.measure, estimate)
        );
        CheckResult {
            scale: self.runs.scale.clone(),
            verdict: Verdict::above(Some(estimate), 0.0),
            decisive,
            comparisons: vec![compare(0), compare(last)],
        }
    }

    /// Checks that each of these planners has about the mean of each of those.
    pub(super) fn within(self) -> CheckResult {
        let share = self.settings.share.unwrap_or(0.0);
        let comparisons: Vec<Comparison> = self
            .pairs()
            .into_iter()
            .flat_map(|(group, one, other)| {
                let compare = |times: f64, sign: f64| {
                    let label = self.pair_label(group.as_deref(), one, &format!("{times:.2} × "), other);
                    self.scaled_comparison(label, (one, other), times, group.as_deref(), sign)
                };
                [compare(1.0 + share, -1.0), compare(1.0 - share, 1.0)]
            })
            .collect();
        // The comparison with the smallest margin to its bound decides.
        let margin = |(place, comparison): (usize, &Comparison)| {
            let sign = if place % 2 == 0 { -1.0 } else { 1.0 };
            let difference = comparison.difference?;
            Some((comparison.label.clone(), difference, flipped(difference, sign).value))
        };
        let nearest = comparisons.iter().enumerate().filter_map(margin).min_by(|a, b| a.2.total_cmp(&b.2));
        let decisive = nearest.map_or_else(
            || "no instance was run with both planners".to_owned(),
            |(label, difference, _)| {
                format!("nearest to a bound: {label}, {}", describe_difference(self.measure, difference))
            },
        );
        CheckResult { scale: self.runs.scale.clone(), verdict: weakest(&comparisons), decisive, comparisons }
    }
}
