//! `throng select features`: computes the features of all stored instances.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng_lab::Maps;
use throng_lab::select::crowd::{CrowdRuns, ProblemKey};
use throng_lab::select::features::write_crowds;
use throng_lab::select::single_agent::{
    MAPS_FILE, PROBLEMS_FILE, write_map_features, write_problem_features,
};
use throng_lab::select::{AUTO_FILE, CROWD_FILE, write_auto_features};

use super::{DataFolder, refused};
use crate::fetch::data_folder;
use crate::output::{bad_input, fields, print_either, progress};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
The maps are read from THRONG_DATA or the folder that `throng maps fetch` fills.
Example: throng select features --data out/select";

/// The arguments of `throng select features`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The stored data.
    #[command(flatten)]
    folder: DataFolder,
}

/// Numbers of rows that were written.
#[derive(Debug, Serialize)]
struct Written {
    crowds: usize,
    maps: usize,
    problems: usize,
    auto: usize,
}

/// `throng select features`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let folder = &arguments.folder.data;
    let crowds: Vec<ProblemKey> = match folder.join(CROWD_FILE) {
        file if file.is_file() => {
            let runs = CrowdRuns::read(&file).map_err(bad_input)?;
            runs.runs.into_iter().map(|run| run.key).collect::<BTreeSet<_>>().into_iter().collect()
        }
        _ => Vec::new(),
    };
    let [has_maps, has_problems, has_auto] =
        [MAPS_FILE, PROBLEMS_FILE, AUTO_FILE].map(|file| folder.join(file).is_file());
    if crowds.is_empty() && !has_maps && !has_problems && !has_auto {
        let path = folder.display();
        return Err(bad_input(format_args!(
            "{path} has no stored results; `throng select gather` stores them"
        )));
    }
    let folders = [data_folder().ok(), Some(PathBuf::from("."))];
    let maps = Maps::new(folders.into_iter().flatten().collect());
    if !crowds.is_empty() {
        let template = "{msg} {wide_bar} {pos}/{len}, {eta} left";
        let bar = progress(Some(crowds.len() as u64), template, "features of crowds".to_owned());
        write_crowds(&maps, folder, &crowds, || bar.inc(1)).map_err(refused)?;
        bar.finish_and_clear();
    }
    let written = Written {
        crowds: crowds.len(),
        maps: if has_maps { write_map_features(&maps, folder).map_err(refused)? } else { 0 },
        problems: if has_problems { write_problem_features(&maps, folder).map_err(refused)? } else { 0 },
        auto: if has_auto { write_auto_features(&maps, folder).map_err(refused)? } else { 0 },
    };
    print_either(json, &written, || {
        fields(&[
            ("crowds", written.crowds.to_string()),
            ("maps", written.maps.to_string()),
            ("problems of one map", written.problems.to_string()),
            ("problems of auto", written.auto.to_string()),
        ])
    })
}
