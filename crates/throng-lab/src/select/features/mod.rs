//! The features of stored instances, in one Parquet file per kind beside the results, so that evaluations need no maps.
//!
//! - `crowd-features.parquet`: one row per problem for a crowd, with the features of its starts and goals.
//! - `auto-features.parquet`: the same of the problems that the models of the planner `auto` are trained on.
//! - `maps-features.parquet`: one row per map. The features of the map, the means of those of 64 single agents with
//!   random starts and goals, its texture, and probes. The agents and the problems of the probes are drawn with other seeds
//!   than the problems that the configurations walked.
//! - `problems-features.parquet`: one row per problem of one map, with the features of its single agent, and the coordinates of
//!   its start and goal.

mod probes;
mod texture;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use throng::grid::random_queries;
use throng::{Cell, Corners, Grid, Ground};
use throng_select::{FEATURES, MapFeatures, instance_features};

use super::crowd::{CrowdRuns, ProblemKey};
use super::single_agent::{
    MAPS_FILE, MapWalks, PROBLEM_MAP, PROBLEMS_FILE, SelectError, StoredWalks, Table, integers, text,
};
use super::{AUTO_FILE, AutoRuns, CROWD_FILE};
use crate::files::Files;
use crate::store::{TableColumn, write_table};
use crate::task::scenario_ends;
use crate::{Instance, Maps, ProblemType};

/// The file of the features of crowds.
pub const CROWD_FEATURES_FILE: &str = "crowd-features.parquet";

/// The file of the features of the crowds of `auto`.
pub(super) const AUTO_FEATURES_FILE: &str = "auto-features.parquet";

/// The file of the features of maps.
pub const MAP_FEATURES_FILE: &str = "maps-features.parquet";

/// The file of the features of the problems of one map.
pub const PROBLEM_FEATURES_FILE: &str = "problems-features.parquet";

/// The corner rule of the experiment `mapf-types`, whose crowds are stored.
pub const CROWD_CORNERS: Corners = Corners::Allow;

/// The corner rule of the experiment `auto`.
const AUTO_CORNERS: Corners = Corners::Forbid;

/// The columns of a crowd that are no features. The number of agents is a feature.
const CROWD_KEYS: [&str; 5] = ["game", "map", "type", "instance", "seed"];

/// The number of random agents per map.
const SAMPLES: usize = 64;

/// The seed of the random agents.
const SEED: u64 = 0x5E1E_C700;

/// Numbers of rows that were written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct WrittenFeatures {
    /// Crowds.
    pub crowds: usize,
    /// Maps.
    pub maps: usize,
    /// Problems of one map.
    pub problems: usize,
    /// Crowds of the planner `auto`.
    pub auto: usize,
}

/// Computes and writes the features of all instances whose results are stored in a folder. Calls `progress` with what is
/// computed, the number of instances that are done and that of all.
///
/// # Errors
/// If results are damaged, a map cannot be opened, a problem cannot be made, or a file cannot be written.
pub fn write_features(
    maps: &Maps,
    folder: &Path,
    mut progress: impl FnMut(&'static str, usize, usize),
) -> Result<WrittenFeatures, SelectError> {
    let mut written = WrittenFeatures::default();
    if folder.join(CROWD_FILE).is_file() {
        let runs = CrowdRuns::read(&folder.join(CROWD_FILE))?;
        let keys: BTreeSet<ProblemKey> = runs.runs.into_iter().map(|run| run.key).collect();
        let keys: Vec<ProblemKey> = keys.into_iter().collect();
        let crowds = crowd_file(maps, &keys, CROWD_CORNERS, |done| progress("crowds", done, keys.len()))?;
        crowds.write(folder, CROWD_FEATURES_FILE)?;
        written.crowds = keys.len();
    }
    if folder.join(MAPS_FILE).is_file() {
        let walks = StoredWalks::read_maps(folder)?;
        let found = map_file(maps, &walks, |done| progress("maps", done, walks.len()))?;
        found.write(folder, MAP_FEATURES_FILE)?;
        written.maps = walks.len();
    }
    if folder.join(PROBLEMS_FILE).is_file() {
        let found = problem_file(maps)?;
        written.problems = found.rows.len();
        found.write(folder, PROBLEM_FEATURES_FILE)?;
    }
    if folder.join(AUTO_FILE).is_file() {
        let mut keys: Vec<ProblemKey> =
            AutoRuns::read(folder)?.problems.into_iter().map(|problem| problem.key).collect();
        keys.dedup();
        let crowds = crowd_file(maps, &keys, AUTO_CORNERS, |done| progress("auto", done, keys.len()))?;
        crowds.write(folder, AUTO_FEATURES_FILE)?;
        written.auto = keys.len();
    }
    Ok(written)
}

/// A file of features: columns that name an instance, and its features.
struct FeatureFile {
    keys: Vec<TableColumn>,
    names: Vec<String>,
    rows: Vec<Vec<i32>>,
}

impl FeatureFile {
    fn write(self, folder: &Path, file: &str) -> Result<(), SelectError> {
        let column =
            |(at, name): (usize, &String)| integers(name, self.rows.iter().map(|row| i64::from(row[at])));
        let mut columns = self.keys;
        columns.extend(self.names.iter().enumerate().map(column));
        Ok(write_table(&Files::default(), &folder.join(file), &columns)?)
    }
}

/// Returns the names of the features of an instance.
fn feature_names() -> Vec<String> {
    FEATURES.iter().map(|feature| feature.name.to_owned()).collect()
}

/// Returns start and goal of each agent.
pub fn ends(instance: &Instance) -> Vec<(Cell, Cell)> {
    instance.starts.iter().copied().zip(instance.goals.iter().copied()).collect()
}

/// Returns the features of crowds.
fn crowd_file(
    maps: &Maps,
    keys: &[ProblemKey],
    corners: Corners,
    mut progress: impl FnMut(usize),
) -> Result<FeatureFile, SelectError> {
    let mut opened: BTreeMap<&str, _> = BTreeMap::new();
    let mut rows = Vec::with_capacity(keys.len());
    for key in keys {
        if !opened.contains_key(key.map.as_str()) {
            let grid = maps.grid(&key.map, corners.name(), "uniform", key.seed)?;
            let features = MapFeatures::of(grid.ground());
            opened.insert(&key.map, (grid, features));
        }
        let (grid, features) = &opened[key.map.as_str()];
        let refused = |reason: String| SelectError::Runs(format!("{}: {reason}", key.map));
        let kind: ProblemType = key.kind.parse().map_err(|error| refused(format!("{error}")))?;
        let instance = Instance::generate(grid.ground(), kind, key.agents, key.seed)
            .map_err(|error| refused(error.to_string()))?;
        rows.push(instance_features(features, grid.ground(), &ends(&instance)).values().to_vec());
        progress(rows.len());
    }
    let keys = key_columns(keys.iter());
    Ok(FeatureFile { keys, names: feature_names(), rows })
}

/// Returns the features of maps.
fn map_file(
    maps: &Maps,
    walks: &[MapWalks],
    mut progress: impl FnMut(usize),
) -> Result<FeatureFile, SelectError> {
    let mut names = Vec::new();
    let mut rows = Vec::with_capacity(walks.len());
    for walks in walks {
        let grid = maps.grid(&walks.map, Corners::Forbid.name(), "uniform", 0)?;
        let found = map_features(&grid);
        let (own, row): (Vec<String>, Vec<i32>) = found.into_iter().unzip();
        rows.push(row);
        names = own;
        progress(rows.len());
    }
    let keys = vec![
        text("game", walks.iter().map(MapWalks::game)),
        text("map", walks.iter().map(|walks| walks.map.as_str())),
    ];
    Ok(FeatureFile { keys, names, rows })
}

/// Returns the features of a map: name and value.
fn map_features(grid: &Grid) -> Vec<(String, i32)> {
    let ground = grid.ground();
    let mut found: Vec<(String, i32)> = feature_names().into_iter().zip(sampled_features(ground)).collect();
    found.extend(texture::texture(grid.tiles(), ground));
    found.extend(probes::names().zip(probes::probes(ground)));
    found
}

/// Returns the features of a map, with the means of those of random agents.
fn sampled_features(ground: &Ground) -> Vec<i32> {
    let map = MapFeatures::of(ground);
    let agents = random_queries(ground, SAMPLES, SEED);
    let mut sums = vec![0_i64; FEATURES.len()];
    for &agent in &agents {
        for (sum, &value) in sums.iter_mut().zip(instance_features(&map, ground, &[agent]).values()) {
            *sum += i64::from(value);
        }
    }
    let count = agents.len().max(1) as i64;
    sums.iter().map(|sum| i32::try_from(sum / count).unwrap_or(i32::MAX)).collect()
}

/// Returns the features of the problems of one map.
fn problem_file(maps: &Maps) -> Result<FeatureFile, SelectError> {
    let grid = maps.grid(PROBLEM_MAP, Corners::Forbid.name(), "uniform", 0)?;
    let ground = grid.ground();
    let map = MapFeatures::of(ground);
    let problems = scenario_ends(maps, ground, &format!("{PROBLEM_MAP}.map.scen"))?;
    let row = |&(from, to): &(Cell, Cell)| {
        let (start, goal) = (ground.size().pos(from), ground.size().pos(to));
        let mut row = instance_features(&map, ground, &[(from, to)]).values().to_vec();
        row.extend([start.x, start.y, goal.x, goal.y]);
        row
    };
    let mut names = feature_names();
    names.extend(["start_x", "start_y", "goal_x", "goal_y"].map(str::to_owned));
    let keys = vec![integers("problem", 0..problems.len() as i64)];
    Ok(FeatureFile { keys, names, rows: problems.iter().map(row).collect() })
}

/// Returns the columns of problems but the number of agents, which is a feature.
pub(super) fn key_columns<'a>(keys: impl Iterator<Item = &'a ProblemKey> + Clone) -> Vec<TableColumn> {
    vec![
        text("game", keys.clone().map(|key| key.game.as_str())),
        text("map", keys.clone().map(|key| key.map.as_str())),
        text("type", keys.clone().map(|key| key.kind.as_str())),
        integers("instance", keys.clone().map(|key| key.instance as i64)),
        integers("seed", keys.map(|key| key.seed as i64)),
    ]
}

/// Reads the problems of a table.
pub(super) fn read_keys(table: &Table) -> Result<Vec<ProblemKey>, SelectError> {
    let [games, maps, kinds] = [table.texts("game")?, table.texts("map")?, table.texts("type")?];
    let (instances, agents, seeds) =
        (table.integers("instance")?, table.integers("agents")?, table.large_integers("seed")?);
    let key = |row: usize| ProblemKey {
        game: games[row].clone(),
        map: maps[row].clone(),
        kind: kinds[row].clone(),
        instance: instances[row] as u64,
        agents: agents[row] as usize,
        seed: seeds[row] as u64,
    };
    Ok((0..agents.len()).map(key).collect())
}

/// Reads a file of features of crowds.
///
/// # Errors
/// If the file is missing, damaged, or has other features than this program computes.
pub fn read_crowds(folder: &Path, file: &str) -> Result<BTreeMap<ProblemKey, Vec<i32>>, SelectError> {
    let table = Table::read(folder, file)?;
    let (names, rows) = table.features(&CROWD_KEYS)?;
    if !names.iter().map(String::as_str).eq(FEATURES.iter().map(|feature| feature.name)) {
        return Err(
            table.damaged("it has other features than this program computes: run `throng select features`")
        );
    }
    Ok(read_keys(&table)?.into_iter().zip(rows).collect())
}
