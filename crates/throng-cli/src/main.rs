//! The command line of throng: parses arguments, prints results, and leaves the rest to the libraries.

mod commands;
mod fetch;
mod output;
mod picture;
mod rules;
mod source;
mod timing;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use commands::{cpd, crowd, demo, dynamic, explain, lab, list, map, maps, path, replay};

/// Real-time multi-agent pathfinding on grid maps
#[derive(Debug, Parser)]
#[command(version, after_help = "Example: throng demo")]
struct Arguments {
    /// What to do.
    #[command(subcommand)]
    command: Command,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
enum Command {
    /// A crowd under every planner, an animation and a picture; needs no files
    #[command(after_help = demo::EXAMPLE)]
    Demo(demo::Arguments),
    /// What there is: planners, searches, maps, problem types, generators, experiments
    #[command(after_help = list::EXAMPLE)]
    List(list::Arguments),
    /// What a planner, search or generator does, and its parameters
    #[command(after_help = explain::EXAMPLE)]
    Explain(explain::Arguments),
    /// Look at a map, generate one, draw one
    #[command(after_help = map::EXAMPLE, subcommand)]
    Map(map::Command),
    /// Sets of benchmark maps on this computer
    #[command(after_help = maps::EXAMPLE, subcommand)]
    Maps(maps::Command),
    /// Build a path database, or look at one
    #[command(after_help = cpd::EXAMPLE, subcommand)]
    Cpd(cpd::Command),
    /// Find one path, or solve every problem of a scenario file
    #[command(after_help = path::EXAMPLE)]
    Path(path::Arguments),
    /// Problems on maps that have changed since their path database was built
    #[command(after_help = dynamic::EXAMPLE)]
    Dynamic(dynamic::Arguments),
    /// A crowd on a map under a planner: who comes home, when, and at what cost
    #[command(after_help = crowd::RUN_EXAMPLE)]
    Run(crowd::RunArguments),
    /// The same crowd under several planners, side by side
    #[command(after_help = crowd::COMPARE_EXAMPLE)]
    Compare(crowd::CompareArguments),
    /// Play a recording again, and check every move of it
    #[command(after_help = replay::EXAMPLE)]
    Replay(replay::Arguments),
    /// Experiments: run them, look at their plans and results
    #[command(after_help = lab::EXAMPLE, subcommand)]
    Lab(lab::Command),
}

fn main() -> ExitCode {
    let Arguments { command, json } = Arguments::parse();
    output::exit(match command {
        Command::Demo(arguments) => demo::run(&arguments, json),
        Command::List(arguments) => list::run(&arguments, json),
        Command::Explain(arguments) => explain::run(&arguments, json),
        Command::Map(command) => map::run(&command, json),
        Command::Maps(command) => maps::run(&command, json),
        Command::Cpd(command) => cpd::run(&command, json),
        Command::Path(arguments) => path::run(&arguments, json),
        Command::Dynamic(arguments) => dynamic::run(&arguments, json),
        Command::Run(arguments) => crowd::run(&arguments, json),
        Command::Compare(arguments) => crowd::compare(&arguments, json),
        Command::Replay(arguments) => replay::run(&arguments, json),
        Command::Lab(command) => lab::run(&command, json),
    })
}
