//! What the runs of a sweep share: maps, problems with the lengths of their shortest paths, and the stop flag.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use throng::Grid;

use super::TaskError;
use super::crowd_run::{CrowdSettings, agent_count};
use crate::columns::{RowPart, SharedSettings};
use crate::maps::Maps;
use crate::run::available_threads;
use crate::source::ProblemSource;
use crate::{Instance, ProblemError, RunRow, SearchPool, SharedPaths};

/// The number of problems that are kept. Planners meet a problem one after the other, so this is more than the number of
/// runs at a time.
const KEPT_PROBLEMS: usize = 64;

/// A problem for a crowd.
#[derive(Debug)]
pub struct CrowdProblem {
    /// The map.
    pub grid: Arc<Grid>,
    /// The starts and goals.
    pub instance: Instance,
    /// The seed that it was drawn with.
    pub seed: u64,
    /// The agents' shortest paths.
    pub shortest: SharedPaths,
}

/// What runs share.
#[derive(Debug, Default)]
pub struct RunContext {
    /// The source of maps.
    pub maps: Maps,
    /// Whether the independent checker verifies every run.
    pub check: bool,
    /// Whether a row per tick is stored.
    pub series: bool,
    /// Whether a run returns its recording.
    pub record: bool,
    /// Set to end all runs early.
    pub stop: Arc<AtomicBool>,
    /// The number of runs at a time; the cores that they leave idle help to search shortest paths. 0 counts as 1.
    pub jobs: usize,
    problems: Cache<CrowdProblem>,
    searches: SearchPool,
    /// One value per type, for what only one task shares.
    shared: Mutex<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

/// A value that one thread makes while others wait for it; an error is kept as text.
type CacheSlot<T> = Arc<OnceLock<Result<Arc<T>, String>>>;

/// The last `SIZE` values that were made, by name.
#[derive(Debug)]
pub(super) struct Cache<T, const SIZE: usize = KEPT_PROBLEMS>(Mutex<VecDeque<(String, CacheSlot<T>)>>);

impl<T, const SIZE: usize> Default for Cache<T, SIZE> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T, const SIZE: usize> Cache<T, SIZE> {
    /// Returns the value of a name; the first caller makes it.
    ///
    /// # Errors
    /// If it could not be made, now or before.
    pub(super) fn get_or_make(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<T, TaskError>,
    ) -> Result<Arc<T>, TaskError> {
        let mut error = None;
        let slot = self.slot(name);
        let made = slot.get_or_init(|| {
            make().map(Arc::new).map_err(|found| {
                let text = found.to_string();
                error = Some(found);
                text
            })
        });
        made.clone().map_err(|text| error.unwrap_or(TaskError::Other(text)))
    }

    fn slot(&self, name: &str) -> CacheSlot<T> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, slot)) = slots.iter().find(|(known, _)| known == name) {
            return Arc::clone(slot);
        }
        if slots.len() == SIZE {
            slots.pop_front();
        }
        let slot = CacheSlot::default();
        slots.push_back((name.to_owned(), Arc::clone(&slot)));
        slot
    }
}

impl RunContext {
    /// Creates a context with these maps; `stop` ends its runs.
    pub fn new(maps: Maps, check: bool, series: bool, stop: Arc<AtomicBool>) -> Self {
        Self { maps, check, series, stop, ..Self::default() }
    }

    /// Returns true if runs must end early.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the problem of these settings, which is made once.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn problem(&self, settings: &RunRow) -> Result<Arc<CrowdProblem>, TaskError> {
        let name = joined(
            settings,
            ["map", "corners", "four_way", "terrain", "type", "agents", "cells_per_agent", "seed"],
        );
        self.problems.get_or_make(&name, || self.make(settings))
    }

    /// Returns the value of a type that all runs share; it starts as the default.
    pub(super) fn shared<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let value = shared.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(value).downcast().expect("the entry of a type holds a value of that type")
    }

    /// Returns shortest paths that are searched when they are first needed.
    pub(super) fn shared_paths(&self) -> SharedPaths {
        SharedPaths::new(self.searches.clone(), available_threads() / self.jobs.max(1))
    }

    /// Returns the map of these settings.
    ///
    /// # Errors
    /// If there is no such map.
    pub(super) fn grid(&self, settings: &SharedSettings) -> Result<Arc<Grid>, TaskError> {
        Ok(self.maps.grid(&settings.map, &settings.corners, &settings.terrain, settings.seed)?)
    }

    fn make(&self, settings: &RunRow) -> Result<CrowdProblem, TaskError> {
        let own = CrowdSettings::load(settings);
        let SharedSettings { map, corners, terrain, r#type, seed, .. } = SharedSettings::load(settings);
        let grid = self.maps.grid_with(&map, own.move_rules(&corners), &terrain, seed)?;
        let refuse = |map: String| move |reason: ProblemError| TaskError::Problem { map, reason };
        let instance = match r#type.parse() {
            Ok(ProblemSource::Type(kind)) => {
                let agents = agent_count(&own, grid.ground(), None);
                Instance::generate(grid.ground(), kind, agents, seed).map_err(refuse(map))?
            }
            Ok(ProblemSource::Scenario(file)) => {
                let file = self.maps.scenario(&scenario_file(file, &map))?;
                let refuse = refuse(file.path.display().to_string());
                let agents = agent_count(&own, grid.ground(), Some(&file.scenario));
                Instance::from_scenario(grid.ground(), &file.scenario, agents).map_err(refuse)?
            }
            Err(unknown) => return Err(TaskError::Other(unknown)),
        };
        Ok(CrowdProblem { grid, instance, seed, shortest: self.shared_paths() })
    }
}

/// Returns the values of some columns as one text.
pub(crate) fn joined<'a>(settings: &RunRow, columns: impl IntoIterator<Item = &'a str>) -> String {
    let value = |name| settings.value(name).map(ToString::to_string).unwrap_or_default();
    columns.into_iter().map(value).collect::<Vec<_>>().join(" ")
}

/// Returns the given scenario file, or the name of the file beside a map. In a given file `{map}` stands for the map's name
/// without folder and extension.
pub(crate) fn scenario_file(named: Option<String>, map: &str) -> String {
    let whole = if map.contains(':') { map } else { map.split('@').next().unwrap_or(map) };
    let plain = whole.trim_end_matches(".map");
    let name = plain.rsplit('/').next().unwrap_or(plain);
    named.map_or_else(|| format!("{plain}.map.scen"), |file| file.replace("{map}", name))
}

#[cfg(test)]
mod tests {
    use super::scenario_file;

    #[test]
    fn scenario_files_are_named_by_their_maps() {
        assert_eq!(scenario_file(None, "dao/arena.map"), "dao/arena.map.scen");
        assert_eq!(scenario_file(None, "dao/arena@8x8+1+1"), "dao/arena.map.scen");
        let pattern = || Some("mapf/scen/{map}-random-1.scen".to_owned());
        assert_eq!(scenario_file(pattern(), "mapf/den520d"), "mapf/scen/den520d-random-1.scen");
        assert_eq!(scenario_file(pattern(), "den520d.map"), "mapf/scen/den520d-random-1.scen");
        assert_eq!(scenario_file(Some("own.scen".to_owned()), "dao/arena"), "own.scen");
    }
}
