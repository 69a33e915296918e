//! The origin of the runs of a report: machines and builds, limits, and the commands that repeat the runs.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::runs::RunSet;
use crate::Provenance;
use crate::columns::RowPart;

/// The origin of the runs of a report.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReportProvenance {
    /// Each machine and build with its number of runs.
    pub(crate) machines: Vec<(Provenance, usize)>,
    /// One entry per scale.
    pub(crate) scales: Vec<ScaleFacts>,
}

/// Facts about the runs of a scale.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScaleFacts {
    pub(crate) scale: String,
    pub(crate) runs: usize,
    pub(crate) instances: usize,
    pub(crate) maps: usize,
    pub(crate) agents: Vec<String>,
    /// Reasons for the end of runs, with the number of runs.
    pub(crate) stopped: Vec<(String, usize)>,
    /// The limits of the runs.
    pub(crate) limits: Vec<String>,
    pub(crate) checked: usize,
    pub(crate) collisions: i64,
    /// Total time of the runs in core hours.
    pub(crate) hours: f64,
}

impl ReportProvenance {
    /// Collects the origin of the runs of each scale. Selectors must not have been added yet.
    pub(crate) fn new(sets: &[RunSet]) -> Self {
        let runs = sets.iter().flat_map(|set| &set.runs);
        let mut machines: Vec<Provenance> = runs.map(|run| Provenance::load(&run.row)).collect();
        machines.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        let machines = machines.chunk_by(PartialEq::eq).map(|runs| (runs[0].clone(), runs.len()));
        Self { machines: machines.collect(), scales: sets.iter().map(ScaleFacts::new).collect() }
    }
}

impl ScaleFacts {
    fn new(set: &RunSet) -> Self {
        let mut stopped: BTreeMap<String, usize> = BTreeMap::new();
        for run in &set.runs {
            *stopped.entry(run.setting("stopped")).or_default() += 1;
        }
        let rows = || set.runs.iter().map(|run| &run.row);
        Self {
            scale: set.scale.clone(),
            runs: set.runs.len(),
            instances: set.runs.chunk_by(|a, b| a.instance == b.instance).count(),
            maps: set.values_of("map").len(),
            agents: set.values_of("agents"),
            stopped: stopped.into_iter().collect(),
            limits: LIMITS.iter().filter_map(|(column, unit)| limit(set, column, unit)).collect(),
            checked: rows().filter(|row| row.flag("checked") == Some(true)).count(),
            collisions: rows().filter_map(|row| row.integer("collisions")).sum(),
            hours: rows().filter_map(|row| row.number("run_seconds")).sum::<f64>() / 3600.0,
        }
    }
}

/// The columns of limits and their units.
const LIMITS: [(&str, &str); 6] = [
    ("max_ticks", "ticks"),
    ("max_expansions", "expansions per run"),
    ("budget", "expansions per tick"),
    ("wall_limit", "s of ticks"),
    ("still_limit", "ticks without a move"),
    ("completion_limit", "of the agents arrived"),
];

fn limit(set: &RunSet, column: &str, unit: &str) -> Option<String> {
    let values: Vec<String> = set.values_of(column).into_iter().filter(|value| value != "–").collect();
    (!values.is_empty()).then(|| format!("{} {unit}", values.join(", ")))
}
