//! `throng select gather` and `throng select features`: store results and features in the form that selection reads.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use throng_lab::select::single_agent::{StoredWalks, write_map_features, write_problem_features};
use throng_lab::{Maps, Results};

use super::{DataFolder, refused};
use crate::fetch::data_folder;
use crate::output::{bad_input, fields, print_either};

/// The examples at the end of the help.
pub(crate) const GATHER_EXAMPLE: &str =
    "Example: throng select gather out/rths-maps out/rths-problems --data out/select";

/// The arguments of `throng select gather`.
#[derive(Debug, Args)]
pub(crate) struct GatherArguments {
    /// Folders of results; unfinished ones give what they have
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,
    /// The stored data.
    #[command(flatten)]
    folder: DataFolder,
}

/// What was stored.
#[derive(Debug, Serialize)]
struct Gathered {
    maps: usize,
    fewest_problems_per_map: usize,
    most_problems_per_map: usize,
    problems: usize,
}

/// `throng select gather`.
pub(crate) fn gather(arguments: &GatherArguments, json: bool) -> Result<()> {
    let results = Results::open(&arguments.results).map_err(bad_input)?;
    let walks = StoredWalks::from_results(&results).map_err(refused)?;
    if walks == StoredWalks::default() {
        return Err(bad_input("the results have no walks of `rths-maps` or `rths-problems`"));
    }
    let folder = &arguments.folder.data;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    walks.write(folder).map_err(refused)?;
    let counts = || walks.maps.iter().map(|walks| walks.problems);
    let gathered = Gathered {
        maps: walks.maps.len(),
        fewest_problems_per_map: counts().min().unwrap_or(0),
        most_problems_per_map: counts().max().unwrap_or(0),
        problems: walks.problems.len(),
    };
    print_either(json, &gathered, || {
        let per_map = format!("{} to {}", gathered.fewest_problems_per_map, gathered.most_problems_per_map);
        fields(&[
            ("maps", gathered.maps.to_string()),
            ("problems per map", per_map),
            ("problems of one map", gathered.problems.to_string()),
        ])
    })
}

/// The examples at the end of the help.
pub(crate) const FEATURES_EXAMPLE: &str = "Example: throng select features --data out/select";

/// The arguments of `throng select features`.
#[derive(Debug, Args)]
pub(crate) struct FeaturesArguments {
    /// The stored data.
    #[command(flatten)]
    folder: DataFolder,
}

/// What was analysed.
#[derive(Debug, Serialize)]
struct Analysed {
    maps: usize,
    problems: usize,
}

/// `throng select features`.
pub(crate) fn features(arguments: &FeaturesArguments, json: bool) -> Result<()> {
    let folders = [data_folder().ok(), Some(PathBuf::from("."))];
    let maps = Maps::new(folders.into_iter().flatten().collect());
    let folder = &arguments.folder.data;
    let analysed = Analysed {
        maps: write_map_features(&maps, folder).map_err(refused)?,
        problems: write_problem_features(&maps, folder).map_err(refused)?,
    };
    print_either(json, &analysed, || {
        fields(&[("maps", analysed.maps.to_string()), ("problems of one map", analysed.problems.to_string())])
    })
}
