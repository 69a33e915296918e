//! The runs of a report, grouped by instance and by stratum (the runs that differ in the instance only), and the samples
//! and estimates that tables, curves and checks are made of.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::measure::{Aggregation, Measure, RunValue};
use super::sample::{JointSample, Sample};
use super::settings::RunFilter;
use crate::columns::Role;
use crate::stats::{Estimate, Paired, Strata, paired, widened};
use crate::task::task_of;
use crate::{RunRow, Value};

/// The selectors: the virtual best solver, which chooses the best planner per instance, and its opposite.
pub(crate) const SELECTORS: [&str; 2] = ["oracle", "worst"];

/// A run with the keys of its groups.
#[derive(Clone, Debug)]
pub(crate) struct ReportRun {
    pub(crate) row: RunRow,
    /// Key of the instance: the settings that do not depend on the planner. It sorts numbers by value.
    pub(crate) instance: String,
    /// Key of the stratum: as `instance`, without the instance's number and seed.
    pub(crate) stratum: String,
    /// The run's share in being the best choice for its instance; equal best runs share it. `None` if not computed.
    pub(crate) best_share: Option<f64>,
}

impl ReportRun {
    pub(crate) fn planner(&self) -> &str {
        self.row.text(solver_column(&self.row)).unwrap_or_default()
    }

    /// Returns a setting as text, `–` if the run has none.
    pub(crate) fn setting(&self, column: &str) -> String {
        self.row.value(column).map_or_else(|| "–".to_owned(), Value::to_string)
    }
}

/// The runs of an experiment at one scale, sorted by stratum, instance and planner.
#[derive(Clone, Debug)]
pub(crate) struct RunSet {
    pub(crate) scale: String,
    pub(crate) runs: Vec<ReportRun>,
}

impl RunSet {
    /// Creates the set of rows in any order.
    pub(crate) fn new(scale: &str, rows: impl IntoIterator<Item = RunRow>) -> Self {
        let run = |row: RunRow| ReportRun {
            instance: key(&row, &["experiment", "scale", "run", solver_column(&row)]),
            stratum: key(&row, &["experiment", "scale", "run", solver_column(&row), "instance", "seed"]),
            best_share: None,
            row,
        };
        let mut runs: Vec<ReportRun> = rows.into_iter().map(run).collect();
        runs.sort_by(|a, b| {
            (&a.stratum, &a.instance, a.planner()).cmp(&(&b.stratum, &b.instance, b.planner()))
        });
        Self { scale: scale.to_owned(), runs }
    }

    /// Sets the best share of every run, and adds the runs of selectors that choose among the planners `among`, or among all
    /// if it is empty. Only instances on which every planner was run are considered.
    pub(crate) fn add_selectors(&mut self, among: &[String]) {
        let planners = self.planners().len();
        let mut chosen = Vec::new();
        for runs in self.runs.chunk_by_mut(|a, b| a.instance == b.instance) {
            if runs.len() < planners || planners < 2 {
                continue;
            }
            let named = |&of: &usize| among.is_empty() || among.iter().any(|name| name == runs[of].planner());
            let open: Vec<usize> = (0..runs.len()).filter(named).collect();
            let by_choice = |&a: &usize, &b: &usize| choice(&runs[a].row, &runs[b].row);
            let ends = [open.iter().copied().min_by(by_choice), open.iter().copied().max_by(by_choice)];
            let best: Vec<usize> = open
                .iter()
                .copied()
                .filter(|of| ends[0].is_some_and(|best| by_choice(of, &best).is_eq()))
                .collect();
            for of in open {
                let share = if best.contains(&of) { 1.0 / best.len() as f64 } else { 0.0 };
                runs[of].best_share = Some(share);
            }
            for (name, of) in SELECTORS.into_iter().zip(ends) {
                let Some(of) = of else { continue };
                let mut run = runs[of].clone();
                let column = solver_column(&run.row);
                run.row.set(column, name);
                run.best_share = None;
                chosen.push(run);
            }
        }
        self.runs.extend(chosen);
        // The sort is stable, so the selectors follow the planners of an instance.
        self.runs.sort_by(|a, b| (&a.stratum, &a.instance).cmp(&(&b.stratum, &b.instance)));
    }

    /// Returns the planners without selectors, sorted by name.
    pub(crate) fn planners(&self) -> BTreeSet<String> {
        let names = self.runs.iter().map(ReportRun::planner).filter(|name| !SELECTORS.contains(name));
        names.map(str::to_owned).collect()
    }

    /// Returns the values of a setting, sorted by value.
    pub(crate) fn values_of(&self, column: &str) -> Vec<String> {
        self.values_among(column, &RunFilter::default())
    }

    /// Returns the values of a setting among the runs that pass a filter.
    pub(crate) fn values_among(&self, column: &str, filter: &RunFilter) -> Vec<String> {
        let runs = self.runs.iter().filter(|run| filter.matches(run));
        let values: BTreeSet<(String, String)> =
            runs.map(|run| (sortable(run.row.value(column)), run.setting(column))).collect();
        values.into_iter().map(|(_, value)| value).collect()
    }

    /// Returns the number of runs whose times were measured on a loaded machine; 0 for measures that are no times.
    pub(crate) fn loaded(&self, measure: &Measure, of: impl Fn(&ReportRun) -> bool) -> usize {
        let is_loaded =
            |run: &ReportRun| run.row.text("load") == Some("loaded") && measure.value(run).is_some();
        if measure.is_time() { self.runs.iter().filter(|run| of(run) && is_loaded(run)).count() } else { 0 }
    }

    /// Estimates the aggregate of a measure over some runs, as shown.
    pub(crate) fn estimate(&self, measure: &Measure, of: impl Fn(&ReportRun) -> bool) -> Option<Estimate> {
        let chosen = self.runs.iter().filter(|run| of(run));
        estimate_of(measure, chosen.filter_map(|run| Some((run, measure.run_value(run)?))))
    }

    /// Compares two planners on the instances that both were run on. The second's value is multiplied by `times`.
    pub(crate) fn paired(
        &self,
        measure: &Measure,
        planners: (&str, &str),
        times: f64,
        of: impl Fn(&ReportRun) -> bool,
    ) -> Option<Paired> {
        let joint = self.joint(measure, &[planners.0, planners.1], of);
        let [one, other] = joint.planners.as_slice() else { return None };
        let seconds = other.values().iter().map(|value| value * times);
        let pairs: Vec<(f64, f64)> = one.values().iter().copied().zip(seconds).collect();
        if pairs.is_empty() {
            return None;
        }
        let mut result = paired(&pairs, &joint.strata);
        if measure.aggregation != Aggregation::MeanOverRuns {
            // For aggregates over queries, the difference of the aggregates is not the mean of the differences per run.
            let aggregate = |sample: &Sample, drawn: &[usize]| sample.aggregate(drawn.iter().copied());
            result.difference =
                widened(&joint.strata, |drawn| aggregate(one, drawn) - aggregate(other, drawn) * times);
        }
        result.difference = result.difference.within(-measure.max, measure.max).scaled(measure.factor);
        Some(result)
    }

    /// Compares two measures of the same runs.
    pub(crate) fn paired_measures(
        &self,
        (one, other): (&Measure, &Measure),
        of: impl Fn(&ReportRun) -> bool,
    ) -> Option<Paired> {
        let value = |run: &ReportRun| Some((run.stratum.clone(), (one.value(run)?, other.value(run)?)));
        let (strata, pairs): (Vec<String>, Vec<(f64, f64)>) =
            self.runs.iter().filter(|run| of(run)).filter_map(value).unzip();
        if pairs.is_empty() {
            return None;
        }
        let mut result = paired(&pairs, &strata_of(strata.into_iter()));
        result.difference = result.difference.scaled(one.factor);
        Some(result)
    }

    /// Returns all runs of some scales as one set.
    pub(crate) fn united<'a>(sets: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let names: Vec<&str> = sets.clone().map(|set| set.scale.as_str()).collect();
        let mut runs: Vec<ReportRun> = sets.flat_map(|set| set.runs.iter().cloned()).collect();
        runs.sort_by(|a, b| (&a.stratum, &a.instance).cmp(&(&b.stratum, &b.instance)));
        Self { scale: names.join(", "), runs }
    }

    /// Returns the runs of some scales as one set. The runs of a map set are those of the first scale that has the set.
    pub(crate) fn merged(sets: &[Self], scales: &[String]) -> Self {
        let chosen = scales.iter().filter_map(|scale| sets.iter().find(|set| set.scale == *scale));
        let (mut kept, mut known) = (Vec::new(), BTreeSet::new());
        for set in chosen {
            let is_new = |run: &&ReportRun| !known.contains(&run.setting("map_set"));
            let runs: Vec<ReportRun> = set.runs.iter().filter(is_new).cloned().collect();
            known.extend(runs.iter().map(|run| run.setting("map_set")));
            kept.push(Self { scale: set.scale.clone(), runs });
        }
        Self::united(kept.iter())
    }

    /// Returns the values of several planners on the instances that all of them were run on.
    pub(crate) fn joint(
        &self,
        measure: &Measure,
        planners: &[&str],
        of: impl Fn(&ReportRun) -> bool,
    ) -> JointSample {
        let mut strata = Vec::new();
        let mut values: Vec<Vec<RunValue>> = vec![Vec::new(); planners.len()];
        for runs in self.runs.chunk_by(|a, b| a.instance == b.instance) {
            let value = |planner: &&str| {
                let run = runs.iter().find(|run| run.planner() == *planner && of(run))?;
                measure.run_value(run)
            };
            if let Some(row) = planners.iter().map(value).collect::<Option<Vec<RunValue>>>() {
                strata.push(runs[0].stratum.as_str());
                values.iter_mut().zip(row).for_each(|(planner, value)| planner.push(value));
            }
        }
        JointSample {
            instances: strata.len(),
            strata: strata_of(strata.into_iter()),
            planners: values.iter().map(|values| Sample::new(measure, values)).collect(),
        }
    }
}

impl RunFilter {
    /// Returns true if the run passes the filter.
    pub(crate) fn matches(&self, run: &ReportRun) -> bool {
        let agents = run.row.integer("agents").unwrap_or(0);
        let set = run.row.text("map_set").unwrap_or_default();
        (self.planners.is_empty() || self.planners.iter().any(|name| name == run.planner()))
            && (self.map_sets.is_empty() || self.map_sets.iter().any(|name| name == set))
            && (self.map.is_empty() || self.map.iter().any(|map| run.row.text("map") == Some(map)))
            && !self.except_maps.iter().any(|map| run.row.text("map") == Some(map))
            && (self.types.is_empty() || self.types.iter().any(|name| run.row.text("type") == Some(name)))
            && self.four_way.is_none_or(|is| run.row.flag("four_way").unwrap_or(false) == is)
            && self.threads.is_none_or(|count| run.row.integer("threads").unwrap_or(1) == count)
            && self.agents_above.is_none_or(|limit| agents > limit)
            && self.agents_at_most.is_none_or(|limit| agents <= limit)
    }
}

/// Estimates the aggregate of some runs' values of a measure, as shown; none without values.
pub(crate) fn estimate_of<'a>(
    measure: &Measure,
    values: impl Iterator<Item = (&'a ReportRun, RunValue)>,
) -> Option<Estimate> {
    // Planners are chosen, like settings, so in a mean over several planners each is a stratum.
    let mut chosen: Vec<((&str, &str), RunValue)> =
        values.map(|(run, value)| ((run.stratum.as_str(), run.planner()), value)).collect();
    chosen.sort_by(|a, b| a.0.cmp(&b.0));
    if chosen.is_empty() {
        return None;
    }
    let strata = strata_of(chosen.iter().map(|(stratum, _)| stratum));
    let sample = Sample::new(measure, &chosen.into_iter().map(|(_, value)| value).collect::<Vec<_>>());
    let estimate = widened(&strata, |drawn| sample.aggregate(drawn.iter().copied()));
    Some(estimate.within(measure.min, measure.max).scaled(measure.factor))
}

/// Orders runs by completion, then by travel. The lesser run is the better choice.
fn choice(a: &RunRow, b: &RunRow) -> Ordering {
    let number = |row: &RunRow, column| row.number(column).unwrap_or(f64::NAN);
    let (column, then) = (completion_column(a), "travel_mean");
    number(b, column).total_cmp(&number(a, column)).then(number(a, then).total_cmp(&number(b, then)))
}

/// Returns the settings as one text that sorts numbers by value, without some columns.
fn key(row: &RunRow, without: &[&str]) -> String {
    let kept = row.columns().filter(|(column, _)| column.role == Role::Setting);
    let values = kept.filter(|(column, _)| !without.contains(&column.name));
    values.map(|(_, value)| sortable(value)).collect::<Vec<_>>().join("\u{1f}")
}

fn sortable(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::Integer(number)) => format!("{number:020}"),
        Some(Value::Float(number)) => format!("{number:020.6}"),
        Some(value) => value.to_string(),
    }
}

/// Returns the strata of runs whose keys are sorted.
fn strata_of<K: Ord>(keys: impl Iterator<Item = K>) -> Strata {
    let mut sizes: BTreeMap<K, usize> = BTreeMap::new();
    for key in keys {
        *sizes.entry(key).or_default() += 1;
    }
    Strata::new(sizes.into_values())
}

/// Returns the column that names the planner or search of a row.
fn solver_column(row: &RunRow) -> &'static str {
    task_of(row).map_or("planner", |task| task.solver_column)
}

/// Returns the column with the share of the goals that a run reached.
pub(crate) fn completion_column(row: &RunRow) -> &'static str {
    task_of(row).map_or("completion_rate", |task| task.completion_column)
}
