//! Checks along a row of settings: about the same everywhere, rising, falling, best somewhere in between.
//!
//! A row is a list of planners in order, compared on the same instances, or one planner along the values of a setting,
//! each with runs of its own. Rising is judged by the slope of the straight line through the means and by the last mean
//! less the first: single steps may go the other way, as they do in papers.

use super::super::data::Run;
use super::super::measure::Better;
use super::super::sample::{Joint, joined};
use super::{Context, Line, Outcome, Verdict, difference_words, turned, weakest};
use crate::stats::{Estimate, statistic, widened};

/// Means along a row.
struct Sequence {
    labels: Vec<String>,
    /// What the paper prints.
    printed: Vec<Option<f64>>,
    /// One sample with a value a place, or a sample each place.
    samples: Vec<Joint>,
}

impl Sequence {
    /// The sum of the means, each with its weight.
    fn combination(&self, weights: &[f64]) -> Estimate {
        let samples: Vec<&Joint> = self.samples.iter().collect();
        let (strata, means) = joined(&samples);
        widened(&strata, |drawn| {
            means(drawn).iter().flatten().zip(weights).map(|(mean, weight)| mean * weight).sum()
        })
    }

    /// The same of what the paper prints, if it prints all that it takes.
    fn printed(&self, weights: &[f64]) -> Option<f64> {
        let needed = self.printed.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        needed.map(|(value, weight)| Some((*value)? * weight)).sum()
    }

    /// One mean less another.
    fn difference(&self, of: usize, less: usize) -> Vec<f64> {
        let mut weights = vec![0.0; self.labels.len()];
        weights[of] += 1.0;
        weights[less] -= 1.0;
        weights
    }

    /// The slope of the straight line through the means, a place.
    fn slope(&self) -> Vec<f64> {
        let middle = (self.labels.len() as f64 - 1.0) / 2.0;
        let from_middle = (0..self.labels.len()).map(|place| place as f64 - middle);
        let squares: f64 = from_middle.clone().map(|far| far * far).sum();
        from_middle.map(|far| far / squares).collect()
    }
}

impl Context<'_> {
    /// The row that the check is about; nothing when a place of it was not run.
    fn sequence(self) -> Option<Sequence> {
        let these: Vec<&str> = self.settings.these.iter().map(String::as_str).collect();
        let (labels, samples) = if let [one] = these[..] {
            let groups = self.groups();
            let sample = |group: &String| {
                let of = |run: &Run| self.settings.only.holds(run) && self.in_group(run, Some(group));
                self.runs.joint(self.measure, &[one], of)
            };
            (groups.clone(), groups.iter().map(sample).collect())
        } else {
            let of = |run: &Run| self.settings.only.holds(run);
            let labels = these.iter().map(|name| self.label(name).to_owned()).collect();
            (labels, vec![self.runs.joint(self.measure, &these, of)])
        };
        let keys: Vec<String> = if these.len() == 1 { self.groups() } else { self.settings.these.clone() };
        let printed = keys.iter().map(|key| self.table()?.value(key, self.measure.name)).collect();
        let is_whole = labels.len() > 1 && samples.iter().all(|joint| joint.instances > 0);
        is_whole.then_some(Sequence { labels, printed, samples })
    }

    fn not_run(self) -> Outcome {
        let decisive = "not everything along the row was run".to_owned();
        Outcome { scale: self.runs.scale.clone(), verdict: Verdict::Unknown, decisive, lines: Vec::new() }
    }

    fn row_line(self, label: String, row: &Sequence, weights: &[f64], sign: f64) -> Line {
        let difference = row.combination(weights).scaled(self.measure.factor);
        let verdict = Verdict::above(Some(turned(difference, sign)), 0.0);
        Line { label, difference: Some(difference), paper: row.printed(weights), verdict, counts: None }
    }

    /// Rising, or falling with the other sign.
    pub(super) fn along(self, sign: f64) -> Outcome {
        let Some(row) = self.sequence() else { return self.not_run() };
        let last = row.labels.len() - 1;
        let label = |one: usize, other: usize| format!("{} − {}", row.labels[one], row.labels[other]);
        let slope = self.row_line("slope, a step".to_owned(), &row, &row.slope(), sign);
        let decisive = format!(
            "slope a step: {}",
            slope.difference.map_or_else(String::new, |it| difference_words(self.measure, it))
        );
        let ends = self.row_line(label(last, 0), &row, &row.difference(last, 0), sign);
        let mut lines = vec![slope, ends];
        let verdict = weakest(&lines);
        if last > 1 {
            let step = |place: usize| {
                self.row_line(label(place, place - 1), &row, &row.difference(place, place - 1), sign)
            };
            lines.extend((1..=last).map(step));
        }
        Outcome { scale: self.runs.scale.clone(), verdict, decisive, lines }
    }

    /// Somewhere in between better than at both ends.
    pub(super) fn best_inside(self) -> Outcome {
        let Some(row) = self.sequence() else { return self.not_run() };
        let sign = if self.measure.better == Better::High { 1.0 } else { -1.0 };
        let best = |means: &[f64]| means.iter().map(|mean| mean * sign).fold(f64::NEG_INFINITY, f64::max);
        let last = row.labels.len() - 1;
        let lead = |means: &[f64]| best(&means[1..last]) - best(&[means[0], means[last]]);
        if last < 2 {
            return self.not_run();
        }
        let samples: Vec<&Joint> = row.samples.iter().collect();
        let (strata, means) = joined(&samples);
        let estimate = statistic(&strata, |drawn| lead(&means(drawn).concat())).scaled(self.measure.factor);
        let inside = (1..last).max_by(|&a, &b| {
            let value = |place| row.combination(&row.difference(place, 0)).value * sign;
            value(a).total_cmp(&value(b))
        });
        let inside = inside.unwrap_or(1);
        let line = |end: usize| {
            let label = format!("{} − {}", row.labels[inside], row.labels[end]);
            self.row_line(label, &row, &row.difference(inside, end), sign)
        };
        let decisive = format!(
            "best: {}, before the better end by {}",
            row.labels[inside],
            difference_words(self.measure, estimate)
        );
        Outcome {
            scale: self.runs.scale.clone(),
            verdict: Verdict::above(Some(estimate), 0.0),
            decisive,
            lines: vec![line(0), line(last)],
        }
    }

    /// Each of these about as each of those.
    pub(super) fn within(self) -> Outcome {
        let share = self.settings.share.unwrap_or(0.0);
        let lines: Vec<Line> = self
            .pairs()
            .into_iter()
            .flat_map(|(group, one, other)| {
                let line = |times: f64, sign: f64| {
                    let label = self.pair_label(group.as_deref(), one, &format!("{times:.2} × "), other);
                    self.line_times(label, (one, other), times, group.as_deref(), sign)
                };
                [line(1.0 + share, -1.0), line(1.0 - share, 1.0)]
            })
            .collect();
        // How far each interval is on the right side: the least of it decides.
        let room = |(place, line): (usize, &Line)| {
            let sign = if place % 2 == 0 { -1.0 } else { 1.0 };
            let difference = line.difference?;
            Some((line.label.clone(), difference, turned(difference, sign).value))
        };
        let nearest = lines.iter().enumerate().filter_map(room).min_by(|a, b| a.2.total_cmp(&b.2));
        let decisive = nearest.map_or_else(
            || "no instance was run by both planners".to_owned(),
            |(label, difference, _)| {
                format!("nearest to a bound: {label}, {}", difference_words(self.measure, difference))
            },
        );
        Outcome { scale: self.runs.scale.clone(), verdict: weakest(&lines), decisive, lines }
    }
}
