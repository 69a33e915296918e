//! The mean length of the agents' shortest paths, each agent alone on the map: the reference for travelled distances.
//!
//! Computing it costs more than anything else beside the runs. So the first run of a problem that ends computes it for all
//! planners, while other threads are busy with their runs, and the searches keep their memory from problem to problem.

use std::sync::{Arc, Mutex, PoisonError};

use throng::Grid;
use throng::grid::Steps;
use throng::grid::moves::STRAIGHT;
use throng_planners::PlannerError;
use throng_search::RegisteredSearch;

use super::RunError;
use crate::Instance;

/// The source of the mean.
#[derive(Clone, Copy, Debug, Default)]
pub enum Shortest<'a> {
    /// It is computed.
    #[default]
    Find,
    /// The first run computes it, and it is kept for the other runs of the same problem.
    Shared(&'a SharedMean),
    /// It is not needed and counts as 0.
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

/// Searches that are not in use; they keep their memory.
#[derive(Clone, Debug, Default)]
pub struct SearchPool(Arc<Mutex<Vec<RegisteredSearch>>>);

impl SearchPool {
    /// Takes a search that supports the map, or creates one.
    fn take(&self, grid: &Grid) -> Result<RegisteredSearch, RunError> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = free.iter().position(|search| search.info().supports(grid.ground()).is_ok());
        fits.map_or_else(|| fastest_search(grid), |place| Ok(free.swap_remove(place)))
    }

    fn give_back(&self, search: RegisteredSearch) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(search);
    }
}

/// The mean of a problem, computed when it is first needed.
#[derive(Debug, Default)]
pub struct SharedMean {
    mean: Mutex<Option<f64>>,
    searches: SearchPool,
}

impl SharedMean {
    /// Creates a mean that is computed with a search of the pool.
    pub fn new(searches: SearchPool) -> Self {
        Self { mean: Mutex::default(), searches }
    }

    fn mean(&self, grid: &Grid, instance: &Instance) -> Result<f64, RunError> {
        let mut mean = self.mean.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = *mean {
            return Ok(known);
        }
        let mut search = self.searches.take(grid)?;
        let found = mean_with(&mut search, grid, instance)?;
        self.searches.give_back(search);
        Ok(*mean.insert(found))
    }
}

/// Returns the mean length of the agents' shortest paths, each agent alone on the map.
///
/// # Errors
/// If no search supports the map's rules.
pub fn shortest_mean(grid: &Grid, instance: &Instance) -> Result<f64, RunError> {
    mean_with(&mut fastest_search(grid)?, grid, instance)
}

/// Creates the fastest search that supports the map's rules.
fn fastest_search(grid: &Grid) -> Result<RegisteredSearch, RunError> {
    let search = throng::search("jps").map_err(PlannerError::from)?;
    let is_supported = search.info().supports(grid.ground()).is_ok();
    Ok(if is_supported { search } else { throng::search("astar").map_err(PlannerError::from)? })
}

fn mean_with(search: &mut RegisteredSearch, grid: &Grid, instance: &Instance) -> Result<f64, RunError> {
    let ground = grid.ground();
    let (mut path, mut sum) = (Vec::new(), 0.0);
    for (&start, &goal) in instance.starts.iter().zip(&instance.goals) {
        let cost = search.find(ground, start, goal, &mut path)?.cost.unwrap_or(0);
        // Like travelled distances: from counts of steps on uniform terrain.
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

    /// Searches that are reused on maps of other sizes and rules return the same lengths.
    #[test]
    fn reused_searches_find_the_same_lengths() {
        let (searches, four) =
            (SearchPool::default(), MoveRules { corners: Corners::Forbid, four_way: true });
        let eight = MoveRules::eight_way(Corners::Allow);
        let maps = [("rooms", eight), ("arena", eight), ("town", four), ("rooms", four), ("arena", eight)];
        for (name, rules) in maps {
            let tiles: Tiles = throng::grid::builtin::builtin(&format!("builtin:{name}")).unwrap();
            for profile in [Profile::WALKER, Profile::WC3] {
                let grid = Grid::with_profile(tiles.clone(), rules, profile);
                let instance = Instance::generate(grid.ground(), ProblemType::Random, 10, 3).unwrap();
                let shared = SharedMean::new(searches.clone());
                let found =
                    [(); 2].map(|()| Shortest::Shared(&shared).mean(&grid, &instance).unwrap().to_bits());
                assert_eq!(found, [shortest_mean(&grid, &instance).unwrap().to_bits(); 2], "{name}");
            }
        }
    }
}
