//! Reports: results of any number of folders become one page that needs nothing else, and its tables as Markdown, CSV
//! and LaTeX.
//!
//! What is shown is data (`report.toml` beside the experiment); how is here. Rows go through these stations: runs that
//! know which of them belong together (`data`), tables, checks and curves with their intervals, and then text. The
//! same rows in any order give the same bytes.

mod check;
mod data;
mod figures;
mod heat;
mod html;
mod measure;
mod parts;
mod provenance;
mod sample;
mod settings;
mod style;
mod svg;
mod table;
mod text;

pub use check::Verdict;
pub use heat::HeatError;
pub use measure::{BEST_SHARE, Better, MEASURES, Measure, Over};
pub use settings::{
    CheckKind, CheckSettings, CurveSettings, HeatSettings, Only, ReportSettings, TableSettings,
};

use std::collections::BTreeMap;

use serde::Serialize;
use throng::grid::Corners;

use crate::Row;
use crate::paper::Paper;
use crate::strict::FileError;
use check::Finding;
use data::Runs;
use heat::HeatPicture;
use provenance::Provenance;
use style::Styles;
use table::Table;

/// The scales that stand first, if there are several; others are extra columns, by name.
const SCALES: [&str; 4] = ["paper", "games", "quick", "smoke"];

/// What is known of an experiment beside its rows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct About {
    /// What its report shows.
    pub settings: ReportSettings,
    /// What the paper prints.
    pub paper: Paper,
}

impl About {
    /// Of one of the project's own experiments; nothing of others.
    pub fn embedded(experiment: &str) -> Self {
        let files = crate::experiment::embedded(experiment);
        let text = |name: &str| match name {
            "report.toml" => files?.report,
            "paper.toml" => files?.paper,
            _ => None,
        };
        Self::read(|name| text(name).map(str::to_owned))
            .expect("the project's own files are in order: the tests read them")
    }

    /// Of the files `report.toml` and `paper.toml`, as far as there are such.
    ///
    /// # Errors
    /// When one of them is refused.
    pub fn read(file: impl Fn(&str) -> Option<String>) -> Result<Self, FileError> {
        let settings =
            file("report.toml").map(|text| ReportSettings::parse("report.toml", &text)).transpose()?;
        let paper = file("paper.toml").map(|text| Paper::parse("paper.toml", &text)).transpose()?;
        Ok(Self { settings: settings.unwrap_or_default(), paper: paper.unwrap_or_default() })
    }
}

/// A report, computed.
#[derive(Clone, Debug)]
pub struct Report {
    experiments: Vec<Experiment>,
}

/// What a planner completed at a scale, over all its runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlannerSummary<'a> {
    /// The experiment's name.
    pub experiment: &'a str,
    /// The scale of the runs.
    pub scale: &'a str,
    /// The planner.
    pub planner: &'a str,
    /// How many runs.
    pub runs: usize,
    /// Mean completion, 0 to 1.
    pub completion_rate: f64,
    /// Its 95 % interval; nothing with too few runs.
    pub interval: Option<[f64; 2]>,
}

/// What became of a finding at a scale.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FindingSummary<'a> {
    /// The experiment's name.
    pub experiment: &'a str,
    /// The scale of the runs.
    pub scale: &'a str,
    /// What the paper found.
    pub finding: &'a str,
    /// Where it says so.
    pub source: &'a str,
    /// What came of it.
    pub verdict: Verdict,
    /// The estimate that decides, with its interval.
    pub estimate: &'a str,
}

/// An experiment of the report.
#[derive(Clone, Debug)]
struct Experiment {
    name: String,
    about: About,
    /// A set each scale.
    sets: Vec<Runs>,
    planners: Vec<String>,
    styles: Styles,
    tables: Vec<Table>,
    findings: Vec<Finding>,
    pictures: Vec<HeatPicture>,
    provenance: Provenance,
}

impl Report {
    /// Computes a report of rows, in any order. `about` tells of an experiment by its name. Pictures are made only when
    /// they are wanted: they need runs of their own.
    ///
    /// # Errors
    /// When the embedded problem of the pictures cannot be run.
    pub fn new(rows: &[Row], about: impl Fn(&str) -> About, pictures: bool) -> Result<Self, HeatError> {
        let mut by_name: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            by_name.entry(row.text("experiment").unwrap_or_default()).or_default().push(row);
        }
        let experiments =
            by_name.into_iter().map(|(name, rows)| Experiment::new(name, &rows, about(name), pictures));
        Ok(Self { experiments: experiments.collect::<Result<_, _>>()? })
    }

    /// The page.
    pub fn html(&self) -> String {
        html::page(&self.experiments)
    }

    /// The tables and findings as Markdown.
    pub fn markdown(&self) -> String {
        self.experiments.iter().map(text::markdown).collect::<Vec<_>>().join("\n")
    }

    /// Every cell with its interval, a line each.
    pub fn csv(&self) -> String {
        text::csv(&self.experiments)
    }

    /// The tables for a paper; they need the package `booktabs`.
    pub fn latex(&self) -> String {
        self.experiments.iter().map(text::latex).collect::<Vec<_>>().join("\n")
    }

    /// What became of each finding at each scale.
    pub fn findings(&self) -> Vec<FindingSummary<'_>> {
        self.experiments.iter().flat_map(Experiment::summaries).collect()
    }

    /// Who completed how much, over everything that was run.
    pub fn planners(&self) -> Vec<PlannerSummary<'_>> {
        self.experiments.iter().flat_map(Experiment::planner_summaries).collect()
    }

    /// Every file of the report: name and content.
    pub fn files(&self) -> [(&'static str, String); 4] {
        [
            ("report.html", self.html()),
            ("report.md", self.markdown()),
            ("tables.csv", self.csv()),
            ("tables.tex", self.latex()),
        ]
    }
}

impl Experiment {
    fn new(name: &str, rows: &[&Row], about: About, pictures: bool) -> Result<Self, HeatError> {
        let mut by_scale: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            by_scale.entry(row.text("scale").unwrap_or_default()).or_default().push(row);
        }
        let mut sets: Vec<Runs> = by_scale
            .iter()
            .map(|(scale, rows)| Runs::new(scale, rows.iter().map(|&row| row.clone())))
            .collect();
        sets.sort_by_key(|runs| SCALES.iter().position(|scale| *scale == runs.scale).unwrap_or(SCALES.len()));
        let planners = planners(&sets, &about.paper);
        let provenance = Provenance::new(&sets);
        let corners = rows.first().and_then(|row| row.text("corners")?.parse::<Corners>().ok());
        let rules = throng::MoveRules { corners: corners.unwrap_or_default(), four_way: false };
        // Searches move no crowd.
        let is_dynamic = rows.iter().any(|row| row.text("task") == Some("dynamic"));
        let pictures = if pictures && !is_dynamic {
            heat::pictures(&about.settings.heat, rules, &planners)?
        } else {
            Vec::new()
        };
        if about.settings.selectors {
            for runs in &mut sets {
                runs.add_selectors(&about.settings.among);
            }
        }
        let table = |settings: &TableSettings| Table::new(settings, &sets, &planners, &about.paper);
        let mut tables: Vec<Table> = about.settings.tables.iter().map(table).collect();
        if tables.is_empty() {
            tables.push(table(&table::default_table()));
        }
        let finding = |settings| Finding::new(settings, &sets, &planners, &about.paper);
        let findings = about.settings.checks.iter().map(finding).collect();
        let styles = Styles::new(&planners);
        Ok(Self {
            name: name.to_owned(),
            about,
            sets,
            planners,
            styles,
            tables,
            findings,
            pictures,
            provenance,
        })
    }

    fn summaries(&self) -> impl Iterator<Item = FindingSummary<'_>> {
        self.findings.iter().flat_map(|finding| {
            finding.outcomes.iter().map(|outcome| FindingSummary {
                experiment: &self.name,
                scale: &outcome.scale,
                finding: &finding.text,
                source: &finding.source,
                verdict: outcome.verdict,
                estimate: &outcome.decisive,
            })
        })
    }

    fn planner_summaries(&self) -> impl Iterator<Item = PlannerSummary<'_>> {
        let completion = Measure::of("completion_rate");
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

    fn title(&self) -> &str {
        if self.about.settings.title.is_empty() { &self.name } else { &self.about.settings.title }
    }

    fn look(&self) -> figures::Look<'_> {
        figures::Look { styles: &self.styles, paper: &self.about.paper, planners: &self.planners }
    }
}

/// All planners, those of the paper first and in its order.
fn planners(sets: &[Runs], paper: &Paper) -> Vec<String> {
    let mut found: Vec<String> = sets.iter().flat_map(Runs::planners).collect();
    found.sort();
    found.dedup();
    paper.ordered(found)
}
