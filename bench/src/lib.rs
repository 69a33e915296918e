//! What the benchmarks share: the maps and questions they run on.

use std::path::PathBuf;

use std::time::Instant;

use throng::grid::movingai::{read_map, read_scenario};
use throng::{AgentSpec, Budget, Cell, Grid, MoveRules, Settings, World, planner};
use throng_lab::Instance;

/// A map and questions about it.
pub struct Case {
    /// What to print.
    pub name: String,
    /// The map.
    pub grid: Grid,
    /// Start and goal of each question.
    pub questions: Vec<(Cell, Cell)>,
}

/// The folder of MovingAI maps that `THRONG_DATA` names.
pub fn data() -> Option<PathBuf> {
    std::env::var_os("THRONG_DATA").map(PathBuf::from)
}

/// A MovingAI map with at most `most` of its scenario's questions, evenly spread; `None`, and a word on stderr,
/// when `THRONG_DATA` does not hold it.
pub fn movingai(name: &str, most: usize) -> Option<Case> {
    let map = data().map(|data| data.join(format!("{name}.map")));
    let Some(map) = map.filter(|map| map.exists()) else {
        eprintln!("skipped {name}: set THRONG_DATA to a folder of MovingAI maps");
        return None;
    };
    let tiles = read_map(&std::fs::read(&map).expect("a readable map")).expect("a valid map");
    let grid = Grid::new(tiles, MoveRules::default());
    let scenario = std::fs::read(map.with_extension("map.scen")).expect("a readable scenario");
    let scenario = read_scenario(&scenario).expect("a valid scenario");
    let usable: Vec<_> = scenario
        .usable(grid.ground())
        .map(|problem| (grid.cell(problem.start).unwrap(), grid.cell(problem.goal).unwrap()))
        .collect();
    let questions = usable.iter().step_by(usable.len().div_ceil(most).max(1)).copied().collect();
    Some(Case { name: name.to_owned(), grid, questions })
}

/// A map of the folder that `THRONG_DATA` names; `None`, and a word on stderr, when it is not there.
pub fn map(name: &str, rules: MoveRules) -> Option<Grid> {
    let bytes = data().and_then(|data| std::fs::read(data.join(format!("{name}.map"))).ok());
    if bytes.is_none() {
        eprintln!("skipped {name}: set THRONG_DATA to a folder of MovingAI maps");
    }
    Some(Grid::new(read_map(&bytes?).expect("a valid map"), rules))
}

/// Microseconds of each tick of one run, until everyone is home or so many ticks are over.
pub fn ticks(grid: &Grid, instance: &Instance, name: &str, most: usize) -> Vec<f64> {
    let brain = planner(name, grid).expect("a registered planner");
    let mut world = World::new(grid.clone(), brain, Settings::default()).expect("a planner that fits");
    for (&start, &goal) in instance.starts.iter().zip(&instance.goals) {
        let (at, to) = (grid.size().pos(start), grid.size().pos(goal));
        let agent = world.spawn(AgentSpec::at(at.x, at.y)).expect("a free start");
        world.send(agent, to).expect("a goal on the map");
    }
    let mut events = Vec::new();
    let mut times = Vec::new();
    while times.len() < most && !world.agents().iter().all(|&agent| world.is_home(agent)) {
        events.clear();
        let begun = Instant::now();
        world.tick(Budget::Unlimited, &mut events);
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    times
}

/// Each tick's shortest time over several runs: runs are deterministic, and other work on the machine only ever adds.
pub fn shortest_ticks(grid: &Grid, instance: &Instance, name: &str, most: usize, repeats: usize) -> Vec<f64> {
    let mut least = ticks(grid, instance, name, most);
    for _ in 1..repeats {
        for (least, time) in least.iter_mut().zip(ticks(grid, instance, name, most)) {
            *least = least.min(time);
        }
    }
    least
}
