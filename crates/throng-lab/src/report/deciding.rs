//! The results of an experiment's checks on the runs that decide: those of the scales that the report names with
//! `decide`, or of its first scale.

use super::check::{self, Verdict};
use super::runs::RunSet;
use super::settings::CheckSettings;
use super::{ReportConfig, planners, run_sets};
use crate::RunRow;

/// Returns each check that names a finding of a paper, its verdict and the deciding estimate.
pub(crate) fn deciding_results<'a>(
    rows: &[&RunRow],
    config: &'a ReportConfig,
) -> Vec<(&'a CheckSettings, Verdict, String)> {
    let sets = run_sets(rows, config);
    let first = sets.first().map(|set| set.scale.clone());
    let scales = if config.settings.decide.is_empty() {
        Vec::from_iter(first)
    } else {
        config.settings.decide.clone()
    };
    let runs = RunSet::merged(&sets, &scales);
    let planners = planners(std::slice::from_ref(&runs), &config.paper);
    let named = config.settings.checks.iter().filter(|check| check.named().is_some());
    let result = |settings: &'a CheckSettings| {
        let result = check::check(settings, &runs, &planners, &config.paper);
        (settings, result.verdict, result.decisive)
    };
    named.map(result).collect()
}
