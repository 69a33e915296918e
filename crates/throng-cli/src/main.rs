//! The command line of throng. It parses arguments and prints results; the libraries do the work.

mod commands;
mod fetch;
mod interrupt;
mod output;
mod picture;
mod rules;
mod source;
mod storage;
mod timing;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use commands::{
    advise, compare, cpd, demo, dynamic, explain, lab, list, map, maps, path, replay, run, select, view,
};

/// Real-time multi-agent pathfinding on grid maps
#[derive(Debug, Parser)]
#[command(version, after_help = "Example: throng demo")]
struct CommandLine {
    /// The command.
    #[command(subcommand)]
    command: Command,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
enum Command {
    /// Run a crowd under every planner on built-in maps; needs no files
    #[command(after_help = demo::EXAMPLE)]
    Demo(demo::Arguments),
    /// List planners, searches, maps, problem types, generators and experiments
    #[command(after_help = list::EXAMPLE)]
    List(list::Arguments),
    /// Explain a planner, search or generator and its parameters
    #[command(after_help = explain::EXAMPLE)]
    Explain(explain::Arguments),
    /// Describe, generate or draw a map
    #[command(after_help = map::EXAMPLE, subcommand)]
    Map(map::Command),
    /// Download sets of benchmark maps
    #[command(after_help = maps::EXAMPLE, subcommand)]
    Maps(maps::Command),
    /// Build or describe a path database (CPD)
    #[command(after_help = cpd::EXAMPLE, subcommand)]
    Cpd(cpd::Command),
    /// Find one path, or solve every problem of a scenario file
    #[command(after_help = path::EXAMPLE)]
    Path(path::Arguments),
    /// Solve problems on maps that changed after their path database was built
    #[command(after_help = dynamic::EXAMPLE)]
    Dynamic(dynamic::Arguments),
    /// Run a crowd under one planner and measure arrivals, travel and time
    #[command(after_help = run::EXAMPLE)]
    Run(Box<run::Arguments>),
    /// Run the same crowd under several planners, side by side
    #[command(after_help = compare::EXAMPLE)]
    Compare(compare::Arguments),
    /// Try planners on a map and a crowd, and recommend one
    #[command(after_help = advise::EXAMPLE)]
    Advise(advise::Arguments),
    /// Play back a recording and check every move
    #[command(after_help = replay::EXAMPLE)]
    Replay(replay::Arguments),
    /// Watch a crowd in a browser, draw on its map, compare planners
    #[command(after_help = view::EXAMPLE)]
    View(view::Arguments),
    /// Run experiments, show their plans and report their results
    #[command(after_help = lab::EXAMPLE, subcommand)]
    Lab(lab::Command),
    /// Form portfolios of algorithms and evaluate selectors
    #[command(after_help = select::EXAMPLE, subcommand)]
    Select(select::Command),
}

fn main() -> ExitCode {
    let CommandLine { command, json } = CommandLine::parse();
    throng_lab::Provenance::set_commit(env!("THRONG_COMMIT"));
    output::hide_decoder_panics();
    let files = &storage::files();
    output::exit(match command {
        Command::Demo(arguments) => demo::run(&arguments, json),
        Command::List(arguments) => list::run(&arguments, json),
        Command::Explain(arguments) => explain::run(&arguments, json),
        Command::Map(command) => map::run(&command, json),
        Command::Maps(command) => maps::run(&command, json, files),
        Command::Cpd(command) => cpd::run(&command, json, files),
        Command::Path(arguments) => path::run(&arguments, json),
        Command::Dynamic(arguments) => dynamic::run(&arguments, json),
        Command::Run(arguments) => run::run(&arguments, json, files),
        Command::Compare(arguments) => compare::run(&arguments, json),
        Command::Advise(arguments) => advise::run(&arguments, json),
        Command::Replay(arguments) => replay::run(&arguments, json),
        Command::View(arguments) => view::run(&arguments, json),
        Command::Lab(command) => lab::run(&command, json, files),
        Command::Select(command) => select::run(&command, json),
    })
}
