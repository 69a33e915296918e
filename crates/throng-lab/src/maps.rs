//! The maps of experiments: built-in, generated, or files in one of several folders.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use throng::grid::builtin::builtin;
use throng::grid::generate::{GenerateError, generate};
use throng::grid::movingai::{ParseError, Scenario, read_map, read_scenario};
use throng::grid::spec::SpecError;
use throng::{Corners, Grid, MoveRules, Pos, Profile, Size, Tiles};
use throng_crowd::bytes::checksum;

/// The name of a map in an experiment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapName {
    /// `builtin:NAME`.
    Builtin(String),
    /// `generate:KIND@WxH#SEED`; without `#SEED` another map for each problem.
    Generated {
        /// The generator with its parameters.
        kind: String,
        /// The map's size.
        size: Size,
        /// The seed; none if each problem has another map.
        seed: Option<u64>,
    },
    /// A file.
    File(String),
    /// `FILE@WxH+X+Y`: a rectangle of a file.
    Cut {
        /// The file.
        file: String,
        /// The size of the rectangle.
        size: Size,
        /// The upper left corner of the rectangle.
        corner: Pos,
    },
}

/// Why a map or scenario cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// There is no such built-in map.
    #[error(transparent)]
    Builtin(#[from] SpecError),
    /// The map cannot be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The name of a generated map is malformed.
    #[error(
        "`{0}` is malformed: write generate:KIND@WIDTHxHEIGHT, and add #SEED to get the same map for all problems"
    )]
    Form(String),
    /// The name of a rectangle of a map is malformed.
    #[error("`{0}` is malformed: write FILE@WIDTHxHEIGHT+X+Y for a rectangle of a map")]
    CutForm(String),
    /// The rectangle is not inside the map.
    #[error("`{0}` is not inside its map")]
    Beyond(String),
    /// There is no such file.
    #[error("there is no {what} {name} in {places}{hint}")]
    Missing {
        /// `map` or `scenario`.
        what: &'static str,
        /// The name in the experiment.
        name: String,
        /// The folders that were searched.
        places: String,
        /// How to get the file.
        hint: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The file is not a map or not a scenario.
    #[error("{}:{reason}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The place and the reason.
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
                // A small map is enough to check the kind and its parameters.
                let small = Size::new(64, 64).ok_or_else(|| MapError::Form(text.to_owned()))?;
                generate(kind, small, 0)?;
            }
            Self::File(_) | Self::Cut { .. } => {}
        }
        Ok(name)
    }
}

impl MapName {
    /// Parses a name; the map need not exist.
    fn read(text: &str) -> Result<Self, MapError> {
        if text.starts_with("builtin:") {
            return Ok(Self::Builtin(text.to_owned()));
        }
        let Some(rest) = text.strip_prefix("generate:") else {
            let Some((file, part)) = text.split_once('@') else { return Ok(Self::File(text.to_owned())) };
            return Self::cut(file, part).ok_or_else(|| MapError::CutForm(text.to_owned()));
        };
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

    fn cut(file: &str, part: &str) -> Option<Self> {
        let mut numbers = part.split(['x', '+']).map(str::parse::<u32>);
        let mut next = || numbers.next()?.ok();
        let (width, height, x, y) = (next()?, next()?, next()?, next()?);
        let corner = Pos::new(i32::try_from(x).ok()?, i32::try_from(y).ok()?);
        let cut = Self::Cut { file: file.to_owned(), size: Size::new(width, height)?, corner };
        // Only the canonical form is accepted.
        (cut.to_string().strip_prefix(file)?.strip_prefix('@')? == part).then_some(cut)
    }

    /// Returns the size of a map that is generated for each problem; none for other maps.
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
            Self::Cut { file, size, corner } => {
                write!(f, "{file}@{}x{}+{}+{}", size.width(), size.height(), corner.x, corner.y)
            }
            Self::Generated { kind, size, seed } => {
                write!(f, "generate:{kind}@{}x{}", size.width(), size.height())?;
                seed.map_or(Ok(()), |seed| write!(f, "#{seed}"))
            }
        }
    }
}

/// Opens maps and scenarios and keeps them.
#[derive(Debug, Default)]
pub struct Maps {
    folders: Vec<PathBuf>,
    opened: Mutex<BTreeMap<(String, String, String), Arc<Grid>>>,
    /// The terrain of maps that all problems share; several movement rules use it.
    terrain: Mutex<BTreeMap<String, Arc<Tiles>>>,
    scenarios: Mutex<BTreeMap<String, Arc<ScenarioFile>>>,
}

/// A scenario and its file.
#[derive(Debug)]
pub struct ScenarioFile {
    /// The path of the file.
    pub path: PathBuf,
    /// Its problems.
    pub scenario: Scenario,
    /// A checksum of the file.
    pub(crate) content: u64,
}

impl Maps {
    /// Creates a source of maps that searches these folders in order.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        let mut known: Vec<PathBuf> = Vec::new();
        for folder in folders {
            if !known.contains(&folder) {
                known.push(folder);
            }
        }
        Self { folders: known, ..Self::default() }
    }

    /// Returns a map with movement rules; `seed` is for maps that are generated for each problem.
    ///
    /// # Errors
    /// If there is no such map.
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

    /// Returns the terrain of a map; a map that is generated for each problem is generated with seed 0.
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
            MapName::File(file) => self.file(file),
            MapName::Cut { file, size, corner } => {
                let whole = self.file(file)?;
                let cells = size.cells().map(|cell| {
                    let pos = size.pos(cell);
                    whole.at(Pos::new(pos.x + corner.x, pos.y + corner.y))
                });
                let terrain = cells.collect::<Option<Vec<_>>>();
                let part = terrain.and_then(|terrain| Tiles::from_terrain(*size, terrain));
                part.ok_or_else(|| MapError::Beyond(name.to_string()))
            }
        }
    }

    fn file(&self, file: &str) -> Result<Tiles, MapError> {
        let path = self.find(file)?;
        let bytes = read(&path)?;
        read_map(&bytes).map_err(|reason| MapError::Refused { path, reason })
    }

    /// Returns a checksum of a map's terrain. A map that is generated for each problem is generated with seed 0, so that the
    /// checksum changes when its generator does.
    ///
    /// # Errors
    /// If there is no such map.
    pub(crate) fn content(&self, map: &str) -> Result<u64, MapError> {
        let tiles = self.same_tiles(map)?;
        let size = [tiles.size().width(), tiles.size().height()].map(u32::to_le_bytes).concat();
        let terrain: Vec<u8> = tiles.terrain().iter().map(|&terrain| terrain as u8).collect();
        Ok(checksum(checksum(0, &size), &terrain))
    }

    /// Opens a scenario file.
    ///
    /// # Errors
    /// If there is no such file, or it is refused.
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

    /// Returns the path of a file; `.map` may be omitted.
    ///
    /// # Errors
    /// If it is in none of the folders; the error says how to get it.
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
    fn names_are_parsed_and_printed() {
        for name in [
            "builtin:arena",
            "generate:maze:corridor=2@128x64#7",
            "generate:town@96x96",
            "dao/arena.map",
            "a@8x9+1+0",
        ] {
            assert_eq!(name.parse::<MapName>().unwrap().to_string(), name);
        }
        for bad in ["generate:maze", "generate:maze@12", "generate:maze@9x9#x", "generate:maze@0x9"] {
            assert!(matches!(bad.parse::<MapName>(), Err(MapError::Form(_))), "{bad}");
        }
    }

    #[test]
    fn a_rectangle_of_a_map_has_its_terrain() {
        let folder = tempfile::tempdir().unwrap();
        let rows = "type octile\nheight 3\nwidth 4\nmap\n....\n.@..\n..TS\n";
        std::fs::write(folder.path().join("small.map"), rows).unwrap();
        let maps = Maps::new(vec![folder.path().to_owned()]);
        let grid = maps.grid("small@3x2+1+1", "forbid", "uniform", 0).unwrap();
        assert_eq!(grid.tiles(), &Tiles::picture("@..\n.TS"));
        assert!(matches!(maps.grid("small@3x3+1+1", "forbid", "uniform", 0), Err(MapError::Beyond(_))));
        for bad in ["small@3x2", "small@3x2+1", "small@0x2+1+1", "small@3x2+1+1+1", "small@03x2+1+1"] {
            assert!(matches!(bad.parse::<MapName>(), Err(MapError::CutForm(_))), "{bad}");
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
    fn maps_without_a_seed_differ_and_others_are_opened_once() {
        let maps = Maps::default();
        let make = |name: &str, seed| maps.grid(name, "forbid", "uniform", seed).unwrap();
        assert_ne!(
            make("generate:random@20x20", 1).ground().fingerprint(),
            make("generate:random@20x20", 2).ground().fingerprint()
        );
        assert!(Arc::ptr_eq(&make("generate:random@20x20#3", 1), &make("generate:random@20x20#3", 2)));
    }
}
