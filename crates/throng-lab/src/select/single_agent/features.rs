//! Features of the maps and problems whose walks are stored.
//!
//! `maps-features.parquet` has the features of each map, and the means of the features of [`SAMPLES`] single agents with random
//! starts and goals. They are drawn with another seed than the problems that the configurations walked.
//! `problems-features.parquet` has the features of each problem of one map, and the coordinates of its start and goal.

use std::path::Path;

use throng::grid::random_queries;
use throng::{Cell, Corners, Ground};
use throng_select::{FEATURES, MapFeatures, instance_features};

use super::stored::{integers, text};
use super::{MAP_FEATURES_FILE, PROBLEM_FEATURES_FILE, PROBLEM_MAP, SelectError, StoredWalks};
use crate::Maps;
use crate::store::{TableColumn, write_table};
use crate::task::scenario_ends;

/// The number of random agents per map.
const SAMPLES: usize = 64;

/// The seed of the random agents.
const SEED: u64 = 0x5E1E_C700;

/// Computes the features of all maps whose walks are stored. Returns the number of maps.
///
/// # Errors
/// If the walks or a map are missing, or the file cannot be written.
pub fn write_map_features(maps: &Maps, folder: &Path) -> Result<usize, SelectError> {
    let walks = StoredWalks::read_maps(folder)?;
    let mut rows = Vec::new();
    for walks in &walks {
        let grid = maps.grid(&walks.map, Corners::Forbid.name(), "uniform", 0)?;
        rows.push(map_row(grid.ground()));
    }
    let mut columns = vec![
        text("game", walks.iter().map(super::MapWalks::game)),
        text("map", walks.iter().map(|walks| walks.map.as_str())),
    ];
    columns.extend(feature_columns(FEATURES.iter().map(|feature| feature.name), &rows));
    write_table(&folder.join(MAP_FEATURES_FILE), &columns)?;
    Ok(walks.len())
}

/// Returns the features of a map, with the means of those of random agents.
fn map_row(ground: &Ground) -> Vec<i32> {
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

/// Computes the features of the problems of one map. Returns the number of problems.
///
/// # Errors
/// If the map or its scenario is missing, or the file cannot be written.
pub fn write_problem_features(maps: &Maps, folder: &Path) -> Result<usize, SelectError> {
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
    let rows: Vec<Vec<i32>> = problems.iter().map(row).collect();
    let names = FEATURES.iter().map(|feature| feature.name).chain(["start_x", "start_y", "goal_x", "goal_y"]);
    let mut columns = vec![integers("problem", 0..problems.len() as i64)];
    columns.extend(feature_columns(names, &rows));
    write_table(&folder.join(PROBLEM_FEATURES_FILE), &columns)?;
    Ok(problems.len())
}

/// Returns one column per feature.
pub(in crate::select) fn feature_columns<'a>(
    names: impl Iterator<Item = &'a str>,
    rows: &[Vec<i32>],
) -> Vec<TableColumn> {
    names.enumerate().map(|(at, name)| integers(name, rows.iter().map(|row| i64::from(row[at])))).collect()
}
