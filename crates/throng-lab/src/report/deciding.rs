//! The results of an experiment's checks on the runs that decide: those of the check's own scales, of the scales that the
//! report names with `decide`, or of its first scale. The same checks can be made on the runs of another scale.

use super::check::{self, Verdict};
use super::measure::Measure;
use super::runs::RunSet;
use super::settings::CheckSettings;
use super::{ReportConfig, planners, run_sets};
use crate::RunRow;

/// The scales on maps that were not fitted to a paper's numbers. Their runs decide only the checks that name them.
pub(crate) const UNFITTED_SCALES: [&str; 2] = ["open", "words"];

/// A check that names a finding of a paper, its verdict and the deciding estimate.
pub(crate) struct NamedResult<'a> {
    pub(crate) check: &'a CheckSettings,
    pub(crate) verdict: Verdict,
    pub(crate) estimate: String,
}

/// The stored runs of an experiment and the checks that name findings.
pub(crate) struct NamedChecks<'a> {
    config: &'a ReportConfig,
    sets: Vec<RunSet>,
}

impl<'a> NamedChecks<'a> {
    pub(crate) fn new(rows: &[&RunRow], config: &'a ReportConfig) -> Self {
        Self { config, sets: run_sets(rows, config) }
    }

    /// Returns the results that decide.
    pub(crate) fn deciding(&self) -> Vec<NamedResult<'a>> {
        let settings = &self.config.settings;
        let own = |set: &&RunSet| settings.checks.iter().any(|check| check.scales.contains(&set.scale));
        let first =
            || self.sets.iter().find(|set| !own(set) && !UNFITTED_SCALES.contains(&set.scale.as_str()));
        let scales = match settings.decide.as_slice() {
            [] => first().map(|set| set.scale.clone()).into_iter().collect(),
            named => named.to_vec(),
        };
        let runs = RunSet::merged(&self.sets, &scales);
        let result = |check: &'a CheckSettings| {
            if check.scales.is_empty() {
                return self.result(check, &runs);
            }
            let own = self.sets.iter().filter(|set| check.scales.contains(&set.scale));
            self.result(check, &RunSet::united(own))
        };
        self.named().map(result).collect()
    }

    /// Returns the results of the checks without scales of their own on the runs of a scale, as far as these have
    /// values of the measure.
    pub(crate) fn on_scale(&self, scale: &str) -> Vec<NamedResult<'a>> {
        let Some(runs) = self.sets.iter().find(|set| set.scale == scale) else { return Vec::new() };
        let has_values = |check: &&CheckSettings| {
            let measure = Measure::of(&check.measure);
            runs.runs.iter().any(|run| check.only.matches(run) && measure.value(run).is_some())
        };
        let general = self.named().filter(|check| check.scales.is_empty());
        general.filter(has_values).map(|check| self.result(check, runs)).collect()
    }

    fn named(&self) -> impl Iterator<Item = &'a CheckSettings> {
        self.config.settings.checks.iter().filter(|check| check.named().is_some())
    }

    fn result(&self, check: &'a CheckSettings, runs: &RunSet) -> NamedResult<'a> {
        let planners = planners(std::slice::from_ref(runs), &self.config.paper);
        let result = check::check(check, runs, &planners, &self.config.paper);
        NamedResult { check, verdict: result.verdict, estimate: result.decisive }
    }
}
