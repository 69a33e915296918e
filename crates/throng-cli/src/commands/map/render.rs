//! `throng map render`: draws a map, optionally with a path and the cells that its search expanded, or with the arrows
//! of a direction map.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use throng::grid::render::Picture;
use throng::{Grid, Pos};

use super::super::path::{PathQuery, QueryAnswer};
use crate::output::{bad_input, print_either};
use crate::rules::{self, Rules};
use crate::{picture, source};

/// The examples at the end of the help.
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
    /// File of the picture
    #[arg(short, long = "out", value_name = "FILE.png")]
    out: PathBuf,
    /// Draw the arrows of a direction map; the picture may be FILE.svg then
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    directions: Option<PathBuf>,
    /// Pixels per cell; by default the picture has at most 1024 pixels per side where possible
    #[arg(long, value_name = "N")]
    scale: Option<u32>,
    /// Draw a path with this start
    #[arg(long, value_name = "X,Y", value_parser = rules::position, allow_hyphen_values = true, requires = "to")]
    from: Option<Pos>,
    /// Draw a path to this goal
    #[arg(long, value_name = "X,Y", value_parser = rules::position, allow_hyphen_values = true, requires = "from")]
    to: Option<Pos>,
    /// The search for the path
    #[arg(long, value_name = "NAME[:KEY=VALUE,..]", default_value = "astar", requires = "from")]
    search: String,
    /// Terrain costs and legal moves.
    #[command(flatten)]
    rules: Rules,
}

/// The report on a picture.
#[derive(Debug, Serialize)]
struct RenderReport<'a> {
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
    let found = arguments.find_path(&grid)?;
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
                "the direction map is for {}×{} cells, but the map has {}×{}",
                map.size().width(),
                map.size().height(),
                grid.size().width(),
                grid.size().height()
            )));
        }
        Some(map) => picture::write_arrows(&grid, map, arguments.scale, &arguments.out)?,
        None => picture::write(&drawing, &arguments.out)?,
    }
    let report = RenderReport {
        file: &arguments.out,
        map: &arguments.map,
        width: grid.size().width(),
        height: grid.size().height(),
        bytes: std::fs::metadata(&arguments.out)?.len(),
    };
    print_either(json, &report, || {
        let RenderReport { file, map, width, height, bytes } = report;
        let path = found.as_ref().map_or_else(String::new, |found| {
            let (steps, expansions) = (found.path.len() - 1, found.answer.expansions);
            format!(", with a path of {steps} steps ({expansions} cells expanded)")
        });
        format!("{}: {map}, {width}×{height} cells{path}; {} kB\n", file.display(), bytes.div_ceil(1000))
    })
}

impl Arguments {
    /// Finds the path that is to be drawn, if one is requested.
    fn find_path(&self, grid: &Grid) -> Result<Option<QueryAnswer>> {
        let (Some(from), Some(to)) = (self.from, self.to) else { return Ok(None) };
        let query = PathQuery { search: &self.search, cpd: None, from, to };
        let found = query.run(grid)?;
        if found.answer.cost.is_none() {
            bail!("no path: {}", query.explain_failure(grid));
        }
        Ok(Some(found))
    }
}
