//! The features of stored crowds, in a Parquet file beside their runs, so that evaluations need no maps.

use std::collections::BTreeMap;
use std::path::Path;

use throng::{Cell, Corners};
use throng_select::{FEATURES, MapFeatures, instance_features};

use super::crowd::ProblemKey;
use super::single_agent::{SelectError, Table, feature_columns, integers, text};
use crate::store::write_table;
use crate::{Instance, Maps, ProblemType};

/// The file of the features of crowds.
pub const CROWD_FEATURES_FILE: &str = "crowd-features.parquet";

/// The corner rule of the experiment `mapf-types`.
const CORNERS: Corners = Corners::Allow;

/// The columns of a crowd that are no features. The number of agents is a feature.
const CROWD_KEYS: [&str; 5] = ["game", "map", "type", "instance", "seed"];

/// Returns start and goal of each agent.
pub fn ends(instance: &Instance) -> Vec<(Cell, Cell)> {
    instance.starts.iter().copied().zip(instance.goals.iter().copied()).collect()
}

/// Computes and writes the features of crowds; calls `progress` after each.
///
/// # Errors
/// If a map cannot be opened, a problem cannot be made, or the file cannot be written.
pub fn write_crowds(
    maps: &Maps,
    folder: &Path,
    keys: &[ProblemKey],
    mut progress: impl FnMut(),
) -> Result<(), SelectError> {
    let mut opened: BTreeMap<&str, _> = BTreeMap::new();
    let mut rows = Vec::with_capacity(keys.len());
    for key in keys {
        if !opened.contains_key(key.map.as_str()) {
            let grid = maps.grid(&key.map, CORNERS.name(), "uniform", key.seed)?;
            let features = MapFeatures::of(grid.ground());
            opened.insert(&key.map, (grid, features));
        }
        let (grid, features) = &opened[key.map.as_str()];
        let refused = |reason: String| SelectError::Runs(format!("{}: {reason}", key.map));
        let kind: ProblemType = key.kind.parse().map_err(|error| refused(format!("{error}")))?;
        let instance = Instance::generate(grid.ground(), kind, key.agents, key.seed)
            .map_err(|error| refused(error.to_string()))?;
        rows.push(instance_features(features, grid.ground(), &ends(&instance)).values().to_vec());
        progress();
    }
    let mut columns = vec![
        text("game", keys.iter().map(|key| key.game.as_str())),
        text("map", keys.iter().map(|key| key.map.as_str())),
        text("type", keys.iter().map(|key| key.kind.as_str())),
        integers("instance", keys.iter().map(|key| key.instance as i64)),
        integers("seed", keys.iter().map(|key| key.seed as i64)),
    ];
    columns.extend(feature_columns(FEATURES.iter().map(|feature| feature.name), &rows));
    Ok(write_table(&folder.join(CROWD_FEATURES_FILE), &columns)?)
}

/// Reads the features of crowds.
///
/// # Errors
/// If the file is missing, damaged, or has other features than this program computes.
pub fn read_crowds(folder: &Path) -> Result<BTreeMap<ProblemKey, Vec<i32>>, SelectError> {
    let table = Table::read(folder, CROWD_FEATURES_FILE)?;
    let (names, rows) = table.features(&CROWD_KEYS)?;
    if !names.iter().map(String::as_str).eq(FEATURES.iter().map(|feature| feature.name)) {
        return Err(
            table.damaged("it has other features than this program computes: run `throng select features`")
        );
    }
    let (games, maps, kinds) = (table.texts("game")?, table.texts("map")?, table.texts("type")?);
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
    Ok(rows.into_iter().enumerate().map(|(row, values)| (key(row), values)).collect())
}
