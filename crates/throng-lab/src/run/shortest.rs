//! The agents' shortest paths, each agent alone on the map: the reference for travelled distances and for delays.
//!
//! Searching them costs more than anything else beside the runs. So the first run of a problem that needs them searches them
//! for all planners, the searches keep their memory from problem to problem, and of a large crowd only a sample is
//! searched. Several threads may share the searches; their results are summed in the order of the agents, so that the
//! number of threads changes nothing.

use std::sync::{Arc, Mutex, PoisonError};

use throng::grid::Steps;
use throng::grid::moves::STRAIGHT;
use throng::{Cell, Grid};
use throng_planners::PlannerError;
use throng_search::RegisteredSearch;

use super::RunError;
use crate::Instance;

/// The largest crowd of which every agent's path is searched, and the largest map in cells.
const ALL_AGENTS: (usize, usize) = (2_000, 1 << 21);

/// The largest number of agents whose paths are searched in larger crowds or on larger maps. A search takes 8 ms on a
/// generated level of 2048×2048 cells, so that the paths of 5,000 agents took 40 s and their run a few seconds. Travel and delay
/// of a sample are compared with the shortest paths of the same agents, so a small sample is good enough.
const SAMPLED_AGENTS: usize = 1_000;

/// Fewer agents are sampled on large maps: as many as maps of this number of cells in all, but at least a hundred.
const SAMPLED_CELLS: usize = 1 << 30;

/// A thread is started for this number of searches; fewer are not worth it.
const SEARCHES_PER_THREAD: usize = 16;

/// Returns the agents whose shortest paths are searched on a map of `area` cells: all, or every k-th of a large crowd or on a
/// large map.
pub(super) fn sampled_agents(agents: usize, area: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
    let sample = (SAMPLED_CELLS / area.max(1)).clamp(100, SAMPLED_AGENTS);
    let is_small = agents <= ALL_AGENTS.0 && area <= ALL_AGENTS.1;
    let count = if is_small { agents } else { sample.min(agents) };
    (0..count).map(move |place| place * agents / count)
}

/// The shortest paths of a crowd.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ShortestPaths {
    /// The number of agents whose paths were searched.
    pub agents: usize,
    /// The mean length of their paths.
    pub length_mean: f64,
    /// The mean number of steps of their paths.
    pub steps_mean: f64,
    /// The number of steps of the path with the most steps.
    pub steps_max: u64,
}

/// The source of the shortest paths.
#[derive(Clone, Copy, Debug, Default)]
pub enum Shortest<'a> {
    /// They are searched, on all cores.
    #[default]
    Find,
    /// The first run searches them, and they are kept for the other runs of the same problem.
    Shared(&'a SharedPaths),
    /// They are not needed.
    Unwanted,
}

impl Shortest<'_> {
    /// Returns the shortest paths; none if they are not needed.
    pub(super) fn paths(self, grid: &Grid, instance: &Instance) -> Result<Option<ShortestPaths>, RunError> {
        match self {
            Self::Find => ShortestPaths::find(grid, instance).map(Some),
            Self::Shared(shared) => shared.get(grid, instance).map(Some),
            Self::Unwanted => Ok(None),
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

/// The shortest paths of a problem, searched when they are first needed.
#[derive(Debug, Default)]
pub struct SharedPaths {
    paths: Mutex<Option<ShortestPaths>>,
    searches: SearchPool,
    threads: usize,
}

impl SharedPaths {
    /// Creates paths that are searched with searches of the pool on a number of threads.
    pub fn new(searches: SearchPool, threads: usize) -> Self {
        Self { paths: Mutex::default(), searches, threads }
    }

    /// Returns the paths; the first caller searches them.
    ///
    /// # Errors
    /// If no search supports the map's rules.
    pub fn get(&self, grid: &Grid, instance: &Instance) -> Result<ShortestPaths, RunError> {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = *paths {
            return Ok(known);
        }
        Ok(*paths.insert(find_with(&self.searches, self.threads, grid, instance)?))
    }
}

impl ShortestPaths {
    /// Searches the paths on all cores.
    ///
    /// # Errors
    /// If no search supports the map's rules.
    pub fn find(grid: &Grid, instance: &Instance) -> Result<Self, RunError> {
        find_with(&SearchPool::default(), available_threads(), grid, instance)
    }
}

/// Returns the number of cores that the program may use.
pub(crate) fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Creates the fastest search that supports the map's rules.
fn fastest_search(grid: &Grid) -> Result<RegisteredSearch, RunError> {
    let search = throng::search("jps").map_err(PlannerError::from)?;
    let is_supported = search.info().supports(grid.ground()).is_ok();
    Ok(if is_supported { search } else { throng::search("astar").map_err(PlannerError::from)? })
}

/// The length and the number of steps of a path.
type PathSize = (f64, u64);

fn find_with(
    searches: &SearchPool,
    threads: usize,
    grid: &Grid,
    instance: &Instance,
) -> Result<ShortestPaths, RunError> {
    let pair = |agent: usize| (instance.starts[agent], instance.goals[agent]);
    let pairs: Vec<(Cell, Cell)> =
        sampled_agents(instance.starts.len(), grid.size().area()).map(pair).collect();
    let threads = threads.min(pairs.len() / SEARCHES_PER_THREAD).max(1);
    let search_part = |part: &[(Cell, Cell)]| {
        let mut search = searches.take(grid)?;
        let found = part.iter().map(|&ends| path_size(&mut search, grid, ends)).collect();
        searches.give_back(search);
        found
    };
    let parts = pairs.chunks(pairs.len().div_ceil(threads).max(1));
    let found: Vec<Result<Vec<PathSize>, RunError>> = if threads == 1 {
        parts.map(search_part).collect()
    } else {
        std::thread::scope(|scope| {
            let running: Vec<_> = parts.map(|part| scope.spawn(move || search_part(part))).collect();
            running.into_iter().map(|thread| thread.join().expect("a search does not panic")).collect()
        })
    };
    let mut paths = ShortestPaths { agents: pairs.len(), ..ShortestPaths::default() };
    let mut steps_sum = 0;
    for part in found {
        for (length, steps) in part? {
            paths.length_mean += length;
            steps_sum += steps;
            paths.steps_max = paths.steps_max.max(steps);
        }
    }
    let count = pairs.len().max(1) as f64;
    Ok(ShortestPaths {
        length_mean: paths.length_mean / count,
        steps_mean: steps_sum as f64 / count,
        ..paths
    })
}

/// Searches the shortest path between two cells; a goal that cannot be reached has length 0.
fn path_size(
    search: &mut RegisteredSearch,
    grid: &Grid,
    (start, goal): (Cell, Cell),
) -> Result<PathSize, RunError> {
    let (ground, mut path) = (grid.ground(), Vec::new());
    let cost = search.find(ground, start, goal, &mut path)?.cost.unwrap_or(0);
    // Like travelled distances: from counts of steps on uniform terrain.
    let length = if ground.profile().is_uniform() {
        Steps::of(path.iter().map(|&cell| ground.pos(cell))).length()
    } else {
        f64::from(cost) / f64::from(STRAIGHT)
    };
    Ok((length, path.len().saturating_sub(1) as u64))
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
                let shared = SharedPaths::new(searches.clone(), 1);
                let found = [(); 2].map(|()| Shortest::Shared(&shared).paths(&grid, &instance).unwrap());
                assert_eq!(found, [Some(ShortestPaths::find(&grid, &instance).unwrap()); 2], "{name}");
            }
        }
    }

    /// Threads share the searches without changing the sums, and a path has as many steps as a breadth-first search finds on
    /// a map with four directions.
    #[test]
    fn threads_change_nothing() {
        let tiles: Tiles = throng::grid::builtin::builtin("builtin:town").unwrap();
        let grid = Grid::new(tiles, MoveRules { corners: Corners::Forbid, four_way: true });
        let instance = Instance::generate(grid.ground(), ProblemType::Random, 150, 3).unwrap();
        let found = [1, 2, 3, 8].map(|threads| {
            let paths = find_with(&SearchPool::default(), threads, &grid, &instance).unwrap();
            (paths.length_mean.to_bits(), paths.steps_mean.to_bits(), paths.steps_max, paths.agents)
        });
        assert_eq!(found, [found[0]; 4]);
        let steps: Vec<u64> = (0..150).map(|agent| breadth_first_steps(&grid, &instance, agent)).collect();
        assert_eq!((found[0].2, found[0].3), (*steps.iter().max().unwrap(), 150));
        assert_eq!(found[0].1, (steps.iter().sum::<u64>() as f64 / 150.0).to_bits());
    }

    fn breadth_first_steps(grid: &Grid, instance: &Instance, agent: usize) -> u64 {
        let mut steps = vec![u64::MAX; grid.size().area()];
        steps[instance.starts[agent].index()] = 0;
        let (mut order, mut next) = (vec![instance.starts[agent]], 0);
        while let Some(&cell) = order.get(next) {
            next += 1;
            for (_, to) in grid.ground().neighbours(cell) {
                if steps[to.index()] == u64::MAX {
                    steps[to.index()] = steps[cell.index()] + 1;
                    order.push(to);
                }
            }
        }
        steps[instance.goals[agent].index()]
    }

    #[test]
    fn large_crowds_are_sampled_evenly() {
        for (agents, area) in [(0, 1), (1, 9), (999, 1 << 20), (2_000, 1 << 21), (100, 1 << 22)] {
            assert!(sampled_agents(agents, area).eq(0..agents), "{agents}");
        }
        assert_eq!(sampled_agents(2_000, (1 << 21) + 1).len(), 511);
        assert_eq!(sampled_agents(100_000, 1 << 22).len(), 256);
        assert_eq!(sampled_agents(100_000, 1 << 26).len(), 100);
        for agents in [2_001, 2_999, 100_000] {
            let sample: Vec<usize> = sampled_agents(agents, 512 * 512).collect();
            let gaps: Vec<usize> = sample.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert_eq!((sample.len(), sample[0]), (SAMPLED_AGENTS, 0));
            let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
            assert!(*least > 0 && most - least <= 1 && agents - sample[999] <= most + 1, "{agents}");
        }
    }
}
