//! `throng map generate`: the same kind, size, seed and settings give the same map everywhere.

use std::collections::BTreeMap;
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

/// What closes the help.
pub(super) const EXAMPLE: &str =
    "Example: throng map generate caves --size 256x128 --seed 7 --set walls=48 -o caves.map";

/// The arguments of `throng map generate`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A generator; `throng list generators` shows them
    kind: String,
    /// Columns and rows
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Size,
    /// Another seed makes another map
    #[arg(long, value_name = "N")]
    seed: u64,
    /// A parameter of the generator; `throng explain KIND` shows them
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, u32)>,
    /// Where the map goes
    #[arg(short, long = "out", value_name = "FILE")]
    out: PathBuf,
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Report<'a> {
    file: &'a Path,
    kind: &'a str,
    width: u32,
    height: u32,
    seed: u64,
    /// Those given.
    parameters: BTreeMap<&'a str, u32>,
    free_cells: usize,
    components: usize,
}

/// A size written as `WxH`.
fn size(text: &str) -> Result<Size, String> {
    let sides = text.split_once(['x', '×']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    let (width, height) = sides.ok_or("a size is written WxH, for example 128x64")?;
    Size::new(width, height)
        .ok_or_else(|| format!("sides have 1 to {MAX_SIDE} cells, and a map at most {MAX_CELLS}"))
}

/// A parameter written as `KEY=VALUE`.
fn setting(text: &str) -> Result<(String, u32), String> {
    let (key, value) = text.split_once('=').ok_or("a parameter is written KEY=VALUE")?;
    let value = value.parse().map_err(|_| format!("`{value}` is no whole number"))?;
    Ok((key.to_owned(), value))
}

/// `throng map generate`.
pub(super) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let parameters: Vec<(&str, u32)> =
        arguments.settings.iter().map(|(key, value)| (key.as_str(), *value)).collect();
    let tiles = generate(&arguments.kind, arguments.size, arguments.seed, &parameters).map_err(bad_input)?;
    write_file(&arguments.out, &write_map(&tiles))?;
    let grid = Grid::new(tiles, MoveRules::default());
    let report = Report {
        file: &arguments.out,
        kind: &arguments.kind,
        width: arguments.size.width(),
        height: arguments.size.height(),
        seed: arguments.seed,
        parameters: parameters.into_iter().collect(),
        free_cells: grid.ground().free_count(),
        components: grid.ground().components().count(),
    };
    print_either(json, &report, || report.text())
}

impl Report<'_> {
    /// For people.
    fn text(&self) -> String {
        let Self { file, kind, width, height, seed, .. } = self;
        let free = thousands(self.free_cells as u64);
        let parts = count(self.components, "component", "components");
        format!("{}: {kind}, {width}×{height}, seed {seed}; {free} free cells in {parts}\n", file.display())
    }
}
