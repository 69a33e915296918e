//! What the runs of an experiment share: maps, problems with the lengths of their shortest paths, and whether to stop.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use throng::Grid;

use super::TaskError;
use crate::maps::Maps;
use crate::source::Source;
use crate::{Finders, Instance, ProblemError, Row, SharedMean};

/// Problems and the like that are kept: planners meet a problem one after the other, on as many threads as there are.
const KEPT: usize = 64;

/// A problem that is made.
#[derive(Debug)]
pub struct Problem {
    /// The map.
    pub grid: Arc<Grid>,
    /// Who goes where.
    pub instance: Instance,
    /// What it was drawn with.
    pub seed: u64,
    /// Mean length of the agents' shortest paths.
    pub shortest: SharedMean,
}

/// What runs share.
#[derive(Debug, Default)]
pub struct Bench {
    /// Where maps come from.
    pub maps: Maps,
    /// Whether the independent checker follows every run.
    pub check: bool,
    /// Whether what each tick did is kept.
    pub series: bool,
    /// Whether runs are to be given up.
    pub stop: Arc<AtomicBool>,
    problems: Kept<Problem>,
    finders: Finders,
    /// What runs of the task `dynamic` share.
    pub(super) dynamic: super::dynamic::Desk,
}

/// A value that one thread makes and others wait for.
type Slot<T> = Arc<OnceLock<Result<Arc<T>, String>>>;

/// The values made last, by name.
#[derive(Debug)]
pub(super) struct Kept<T, const MOST: usize = KEPT>(Mutex<VecDeque<(String, Slot<T>)>>);

impl<T, const MOST: usize> Default for Kept<T, MOST> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T, const MOST: usize> Kept<T, MOST> {
    /// The value of a name, made once.
    pub(super) fn made(
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
        made.clone().map_err(|text| error.unwrap_or(TaskError::Again(text)))
    }

    fn slot(&self, name: &str) -> Slot<T> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, slot)) = kept.iter().find(|(known, _)| known == name) {
            return Arc::clone(slot);
        }
        if kept.len() == MOST {
            kept.pop_front();
        }
        let slot = Slot::default();
        kept.push_back((name.to_owned(), Arc::clone(&slot)));
        slot
    }
}

impl Bench {
    /// A bench with these maps, to be stopped by this flag.
    pub fn new(maps: Maps, check: bool, series: bool, stop: Arc<AtomicBool>) -> Self {
        Self { maps, check, series, stop, ..Self::default() }
    }

    /// Whether runs are to be given up.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The problem of these settings, made once.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn problem(&self, settings: &Row) -> Result<Arc<Problem>, TaskError> {
        let key = ["map", "corners", "terrain", "type", "agents", "seed"]
            .map(|name| settings.value(name).map(ToString::to_string).unwrap_or_default())
            .join(" ");
        self.problems.made(&key, || self.make(settings))
    }

    fn make(&self, settings: &Row) -> Result<Problem, TaskError> {
        let text = |name: &str| settings.text(name).unwrap_or_default();
        let map = text("map");
        let seed = settings.integer("seed").unwrap_or_default() as u64;
        let grid = self.maps.grid(map, text("corners"), text("terrain"), seed)?;
        let agents = settings.integer("agents").unwrap_or_default() as usize;
        let refuse = |map: String| move |reason: ProblemError| TaskError::Problem { map, reason };
        let instance = match text("type").parse() {
            Ok(Source::Type(kind)) => {
                Instance::generate(grid.ground(), kind, agents, seed).map_err(refuse(map.to_owned()))?
            }
            Ok(Source::Scenario(file)) => {
                let file = self.maps.scenario(&scenario_file(file, map))?;
                let refuse = refuse(file.path.display().to_string());
                Instance::from_scenario(grid.ground(), &file.scenario, agents).map_err(refuse)?
            }
            Err(unknown) => return Err(TaskError::Again(unknown)),
        };
        Ok(Problem { grid, instance, seed, shortest: SharedMean::new(self.finders.clone()) })
    }
}

/// The scenario file that is named, or that belongs to a map.
pub(crate) fn scenario_file(named: Option<String>, map: &str) -> String {
    let whole = if map.contains(':') { map } else { map.split('@').next().unwrap_or(map) };
    named.unwrap_or_else(|| format!("{}.map.scen", whole.trim_end_matches(".map")))
}
