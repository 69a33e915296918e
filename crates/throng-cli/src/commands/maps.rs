//! `throng maps`: downloads sets of benchmark maps.

use std::time::Duration;

use anyhow::Result;
use clap::{Args, Subcommand};
use throng_lab::files::Files;
use throng_lab::limits::DOWNLOAD_TIME;

use crate::fetch::{self, Source};
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
    /// Stop after this many seconds; what was received is kept, and the next call goes on
    #[arg(long, value_name = "SECONDS", default_value_t = DOWNLOAD_TIME.max, value_parser = clap::value_parser!(u64).range(1..=DOWNLOAD_TIME.max))]
    time_limit: u64,
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
pub(crate) fn run(command: &Command, json: bool, files: &Files) -> Result<()> {
    match command {
        Command::Fetch(arguments) => fetch(arguments, json, files),
    }
}

/// `throng maps fetch`.
fn fetch(arguments: &FetchArguments, json: bool, files: &Files) -> Result<()> {
    let source = Source { base: &arguments.from, time: Duration::from_secs(arguments.time_limit) };
    let report = fetch::fetch(files, &arguments.set, source, arguments.force)?;
    print_either(json, &report, || {
        let (maps, scenarios, folder) = (report.maps, report.scenarios, report.folder.display());
        let verb = if report.present { "present" } else { "fetched" };
        format!("{}: {verb}, {maps} maps and {scenarios} scenario files in {folder}\n", report.set)
    })
}
