//! The section of findings: verdicts and the comparisons behind them.

use super::super::ExperimentReport;
use super::super::check::{CheckResult, Comparison, Finding, Verdict, describe_difference};
use super::super::figures::{intervals, verdict_class};
use super::super::measure::Measure;
use super::super::svg::{each, escape, unless_empty};

/// Returns the section of findings and verdicts.
pub(super) fn section(experiment: &ExperimentReport) -> String {
    if experiment.findings.is_empty() {
        return String::new();
    }
    let cards: String = experiment.findings.iter().map(finding).collect();
    format!(
        "<section>\n<h2>Findings</h2>\n{}<div class=\"findings\">\n{cards}</div>\n</section>\n",
        tally(experiment)
    )
}

/// Returns the number of findings that hold at each scale, with a coloured square per finding.
fn tally(experiment: &ExperimentReport) -> String {
    let rows = experiment.sets.iter().map(|set| {
        let results = || experiment.findings.iter().flat_map(|finding| &finding.results);
        let verdicts = || results().filter(|result| result.scale == set.scale).map(|result| result.verdict);
        let squares =
            each(verdicts(), |verdict| format!("<i class=\"square {}\"></i>", verdict_class(verdict)));
        let count = |verdict| verdicts().filter(|it| *it == verdict).count();
        let (holds, fails) = (count(Verdict::Holds), count(Verdict::Fails));
        // Scales differ in the limits of runs, so these are shown with the name.
        let limits = experiment.provenance.scales.iter().find(|facts| facts.scale == set.scale);
        let limits = limits.map_or_else(String::new, |facts| escape(&facts.limits.join("; ")));
        let name = unless_empty(experiment.scale_name(set), |scale| {
            format!("<b>{scale}</b> (limits: {limits}): ")
        });
        let unknown = verdicts().count() - holds - fails;
        format!(
            "<p class=\"tally\">{squares} {name}{holds} of {} findings {}, {fails} {} not, {unknown} open</p>\n",
            verdicts().count(),
            if holds == 1 { "holds" } else { "hold" },
            if fails == 1 { "does" } else { "do" }
        )
    });
    rows.collect()
}

fn finding(finding: &Finding) -> String {
    let several = finding.results.len() > 1;
    let results: String =
        finding.results.iter().map(|result| self::result(finding.measure, result, several)).collect();
    let source = unless_empty(&finding.source, |source| format!("<p class=\"source\">{source}</p>"));
    format!("<div class=\"finding\">\n<h3>{}</h3>{source}\n{results}</div>\n", escape(&finding.text))
}

fn result(measure: &Measure, result: &CheckResult, several: bool) -> String {
    let scale = if several { format!("<b>{}</b> ", escape(&result.scale)) } else { String::new() };
    let class = verdict_class(result.verdict);
    let drawings = intervals(&result.comparisons);
    let rows = each(result.comparisons.iter().zip(drawings), |(comparison, drawing)| {
        comparison_row(measure, comparison, &drawing)
    });
    let open = if result.comparisons.len() <= 10 && !several { " open=\"open\"" } else { "" };
    let details = if rows.is_empty() {
        String::new()
    } else {
        format!(
            "<details{open}><summary>{}, all comparisons</summary>\n<div class=\"lines\">\n{rows}</div>\n</details>\n",
            escape(measure.label)
        )
    };
    format!(
        "<p class=\"check-result\">{scale}<span class=\"verdict {class}\">{}</span> {}</p>\n{details}",
        result.verdict.text(),
        escape(&result.decisive)
    )
}

fn comparison_row(measure: &Measure, comparison: &Comparison, drawing: &str) -> String {
    let text =
        comparison.difference.map_or_else(|| "not run".to_owned(), |it| describe_difference(measure, it));
    let paper = comparison.paper.map_or_else(String::new, |paper| {
        let sign = if paper > 0.0 { "+" } else { "" };
        format!("; paper {sign}{}", measure.number(paper))
    });
    let counts = comparison.counts.map_or_else(String::new, |[higher, equal, lower]| {
        format!(" title=\"higher on {higher} instances, equal on {equal}, lower on {lower}\"")
    });
    format!(
        "<div class=\"line\"{counts}><span>{}</span>{drawing}<span class=\"words\">{}{}</span></div>\n",
        escape(&comparison.label),
        escape(&text),
        escape(&paper)
    )
}
