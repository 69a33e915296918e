//! The stored walks of all configurations, as Parquet files that are small enough for the repository.
//!
//! `rths-configurations.parquet` numbers the configurations. `rths-maps.parquet` has one row per map and configuration: the
//! number of problems, the mean of cost over optimum, the same mean over the odd and over the even problems, and the number of walks
//! that did not arrive. `rths-problems.parquet` has
//! one row per problem of one map and configuration. Cost over optimum is in percent; 10,000 is the cap.

use std::collections::BTreeMap;
use std::path::Path;

use throng_search::real_time::LearningOperator;

use super::SelectError;
use crate::columns::{ColumnKind, RowPart, SharedSettings};
use crate::files::Files;
use crate::select::configurations;
use crate::store::{TableColumn, read_table, write_table};
use crate::task::{WalkMeasures, WalkSettings, decode_walks};
use crate::{Results, RunRow, Value};

/// The file of the configurations.
pub const CONFIGURATIONS_FILE: &str = "rths-configurations.parquet";

/// The file of the walks on maps.
pub const MAPS_FILE: &str = "rths-maps.parquet";

/// The file of the walks on the problems of one map.
pub const PROBLEMS_FILE: &str = "rths-problems.parquet";

/// The experiment whose walks are stored by map.
const MAPS_EXPERIMENT: &str = "rths-maps";

/// The experiment whose walks are stored by problem.
const PROBLEMS_EXPERIMENT: &str = "rths-problems";

/// The walks of all configurations on one map.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MapWalks {
    /// The name of the map with its set, such as `dao/arena`.
    pub map: String,
    /// The number of problems.
    pub problems: usize,
    /// The mean of cost over optimum in percent, by configuration.
    pub suboptimality: Vec<u32>,
    /// The same mean over the first, third, … problem, and over the second, fourth, … one.
    pub halves: [Vec<u32>; 2],
    /// The number of walks that did not arrive, by configuration.
    pub capped: Vec<u32>,
}

impl MapWalks {
    /// Returns the game, which is the set of the map.
    pub fn game(&self) -> &str {
        self.map.split_once('/').map_or("", |(game, _)| game)
    }
}

/// Stored walks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoredWalks {
    /// The walks by map, in the order of their names.
    pub maps: Vec<MapWalks>,
    /// Cost over optimum in percent by problem and then by configuration.
    pub problems: Vec<Vec<u32>>,
}

impl StoredWalks {
    /// Takes the walks from results. Blocks of problems of the same map are joined.
    ///
    /// # Errors
    /// If the runs have different numbers of configurations or caps, or a problem between others is missing.
    pub fn from_results(results: &Results) -> Result<Self, SelectError> {
        let of = |experiment: &str| -> Vec<&RunRow> {
            results.rows.iter().filter(|row| row.text("experiment") == Some(experiment)).collect()
        };
        Ok(Self { maps: maps(&of(MAPS_EXPERIMENT))?, problems: problems(&of(PROBLEMS_EXPERIMENT))? })
    }

    /// Writes the files of the configurations, and of maps and problems if there are any.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SelectError> {
        let count = |values: Option<&Vec<u32>>| values.map_or(0, Vec::len);
        let of_maps = count(self.maps.first().map(|walks| &walks.suboptimality));
        let configurations = of_maps.max(count(self.problems.first()));
        write_table(
            &Files::default(),
            &folder.join(CONFIGURATIONS_FILE),
            &configuration_columns(configurations),
        )?;
        if !self.maps.is_empty() {
            write_table(&Files::default(), &folder.join(MAPS_FILE), &self.map_columns())?;
        }
        if !self.problems.is_empty() {
            write_table(&Files::default(), &folder.join(PROBLEMS_FILE), &self.problem_columns())?;
        }
        Ok(())
    }

    fn map_columns(&self) -> Vec<TableColumn> {
        let rows = || {
            self.maps
                .iter()
                .flat_map(|walks| (0..walks.suboptimality.len()).map(move |number| (walks, number)))
        };
        vec![
            text("game", rows().map(|(walks, _)| walks.game())),
            text("map", rows().map(|(walks, _)| walks.map.as_str())),
            integers("problems", rows().map(|(walks, _)| walks.problems as i64)),
            integers("configuration", rows().map(|(_, number)| number as i64)),
            integers("suboptimality", rows().map(|(walks, number)| i64::from(walks.suboptimality[number]))),
            integers("first_half", rows().map(|(walks, number)| i64::from(walks.halves[0][number]))),
            integers("second_half", rows().map(|(walks, number)| i64::from(walks.halves[1][number]))),
            integers("capped", rows().map(|(walks, number)| i64::from(walks.capped[number]))),
        ]
    }

    fn problem_columns(&self) -> Vec<TableColumn> {
        let rows = || {
            let problems = self.problems.iter().enumerate();
            problems.flat_map(|(problem, values)| {
                values.iter().enumerate().map(move |(number, &value)| (problem, number, value))
            })
        };
        vec![
            integers("problem", rows().map(|(problem, _, _)| problem as i64)),
            integers("configuration", rows().map(|(_, number, _)| number as i64)),
            integers("suboptimality", rows().map(|(_, _, value)| i64::from(value))),
        ]
    }

    /// Reads the walks on maps.
    ///
    /// # Errors
    /// If the file is missing or damaged.
    pub fn read_maps(folder: &Path) -> Result<Vec<MapWalks>, SelectError> {
        let table = Table::read(folder, MAPS_FILE)?;
        let (maps, problems) = (table.texts("map")?, table.integers("problems")?);
        let (numbers, values) = (table.integers("configuration")?, table.integers("suboptimality")?);
        let capped = table.integers("capped")?;
        let halves = [table.integers("first_half")?, table.integers("second_half")?];
        let mut all: Vec<MapWalks> = Vec::new();
        for row in 0..maps.len() {
            if all.last().is_none_or(|walks| walks.map != maps[row]) {
                all.push(MapWalks {
                    map: maps[row].clone(),
                    problems: problems[row] as usize,
                    ..MapWalks::default()
                });
            }
            let Some(walks) = all.last_mut().filter(|walks| walks.suboptimality.len() as i64 == numbers[row])
            else {
                return Err(table.damaged("the configurations of a map are not in order"));
            };
            walks.suboptimality.push(values[row] as u32);
            walks.capped.push(capped[row] as u32);
            for (of_map, values) in walks.halves.iter_mut().zip(&halves) {
                of_map.push(values[row] as u32);
            }
        }
        if all.iter().any(|walks| walks.suboptimality.len() != all[0].suboptimality.len()) {
            return Err(table.damaged("the maps have different numbers of configurations"));
        }
        Ok(all)
    }

    /// Reads the walks on problems: cost over optimum in percent by problem and then by configuration.
    ///
    /// # Errors
    /// If the file is missing or damaged.
    pub fn read_problems(folder: &Path) -> Result<Vec<Vec<u32>>, SelectError> {
        let table = Table::read(folder, PROBLEMS_FILE)?;
        let (problems, values) = (table.integers("problem")?, table.integers("suboptimality")?);
        let numbers = table.integers("configuration")?;
        let mut all: Vec<Vec<u32>> = Vec::new();
        for row in 0..problems.len() {
            if all.len() as i64 <= problems[row] {
                all.push(Vec::new());
            }
            let last = all.len() as i64 - 1;
            let Some(walks) =
                all.last_mut().filter(|walks| last == problems[row] && walks.len() as i64 == numbers[row])
            else {
                return Err(table.damaged("the configurations of a problem are not in order"));
            };
            walks.push(values[row] as u32);
        }
        if all.iter().any(|walks| walks.len() != all[0].len()) {
            return Err(table.damaged("the problems have different numbers of configurations"));
        }
        Ok(all)
    }
}

/// Checks that the stored configurations are those that this program numbers in the same way.
///
/// # Errors
/// If they are not, or the file is missing or damaged.
pub(super) fn check_configurations(folder: &Path, count: usize) -> Result<(), SelectError> {
    let table = Table::read(folder, CONFIGURATIONS_FILE)?;
    for expected in configuration_columns(count) {
        let stored = table.column(&expected.name, |value| Some(value.clone()))?;
        let expected: Vec<Value> = expected.values.into_iter().flatten().collect();
        if stored.get(..count) != Some(&expected) {
            return Err(table.damaged("its configurations are not those of this program"));
        }
    }
    Ok(())
}

/// The sums over the problems of a map.
struct Sums {
    problems: [u64; 2],
    /// By half of the problems, then by configuration.
    percent: [Vec<u64>; 2],
    capped: Vec<u32>,
}

impl Sums {
    fn new(configurations: usize) -> Self {
        let zeros = || vec![0; configurations];
        Self { problems: [0; 2], percent: [zeros(), zeros()], capped: vec![0; configurations] }
    }

    /// Adds the walks of the next problem.
    fn add(&mut self, walks: &[u32], cap: u64) {
        let half = usize::from(self.problems[0] > self.problems[1]);
        self.problems[half] += 1;
        for ((sum, capped), &value) in self.percent[half].iter_mut().zip(&mut self.capped).zip(walks) {
            *sum += u64::from(value);
            *capped += u32::from(u64::from(value) == 100 * cap);
        }
    }

    fn walks(self, map: String) -> MapWalks {
        let mean = |sum: u64, count: u64| ((2 * sum + count) / (2 * count).max(1)) as u32;
        let [first, second] = &self.percent;
        let [one, other] = self.problems;
        MapWalks {
            map,
            problems: (one + other) as usize,
            suboptimality: first.iter().zip(second).map(|(a, b)| mean(a + b, one + other)).collect(),
            halves: [0, 1]
                .map(|at| self.percent[at].iter().map(|&sum| mean(sum, self.problems[at])).collect()),
            capped: self.capped,
        }
    }
}

/// Returns the walks of some runs by map; the blocks of a map are joined.
fn maps(rows: &[&RunRow]) -> Result<Vec<MapWalks>, SelectError> {
    let mut all: BTreeMap<String, Sums> = BTreeMap::new();
    for row in rows {
        let (configurations, cap, values) = walks(row, rows[0])?;
        let sums = all.entry(SharedSettings::load(row).map).or_insert_with(|| Sums::new(configurations));
        values.chunks(configurations).for_each(|walks| sums.add(walks, cap));
    }
    let walked = all.into_iter().filter(|(_, sums)| sums.problems != [0; 2]);
    Ok(walked.map(|(map, sums)| sums.walks(map)).collect())
}

/// Returns the walks of some runs by problem.
fn problems(rows: &[&RunRow]) -> Result<Vec<Vec<u32>>, SelectError> {
    let mut blocks: BTreeMap<u64, Vec<Vec<u32>>> = BTreeMap::new();
    for row in rows {
        let (configurations, _, values) = walks(row, rows[0])?;
        let walks = values.chunks(configurations).map(<[u32]>::to_vec).collect();
        blocks.insert(SharedSettings::load(row).instance, walks);
    }
    let missing = (0..).zip(blocks.keys()).find(|(number, block)| number != *block);
    match missing {
        Some((number, _)) => Err(SelectError::Runs(format!("block {number} of the problems is missing"))),
        None => Ok(blocks.into_values().flatten().collect()),
    }
}

/// Returns the number of configurations, the cap and the values of a run, which has the settings of the first one.
fn walks(row: &RunRow, first: &RunRow) -> Result<(usize, u64, Vec<u32>), SelectError> {
    let (settings, expected) = (WalkSettings::load(row), WalkSettings::load(first));
    if settings != expected {
        let different =
            "the runs have different numbers of problems or configurations, or caps: take one scale";
        return Err(SelectError::Runs(different.to_owned()));
    }
    let values = WalkMeasures::load(row).suboptimalities.as_deref().and_then(decode_walks);
    let whole = values.filter(|values| values.len() % settings.configurations == 0);
    let damaged = || SelectError::Runs(format!("the walks of {} are damaged", SharedSettings::load(row).map));
    whole.map(|values| (settings.configurations, settings.cap, values)).ok_or_else(damaged)
}

fn configuration_columns(count: usize) -> Vec<TableColumn> {
    let all = configurations(count);
    let floats = |name: &str,
                  value: fn(usize, &[throng_search::real_time::RthsParameters]) -> Value,
                  kind| TableColumn {
        name: name.to_owned(),
        kind,
        values: (0..count).map(|at| Some(value(at, &all))).collect(),
    };
    let operator = |at: usize, all: &[throng_search::real_time::RthsParameters]| {
        let place = LearningOperator::ALL.iter().position(|&operator| operator == all[at].operator);
        Value::from(LearningOperator::NAMES[place.unwrap_or(0)])
    };
    vec![
        floats("configuration", |at, _| Value::from(at as i64), ColumnKind::Integer),
        floats("w", |at, all| Value::from(all[at].weight), ColumnKind::Float),
        floats("wc", |at, all| Value::from(all[at].cost_weight), ColumnKind::Float),
        floats("b", |at, all| Value::from(all[at].beam), ColumnKind::Float),
        floats("lop", operator, ColumnKind::Text),
        floats("da", |at, all| Value::from(all[at].avoid_depressions), ColumnKind::Flag),
        floats("expendable", |at, all| Value::from(all[at].expendable), ColumnKind::Flag),
    ]
}

/// Returns a column of texts.
pub(in crate::select) fn text<'a>(name: &str, values: impl Iterator<Item = &'a str>) -> TableColumn {
    TableColumn {
        name: name.to_owned(),
        kind: ColumnKind::Text,
        values: values.map(|value| Some(value.into())).collect(),
    }
}

/// Returns a column of integers.
pub(in crate::select) fn integers(name: &str, values: impl Iterator<Item = i64>) -> TableColumn {
    TableColumn {
        name: name.to_owned(),
        kind: ColumnKind::Integer,
        values: values.map(|value| Some(value.into())).collect(),
    }
}

/// A file that was read.
pub(in crate::select) struct Table {
    path: std::path::PathBuf,
    pub(in crate::select) columns: Vec<TableColumn>,
}

impl Table {
    /// Reads a file of the folder.
    pub(in crate::select) fn read(folder: &Path, file: &str) -> Result<Self, SelectError> {
        let path = folder.join(file);
        if !path.is_file() {
            return Err(SelectError::Missing(path));
        }
        Ok(Self { columns: read_table(&path)?, path })
    }

    /// Returns an error that names the file.
    pub(in crate::select) fn damaged(&self, reason: &str) -> SelectError {
        SelectError::Store(crate::StoreError::Damaged { path: self.path.clone(), reason: reason.to_owned() })
    }

    fn column<T>(&self, name: &str, value: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>, SelectError> {
        let column = self.columns.iter().find(|column| column.name == name);
        let values =
            column.and_then(|column| column.values.iter().map(|it| it.as_ref().and_then(&value)).collect());
        values
            .ok_or_else(|| self.damaged(&format!("the column `{name}` is missing or has no value in a row")))
    }

    /// Returns the values of a column of integers that are not negative.
    pub(in crate::select) fn integers(&self, name: &str) -> Result<Vec<i64>, SelectError> {
        self.column(name, |value| {
            value.integer().filter(|&number| (0..=i64::from(u32::MAX)).contains(&number))
        })
    }

    /// Returns the values of a column of integers of any size.
    pub(in crate::select) fn large_integers(&self, name: &str) -> Result<Vec<i64>, SelectError> {
        self.column(name, Value::integer)
    }

    /// Returns the values of a column of texts.
    pub(in crate::select) fn texts(&self, name: &str) -> Result<Vec<String>, SelectError> {
        self.column(name, |value| value.text().map(str::to_owned))
    }

    /// Returns the names of the other columns, and their values by row, as 32-bit integers.
    pub(in crate::select) fn features(
        &self,
        keys: &[&str],
    ) -> Result<(Vec<String>, Vec<Vec<i32>>), SelectError> {
        let others = || self.columns.iter().filter(|column| !keys.contains(&column.name.as_str()));
        let names: Vec<String> = others().map(|column| column.name.clone()).collect();
        let small = |value: &Value| value.integer().and_then(|number| i32::try_from(number).ok());
        let columns = names.iter().map(|name| self.column(name, small)).collect::<Result<Vec<_>, _>>()?;
        let rows = others().next().map_or(0, |column| column.values.len());
        Ok((names, (0..rows).map(|row| columns.iter().map(|column| column[row]).collect()).collect()))
    }
}
