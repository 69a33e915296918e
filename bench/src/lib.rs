//! Helpers shared by the benchmarks: maps and queries from `THRONG_DATA`, timed crowd runs, command-line arguments.

use std::path::PathBuf;
use std::time::Instant;

use throng::grid::movingai::{read_map, read_scenario};
use throng::{AgentSpec, Budget, Cell, Grid, MoveRules, Settings, World, planner};
use throng_lab::{Instance, ProblemType};

/// A map and queries on it.
pub struct Case {
    /// Name of the map.
    pub name: String,
    /// The map.
    pub grid: Grid,
    /// Start and goal of each query.
    pub queries: Vec<(Cell, Cell)>,
}

/// Returns the path of a map file in the folder `THRONG_DATA`. Prints a note and returns `None` if it does not exist.
fn map_file(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("THRONG_DATA").map(PathBuf::from);
    let file = folder.map(|folder| folder.join(format!("{name}.map"))).filter(|file| file.exists());
    if file.is_none() {
        eprintln!("skipped {name}: set THRONG_DATA to a folder of MovingAI maps");
    }
    file
}

/// Returns the bytes of a MovingAI map file, `None` if `THRONG_DATA` does not contain it.
pub fn map_bytes(name: &str) -> Option<Vec<u8>> {
    map_file(name).map(|file| std::fs::read(file).expect("the map file is readable"))
}

/// Returns a MovingAI map, `None` if `THRONG_DATA` does not contain it.
pub fn map(name: &str, rules: MoveRules) -> Option<Grid> {
    map_bytes(name).map(|bytes| Grid::new(read_map(&bytes).expect("the map file is valid"), rules))
}

/// Returns a MovingAI map with at most `max_queries` queries, evenly spread over its scenario file; `None` if
/// `THRONG_DATA` does not contain it.
pub fn movingai(name: &str, max_queries: usize) -> Option<Case> {
    let grid = map(name, MoveRules::default())?;
    let scenario =
        std::fs::read(map_file(name)?.with_extension("map.scen")).expect("the scenario is readable");
    let scenario = read_scenario(&scenario).expect("the scenario is valid");
    let usable: Vec<_> = scenario
        .usable(grid.ground())
        .map(|problem| (grid.cell(problem.start).unwrap(), grid.cell(problem.goal).unwrap()))
        .collect();
    let queries = usable.iter().step_by(usable.len().div_ceil(max_queries).max(1)).copied().collect();
    Some(Case { name: name.to_owned(), grid, queries })
}

/// Returns random instances with the seeds from 1 to `seeds`.
pub fn random_instances(grid: &Grid, agents: usize, seeds: u64) -> Vec<Instance> {
    let generate = |seed| Instance::generate(grid.ground(), ProblemType::Random, agents, seed);
    (1..=seeds).map(|seed| generate(seed).expect("the map has room for all agents")).collect()
}

/// Runs an instance until all agents have arrived or `max_ticks` are over. Returns the microseconds of each tick.
fn tick_times(grid: &Grid, instance: &Instance, name: &str, max_ticks: usize) -> Vec<f64> {
    let planner = planner(name, grid).expect("the planner is registered");
    let mut world =
        World::new(grid.clone(), planner, Settings::default()).expect("the planner supports the map");
    for (&start, &goal) in instance.starts.iter().zip(&instance.goals) {
        let (start, goal) = (grid.size().pos(start), grid.size().pos(goal));
        let agent = world.spawn(AgentSpec::at(start.x, start.y)).expect("the start is free");
        world.send(agent, goal).expect("the goal is on the map");
    }
    let mut events = Vec::new();
    let mut times = Vec::new();
    while times.len() < max_ticks && !world.agents().iter().all(|&agent| world.has_arrived(agent).unwrap()) {
        events.clear();
        let begun = Instant::now();
        world.tick(Budget::Unlimited, &mut events);
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    times
}

/// Returns, per instance, the shortest time of each tick in microseconds over several rounds.
///
/// Runs are deterministic, and other load on the machine only adds time, so the minimum is the best estimate. A round
/// runs every instance once: load that lasts for seconds then affects one round of an instance instead of all.
pub fn shortest_ticks(
    grid: &Grid,
    instances: &[Instance],
    planner: &str,
    max_ticks: usize,
    rounds: usize,
) -> Vec<Vec<f64>> {
    let round = || instances.iter().map(|instance| tick_times(grid, instance, planner, max_ticks));
    let mut shortest: Vec<Vec<f64>> = round().collect();
    for _ in 1..rounds {
        for (shortest, times) in shortest.iter_mut().zip(round()) {
            for (shortest, time) in shortest.iter_mut().zip(times) {
                *shortest = shortest.min(time);
            }
        }
    }
    shortest
}

/// The arguments of a benchmark, without the flags that `cargo bench` adds.
pub struct BenchArguments(Vec<String>);

impl BenchArguments {
    /// Reads the arguments of the process.
    pub fn read() -> Self {
        Self(std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect())
    }

    /// Returns an argument by its position.
    pub fn get(&self, position: usize) -> Option<&str> {
        self.0.get(position).map(String::as_str)
    }

    /// Returns a numeric argument by its position, or the default if it is not given.
    pub fn number(&self, position: usize, default: usize) -> usize {
        self.get(position).map_or(default, |text| text.parse().expect("the argument is a number"))
    }
}
