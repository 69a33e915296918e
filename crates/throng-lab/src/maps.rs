//! The maps of experiments: built in, generated, or files looked for in several folders.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use throng::crowd::bytes::checksum;
use throng::grid::builtin::builtin;
use throng::grid::generate::{GenerateError, generate};
use throng::grid::movingai::{ParseError, Scenario, read_map, read_scenario};
use throng::grid::spec::SpecError;
use throng::{Corners, Grid, MoveRules, Profile, Size, Tiles};

/// A map as experiments name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapName {
    /// `builtin:NAME`.
    Builtin(String),
    /// `generate:KIND@WxH#SEED`; without `#SEED` a map of its own for each problem.
    Generated {
        /// The generator with its parameters.
        kind: String,
        /// The map's size.
        size: Size,
        /// The seed, if it is always the same map.
        seed: Option<u64>,
    },
    /// A file.
    File(String),
}

/// Why there is no such map.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// There is no such built-in map.
    #[error(transparent)]
    Builtin(#[from] SpecError),
    /// It cannot be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// It is not written as generated maps are.
    #[error(
        "`{0}` is no generated map: write generate:KIND@WIDTHxHEIGHT, with #SEED for always the same one"
    )]
    Form(String),
    /// There is no such file.
    #[error("there is no {what} {name} in {places}{hint}")]
    Missing {
        /// A map or a scenario.
        what: &'static str,
        /// As the experiment names it.
        name: String,
        /// Where it was looked for.
        places: String,
        /// How to get it.
        hint: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file is no map, or no scenario.
    #[error("{}:{reason}", path.display())]
    Refused {
        /// Which file.
        path: PathBuf,
        /// Where and why.
        reason: ParseError,
    },
}

impl FromStr for MapName {
    type Err = MapError;

    fn from_str(text: &str) -> Result<Self, MapError> {
        let name = Self::read(text)?;
        match &name {
            Self::Builtin(name) => drop(builtin(name)?),
            Self::Generated { kind, .. } => {
                // The kind and its parameters are checked on a small map.
                let small = Size::new(64, 64).ok_or_else(|| MapError::Form(text.to_owned()))?;
                generate(kind, small, 0)?;
            }
            Self::File(_) => {}
        }
        Ok(name)
    }
}

impl MapName {
    /// A name as it is written, whether or not there is such a map.
    fn read(text: &str) -> Result<Self, MapError> {
        if text.starts_with("builtin:") {
            return Ok(Self::Builtin(text.to_owned()));
        }
        let Some(rest) = text.strip_prefix("generate:") else { return Ok(Self::File(text.to_owned())) };
        let parts = || {
            let (kind, rest) = rest.split_once('@')?;
            let (size, seed) = rest.split_once('#').map_or((rest, None), |(size, seed)| (size, Some(seed)));
            let (width, height) = size.split_once('x')?;
            let size = Size::new(width.parse().ok()?, height.parse().ok()?)?;
            let seed = seed.map(str::parse).transpose().ok()?;
            Some(Self::Generated { kind: kind.to_owned(), size, seed })
        };
        parts().ok_or_else(|| MapError::Form(text.to_owned()))
    }

    /// The size of a map that is made for each problem; nothing for those that are always the same.
    pub(crate) fn fresh(text: &str) -> Option<Size> {
        match Self::read(text) {
            Ok(Self::Generated { size, seed: None, .. }) => Some(size),
            _ => None,
        }
    }
}

impl fmt::Display for MapName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin(name) | Self::File(name) => f.write_str(name),
            Self::Generated { kind, size, seed } => {
                write!(f, "generate:{kind}@{}x{}", size.width(), size.height())?;
                seed.map_or(Ok(()), |seed| write!(f, "#{seed}"))
            }
        }
    }
}

/// Opens maps and scenarios, each once.
#[derive(Debug, Default)]
pub struct Maps {
    folders: Vec<PathBuf>,
    opened: Mutex<BTreeMap<(String, String, String), Arc<Grid>>>,
    /// The terrain of maps that are always the same: it serves under several rules.
    terrain: Mutex<BTreeMap<String, Arc<Tiles>>>,
    scenarios: Mutex<BTreeMap<String, Arc<ScenarioFile>>>,
}

/// A scenario and the file that it is from.
#[derive(Debug)]
pub struct ScenarioFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its problems.
    pub scenario: Scenario,
    /// A checksum of its bytes.
    pub(crate) content: u64,
}

impl Maps {
    /// Files are looked for in these folders, in order.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        let mut known: Vec<PathBuf> = Vec::new();
        for folder in folders {
            if !known.contains(&folder) {
                known.push(folder);
            }
        }
        Self { folders: known, ..Self::default() }
    }

    /// A map under rules; the seed is for those that are made for each problem.
    ///
    /// # Errors
    /// When there is no such map.
    pub fn grid(&self, map: &str, corners: &str, terrain: &str, seed: u64) -> Result<Arc<Grid>, MapError> {
        let key = (map.to_owned(), corners.to_owned(), terrain.to_owned());
        let known = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(grid) = known().get(&key) {
            return Ok(Arc::clone(grid));
        }
        let profile = if terrain == "wc3" { Profile::WC3 } else { Profile::WALKER };
        let corners: Corners = corners.parse().unwrap_or_default();
        let rules = MoveRules::eight_way(corners);
        if MapName::fresh(map).is_some() {
            return Ok(Arc::new(Grid::with_profile(self.tiles(&MapName::read(map)?, seed)?, rules, profile)));
        }
        let grid = Arc::new(Grid::with_profile(self.same_tiles(map)?.as_ref().clone(), rules, profile));
        known().insert(key, Arc::clone(&grid));
        Ok(grid)
    }

    /// The terrain of a map; of one that is made for each problem as it is made from seed 0.
    fn same_tiles(&self, map: &str) -> Result<Arc<Tiles>, MapError> {
        let known = || self.terrain.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tiles) = known().get(map) {
            return Ok(Arc::clone(tiles));
        }
        let tiles = Arc::new(self.tiles(&MapName::read(map)?, 0)?);
        known().insert(map.to_owned(), Arc::clone(&tiles));
        Ok(tiles)
    }

    fn tiles(&self, name: &MapName, own_seed: u64) -> Result<Tiles, MapError> {
        match name {
            MapName::Builtin(name) => Ok(builtin(name)?),
            MapName::Generated { kind, size, seed } => Ok(generate(kind, *size, seed.unwrap_or(own_seed))?),
            MapName::File(file) => {
                let path = self.find(file)?;
                let bytes = read(&path)?;
                read_map(&bytes).map_err(|reason| MapError::Refused { path, reason })
            }
        }
    }

    /// A checksum of a map's terrain. One that is made for each problem counts as it is made from seed 0, so that it
    /// changes when its generator does.
    ///
    /// # Errors
    /// When there is no such map.
    pub(crate) fn content(&self, map: &str) -> Result<u64, MapError> {
        let tiles = self.same_tiles(map)?;
        let size = [tiles.size().width(), tiles.size().height()].map(u32::to_le_bytes).concat();
        let terrain: Vec<u8> = tiles.terrain().iter().map(|&terrain| terrain as u8).collect();
        Ok(checksum(checksum(0, &size), &terrain))
    }

    /// A scenario file.
    ///
    /// # Errors
    /// When there is no such file, or it is refused.
    pub fn scenario(&self, file: &str) -> Result<Arc<ScenarioFile>, MapError> {
        let known = || self.scenarios.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(scenario) = known().get(file) {
            return Ok(Arc::clone(scenario));
        }
        let path = self.look_for("scenario", file)?;
        let bytes = read(&path)?;
        let scenario = match read_scenario(&bytes) {
            Ok(scenario) => Arc::new(ScenarioFile { path, scenario, content: checksum(0, &bytes) }),
            Err(reason) => return Err(MapError::Refused { path, reason }),
        };
        known().insert(file.to_owned(), Arc::clone(&scenario));
        Ok(scenario)
    }

    /// Where a file lies; `.map` may be left out.
    ///
    /// # Errors
    /// When it is in none of the folders; the error says how to get it.
    pub fn find(&self, file: &str) -> Result<PathBuf, MapError> {
        self.look_for("map", file)
    }

    fn look_for(&self, what: &'static str, file: &str) -> Result<PathBuf, MapError> {
        let names = [file.to_owned(), format!("{file}.map")];
        let mut places =
            self.folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        places.find(|path| path.is_file()).ok_or_else(|| {
            let places: Vec<String> =
                self.folders.iter().map(|folder| folder.display().to_string()).collect();
            let set = Path::new(file).parent().filter(|folder| !folder.as_os_str().is_empty());
            let hint = set.and_then(|folder| folder.components().next()).map(|set| {
                let set = set.as_os_str().to_string_lossy().into_owned();
                format!("; `throng maps fetch {set}` gets the set {set}, or set THRONG_DATA to where it is")
            });
            MapError::Missing {
                what,
                name: file.to_owned(),
                places: if places.is_empty() { "any folder".to_owned() } else { places.join(", ") },
                hint: hint.unwrap_or_default(),
            }
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, MapError> {
    std::fs::read(path)
        .map_err(|error| MapError::Unreadable { path: path.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in
            ["builtin:arena", "generate:maze:corridor=2@128x64#7", "generate:town@96x96", "dao/arena.map"]
        {
            assert_eq!(name.parse::<MapName>().unwrap().to_string(), name);
        }
        for bad in ["generate:maze", "generate:maze@12", "generate:maze@9x9#x", "generate:maze@0x9"] {
            assert!(matches!(bad.parse::<MapName>(), Err(MapError::Form(_))), "{bad}");
        }
    }

    #[test]
    fn a_missing_map_says_what_to_fetch() {
        let error =
            Maps::new(vec!["nowhere".into()]).grid("dao/arena.map", "allow", "uniform", 1).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("dao/arena.map") && error.contains("throng maps fetch dao"), "{error}");
    }

    #[test]
    fn maps_of_each_problem_differ_and_others_are_opened_once() {
        let maps = Maps::default();
        let make = |name: &str, seed| maps.grid(name, "forbid", "uniform", seed).unwrap();
        assert_ne!(
            make("generate:random@20x20", 1).ground().fingerprint(),
            make("generate:random@20x20", 2).ground().fingerprint()
        );
        assert!(Arc::ptr_eq(&make("generate:random@20x20#3", 1), &make("generate:random@20x20#3", 2)));
    }
}
