//! `throng lab`: runs experiments and reports their results.

mod report;
mod run;
mod show;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde::Serialize;
use throng_lab::Experiment;
use throng_lab::files::Files;

use crate::output::{bad_input, print_either, table};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng lab list
  throng lab show bmaa-completion --scale quick
  throng lab run churn --scale smoke -o out/churn
  throng lab report out/churn";

/// The commands of the laboratory.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an experiment, or resume an interrupted one
    #[command(after_help = run::EXAMPLE)]
    Run(run::Arguments),
    /// Write tables and figures for the results in any number of folders
    #[command(after_help = report::EXAMPLE)]
    Report(report::Arguments),
    /// List the experiments
    #[command(after_help = "Example: throng lab list")]
    List,
    /// Show the plan of an experiment and its estimated cost
    #[command(after_help = show::EXAMPLE)]
    Show(show::Arguments),
}

/// An experiment and its scale.
#[derive(Debug, Args)]
pub(crate) struct ExperimentChoice {
    /// One of `throng lab list`, or a file such as mine.toml
    experiment: String,
    /// Number of runs: smoke (seconds), quick (minutes), paper (the published size), or a scale of the experiment
    #[arg(long, value_name = "SCALE", default_value = "quick")]
    scale: String,
}

impl ExperimentChoice {
    fn open(&self) -> Result<Experiment> {
        Experiment::open(&self.experiment).map_err(bad_input)
    }
}

/// `throng lab`.
pub(crate) fn run(command: &Command, json: bool, files: &Files) -> Result<()> {
    match command {
        Command::Run(arguments) => run::run(arguments, json, files),
        Command::Report(arguments) => report::run(arguments, json),
        Command::List => {
            let entries = entries();
            print_either(json, &entries, || text(&entries))
        }
        Command::Show(arguments) => show::run(arguments, json),
    }
}

/// An entry of the list of experiments.
#[derive(Debug, Serialize)]
pub(crate) struct ExperimentEntry {
    name: String,
    scales: Vec<String>,
    title: String,
}

/// Returns the experiments that are part of throng.
pub(crate) fn entries() -> Vec<ExperimentEntry> {
    let entry = |name: &str| {
        let experiment = Experiment::open(name).ok()?;
        let scales = experiment.scales().map(str::to_owned).collect();
        Some(ExperimentEntry { name: experiment.name.clone(), scales, title: experiment.title })
    };
    Experiment::names().filter_map(entry).collect()
}

/// Returns the list as a table.
pub(crate) fn text(entries: &[ExperimentEntry]) -> String {
    let rows = entries.iter().map(|entry| [entry.name.clone(), entry.scales.join(", "), entry.title.clone()]);
    table(&["experiment", "scales", "title"], rows)
}
