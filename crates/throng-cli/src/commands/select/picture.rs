//! `throng select picture`: draws what a network sees of an instance.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use throng::{Cell, Grid, Pos};
use throng_lab::select::features::ends;
use throng_lab::select::pictures::Input;
use throng_lab::{Instance, ProblemType};

use crate::commands::crowd::{agent_count, problem_type};
use crate::output::bad_input;
use crate::rules::{Rules, cell, position};
use crate::{picture, source};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Channels are drawn in grey, side by side: obstacles, starts, goals, paths, contraflow, scale.
Examples:
  throng select picture builtin:town --agents 200 --type swap-sides -o town.png
  throng select picture builtin:arena --from 24,4 --to 24,44 --input pyramid -o arena.png";

/// The arguments of `throng select picture`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A map file, or builtin:NAME
    map: String,
    /// Number of agents of a crowd; without agents the map alone is drawn
    #[arg(long, value_name = "N", value_parser = agent_count, conflicts_with = "from")]
    agents: Option<usize>,
    /// Problem type of the crowd
    #[arg(long = "type", value_name = "TYPE", default_value = "random", value_parser = problem_type)]
    kind: ProblemType,
    /// Seed of the crowd
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Start of a single agent
    #[arg(long, value_name = "X,Y", value_parser = position, requires = "to", allow_hyphen_values = true)]
    from: Option<Pos>,
    /// Goal of a single agent
    #[arg(long, value_name = "X,Y", value_parser = position, requires = "from", allow_hyphen_values = true)]
    to: Option<Pos>,
    /// What is drawn: `thesis` has obstacles, starts and goals in colours, `channels` one channel of 64×64 per property,
    /// `thesis-crop` and `crop` the same of the part with starts and goals, `pyramid` the channels of both
    #[arg(long, default_value = "thesis", value_parser = input())]
    input: Input,
    /// Terrain costs and legal moves.
    #[command(flatten)]
    rules: Rules,
    /// The picture, a PNG file
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    out: PathBuf,
}

/// Parses the name of an input.
fn input() -> impl TypedValueParser<Value = Input> {
    PossibleValuesParser::new(Input::ALL.map(Input::name))
        .try_map(|name| Input::named(&name).ok_or("there is no such input"))
}

/// `throng select picture`.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    picture::check_name(&arguments.out)?;
    let grid = arguments.rules.grid(source::open_map(&arguments.map)?);
    let agents = agents(arguments, &grid)?;
    let drawn = arguments.input.picture(grid.ground(), &agents);
    picture::write_file(&arguments.out, &drawn.png()?)
}

/// Returns start and goal of each agent.
fn agents(arguments: &Arguments, grid: &Grid) -> Result<Vec<(Cell, Cell)>> {
    if let (Some(from), Some(to)) = (arguments.from, arguments.to) {
        return Ok(vec![(cell(grid, "start", from)?, cell(grid, "goal", to)?)]);
    }
    let Some(count) = arguments.agents else { return Ok(Vec::new()) };
    let instance = Instance::generate(grid.ground(), arguments.kind, count, arguments.seed);
    Ok(ends(&instance.map_err(bad_input)?))
}
