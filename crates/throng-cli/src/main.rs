//! The command line of throng: parses arguments, prints results, and leaves the rest to the libraries.

mod fetch;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::{Args, Parser, Subcommand};
use throng::grid::movingai::read_map;

/// Real-time multi-agent pathfinding on grid maps.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
enum Command {
    /// Sets of maps on this computer
    #[command(subcommand)]
    Maps(MapsCommand),
}

/// The commands about sets of maps.
#[derive(Debug, Subcommand)]
enum MapsCommand {
    /// Download a MovingAI set into the data folder, checked; an interrupted download is resumed
    #[command(after_help = "Example: throng maps fetch dao")]
    Fetch(FetchArguments),
}

/// The arguments of `throng maps fetch`.
#[derive(Debug, Args)]
struct FetchArguments {
    /// The set
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(fetch::names()))]
    set: String,
    /// The address under which the sets lie, for a mirror
    #[arg(long, value_name = "URL", default_value = fetch::BASE, value_parser = web_address)]
    from: String,
    /// Replace the set if it is already there
    #[arg(long)]
    force: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// An address that starts with `http://` or `https://`.
fn web_address(text: &str) -> Result<String, String> {
    if text.starts_with("http://") || text.starts_with("https://") {
        Ok(text.to_owned())
    } else {
        Err("an address starts with http:// or https://".to_owned())
    }
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Maps(MapsCommand::Fetch(arguments)) => maps_fetch(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// `throng maps fetch`.
fn maps_fetch(arguments: &FetchArguments) -> Result<()> {
    let data = fetch::data_folder()?;
    let request = fetch::Request { set: &arguments.set, base: &arguments.from, force: arguments.force, data };
    let report = fetch::fetch(&request, check_file)?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        let (maps, scenarios, folder) = (report.maps, report.scenarios, report.folder.display());
        let verb = if report.present { "already there" } else { "fetched" };
        println!("{}: {verb}, {maps} maps and {scenarios} scenario files in {folder}", report.set);
    }
    Ok(())
}

/// Refuses a `.map` file that cannot be read, with the place.
fn check_file(name: &str, bytes: &[u8]) -> Result<()> {
    if Path::new(name).extension().is_some_and(|extension| extension == "map") {
        read_map(bytes).map_err(|error| anyhow!("{name}:{error}"))?;
    }
    Ok(())
}
