//! `throng lab`: experiments and their results.

mod report;
mod run;
mod show;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde::Serialize;
use throng_lab::{Experiment, ExperimentError};

use crate::output::{bad_input, print_either, table};

/// What closes the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng lab list
  throng lab show bmaa-completion --scale quick
  throng lab run churn --scale smoke -o out/churn
  throng lab report out/churn";

/// The commands of the laboratory.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an experiment, or go on with one that was interrupted
    #[command(after_help = run::EXAMPLE)]
    Run(run::Arguments),
    /// Tables and figures of results, any set of folders as one
    #[command(after_help = report::EXAMPLE)]
    Report(report::Arguments),
    /// The experiments that there are
    #[command(after_help = "Example: throng lab list")]
    List,
    /// What an experiment would run, and what it may cost
    #[command(after_help = show::EXAMPLE)]
    Show(show::Arguments),
}

/// Which experiment, and how much of it.
#[derive(Debug, Args)]
pub(crate) struct Choice {
    /// One of `throng lab list`, or a file such as mine.toml
    experiment: String,
    /// How much of it: smoke (seconds), quick (minutes), paper (the published size), or a scale of its own
    #[arg(long, value_name = "SCALE", default_value = "quick")]
    scale: String,
}

impl Choice {
    fn open(&self) -> Result<Experiment> {
        Experiment::open(&self.experiment).map_err(refuse)
    }
}

fn refuse(error: ExperimentError) -> anyhow::Error {
    bad_input(error)
}

/// `throng lab`.
pub(crate) fn run(command: &Command, json: bool) -> Result<()> {
    match command {
        Command::Run(arguments) => run::run(arguments, json),
        Command::Report(arguments) => report::run(arguments, json),
        Command::List => {
            let entries = entries();
            print_either(json, &entries, || text(&entries))
        }
        Command::Show(arguments) => show::run(arguments, json),
    }
}

/// An experiment, for lists.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    name: String,
    scales: Vec<String>,
    title: String,
}

/// The project's own experiments.
pub(crate) fn entries() -> Vec<Entry> {
    let entry = |name: &str| {
        let experiment = Experiment::open(name).ok()?;
        let scales = experiment.scales().map(str::to_owned).collect();
        Some(Entry { name: experiment.name.clone(), scales, title: experiment.title })
    };
    Experiment::names().filter_map(entry).collect()
}

/// A list for people.
pub(crate) fn text(entries: &[Entry]) -> String {
    let rows = entries.iter().map(|entry| [entry.name.clone(), entry.scales.join(", "), entry.title.clone()]);
    table(&["experiment", "scales", "what it is"], rows)
}
