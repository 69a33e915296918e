//! `throng map generate`: generates a map. The same kind, parameters, size and seed give the same map on every machine.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng::grid::generate::generate;
use throng::grid::movingai::write_map;
use throng::grid::{MAX_CELLS, MAX_SIDE};
use throng::{Grid, MoveRules, Size};

use crate::output::{bad_input, count, print_either, thousands};
use crate::picture::write_file;

/// The examples at the end of the help.
pub(super) const EXAMPLE: &str =
    "Example: throng map generate caves:walls=48 --size 256x128 --seed 7 -o caves.map";

/// The arguments of `throng map generate`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A generator with optional parameters; `throng list generators` shows all
    #[arg(value_name = "KIND[:KEY=VALUE,..]")]
    kind: String,
    /// Width and height in cells
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Size,
    /// Random seed
    #[arg(long, value_name = "N")]
    seed: u64,
    /// File of the map
    #[arg(short, long = "out", value_name = "FILE")]
    out: PathBuf,
}

/// The report on a generated map.
#[derive(Debug, Serialize)]
struct GenerateReport<'a> {
    file: &'a Path,
    /// The generator and its parameters, as given.
    kind: &'a str,
    width: u32,
    height: u32,
    seed: u64,
    free_cells: usize,
    components: usize,
}

/// Parses a size written as `WxH`.
fn size(text: &str) -> Result<Size, String> {
    let sides = text.split_once(['x', '×']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    let (width, height) = sides.ok_or("expected a size written as WxH, for example 128x64")?;
    Size::new(width, height)
        .ok_or_else(|| format!("each side must have 1 to {MAX_SIDE} cells, and the map at most {MAX_CELLS}"))
}

/// `throng map generate`.
pub(super) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let tiles = generate(&arguments.kind, arguments.size, arguments.seed).map_err(bad_input)?;
    write_file(&arguments.out, &write_map(&tiles))?;
    let grid = Grid::new(tiles, MoveRules::default());
    let report = GenerateReport {
        file: &arguments.out,
        kind: &arguments.kind,
        width: arguments.size.width(),
        height: arguments.size.height(),
        seed: arguments.seed,
        free_cells: grid.ground().free_count(),
        components: grid.ground().components().count(),
    };
    print_either(json, &report, || report.text())
}

impl GenerateReport<'_> {
    /// Returns the report as text.
    fn text(&self) -> String {
        let Self { file, kind, width, height, seed, .. } = self;
        let free = thousands(self.free_cells as u64);
        let components = count(self.components, "component", "components");
        format!(
            "{}: {kind}, {width}×{height}, seed {seed}; {free} free cells in {components}\n",
            file.display()
        )
    }
}
