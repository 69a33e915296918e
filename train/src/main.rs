//! `throng-train`: trains networks that select algorithms from pictures, and stores their predictions for `throng select eval`.
//!
//! The tasks, choices, labels and splits are those of `throng select eval`; a network learns from the training part of a split
//! alone. This is a separate workspace, so that the project itself depends on no framework for networks.

mod bench;
mod cache;
mod commands;
mod explain;
mod interrupt;
mod networks;
mod options;
mod samples;
#[cfg(test)]
mod testing;
mod training;
mod weights;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Train networks that select algorithms from pictures
#[derive(Debug, Parser)]
#[command(after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Threads; the default is one per core
    #[arg(long, value_name = "N", global = true)]
    threads: Option<usize>,
}

const EXAMPLES: &str = "\
Examples:
  throng-train features --weights alexnet.safetensors
  throng-train train genre --model alexnet-head --weights alexnet.safetensors -o out/networks
  throng-train train crowd --holdout maps --model small-cnn -o out/networks --resume
  throng-train train problem --model alexnet --weights alexnet.safetensors --splits 0..2 --epochs 5 -o out/networks
  throng-train explain problem --model small-cnn --networks out/networks -o out/explained
  throng-train bench --threads 1";

/// The commands.
#[derive(Debug, Subcommand)]
enum Command {
    /// Compute the features of AlexNet's convolutions of all stored instances
    #[command(after_help = options::FEATURES_EXAMPLE)]
    Features(options::FeaturesArguments),
    /// Train a network per split and store its predictions
    #[command(after_help = options::TRAIN_EXAMPLE)]
    Train(options::TrainArguments),
    /// Draw what decided the picks of a trained network
    #[command(after_help = options::EXPLAIN_EXAMPLE)]
    Explain(options::ExplainArguments),
    /// Measure the speed of the networks and the time of a prediction
    #[command(after_help = options::BENCH_EXAMPLE)]
    Bench(options::BenchArguments),
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    interrupt::listen()?;
    match &arguments.command {
        Command::Features(arguments) => commands::features(arguments),
        Command::Train(arguments) => commands::train(arguments),
        Command::Explain(arguments) => commands::explain(arguments),
        Command::Bench(arguments) => commands::bench(arguments),
    }
}
