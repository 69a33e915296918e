//! `throng map render`: a picture of a map, with a path and what its search expanded if asked for one.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use throng::Pos;
use throng::grid::render::Picture;

use super::super::path::Question;
use crate::output::{bad_input, print_either};
use crate::rules::{self, Rules};
use crate::{picture, source};

/// What closes the help.
pub(super) const EXAMPLE: &str = "\
Examples:
  throng map render builtin:keep -o keep.png
  throng map render builtin:arena -o arena.png --from 24,4 --to 24,44 --search astar
  throng map render builtin:patrol-field -o lanes.svg --directions lanes.dm";

/// The arguments of `throng map render`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A map file, or builtin:NAME
    map: String,
    /// Where the picture goes
    #[arg(short, long = "out", value_name = "FILE.png")]
    out: PathBuf,
    /// Draw the arrows of a direction map that was learned; FILE.svg is possible then
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    directions: Option<PathBuf>,
    /// Pixels a cell; without it a picture has at most 1024 pixels a side where that is possible
    #[arg(long, value_name = "N")]
    scale: Option<u32>,
    /// Draw a path that begins here
    #[arg(long, value_name = "X,Y", value_parser = rules::place, allow_hyphen_values = true, requires = "to")]
    from: Option<Pos>,
    /// Draw a path that ends here
    #[arg(long, value_name = "X,Y", value_parser = rules::place, allow_hyphen_values = true, requires = "from")]
    to: Option<Pos>,
    /// The search that finds the path
    #[arg(long, value_name = "NAME[:KEY=VALUE,..]", default_value = "astar", requires = "from")]
    search: String,
    /// Who walks how.
    #[command(flatten)]
    rules: Rules,
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Report<'a> {
    file: &'a Path,
    map: &'a str,
    width: u32,
    height: u32,
    bytes: u64,
}

/// `throng map render`.
pub(super) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let grid = arguments.rules.grid(source::open_map(&arguments.map)?);
    let directions = arguments.directions.as_deref().map(source::open_directions).transpose()?;
    let mut found = None;
    if let (Some(from), Some(to)) = (arguments.from, arguments.to) {
        let question = Question { search: &arguments.search, cpd: None, from, to };
        let answer = question.ask(&grid)?;
        if answer.answer.cost.is_none() {
            bail!("no path: {}", question.why_none(&grid));
        }
        found = Some(answer);
    }
    let mut drawing = Picture::of_grid(&grid);
    if let Some(scale) = arguments.scale {
        drawing = drawing.scale(scale);
    }
    if let Some(found) = &found {
        drawing = drawing.expanded(&found.expanded).path(&found.path);
    }
    match &directions {
        Some(map) if map.size() != grid.size() => {
            return Err(bad_input(format_args!(
                "the direction map is one of {}×{} cells, and the map has {}×{}",
                map.size().width(),
                map.size().height(),
                grid.size().width(),
                grid.size().height()
            )));
        }
        Some(map) => picture::write_arrows(&grid, map, arguments.scale, &arguments.out)?,
        None => picture::write(&drawing, &arguments.out)?,
    }
    let report = Report {
        file: &arguments.out,
        map: &arguments.map,
        width: grid.size().width(),
        height: grid.size().height(),
        bytes: std::fs::metadata(&arguments.out)?.len(),
    };
    print_either(json, &report, || {
        let Report { file, map, width, height, bytes } = report;
        let path = found.as_ref().map(|found| {
            format!(
                ", with a path of {} steps ({} cells expanded)",
                found.path.len() - 1,
                found.answer.expansions
            )
        });
        let path = path.unwrap_or_default();
        format!("{}: {map}, {width}×{height} cells{path}; {} kB\n", file.display(), bytes.div_ceil(1000))
    })
}
