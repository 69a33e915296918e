//! `throng lab report`: writes the results as an HTML page, and its tables for other documents.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use throng_lab::Results;
use throng_lab::findings::{FindingVerdict, verdicts};
use throng_lab::report::{FindingSummary, PlannerSummary, Report, ReportConfig, Verdict};

use crate::output::{bad_input, count, note, print_either, progress, table, thousands};
use crate::picture::write_file;

/// The text at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Writes report.html (one self-contained file), report.md, tables.csv and tables.tex. For an experiment that is not part
of throng, report.toml and paper.toml in one of the folders define what the report shows.

Examples:
  throng lab report out/churn
  throng lab report out/part1 out/part2 out/starved -o page";

/// The arguments of `throng lab report`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Folders of results, reported together
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Folder of the report; by default `report` in the first folder of results
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Leave out the heat maps, which need runs of their own
    #[arg(long)]
    no_pictures: bool,
}

/// The summary of a written report.
#[derive(Debug, Serialize)]
struct ReportSummary<'a> {
    runs: usize,
    /// Number of runs that were found in several folders.
    repeated: usize,
    files: Vec<String>,
    planners: Vec<PlannerSummary<'a>>,
    findings: Vec<FindingSummary<'a>>,
    /// The verdicts on the numbered findings that these runs check.
    papers: Vec<FindingVerdict>,
}

/// `throng lab report`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let results = Results::open(&arguments.folders).map_err(bad_input)?;
    results.warnings.iter().for_each(|warning| note(format_args!("warning: {warning}")));
    let config = ReportConfig::of_folders(&arguments.folders).map_err(bad_input)?;
    let bar = progress(None, "{spinner} {msg}", "computing the report".to_owned());
    bar.enable_steady_tick(std::time::Duration::from_millis(100));
    let report = Report::new(&results.rows, config, !arguments.no_pictures).map_err(bad_input)?;
    let files = report.files();
    bar.finish_and_clear();
    let folder = arguments.output.clone().unwrap_or_else(|| default_folder(&arguments.folders[0]));
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for (name, content) in &files {
        write_file(&folder.join(name), content.as_bytes())?;
    }
    if results.repeated > 0 {
        note(format_args!(
            "{} in several folders, counted once",
            count(results.repeated, "run was", "runs were")
        ));
    }
    let written = ReportSummary {
        runs: results.rows.len(),
        repeated: results.repeated,
        files: files.iter().map(|(name, _)| folder.join(name).display().to_string()).collect(),
        planners: report.planners(),
        findings: report.findings(),
        papers: verdicts(&results.rows).into_iter().filter(|it| !it.checks.is_empty()).collect(),
    };
    print_either(json, &written, || text(&written))
}

/// Returns the folder for the report of a results folder or file.
fn default_folder(results: &Path) -> PathBuf {
    let folder = if results.is_file() { results.parent().unwrap_or(Path::new(".")) } else { results };
    folder.join("report")
}

fn text(written: &ReportSummary<'_>) -> String {
    let rows = written.planners.iter().map(|line| {
        let percent = |share: f64| format!("{:.1}", share * 100.0);
        let interval = line
            .interval
            .map_or_else(String::new, |[low, high]| format!("{} to {}", percent(low), percent(high)));
        let [experiment, scale, planner] = [line.experiment, line.scale, line.planner].map(str::to_owned);
        let runs = thousands(line.runs as u64);
        [experiment, scale, planner, runs, percent(line.completion_rate), interval]
    });
    let header = ["experiment", "scale", "planner", ">runs", ">mean completion %", ">95 % interval"];
    let mut out = table(&header, rows) + "\n";
    for finding in &written.findings {
        let FindingSummary { verdict, finding, experiment, scale, estimate, decides, .. } = finding;
        out += verdict.text();
        out += &decides.map_or_else(String::new, |id| format!(": {id}"));
        out += &[": ", finding, " [", experiment, ", ", scale, "]\n    ", estimate, "\n"].concat();
    }
    if !written.findings.is_empty() {
        out.push('\n');
    }
    out += &papers(&written.papers);
    out + &count(written.runs, "run", "runs") + " in " + &written.files.join(", ") + "\n"
}

/// Returns one line per numbered finding, and their number by verdict.
fn papers(findings: &[FindingVerdict]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let line = |it: &FindingVerdict| {
        let open = it.open.as_ref().map_or_else(String::new, |reason| format!("\n    {reason}"));
        format!("{} {}: {}{open}\n", it.id, it.verdict.finding_text(), it.claim)
    };
    let lines: String = findings.iter().map(line).collect();
    let count = |verdict| findings.iter().filter(|it| it.verdict == verdict).count();
    let [holds, fails, open] = [Verdict::Holds, Verdict::Fails, Verdict::Unknown].map(count);
    format!("{lines}findings of papers: {holds} hold, {fails} do not, {open} open\n\n")
}
