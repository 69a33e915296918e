//! Generated rows and report settings.

use throng_lab::RunRow;
use throng_lab::paper::Paper;
use throng_lab::report::{Report, ReportConfig, ReportSettings, Verdict};

/// Returns a row with the columns that all tests need.
pub(crate) fn row(scale: &str, map: &str, planner: &str, agents: i64, instance: i64) -> RunRow {
    let mut row = RunRow::new();
    for (column, text) in [
        ("experiment", "bmaa-completion"),
        ("scale", scale),
        ("task", "crowd"),
        ("map", map),
        ("corners", "allow"),
        ("terrain", "uniform"),
        ("type", "random"),
        ("planner", planner),
        ("stopped", "ticks"),
        ("commit", "0123456789abcdef0123"),
        ("version", "0.1.0"),
        ("rustc", "1.95.0"),
        ("machine", "a machine & more"),
        ("os", "linux"),
    ] {
        row.set(column, text);
    }
    row.set("run", format!("{scale}{map}{planner}{agents}{instance}"));
    row.set("agents", agents);
    row.set("instance", instance);
    row.set("seed", agents * 100 + instance);
    row.set("max_ticks", 1_000_i64);
    row.set("checked", true);
    row.set("collisions", 0_i64);
    row.set("cores", 2_i64);
    row.set("jobs", 2_i64);
    row.set("run_seconds", 1.5);
    row
}

/// Returns the configuration of a report with these settings and without a paper.
pub(crate) fn config(settings: &str) -> ReportConfig {
    let settings = ReportSettings::parse("report.toml", settings).unwrap();
    ReportConfig { settings, paper: Paper::default() }
}

/// Computes a report with these settings.
pub(crate) fn report(rows: &[RunRow], settings: &str) -> Report {
    Report::new(rows, |_| config(settings), false).unwrap()
}

/// Returns the verdict and the estimate of a check with these settings.
pub(crate) fn verdict(rows: &[RunRow], check: &str) -> (Verdict, String) {
    let report = report(rows, &format!("[[check]]\nfinding = \"f\"\n{check}"));
    let finding = &report.findings()[0];
    (finding.verdict, finding.estimate.to_owned())
}

/// The files of a report, by format.
pub(crate) trait ReportFiles {
    /// Returns the content of the file with this name.
    fn file(&self, name: &str) -> String;

    fn html(&self) -> String {
        self.file("report.html")
    }

    fn markdown(&self) -> String {
        self.file("report.md")
    }

    fn csv(&self) -> String {
        self.file("tables.csv")
    }

    fn latex(&self) -> String {
        self.file("tables.tex")
    }
}

impl ReportFiles for Report {
    fn file(&self, name: &str) -> String {
        let mut files = self.files().into_iter();
        files.find(|(known, _)| *known == name).unwrap().1
    }
}
