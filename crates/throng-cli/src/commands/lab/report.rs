//! `throng lab report`: what results say.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng_lab::Results;

use crate::output::{bad_input, print_either, table, thousands};

/// What closes the help.
pub(crate) const EXAMPLE: &str = "Example: throng lab report out/part1 out/part2";

/// The arguments of `throng lab report`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Folders of results, read as one
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
}

/// Results of a planner in an experiment.
#[derive(Debug, Default, Serialize)]
struct Line {
    experiment: String,
    scale: String,
    planner: String,
    runs: usize,
    completion_rate: f64,
}

/// `throng lab report`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let results = Results::open(&arguments.folders).map_err(bad_input)?;
    let mut lines: BTreeMap<[String; 3], Line> = BTreeMap::new();
    for row in &results.rows {
        let key =
            ["experiment", "scale", "planner"].map(|name| row.text(name).unwrap_or_default().to_owned());
        let line = lines.entry(key.clone()).or_default();
        [line.experiment, line.scale, line.planner] = key;
        line.runs += 1;
        line.completion_rate += row.number("completion_rate").unwrap_or_default();
    }
    let mut lines: Vec<Line> = lines.into_values().collect();
    for line in &mut lines {
        line.completion_rate /= line.runs as f64;
    }
    print_either(json, &lines, || {
        let rows = lines.iter().map(|line| {
            let percent = format!("{:.1}", line.completion_rate * 100.0);
            [
                line.experiment.clone(),
                line.scale.clone(),
                line.planner.clone(),
                thousands(line.runs as u64),
                percent,
            ]
        });
        table(&["experiment", "scale", "planner", ">runs", ">mean completion %"], rows)
    })
}
