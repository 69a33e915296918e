//! Checks that are made on each map alone: a finding that is stated of several maps holds if it holds on all of them.

use super::super::settings::{CheckSettings, RunFilter};
use super::{CheckContext, CheckResult, Verdict};

impl CheckContext<'_> {
    /// Makes the check on each map. The first map with the weakest verdict is shown.
    pub(super) fn on_each_map(self) -> CheckResult {
        let maps = self.paper.ordered(self.runs.values_among("map", &self.settings.only));
        let on = |map: &String| {
            let only = RunFilter { map: vec![map.clone()], ..self.settings.only.clone() };
            let settings = CheckSettings { only, ..self.settings.clone() };
            let mut result = CheckContext { settings: &settings, ..self }.result();
            let name = self.label(map);
            result.decisive = format!("{name}: {}", result.decisive);
            for comparison in &mut result.comparisons {
                comparison.label = format!("{name}: {}", comparison.label);
            }
            result
        };
        let results: Vec<CheckResult> = maps.iter().map(on).collect();
        let verdict = Verdict::weakest(&results.iter().map(|result| result.verdict).collect::<Vec<_>>());
        let shown = results.iter().find(|result| result.verdict == verdict);
        let decisive = shown.map_or_else(|| "no runs match".to_owned(), |result| result.decisive.clone());
        self.outcome(verdict, decisive, results.into_iter().flat_map(|result| result.comparisons).collect())
    }
}
