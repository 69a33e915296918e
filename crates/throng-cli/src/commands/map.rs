//! `throng map`: describes, generates or draws a map.

mod generate;
mod info;
mod render;

use anyhow::Result;
use clap::Subcommand;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "Example: throng map info builtin:keep";

/// The commands on one map.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Describe a map: size, components, terrain, corridors and chokepoints
    #[command(after_help = EXAMPLE)]
    Info(info::Arguments),
    /// Generate a map from a kind, a size and a seed
    #[command(after_help = generate::EXAMPLE)]
    Generate(generate::Arguments),
    /// Draw a map, optionally with a path or a direction map
    #[command(after_help = render::EXAMPLE)]
    Render(render::Arguments),
}

/// `throng map`.
pub(crate) fn run(command: &Command, json: bool) -> Result<()> {
    match command {
        Command::Info(arguments) => info::run(arguments, json),
        Command::Generate(arguments) => generate::run(arguments, json),
        Command::Render(arguments) => render::run(arguments, json),
    }
}
