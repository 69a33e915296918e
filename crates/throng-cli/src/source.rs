//! Reads the input files of commands. A MAP is a file or `builtin:NAME`. A malformed file is refused with
//! `file:line:column: reason`.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use throng::grid::movingai::{Scenario, read_map, read_scenario};
use throng::{Grid, Tiles};
use throng_grid::limits::{Limit, MAP_FILE, SCENARIO_FILE};
use throng_lab::files;
use throng_select::{MODEL_FILE, Model};
use throng_toolkit::{DIRECTION_MAP_FILE, DirectionMap};

use crate::fetch;
use crate::output::bad_input;

/// The prefix of the name of a built-in map.
const PREFIX: &str = "builtin:";

/// Opens a MAP.
pub(crate) fn open_map(map: &str) -> Result<Tiles> {
    if map.starts_with(PREFIX) {
        return throng::grid::builtin::builtin(map)
            .map_err(|error| bad_input(format_args!("{error} (`throng list maps` shows all)")));
    }
    read_map(&read(map, MAP_FILE)?).map_err(|error| bad_input(format_args!("{map}:{error}")))
}

/// Opens a scenario file.
pub(crate) fn open_scenario(file: &str) -> Result<Scenario> {
    read_scenario(&read(file, SCENARIO_FILE)?).map_err(|error| bad_input(format_args!("{file}:{error}")))
}

/// Opens a scenario file for path queries on a map, which is called `map` in messages. Refuses a scenario made for a
/// map of another size, because its coordinates and lengths would mean nothing.
pub(crate) fn open_scenario_for(file: &str, map: &str, grid: &Grid) -> Result<Scenario> {
    let scenario = open_scenario(file)?;
    let size = grid.size();
    match scenario.problems.iter().find(|problem| problem.size != size) {
        None => Ok(scenario),
        Some(problem) => Err(bad_input(format_args!(
            "{file}:{}:1: the problem is for a map of {}×{} cells, but {map} has {}×{}",
            problem.line,
            problem.size.width(),
            problem.size.height(),
            size.width(),
            size.height(),
        ))),
    }
}

/// Opens a direction map that was saved by `throng run --save-directions`.
pub(crate) fn open_directions(file: &Path) -> Result<DirectionMap> {
    let name = file.display().to_string();
    DirectionMap::from_bytes(&read(&name, DIRECTION_MAP_FILE)?)
        .map_err(|error| bad_input(format_args!("{name}: {error}")))
}

/// Reads a model file, and refuses one that is damaged.
pub(crate) fn read_model(file: &str) -> Result<Arc<[u8]>> {
    let bytes = read(file, MODEL_FILE)?;
    Model::read(&bytes).map_err(|error| bad_input(format_args!("{file}: {error}")))?;
    Ok(bytes.into())
}

/// Reads a file up to a limit.
pub(crate) fn read(file: &str, limit: Limit) -> Result<Vec<u8>> {
    files::read(Path::new(file), limit).map_err(|error| {
        let hint = error.system().map_or_else(String::new, |_| hint(file));
        bad_input(format_args!("{error}{hint}"))
    })
}

/// Suggests a built-in map or a fetched file with the name of a file that cannot be read.
fn hint(file: &str) -> String {
    if throng::grid::builtin::BUILTINS.iter().any(|builtin| builtin.name == file) {
        return format!("; did you mean `{PREFIX}{file}`?");
    }
    let names = [file.to_owned(), format!("{file}.map")];
    let fetched = fetch::data_folder().ok().filter(|_| Path::new(file).is_relative());
    let found = fetched
        .and_then(|folder| names.map(|name| folder.join(name)).into_iter().find(|path| path.is_file()));
    found.map_or_else(String::new, |path| format!("; did you mean {}?", path.display()))
}
