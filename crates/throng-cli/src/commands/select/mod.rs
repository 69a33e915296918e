//! `throng select`: portfolios of algorithms, and how well a selector picks among them.

mod crowd;
mod curve;
mod data;
mod eval;
mod features;
mod picture;
mod portfolio;
mod predict;
mod problems;
mod train;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use throng_lab::select::single_agent::{Granularity, SelectError};

use crate::output::bad_input;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng select eval crowd --holdout maps
  throng select eval problem
  throng select train
  throng select predict builtin:town --agents 200 --explain
  throng select picture builtin:town --agents 200 --input channels -o town.png
  throng select portfolio map
  throng select gather out/rths-maps out/rths-problems --data out/select";

/// The commands of the selector.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Evaluate selectors on stored results
    #[command(after_help = eval::EXAMPLE)]
    Eval(eval::Arguments),
    /// Show completion over limits of work, and where selection pays
    #[command(after_help = curve::EXAMPLE)]
    Curve(curve::Arguments),
    /// Predict which planner completes most, and say why
    #[command(after_help = predict::EXAMPLE)]
    Predict(predict::Arguments),
    /// Train a model from stored results
    #[command(after_help = train::EXAMPLE)]
    Train(train::Arguments),
    /// Draw what a network sees of an instance
    #[command(after_help = picture::EXAMPLE)]
    Picture(picture::Arguments),
    /// Compare greedy and random portfolios of several sizes
    #[command(after_help = portfolio::EXAMPLE)]
    Portfolio(portfolio::Arguments),
    /// Store the results of `throng lab run` for selection
    #[command(after_help = data::GATHER_EXAMPLE)]
    Gather(data::GatherArguments),
    /// Turn recordings of gameplay into problems for experiments
    #[command(after_help = problems::EXAMPLE)]
    Problems(problems::Arguments),
    /// Compute the features of all stored instances
    #[command(after_help = features::EXAMPLE)]
    Features(features::Arguments),
}

/// The name of the model file in the folder of the stored data.
const MODEL_FILE: &str = "crowd.model";

/// The stored data.
#[derive(Debug, Args)]
pub(crate) struct DataFolder {
    /// The folder of the stored data
    #[arg(long, value_name = "DIR", default_value = "experiments/select")]
    data: PathBuf,
}

/// What single agents select for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum SingleAgent {
    /// The genre of the map is predicted
    Genre,
    /// The game of the map is predicted
    Game,
    /// A configuration is picked per map
    Map,
    /// A configuration is picked per problem of one map
    Problem,
}

impl SingleAgent {
    const fn granularity(self) -> Granularity {
        match self {
            Self::Genre => Granularity::Genre,
            Self::Game => Granularity::Game,
            Self::Map => Granularity::Map,
            Self::Problem => Granularity::Problem,
        }
    }
}

/// Returns the error of a command; data that are missing or damaged are bad input.
fn refused(error: SelectError) -> anyhow::Error {
    bad_input(error)
}

/// `throng select`.
pub(crate) fn run(command: &Command, json: bool) -> Result<()> {
    match command {
        Command::Eval(arguments) => eval::run(arguments, json),
        Command::Curve(arguments) => curve::run(arguments, json),
        Command::Predict(arguments) => predict::run(arguments, json),
        Command::Problems(arguments) => problems::run(arguments, json),
        Command::Train(arguments) => train::run(arguments, json),
        Command::Features(arguments) => features::run(arguments, json),
        Command::Picture(arguments) => picture::run(arguments),
        Command::Portfolio(arguments) => portfolio::run(arguments, json),
        Command::Gather(arguments) => data::gather(arguments, json),
    }
}
