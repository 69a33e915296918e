//! Where a command's input comes from: a MAP is a file or `builtin:NAME`, a scenario is a file. What cannot be
//! used is refused with its place, `file:line:column: reason`.

use std::fs;
use std::path::Path;

use anyhow::Result;
use throng::Tiles;
use throng::crowd::DirectionMap;
use throng::grid::movingai::{Scenario, read_map, read_scenario};

use crate::fetch;
use crate::output::bad_input;

/// The word before the name of a built-in map.
const PREFIX: &str = "builtin:";

/// Opens a MAP.
pub(crate) fn open_map(map: &str) -> Result<Tiles> {
    if map.starts_with(PREFIX) {
        return throng::grid::builtin::builtin(map)
            .map_err(|error| bad_input(format_args!("{error} (`throng list maps` shows all)")));
    }
    read_map(&read(map)?).map_err(|error| bad_input(format_args!("{map}:{error}")))
}

/// Opens a scenario file.
pub(crate) fn open_scenario(file: &str) -> Result<Scenario> {
    read_scenario(&read(file)?).map_err(|error| bad_input(format_args!("{file}:{error}")))
}

/// Opens a direction map that was learned.
pub(crate) fn open_directions(file: &Path) -> Result<DirectionMap> {
    let name = file.display().to_string();
    DirectionMap::from_bytes(&read(&name)?).map_err(|error| bad_input(format_args!("{name}: {error}")))
}

/// The bytes of a file.
pub(crate) fn read(file: &str) -> Result<Vec<u8>> {
    fs::read(file).map_err(|error| bad_input(format_args!("cannot read {file}: {error}{}", hint(file))))
}

/// What the user may have meant by the name of a file that cannot be read.
fn hint(file: &str) -> String {
    if throng::grid::builtin::BUILTINS.iter().any(|builtin| builtin.name == file) {
        return format!("; did you mean `{PREFIX}{file}`?");
    }
    let fetched = fetch::data_folder().map(|folder| folder.join(file));
    match fetched {
        Ok(path) if Path::new(file).is_relative() && path.is_file() => {
            format!("; did you mean {}?", path.display())
        }
        _ => String::new(),
    }
}
