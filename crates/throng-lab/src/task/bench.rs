//! What the runs of an experiment share: maps, problems with the lengths of their shortest paths, and whether to stop.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use throng::Grid;

use super::TaskError;
use crate::maps::Maps;
use crate::source::Source;
use crate::{Finders, Instance, ProblemError, Row, SharedMean};

/// Problems that are kept: planners meet a problem one after the other, on as many threads as there are.
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

/// A problem that one thread makes and others wait for.
type Slot = Arc<OnceLock<Result<Arc<Problem>, String>>>;

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
    problems: Mutex<VecDeque<(String, Slot)>>,
    finders: Finders,
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
        let mut error = None;
        let slot = self.slot(&key);
        let made = slot.get_or_init(|| {
            self.make(settings).map(Arc::new).map_err(|found| {
                let text = found.to_string();
                error = Some(found);
                text
            })
        });
        made.clone().map_err(|text| error.unwrap_or(TaskError::Again(text)))
    }

    fn slot(&self, key: &str) -> Slot {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, slot)) = problems.iter().find(|(known, _)| known == key) {
            return Arc::clone(slot);
        }
        if problems.len() == KEPT {
            problems.pop_front();
        }
        let slot = Slot::default();
        problems.push_back((key.to_owned(), Arc::clone(&slot)));
        slot
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
    named.unwrap_or_else(|| format!("{}.map.scen", map.trim_end_matches(".map")))
}
