//! The findings of the papers, numbered per paper: `experiments/findings.toml`. Checks in `report.toml` name the finding
//! that they decide. The verdict on a finding follows from the stored runs of all experiments that check it.

mod verdict;

pub use verdict::{CheckVerdict, FindingVerdict, ScaleVerdict, verdicts};

use serde::Deserialize;

use crate::strict;

/// The text of `experiments/findings.toml`.
const FILE: &str = include_str!("../experiments/findings.toml");

/// The findings of all papers.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// The papers.
    #[serde(rename = "paper")]
    pub papers: Vec<PaperInfo>,
    /// The findings in the order of the papers' texts.
    #[serde(rename = "finding")]
    pub findings: Vec<PaperFinding>,
}

/// A paper.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperInfo {
    /// The part of its findings' names before the number.
    pub id: String,
    /// The heading of its findings.
    pub title: String,
    /// The full reference.
    pub reference: String,
}

/// A finding of a paper.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperFinding {
    /// The name: the paper and a number, such as `dm-6`.
    pub id: String,
    /// Where the paper states it.
    pub source: String,
    /// The statement, in our words.
    pub claim: String,
    /// True if it is checked on maps that were fitted to the paper's numbers.
    #[serde(default)]
    pub fitted: bool,
    /// Why it is not decided, and the cost of the missing runs. It takes precedence over checks.
    pub open: Option<String>,
    /// The test that decides it, as `file: function`.
    pub test: Option<String>,
}

impl Findings {
    /// Returns the findings that are part of throng.
    pub fn embedded() -> Self {
        strict::read("findings.toml", FILE).expect("the embedded file is valid, which the tests check")
    }

    /// Returns the finding with this name.
    pub fn get(&self, id: &str) -> Option<&PaperFinding> {
        self.findings.iter().find(|finding| finding.id == id)
    }

    /// Returns the findings of a paper.
    pub fn of<'a>(&'a self, paper: &'a PaperInfo) -> impl Iterator<Item = &'a PaperFinding> {
        self.findings.iter().filter(|finding| finding.paper() == paper.id)
    }
}

impl PaperFinding {
    /// Returns the name of its paper.
    pub fn paper(&self) -> &str {
        self.id.rsplit_once('-').map_or("", |(paper, _)| paper)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::experiment::Experiment;
    use crate::report::{CheckKind, CheckSettings, ReportConfig};

    /// Returns all checks with the names of their experiments.
    fn checks() -> Vec<(String, CheckSettings)> {
        let of = |name: &str| {
            let checks = ReportConfig::embedded(name).settings.checks;
            checks.into_iter().map(|check| (name.to_owned(), check)).collect::<Vec<_>>()
        };
        Experiment::names().flat_map(of).collect()
    }

    #[test]
    fn findings_are_numbered_without_gaps() {
        let all = Findings::embedded();
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in &all.findings {
            let paper = all.papers.iter().find(|paper| paper.id == finding.paper());
            assert!(paper.is_some(), "{} belongs to no paper", finding.id);
            let number = numbers.entry(finding.paper()).or_default();
            *number += 1;
            assert_eq!(finding.id, format!("{}-{number}", finding.paper()));
            assert!(!finding.claim.is_empty() && !finding.source.is_empty(), "{}", finding.id);
        }
        assert_eq!(numbers.len(), all.papers.len());
    }

    #[test]
    fn every_finding_has_a_check_a_test_or_a_reason() {
        let checks = checks();
        let decided = |id: &str| checks.iter().any(|(_, check)| check.decides.as_deref() == Some(id));
        for PaperFinding { id, open, test, .. } in &Findings::embedded().findings {
            let has_check_or_reason = decided(id) || open.is_some();
            assert!(has_check_or_reason != test.is_some(), "{id}: a check or a reason, or a test");
        }
    }

    #[test]
    fn every_comparison_with_a_paper_names_a_finding() {
        for (experiment, check) in checks() {
            let named = check.decides.iter().chain(&check.also).count();
            let of_us = ["ours", "a target of ours"].contains(&check.source.as_str())
                || check.source.ends_with(", a proposal");
            let has_paper = !ReportConfig::embedded(&experiment).paper.citation.is_empty();
            let text = &check.finding;
            assert!(named <= 1, "{experiment}: `{text}` names several findings");
            assert!(named == 0 || check.source.is_empty(), "{experiment}: `{text}` repeats a source");
            assert!(named == 1 || of_us || !has_paper, "{experiment}: `{text}` names no finding");
            let is_target = of_us && matches!(check.kind, CheckKind::AtLeast | CheckKind::AtMost);
            let is_free = check.table.is_none() || is_target;
            assert!(named == 1 || is_free, "{experiment}: `{text}` compares with a table");
        }
    }

    #[test]
    fn reasons_refer_to_existing_findings() {
        let all = Findings::embedded();
        for finding in &all.findings {
            let Some(rest) = finding.open.as_deref().and_then(|reason| reason.strip_prefix("As ")) else {
                continue;
            };
            let id = rest.split(',').next().unwrap_or_default();
            let other = all.get(id).unwrap_or_else(|| panic!("{}: there is no finding `{id}`", finding.id));
            assert!(other.open.is_some(), "{}: {id} is not open", finding.id);
        }
    }
}
