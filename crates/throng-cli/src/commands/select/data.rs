//! `throng select gather` and `throng select features`: store results and features in the form that selection reads.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use throng_lab::select::crowd::{CrowdRuns, PRICE_SCALE, Prices};
use throng_lab::select::single_agent::StoredWalks;
use throng_lab::select::{AUTO_FILE, AutoRuns, CROWD_FILE, PRICES_FILE};
use throng_lab::{Results, RunRow};

use super::{DataFolder, refused};
use crate::output::{bad_input, fields, print_either};
use crate::picture::write_file;

/// The examples at the end of the help.
pub(crate) const GATHER_EXAMPLE: &str = "\
Examples:
  throng select gather out/rths-maps out/rths-problems --data out/select
  throng select gather out/mapf-types-work out/mapf-types-prices-1 out/mapf-types-prices-2
  throng select gather out/mapf-types-more --add";

/// The arguments of `throng select gather`.
#[derive(Debug, Args)]
pub(crate) struct GatherArguments {
    /// Folders of results; unfinished ones give what they have
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,
    /// Keep the runs that are stored: add those of crowds, and replace those of a planner of `auto` that were made again
    #[arg(long)]
    add: bool,
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
    crowd_runs: usize,
    auto_problems: usize,
}

/// `throng select gather`.
pub(crate) fn gather(arguments: &GatherArguments, json: bool) -> Result<()> {
    let results = Results::open(&arguments.results).map_err(bad_input)?;
    let walks = StoredWalks::from_results(&results).map_err(refused)?;
    let mut crowds = CrowdRuns::from_results(&results);
    let mut auto = AutoRuns::from_results(&results);
    let is_timed =
        |row: &RunRow| row.text("experiment") == Some("mapf-types") && row.text("scale") == Some(PRICE_SCALE);
    let has_prices = results.rows.iter().any(is_timed);
    if walks == StoredWalks::default() && crowds.runs.is_empty() && !has_prices && auto.problems.is_empty() {
        let wanted = "the results have no walks of `rths-maps` or `rths-problems`, no crowds of `mapf-types` with a course, and \
                      no problem of `auto` that all its planners were run on";
        return Err(bad_input(wanted));
    }
    let folder = &arguments.folder.data;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    if walks != StoredWalks::default() {
        walks.write(folder).map_err(refused)?;
    }
    if !crowds.runs.is_empty() {
        let file = folder.join(CROWD_FILE);
        if arguments.add && file.is_file() {
            let mut stored = CrowdRuns::read(&file).map_err(bad_input)?;
            stored.add(crowds);
            crowds = stored;
        }
        crowds.write(&file).map_err(bad_input)?;
    }
    if !auto.problems.is_empty() {
        if arguments.add && folder.join(AUTO_FILE).is_file() {
            let mut stored = AutoRuns::read(folder).map_err(refused)?;
            stored.replace(&auto);
            auto = stored;
        }
        auto.write(folder).map_err(refused)?;
    }
    if has_prices {
        // Each folder is one repetition.
        let repetitions = arguments.results.iter().map(|folder| Results::open(std::slice::from_ref(folder)));
        let repetitions: Vec<Results> = repetitions.collect::<Result<_, _>>().map_err(bad_input)?;
        let timed: Vec<Results> =
            repetitions.into_iter().filter(|results| results.rows.iter().any(is_timed)).collect();
        let prices = Prices::measure(&timed).map_err(bad_input)?;
        let file = folder.join(PRICES_FILE);
        write_file(&file, prices.to_text().as_bytes())?;
    }
    let counts = || walks.maps.iter().map(|walks| walks.problems);
    let gathered = Gathered {
        maps: walks.maps.len(),
        fewest_problems_per_map: counts().min().unwrap_or(0),
        most_problems_per_map: counts().max().unwrap_or(0),
        problems: walks.problems.len(),
        crowd_runs: crowds.runs.len(),
        auto_problems: auto.problems.len(),
    };
    print_either(json, &gathered, || {
        let per_map = format!("{} to {}", gathered.fewest_problems_per_map, gathered.most_problems_per_map);
        fields(&[
            ("maps", gathered.maps.to_string()),
            ("problems per map", per_map),
            ("problems of one map", gathered.problems.to_string()),
            ("runs of crowds", gathered.crowd_runs.to_string()),
            ("problems of auto", gathered.auto_problems.to_string()),
        ])
    })
}
