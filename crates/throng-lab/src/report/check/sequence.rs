//! Checks along a sequence of settings: about constant, rising, falling, or best between the ends.
//!
//! A sequence is a list of planners, compared on the same instances, or one planner along the values of a setting, each
//! with its own runs. Rising is judged by the slope of the regression line through the means and by the last mean minus
//! the first: single steps may go the other way, as they do in papers.

use super::super::sample::{JointSample, joined};
use super::{CheckContext, CheckResult, Comparison, Verdict, best, describe_difference, weakest};
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
        let (strata, means) = joined(self.samples.iter());
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
        self.sequence_of(&self.settings.planners)
    }

    /// Returns the sequence of some planners, or of one planner along the groups.
    fn sequence_of(self, names: &[String]) -> Option<Sequence> {
        let planners: Vec<&str> = names.iter().map(String::as_str).collect();
        let (keys, samples) = if let [one] = planners[..] {
            let groups = self.groups();
            let samples = groups.iter().map(|group| self.joint(&[one], Some(group))).collect();
            (groups, samples)
        } else {
            (names.to_vec(), vec![self.joint(&planners, None)])
        };
        let label = |key: &String| if planners.len() == 1 { key } else { self.label(key) }.to_owned();
        let labels: Vec<String> = keys.iter().map(label).collect();
        let printed = keys.iter().map(|key| self.table()?.value(key, self.measure.name)).collect();
        let is_complete = labels.len() > 1 && samples.iter().all(|joint| joint.instances > 0);
        is_complete.then_some(Sequence { labels, printed, samples })
    }

    fn not_run(self) -> CheckResult {
        let decisive = "not all elements of the sequence were run".to_owned();
        self.outcome(Verdict::Unknown, decisive, Vec::new())
    }

    /// Compares two elements of a sequence.
    fn step(self, sequence: &Sequence, (one, other): (usize, usize), sign: f64) -> Comparison {
        let label = format!("{} − {}", sequence.labels[one], sequence.labels[other]);
        self.weigh(label, sequence, &sequence.difference(one, other), sign)
    }

    /// Judges a weighted sum of the means.
    fn weigh(self, label: String, sequence: &Sequence, weights: &[f64], sign: f64) -> Comparison {
        let difference = sequence.combination(weights).scaled(self.measure.factor);
        Comparison::new(label, Some(difference), sign, sequence.printed(weights))
    }

    /// Checks that the means rise (`sign` 1) or fall (`sign` −1).
    pub(super) fn along(self, sign: f64) -> CheckResult {
        if self.settings.by.is_some() && self.settings.planners.len() > 1 {
            return self.each_along(sign);
        }
        let Some(sequence) = self.sequence() else { return self.not_run() };
        let last = sequence.labels.len() - 1;
        let slope = self.weigh("slope per step".to_owned(), &sequence, &sequence.slope(), sign);
        let mut comparisons = vec![slope, self.step(&sequence, (last, 0), sign)];
        let verdict = weakest(&comparisons);
        let decide = comparisons.iter().find(|it| it.verdict == verdict);
        let estimate = |it: &Comparison| Some(describe_difference(self.measure, it.difference?));
        let decisive =
            decide.and_then(|it| Some(format!("{}: {}", it.label, estimate(it)?))).unwrap_or_default();
        if last > 1 {
            comparisons.extend((1..=last).map(|place| self.step(&sequence, (place, place - 1), sign)));
        }
        self.outcome(verdict, decisive, comparisons)
    }

    /// Checks that the means of each planner rise or fall along the groups.
    fn each_along(self, sign: f64) -> CheckResult {
        let mut comparisons = Vec::new();
        for planner in &self.settings.planners {
            let Some(sequence) = self.sequence_of(std::slice::from_ref(planner)) else {
                return self.not_run();
            };
            let label = |what| format!("{}, {what}", self.label(planner));
            let ends = sequence.difference(sequence.labels.len() - 1, 0);
            comparisons.push(self.weigh(label("slope per step"), &sequence, &sequence.slope(), sign));
            comparisons.push(self.weigh(label("last − first"), &sequence, &ends, sign));
        }
        self.all_hold("smallest lead", comparisons)
    }

    /// Checks that the second of two rises is at most a share of the first.
    pub(super) fn levels_off(self) -> CheckResult {
        let Some(sequence) = self.sequence() else { return self.not_run() };
        let share = self.settings.share.unwrap_or(0.0);
        let [first, middle, last] = [0, 1, 2].map(|place| sequence.labels[place].as_str());
        let label = format!("({last} − {middle}) − {share} × ({middle} − {first})");
        let comparison = self.weigh(label, &sequence, &[share, -1.0 - share, 1.0], -1.0);
        self.all_hold("second rise over its bound", vec![comparison])
    }

    /// Checks that some element between the ends is better than both ends.
    pub(super) fn best_inside(self) -> CheckResult {
        let Some(sequence) = self.sequence() else { return self.not_run() };
        let sign = self.measure.better.sign();
        let last = sequence.labels.len() - 1;
        let lead = |means: &[f64]| best(&means[1..last], sign) - best(&[means[0], means[last]], sign);
        if last < 2 {
            return self.not_run();
        }
        let (strata, means) = joined(sequence.samples.iter());
        let estimate = statistic(&strata, |drawn| lead(&means(drawn).concat())).scaled(self.measure.factor);
        let inside = (1..last).max_by(|&a, &b| {
            let value = |place| sequence.combination(&sequence.difference(place, 0)).value * sign;
            value(a).total_cmp(&value(b))
        });
        let inside = inside.unwrap_or(1);
        let decisive = format!(
            "best: {}, ahead of the better end by {}",
            sequence.labels[inside],
            describe_difference(self.measure, estimate)
        );
        let ends = [0, last].map(|end| self.step(&sequence, (inside, end), sign));
        self.outcome(Verdict::above(Some(estimate), 0.0), decisive, ends.into())
    }

    /// Checks that each planner has about the mean of each baseline. The comparison with the smallest margin to
    /// its bound decides.
    pub(super) fn within(self) -> CheckResult {
        let share = self.settings.share.unwrap_or(0.0);
        let bounds = |(group, one, other): (Option<String>, &str, &str)| {
            [(1.0 + share, -1.0), (1.0 - share, 1.0)].map(|(times, sign)| {
                let label = self.pair_label(group.as_deref(), one, &format!("{times:.2} × "), other);
                self.compare(label, (one, other), times, group.as_deref(), sign)
            })
        };
        self.all_hold("nearest to a bound", self.pairs().into_iter().flat_map(bounds).collect())
    }
}
