//! The verdicts on the findings, from stored runs.
//!
//! A finding holds if all of its checks hold, and does not hold if one of them does not. A check is made on the runs of the
//! scales that its report names with `decide`; other scales and other readings are shown, but decide nothing. The checks of
//! findings on fitted maps are also made on the runs of the scales whose maps were not fitted, and counted apart.

use serde::Serialize;

use super::{Findings, PaperFinding};
use crate::RunRow;
use crate::experiment::Experiment;
use crate::report::{NamedChecks, NamedResult, ReportConfig, UNFITTED_SCALES, Verdict};

/// The result of one check of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CheckVerdict {
    /// The experiment's name.
    pub experiment: String,
    /// What was checked.
    pub check: String,
    /// The result.
    pub verdict: Verdict,
    /// The deciding estimate with its interval.
    pub estimate: String,
    /// True if the check examines another reading and decides nothing.
    pub also: bool,
}

/// The verdict on a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FindingVerdict {
    /// The finding's name.
    pub id: String,
    /// The finding.
    pub claim: String,
    /// Where the paper states it.
    pub source: String,
    /// True if it is checked on maps that were fitted to the paper's numbers.
    pub fitted: bool,
    /// The verdict; `not enough data` if the finding is open.
    pub verdict: Verdict,
    /// Why the finding is open although it may have checks.
    pub open: Option<String>,
    /// The test that decides it.
    pub test: Option<String>,
    /// Its checks on the given runs, those that decide first.
    pub checks: Vec<CheckVerdict>,
    /// If the finding is checked on fitted maps: the verdicts of its checks on maps that were not fitted, by scale.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfitted: Vec<ScaleVerdict>,
}

/// The verdict of a finding's checks on the runs of one scale. It decides nothing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ScaleVerdict {
    /// The scale.
    pub scale: &'static str,
    /// The verdict.
    pub verdict: Verdict,
}

impl FindingVerdict {
    fn new(finding: &PaperFinding, mut checks: Vec<CheckVerdict>, unfitted: Vec<ScaleVerdict>) -> Self {
        checks.sort_by_key(|check| check.also);
        let decisive: Vec<Verdict> =
            checks.iter().filter(|check| !check.also).map(|check| check.verdict).collect();
        let verdict = match finding {
            PaperFinding { open: Some(_), .. } => Verdict::Unknown,
            PaperFinding { test: Some(_), .. } => Verdict::Holds,
            _ => Verdict::weakest(&decisive),
        };
        let PaperFinding { id, source, claim, fitted, open, test } = finding.clone();
        Self { id, claim, source, fitted, verdict, open, test, checks, unfitted }
    }

    /// Returns the check that decides: the first with the verdict on the finding.
    pub fn decisive(&self) -> Option<&CheckVerdict> {
        self.checks.iter().find(|check| !check.also && check.verdict == self.verdict)
    }

    /// Returns the verdict of its checks on a scale whose maps were not fitted; none if it has no runs.
    pub fn on_unfitted(&self, scale: &str) -> Option<Verdict> {
        self.unfitted.iter().find(|it| it.scale == scale).map(|it| it.verdict)
    }

    /// Returns the checks that decide nothing.
    pub fn others(&self) -> impl Iterator<Item = &CheckVerdict> {
        self.checks.iter().filter(|check| check.also)
    }
}

/// Returns the verdicts on all findings from runs of any experiments. A finding without runs is open.
pub fn verdicts(rows: &[RunRow]) -> Vec<FindingVerdict> {
    let mut results: Vec<(String, CheckVerdict)> = Vec::new();
    let mut unfitted: Vec<(String, ScaleVerdict)> = Vec::new();
    for experiment in Experiment::names() {
        let own: Vec<&RunRow> =
            rows.iter().filter(|row| row.text("experiment") == Some(experiment)).collect();
        let config = ReportConfig::embedded(experiment);
        if own.is_empty() || !config.settings.checks.iter().any(|check| check.named().is_some()) {
            continue;
        }
        let checks = NamedChecks::new(&own, &config);
        for NamedResult { check, verdict, estimate } in checks.deciding() {
            let Some(id) = check.named() else { continue };
            let also = check.also.is_some();
            let (experiment, check) = (experiment.to_owned(), check.finding.clone());
            results.push((id.clone(), CheckVerdict { experiment, check, verdict, estimate, also }));
        }
        for scale in UNFITTED_SCALES {
            let decisive = checks
                .on_scale(scale)
                .into_iter()
                .filter_map(|it| Some((it.check.decides.clone()?, it.verdict)));
            unfitted.extend(decisive.map(|(id, verdict)| (id, ScaleVerdict { scale, verdict })));
        }
    }
    let of = |finding: &PaperFinding| {
        let own = results.iter().filter(|(id, _)| *id == finding.id);
        let elsewhere = unfitted.iter().filter(|(id, _)| finding.fitted && *id == finding.id);
        let elsewhere: Vec<&ScaleVerdict> = elsewhere.map(|(_, it)| it).collect();
        FindingVerdict::new(finding, own.map(|(_, check)| check.clone()).collect(), by_scale(&elsewhere))
    };
    Findings::embedded().findings.iter().map(of).collect()
}

/// Combines the verdicts of several checks at each scale that has one.
fn by_scale(checks: &[&ScaleVerdict]) -> Vec<ScaleVerdict> {
    let at = |scale: &'static str| {
        let own = checks.iter().filter(|it| it.scale == scale).map(|it| it.verdict);
        let verdicts: Vec<Verdict> = own.collect();
        (!verdicts.is_empty()).then(|| ScaleVerdict { scale, verdict: Verdict::weakest(&verdicts) })
    };
    UNFITTED_SCALES.into_iter().filter_map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(open: Option<&str>) -> PaperFinding {
        PaperFinding {
            id: "x-1".to_owned(),
            source: "Table 1".to_owned(),
            claim: "a is above b".to_owned(),
            fitted: false,
            open: open.map(str::to_owned),
            test: None,
        }
    }

    fn check(verdict: Verdict, also: bool) -> CheckVerdict {
        let text = || String::from("x");
        CheckVerdict { experiment: text(), check: text(), verdict, estimate: text(), also }
    }

    #[test]
    fn all_checks_of_a_finding_must_hold() {
        use Verdict::{Fails, Holds, Unknown};
        let verdict = |open, checks: &[(Verdict, bool)]| {
            let checks = checks.iter().map(|(verdict, also)| check(*verdict, *also)).collect();
            FindingVerdict::new(&finding(open), checks, Vec::new()).verdict
        };
        assert_eq!(verdict(None, &[]), Unknown);
        assert_eq!(verdict(None, &[(Holds, false), (Holds, false)]), Holds);
        assert_eq!(verdict(None, &[(Holds, false), (Unknown, false)]), Unknown);
        assert_eq!(verdict(None, &[(Unknown, false), (Fails, false)]), Fails);
        assert_eq!(verdict(None, &[(Holds, false), (Fails, true)]), Holds);
        assert_eq!(verdict(None, &[(Holds, true)]), Unknown);
        assert_eq!(verdict(Some("not run"), &[(Fails, false)]), Unknown);
    }

    #[test]
    fn findings_without_runs_are_open_unless_a_test_decides() {
        for verdict in verdicts(&[]) {
            let expected = if verdict.test.is_some() { Verdict::Holds } else { Verdict::Unknown };
            assert_eq!(verdict.verdict, expected, "{}", verdict.id);
        }
    }
}
