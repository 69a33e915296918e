//! `throng select features`: computes the features of all stored instances.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use throng_lab::Maps;
use throng_lab::select::features::{WrittenFeatures, write_features};

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

/// `throng select features`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let folder = &arguments.folder.data;
    let folders = [data_folder().ok(), Some(PathBuf::from("."))];
    let maps = Maps::new(folders.into_iter().flatten().collect());
    let bar = progress(None, "features of {msg} {wide_bar} {pos}/{len}, {eta} left", String::new());
    let watch = |what: &'static str, done: usize, all: usize| {
        bar.set_message(what);
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let written = write_features(&maps, folder, watch).map_err(refused)?;
    bar.finish_and_clear();
    if written == WrittenFeatures::default() {
        let path = folder.display();
        return Err(bad_input(format_args!(
            "{path} has no stored results; `throng select gather` stores them"
        )));
    }
    print_either(json, &written, || {
        fields(&[
            ("crowds", written.crowds.to_string()),
            ("maps", written.maps.to_string()),
            ("problems of one map", written.problems.to_string()),
            ("problems of auto", written.auto.to_string()),
        ])
    })
}
