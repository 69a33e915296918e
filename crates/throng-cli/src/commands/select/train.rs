//! `throng select train`: trains a model from stored results.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use throng_lab::select::Trees;
use throng_lab::select::features::CROWD_CORNERS;

use super::crowd::CrowdOptions;
use super::{DataFolder, MODEL_FILE};
use crate::output::{fields, print_either, thousands};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng select train
  throng select train --limit ample --portfolio own -o own.model";

/// The part of the maps whose error is measured: one in this number, in the order of their names.
const HELD_OUT: usize = 4;

/// The arguments of `throng select train`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What is learned.
    #[command(flatten)]
    crowd: CrowdOptions,
    /// The stored data.
    #[command(flatten)]
    folder: DataFolder,
    /// The model file; by default crowd.model in the folder of the stored data
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The model that was trained.
#[derive(Debug, Serialize)]
struct Trained {
    model: PathBuf,
    bytes: usize,
    hash: String,
    instances: usize,
    /// Root mean square of the error on maps that were held out, by planner, in shares of the agents.
    errors: Vec<(String, f64)>,
}

/// `throng select train`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let (data, work) = arguments.crowd.read(&arguments.folder)?;
    let mut maps: Vec<&str> = data.groups.iter().map(|group| group.map.as_str()).collect();
    maps.sort_unstable();
    maps.dedup();
    let is_held_out = |at: usize| {
        maps.binary_search(&data.groups[at].map.as_str()).is_ok_and(|number| number % HELD_OUT == 0)
    };
    let rows: Vec<&[i32]> = data.rows.iter().map(Vec::as_slice).collect();
    let note = format!(
        "{} crowds on {} maps, completion within {work:.0} expansions of A*, corners={}",
        data.len(),
        maps.len(),
        CROWD_CORNERS.name()
    );
    let model = Trees::default().model(&data.algorithms, &rows, &data.utilities, is_held_out, &note)?;
    let file = arguments.out.clone().unwrap_or_else(|| arguments.folder.data.join(MODEL_FILE));
    let bytes = model.write();
    std::fs::write(&file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
    let error = |(planner, forest): (&String, &throng_select::Forest)| {
        (planner.clone(), f64::from(forest.error) / 10_000.0)
    };
    let trained = Trained {
        model: file,
        bytes: bytes.len(),
        hash: format!("{:016x}", model.hash()),
        instances: data.len(),
        errors: model.portfolio().iter().zip(model.forests()).map(error).collect(),
    };
    print_either(json, &trained, || {
        let mut lines = vec![
            ("model", trained.model.display().to_string()),
            ("bytes", thousands(trained.bytes as u64)),
            ("trained on", note.clone()),
        ];
        lines.extend(
            trained
                .errors
                .iter()
                .map(|(planner, error)| (planner.as_str(), format!("error {:.1} %", error * 100.0))),
        );
        fields(&lines)
    })
}
