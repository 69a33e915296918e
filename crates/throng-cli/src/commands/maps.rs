//! `throng maps`: downloads sets of benchmark maps.

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::fetch;
use crate::output::print_either;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "Example: throng maps fetch dao";

/// The commands on map sets.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Download a MovingAI set into the data folder; an interrupted download is resumed
    #[command(after_help = EXAMPLE)]
    Fetch(FetchArguments),
}

/// The arguments of `throng maps fetch`.
#[derive(Debug, Args)]
pub(crate) struct FetchArguments {
    /// The map set
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(fetch::names()))]
    set: String,
    /// Base address of the sets, for a mirror
    #[arg(long, value_name = "URL", default_value = fetch::BASE, value_parser = web_address)]
    from: String,
    /// Replace the set if it exists
    #[arg(long)]
    force: bool,
}

/// Parses an address that starts with `http://` or `https://`.
fn web_address(text: &str) -> Result<String, String> {
    if text.starts_with("http://") || text.starts_with("https://") {
        Ok(text.to_owned())
    } else {
        Err("an address must start with http:// or https://".to_owned())
    }
}

/// `throng maps`.
pub(crate) fn run(command: &Command, json: bool) -> Result<()> {
    match command {
        Command::Fetch(arguments) => fetch(arguments, json),
    }
}

/// `throng maps fetch`.
fn fetch(arguments: &FetchArguments, json: bool) -> Result<()> {
    let report = fetch::fetch(&arguments.set, &arguments.from, arguments.force)?;
    print_either(json, &report, || {
        let (maps, scenarios, folder) = (report.maps, report.scenarios, report.folder.display());
        let verb = if report.present { "present" } else { "fetched" };
        format!("{}: {verb}, {maps} maps and {scenarios} scenario files in {folder}\n", report.set)
    })
}
