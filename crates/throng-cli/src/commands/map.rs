//! `throng map`: look at a map, generate one, draw one.

mod generate;
mod info;
mod render;

use anyhow::Result;
use clap::Subcommand;

/// What closes the help.
pub(crate) const EXAMPLE: &str = "Example: throng map info builtin:keep";

/// The commands about one map.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Size, free cells, connected parts, terrain, narrow places
    #[command(after_help = EXAMPLE)]
    Info(info::Arguments),
    /// Make a map from a kind, a size and a seed
    #[command(after_help = generate::EXAMPLE)]
    Generate(generate::Arguments),
    /// Draw a map, with a path if asked for one
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
