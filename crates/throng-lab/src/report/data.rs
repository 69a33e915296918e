//! The runs of a report: which of them are of the same instance, which differ in nothing but the instance, and the
//! samples and pairs that tables, curves and checks are made of.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::measure::{Measure, Over, Part};
use super::sample::{Joint, Sample};
use super::settings::Only;
use crate::columns::Role;
use crate::stats::{Estimate, Paired, Strata, paired, widened};
use crate::{Row, Value};

/// The selector that always chooses the best planner, and the one that always chooses the worst.
pub(crate) const SELECTORS: [&str; 2] = ["oracle", "worst"];

/// A run and its place among the others.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) row: Row,
    /// The settings that all planners have in common, the instance included: sorts as people count.
    pub(crate) instance: String,
    /// The same without the instance.
    pub(crate) stratum: String,
    /// Its share in being the best choice for the instance.
    pub(crate) best_share: Option<f64>,
}

impl Run {
    pub(crate) fn planner(&self) -> &str {
        self.row.text("planner").unwrap_or_default()
    }

    /// A setting as text.
    pub(crate) fn setting(&self, column: &str) -> String {
        self.row.value(column).map_or_else(|| "–".to_owned(), Value::to_string)
    }
}

/// The runs of an experiment at one scale, sorted by stratum, instance and planner.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    pub(crate) scale: String,
    pub(crate) runs: Vec<Run>,
}

impl Runs {
    /// Of rows, in any order.
    pub(crate) fn new(scale: &str, rows: impl IntoIterator<Item = Row>) -> Self {
        let run = |row: Row| Run {
            instance: key(&row, &["experiment", "scale", "run", "planner"]),
            stratum: key(&row, &["experiment", "scale", "run", "planner", "instance", "seed"]),
            best_share: None,
            row,
        };
        let mut runs: Vec<Run> = rows.into_iter().map(run).collect();
        runs.sort_by(|a, b| {
            (&a.stratum, &a.instance, a.planner()).cmp(&(&b.stratum, &b.instance, b.planner()))
        });
        Self { scale: scale.to_owned(), runs }
    }

    /// Gives every run its share in being the best, and adds the runs of selectors that choose among some planners, or
    /// among all when none is named. Only instances that every planner has run count.
    pub(crate) fn add_selectors(&mut self, among: &[String]) {
        let planners = self.planners().len();
        let mut chosen = Vec::new();
        for runs in self.runs.chunk_by_mut(|a, b| a.instance == b.instance) {
            if runs.len() < planners || planners < 2 {
                continue;
            }
            let best = (0..runs.len()).min_by(|&a, &b| choice(&runs[a].row, &runs[b].row)).unwrap_or(0);
            let ties: Vec<bool> = runs.iter().map(|run| choice(&run.row, &runs[best].row).is_eq()).collect();
            let share = 1.0 / ties.iter().filter(|&&tied| tied).count() as f64;
            for (run, tied) in runs.iter_mut().zip(ties) {
                run.best_share = Some(if tied { share } else { 0.0 });
            }
            let named = |&of: &usize| among.is_empty() || among.iter().any(|name| name == runs[of].planner());
            let open: Vec<usize> = (0..runs.len()).filter(named).collect();
            let by_choice = |&a: &usize, &b: &usize| choice(&runs[a].row, &runs[b].row);
            let ends = [open.iter().copied().min_by(by_choice), open.iter().copied().max_by(by_choice)];
            for (name, of) in SELECTORS.into_iter().zip(ends) {
                let Some(of) = of else { continue };
                let mut run = runs[of].clone();
                run.row.set("planner", name);
                run.best_share = None;
                chosen.push(run);
            }
        }
        self.runs.extend(chosen);
        // Stable: within an instance the selectors stand behind the planners.
        self.runs.sort_by(|a, b| (&a.stratum, &a.instance).cmp(&(&b.stratum, &b.instance)));
    }

    /// The planners, sorted by name; without selectors.
    pub(crate) fn planners(&self) -> Vec<String> {
        let mut names: Vec<String> = self.runs.iter().map(|run| run.planner().to_owned()).collect();
        names.sort();
        names.dedup();
        names.retain(|name| !SELECTORS.contains(&name.as_str()));
        names
    }

    /// The values of a setting, as people count.
    pub(crate) fn values_of(&self, column: &str) -> Vec<String> {
        self.values_among(column, &Only::default())
    }

    /// The same of the runs that count.
    pub(crate) fn values_among(&self, column: &str, only: &Only) -> Vec<String> {
        let runs = self.runs.iter().filter(|run| only.holds(run));
        let mut values: Vec<(String, String)> =
            runs.map(|run| (sortable(run.row.value(column)), run.setting(column))).collect();
        values.sort();
        values.dedup();
        values.into_iter().map(|(_, value)| value).collect()
    }

    /// What some runs come to in a measure, as shown.
    pub(crate) fn estimate(&self, measure: &Measure, of: impl Fn(&Run) -> bool) -> Option<Estimate> {
        let chosen = self.runs.iter().filter(|run| of(run));
        // Planners are chosen, as settings are: in a mean over several each is a stratum of its own.
        let key = |run: &Run| (run.stratum.clone(), run.planner().to_owned());
        let mut chosen: Vec<((String, String), Part)> =
            chosen.filter_map(|run| Some((key(run), measure.part(run)?))).collect();
        chosen.sort_by(|a, b| a.0.cmp(&b.0));
        if chosen.is_empty() {
            return None;
        }
        let strata = strata_of(chosen.iter().map(|(stratum, _)| stratum));
        let sample = Sample::new(measure, &chosen.into_iter().map(|(_, part)| part).collect::<Vec<_>>());
        let estimate = widened(&strata, |drawn| sample.together(drawn.iter().copied()));
        Some(estimate.within(0.0, measure.most).scaled(measure.factor))
    }

    /// Two planners on the instances that both have run, the second's value taken so many times.
    pub(crate) fn paired(
        &self,
        measure: &Measure,
        planners: (&str, &str),
        times: f64,
        of: impl Fn(&Run) -> bool,
    ) -> Option<Paired> {
        let joint = self.joint(measure, &[planners.0, planners.1], of);
        let [one, other] = joint.planners.as_slice() else { return None };
        let seconds = other.values().iter().map(|value| value * times);
        let pairs: Vec<(f64, f64)> = one.values().iter().copied().zip(seconds).collect();
        if pairs.is_empty() {
            return None;
        }
        let mut result = paired(&pairs, &joint.strata);
        if measure.over != Over::Runs {
            // Of what all questions come to, the difference is no mean of the runs' differences.
            let together = |sample: &Sample, drawn: &[usize]| sample.together(drawn.iter().copied());
            result.difference =
                widened(&joint.strata, |drawn| together(one, drawn) - together(other, drawn) * times);
        }
        result.difference = result.difference.within(-measure.most, measure.most).scaled(measure.factor);
        Some(result)
    }

    /// What several planners have of a measure on the instances that all of them have run.
    pub(crate) fn joint(&self, measure: &Measure, planners: &[&str], of: impl Fn(&Run) -> bool) -> Joint {
        let mut strata = Vec::new();
        let mut parts: Vec<Vec<Part>> = vec![Vec::new(); planners.len()];
        for runs in self.runs.chunk_by(|a, b| a.instance == b.instance) {
            let value = |planner: &&str| {
                let run = runs.iter().find(|run| run.planner() == *planner && of(run))?;
                measure.part(run)
            };
            if let Some(row) = planners.iter().map(value).collect::<Option<Vec<Part>>>() {
                strata.push(runs[0].stratum.as_str());
                parts.iter_mut().zip(row).for_each(|(planner, part)| planner.push(part));
            }
        }
        Joint {
            instances: strata.len(),
            strata: strata_of(strata.into_iter()),
            planners: parts.iter().map(|parts| Sample::new(measure, parts)).collect(),
        }
    }
}

impl Only {
    /// Whether a run counts.
    pub(crate) fn holds(&self, run: &Run) -> bool {
        let agents = run.row.integer("agents").unwrap_or(0);
        let set = run.row.text("map_set").unwrap_or_default();
        (self.planners.is_empty() || self.planners.iter().any(|name| name == run.planner()))
            && (self.map_sets.is_empty() || self.map_sets.iter().any(|name| name == set))
            && self.map.as_deref().is_none_or(|map| run.row.text("map") == Some(map))
            && self.agents_above.is_none_or(|limit| agents > limit)
            && self.agents_at_most.is_none_or(|limit| agents <= limit)
    }
}

/// Completion first, then travel: less is the better choice.
fn choice(a: &Row, b: &Row) -> Ordering {
    let number = |row: &Row, column| row.number(column).unwrap_or(f64::NAN);
    let (column, then) = ("completion_rate", "travel_mean");
    number(b, column).total_cmp(&number(a, column)).then(number(a, then).total_cmp(&number(b, then)))
}

/// Settings as text that sorts as people count, without some columns.
fn key(row: &Row, without: &[&str]) -> String {
    let kept = row.columns().filter(|(column, _)| column.role == Role::Setting);
    let parts = kept.filter(|(column, _)| !without.contains(&column.name));
    parts.map(|(_, value)| sortable(value)).collect::<Vec<_>>().join("\u{1f}")
}

fn sortable(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::Integer(number)) => format!("{number:020}"),
        Some(Value::Float(number)) => format!("{number:020.6}"),
        Some(value) => value.to_string(),
    }
}

/// The strata of runs whose keys are sorted.
fn strata_of<K: Ord>(keys: impl Iterator<Item = K>) -> Strata {
    let mut sizes: BTreeMap<K, usize> = BTreeMap::new();
    for key in keys {
        *sizes.entry(key).or_default() += 1;
    }
    Strata::new(sizes.into_values())
}
