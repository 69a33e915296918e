//! Reports: the results of any number of folders as one self-contained HTML page, and its tables as Markdown, CSV and
//! LaTeX.
//!
//! The settings (`report.toml` beside the experiment) define what is shown. Rows become runs grouped by instance
//! (`runs`), then tables, checks and curves with confidence intervals, and then text. The same rows in any order give the
//! same bytes.

mod check;
mod deciding;
mod export;
mod figures;
mod heat;
mod html;
mod measure;
mod provenance;
mod runs;
mod sample;
mod settings;
mod style;
pub(crate) mod svg;
mod table;

pub use check::Verdict;
pub(crate) use deciding::{NamedChecks, NamedResult, UNFITTED_SCALES};
pub use heat::HeatError;
pub use measure::{Aggregation, BEST_SHARE, Better, MEASURES, Measure};
pub use settings::{
    CheckKind, CheckSettings, CurveSettings, HeatSettings, ReportSettings, RunFilter, TableSettings,
};

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;
use throng::grid::Corners;

use crate::RunRow;
use crate::paper::Paper;
use crate::strict::FileError;
use crate::task::task_of;
use check::Finding;
use heat::HeatMap;
use provenance::ReportProvenance;
use runs::{RunSet, completion_column};
use style::PlannerStyles;
use table::ReportTable;

/// The order of scales. Other scales follow by name.
const SCALES: [&str; 4] = ["paper", "games", "quick", "smoke"];

/// The file that defines what the report of an experiment shows.
const SETTINGS_FILE: &str = "report.toml";

/// The file of the paper's numbers.
const PAPER_FILE: &str = "paper.toml";

/// The configuration of an experiment's report.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReportConfig {
    /// What the report shows.
    pub settings: ReportSettings,
    /// The paper's numbers.
    pub paper: Paper,
}

impl ReportConfig {
    /// Returns the configuration of an experiment that is part of throng, and the default for others.
    pub fn embedded(experiment: &str) -> Self {
        let files = crate::experiment::embedded(experiment);
        let text = |name: &str| if name == SETTINGS_FILE { files?.report } else { files?.paper };
        Self::read(|name| Some((name.to_owned(), text(name)?.to_owned())))
            .expect("embedded report files are valid, which the tests check")
    }

    /// Reads `report.toml` and `paper.toml`. `file` returns the name of a file in errors and its text; a missing file gives
    /// the default.
    fn read(file: impl Fn(&str) -> Option<(String, String)>) -> Result<Self, FileError> {
        let settings = file(SETTINGS_FILE).map(|(name, text)| ReportSettings::parse(&name, &text));
        let paper = file(PAPER_FILE).map(|(name, text)| Paper::parse(&name, &text));
        Ok(Self {
            settings: settings.transpose()?.unwrap_or_default(),
            paper: paper.transpose()?.unwrap_or_default(),
        })
    }

    /// Returns the configuration of the experiments in result folders: that of throng for its own, and `report.toml` and
    /// `paper.toml` in the first folder that has one of them for others.
    ///
    /// # Errors
    /// Returns an error if a file is malformed.
    pub fn of_folders<P: AsRef<Path>>(folders: &[P]) -> Result<impl Fn(&str) -> Self, FileError> {
        let has = |folder: &&Path| [SETTINGS_FILE, PAPER_FILE].iter().any(|name| folder.join(name).is_file());
        let own = folders.iter().map(AsRef::as_ref).find(has).map(|folder| {
            Self::read(|name| {
                let path = folder.join(name);
                Some((
                    path.display().to_string(),
                    crate::files::read_text(&path, crate::limits::REPORT_FILE).ok()?,
                ))
            })
        });
        let own = own.transpose()?;
        Ok(move |experiment: &str| match &own {
            Some(own) if !crate::Experiment::names().any(|name| name == experiment) => own.clone(),
            _ => Self::embedded(experiment),
        })
    }
}

/// A computed report.
#[derive(Clone, Debug)]
pub struct Report {
    experiments: Vec<ExperimentReport>,
}

/// The completion of a planner at a scale, over all its runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlannerSummary<'a> {
    /// The experiment's name.
    pub experiment: &'a str,
    /// The scale of the runs.
    pub scale: &'a str,
    /// The planner.
    pub planner: &'a str,
    /// Number of runs.
    pub runs: usize,
    /// Mean completion rate, 0 to 1.
    pub completion_rate: f64,
    /// The 95 % interval; absent with too few runs.
    pub interval: Option<[f64; 2]>,
}

/// The verdict on a finding at a scale.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FindingSummary<'a> {
    /// The experiment's name.
    pub experiment: &'a str,
    /// The scale of the runs.
    pub scale: &'a str,
    /// The name of the paper's finding that the check decides, such as `dm-6`.
    pub decides: Option<&'a str>,
    /// The finding.
    pub finding: &'a str,
    /// Where the paper states it.
    pub source: &'a str,
    /// The verdict.
    pub verdict: Verdict,
    /// The deciding estimate with its interval.
    pub estimate: &'a str,
}

/// The report of one experiment.
#[derive(Clone, Debug)]
struct ExperimentReport {
    name: String,
    config: ReportConfig,
    /// The runs of each scale.
    sets: Vec<RunSet>,
    planners: Vec<String>,
    styles: PlannerStyles,
    tables: Vec<ReportTable>,
    findings: Vec<Finding>,
    heat_maps: Vec<HeatMap>,
    provenance: ReportProvenance,
}

impl Report {
    /// Computes the report of rows in any order. `config` returns the configuration of an experiment by its name. Heat maps
    /// need additional runs, so they are made only if `with_heat_maps` is set.
    ///
    /// # Errors
    /// Returns an error if the instance of the heat maps cannot be run.
    pub fn new(
        rows: &[RunRow],
        config: impl Fn(&str) -> ReportConfig,
        with_heat_maps: bool,
    ) -> Result<Self, HeatError> {
        let experiments = grouped(rows, "experiment")
            .into_iter()
            .map(|(name, rows)| ExperimentReport::new(name, &rows, config(name), with_heat_maps));
        Ok(Self { experiments: experiments.collect::<Result<_, _>>()? })
    }

    /// Returns the verdict on each finding at each scale.
    pub fn findings(&self) -> Vec<FindingSummary<'_>> {
        self.experiments.iter().flat_map(ExperimentReport::summaries).collect()
    }

    /// Returns the completion of each planner at each scale.
    pub fn planners(&self) -> Vec<PlannerSummary<'_>> {
        self.experiments.iter().flat_map(ExperimentReport::planner_summaries).collect()
    }

    /// Returns the report as one self-contained HTML page.
    pub fn page(&self) -> String {
        html::page(&self.experiments)
    }

    /// Returns the name and the content of each file of the report.
    pub fn files(&self) -> [(&'static str, String); 4] {
        let joined = |write: fn(&ExperimentReport) -> String| {
            self.experiments.iter().map(write).collect::<Vec<_>>().join("\n")
        };
        [
            ("report.html", self.page()),
            ("report.md", joined(export::markdown)),
            ("tables.csv", export::csv(&self.experiments)),
            ("tables.tex", joined(export::latex)),
        ]
    }
}

impl ExperimentReport {
    fn new(
        name: &str,
        rows: &[&RunRow],
        config: ReportConfig,
        with_heat_maps: bool,
    ) -> Result<Self, HeatError> {
        let sets = run_sets(rows, &config);
        let planners = planners(&sets, &config.paper);
        let provenance = ReportProvenance::new(&sets);
        let corners = rows.first().and_then(|row| row.text("corners")?.parse::<Corners>().ok());
        let rules = throng::MoveRules { corners: corners.unwrap_or_default(), four_way: false };
        let moves_agents = rows.iter().all(|row| task_of(row).is_none_or(|task| task.moves_agents));
        let heat_maps = if with_heat_maps && moves_agents {
            heat::heat_maps(&config.settings.heat, rules, &planners)?
        } else {
            Vec::new()
        };
        let table = |settings: &TableSettings| ReportTable::new(settings, &sets, &planners, &config.paper);
        let mut tables: Vec<ReportTable> = config.settings.tables.iter().map(table).collect();
        if tables.is_empty() {
            tables.push(table(&table::default_table()));
        }
        let finding = |settings| Finding::new(settings, &sets, &planners, &config.paper);
        let findings = config.settings.checks.iter().map(finding).collect();
        let styles = PlannerStyles::new(&planners);
        Ok(Self {
            name: name.to_owned(),
            config,
            sets,
            planners,
            styles,
            tables,
            findings,
            heat_maps,
            provenance,
        })
    }

    fn summaries(&self) -> impl Iterator<Item = FindingSummary<'_>> {
        self.findings.iter().flat_map(|finding| {
            finding.results.iter().map(|result| FindingSummary {
                experiment: &self.name,
                scale: &result.scale,
                decides: finding.decides.as_deref(),
                finding: &finding.text,
                source: &finding.source,
                verdict: result.verdict,
                estimate: &result.decisive,
            })
        })
    }

    fn planner_summaries(&self) -> impl Iterator<Item = PlannerSummary<'_>> {
        let first = self.sets.iter().flat_map(|set| &set.runs).next();
        let completion = Measure::of(first.map_or("completion_rate", |run| completion_column(&run.row)));
        self.sets.iter().flat_map(move |set| {
            self.planners.iter().filter_map(move |planner| {
                let mean =
                    set.estimate(completion, |run| run.planner() == planner)?.scaled(1.0 / completion.factor);
                Some(PlannerSummary {
                    experiment: &self.name,
                    scale: &set.scale,
                    planner,
                    runs: mean.runs,
                    completion_rate: mean.value,
                    interval: mean.interval.map(|interval| [interval.low, interval.high]),
                })
            })
        })
    }

    /// Returns the commands that repeat the runs, one per line.
    fn commands(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let commits = self
            .provenance
            .machines
            .iter()
            .map(|(machine, _)| machine.commit.split('+').next().unwrap_or_default());
        let mut commits: Vec<&str> = commits.filter(|commit| !matches!(*commit, "" | "unknown")).collect();
        commits.dedup();
        if let [one] = commits.as_slice() {
            lines.push(format!("git checkout {one}"));
            lines.push("cargo build --release".to_owned());
        }
        let folders: Vec<String> =
            self.sets.iter().map(|set| format!("results/{}-{}", self.name, set.scale)).collect();
        for (set, folder) in self.sets.iter().zip(&folders) {
            // An experiment that is not part of throng is named by its file.
            let own = !crate::Experiment::names().any(|name| name == self.name);
            let named = if own { format!("{}.toml", self.name) } else { self.name.clone() };
            lines.push(format!("throng lab run {named} --scale {} -o {folder}", set.scale));
        }
        lines.push(format!("throng lab report {}", folders.join(" ")));
        lines
    }

    /// Returns the name of a scale for headings; empty if the report has one scale only.
    fn scale_name<'a>(&self, runs: &'a RunSet) -> &'a str {
        if self.sets.len() > 1 { &runs.scale } else { "" }
    }

    fn title(&self) -> &str {
        if self.config.settings.title.is_empty() { &self.name } else { &self.config.settings.title }
    }

    /// Returns the paper's name of a planner, map or problem type, or our name if it has none.
    fn label<'a>(&'a self, name: &'a str) -> &'a str {
        self.config.paper.label(name)
    }
}

/// Groups rows by the text of a column.
fn grouped<'a>(
    rows: impl IntoIterator<Item = &'a RunRow>,
    column: &str,
) -> BTreeMap<&'a str, Vec<&'a RunRow>> {
    let mut groups: BTreeMap<&str, Vec<&RunRow>> = BTreeMap::new();
    for row in rows {
        groups.entry(row.text(column).unwrap_or_default()).or_default().push(row);
    }
    groups
}

/// Returns the runs of each scale in the order of scales, with selectors if the report has them.
fn run_sets(rows: &[&RunRow], config: &ReportConfig) -> Vec<RunSet> {
    let by_scale = grouped(rows.iter().copied(), "scale");
    let set = |(scale, rows): (&str, Vec<&RunRow>)| RunSet::new(scale, rows.into_iter().cloned());
    let mut sets: Vec<RunSet> = by_scale.into_iter().map(set).collect();
    sets.sort_by_key(|runs| SCALES.iter().position(|scale| *scale == runs.scale).unwrap_or(SCALES.len()));
    if config.settings.selectors {
        for runs in &mut sets {
            runs.add_selectors(&config.settings.portfolio);
        }
    }
    sets
}

/// Returns all planners, those of the paper first and in its order.
fn planners(sets: &[RunSet], paper: &Paper) -> Vec<String> {
    let found: BTreeSet<String> = sets.iter().flat_map(RunSet::planners).collect();
    paper.ordered(found.into_iter().collect())
}
