//! The mean length of the agents' shortest paths, each alone on the map: what travelled lengths are compared with.
//!
//! It is the most that a problem costs beside its runs. So it is found once for all planners that meet a problem, by the
//! first that has come to its end, when others are busy with their runs and nobody waits; with memory that is kept from
//! problem to problem.

use std::sync::{Arc, Mutex, PoisonError};

use throng::Grid;
use throng::grid::Steps;
use throng::grid::moves::STRAIGHT;
use throng::planners::PlannerError;
use throng::searches::RegisteredSearch;

use super::RunError;
use crate::Instance;

/// Where the mean comes from.
#[derive(Clone, Copy, Debug, Default)]
pub enum Shortest<'a> {
    /// It is found.
    #[default]
    Find,
    /// It is found by the first run that asks, and kept for others of the same problem.
    Shared(&'a SharedMean),
    /// Nobody wants it: it counts as 0.
    Unwanted,
}

impl Shortest<'_> {
    pub(super) fn mean(self, grid: &Grid, instance: &Instance) -> Result<f64, RunError> {
        match self {
            Self::Find => shortest_mean(grid, instance),
            Self::Shared(shared) => shared.mean(grid, instance),
            Self::Unwanted => Ok(0.0),
        }
    }
}

/// Searches that are not in use, with the memory that they have.
#[derive(Clone, Debug, Default)]
pub struct Finders(Arc<Mutex<Vec<RegisteredSearch>>>);

impl Finders {
    /// One that is free, or another.
    fn take(&self, grid: &Grid) -> Result<RegisteredSearch, RunError> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = free.iter().position(|finder| finder.info().supports(grid.ground()).is_ok());
        fits.map_or_else(|| finder(grid), |place| Ok(free.swap_remove(place)))
    }

    fn give_back(&self, finder: RegisteredSearch) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(finder);
    }
}

/// The mean of a problem, once somebody has asked.
#[derive(Debug, Default)]
pub struct SharedMean {
    mean: Mutex<Option<f64>>,
    finders: Finders,
}

impl SharedMean {
    /// Not known yet; to be found with one of these.
    pub fn new(finders: Finders) -> Self {
        Self { mean: Mutex::default(), finders }
    }

    fn mean(&self, grid: &Grid, instance: &Instance) -> Result<f64, RunError> {
        let mut mean = self.mean.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = *mean {
            return Ok(known);
        }
        let mut finder = self.finders.take(grid)?;
        let found = mean_with(&mut finder, grid, instance)?;
        self.finders.give_back(finder);
        Ok(*mean.insert(found))
    }
}

/// Mean length of the agents' shortest paths, each alone on the map.
///
/// # Errors
/// When no search knows the map's rules.
pub fn shortest_mean(grid: &Grid, instance: &Instance) -> Result<f64, RunError> {
    mean_with(&mut finder(grid)?, grid, instance)
}

/// The fastest search that knows the map's rules.
fn finder(grid: &Grid) -> Result<RegisteredSearch, RunError> {
    let finder = throng::search("jps").map_err(PlannerError::from)?;
    let is_supported = finder.info().supports(grid.ground()).is_ok();
    Ok(if is_supported { finder } else { throng::search("astar").map_err(PlannerError::from)? })
}

fn mean_with(finder: &mut RegisteredSearch, grid: &Grid, instance: &Instance) -> Result<f64, RunError> {
    let ground = grid.ground();
    let (mut path, mut sum) = (Vec::new(), 0.0);
    for (&start, &goal) in instance.starts.iter().zip(&instance.goals) {
        let cost = finder.find(ground, start, goal, &mut path)?.cost.unwrap_or(0);
        // Counted as walked lengths are.
        sum += if ground.profile().is_uniform() {
            Steps::of(path.iter().map(|&cell| ground.pos(cell))).length()
        } else {
            f64::from(cost) / f64::from(STRAIGHT)
        };
    }
    Ok(sum / instance.starts.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProblemType;
    use throng::{Corners, MoveRules, Profile, Tiles};

    /// Memory that is kept from map to map, large and small, plain and not, changes no length.
    #[test]
    fn kept_searches_find_the_same() {
        let (finders, four) = (Finders::default(), MoveRules { corners: Corners::Forbid, four_way: true });
        let eight = MoveRules::eight_way(Corners::Allow);
        let maps = [("rooms", eight), ("arena", eight), ("town", four), ("rooms", four), ("arena", eight)];
        for (name, rules) in maps {
            let tiles: Tiles = throng::grid::builtin::builtin(&format!("builtin:{name}")).unwrap();
            for profile in [Profile::WALKER, Profile::WC3] {
                let grid = Grid::with_profile(tiles.clone(), rules, profile);
                let instance = Instance::generate(grid.ground(), ProblemType::Random, 10, 3).unwrap();
                let shared = SharedMean::new(finders.clone());
                let found =
                    [(); 2].map(|()| Shortest::Shared(&shared).mean(&grid, &instance).unwrap().to_bits());
                assert_eq!(found, [shortest_mean(&grid, &instance).unwrap().to_bits(); 2], "{name}");
            }
        }
    }
}
