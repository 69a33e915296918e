//! The maps of experiments: built-in, generated, or files in one of several folders.

mod name;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use throng::grid::builtin::builtin;
use throng::grid::generate::generate;
use throng::grid::movingai::{Scenario, read_map, read_scenario};
use throng::{Grid, MoveRules, Pos, Profile, Tiles};

use crate::hash::checksum;
pub use name::{MapError, MapName};

/// Opens maps and scenarios and keeps them.
#[derive(Debug, Default)]
pub struct Maps {
    folders: Vec<PathBuf>,
    opened: Kept<(String, String, String), Grid>,
    /// The terrain of maps that all problems share; several movement rules use it.
    terrain: Kept<String, Tiles>,
    scenarios: Kept<String, ScenarioFile>,
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

    /// Returns a map whose agents move in eight directions; `seed` is for maps that are generated for each problem.
    ///
    /// # Errors
    /// If there is no such map.
    pub fn grid(&self, map: &str, corners: &str, terrain: &str, seed: u64) -> Result<Arc<Grid>, MapError> {
        self.grid_with(map, MoveRules::eight_way(corners.parse().unwrap_or_default()), terrain, seed)
    }

    /// Returns a map with movement rules; `seed` is for maps that are generated for each problem.
    ///
    /// # Errors
    /// If there is no such map.
    pub fn grid_with(
        &self,
        map: &str,
        rules: MoveRules,
        terrain: &str,
        seed: u64,
    ) -> Result<Arc<Grid>, MapError> {
        let directions = if rules.four_way { 4 } else { 8 };
        let key = (map.to_owned(), format!("{} {directions}", rules.corners.name()), terrain.to_owned());
        let profile = if terrain == "wc3" { Profile::WC3 } else { Profile::WALKER };
        if MapName::fresh(map).is_some() {
            return Ok(Arc::new(Grid::with_profile(self.tiles(&MapName::read(map)?, seed)?, rules, profile)));
        }
        kept(&self.opened, key, || {
            Ok(Grid::with_profile(self.same_tiles(map)?.as_ref().clone(), rules, profile))
        })
    }

    /// Returns the terrain of a map; a map that is generated for each problem is generated with seed 0.
    fn same_tiles(&self, map: &str) -> Result<Arc<Tiles>, MapError> {
        kept(&self.terrain, map.to_owned(), || self.tiles(&MapName::read(map)?, 0))
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
        kept(&self.scenarios, file.to_owned(), || {
            let path = self.look_for("scenario", file)?;
            let bytes = read(&path)?;
            match read_scenario(&bytes) {
                Ok(scenario) => Ok(ScenarioFile { path, scenario, content: checksum(0, &bytes) }),
                Err(reason) => Err(MapError::Refused { path, reason }),
            }
        })
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

/// The values that were made, by key.
type Kept<K, T> = Mutex<BTreeMap<K, Arc<T>>>;

/// Returns the value of a key, which is made if it is not kept. The lock is free meanwhile, as large maps take long.
fn kept<K: Ord, T>(
    known: &Kept<K, T>,
    key: K,
    make: impl FnOnce() -> Result<T, MapError>,
) -> Result<Arc<T>, MapError> {
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = lock().get(&key) {
        return Ok(Arc::clone(value));
    }
    let value = Arc::new(make()?);
    lock().insert(key, Arc::clone(&value));
    Ok(value)
}

fn read(path: &Path) -> Result<Vec<u8>, MapError> {
    std::fs::read(path)
        .map_err(|error| MapError::Unreadable { path: path.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

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
