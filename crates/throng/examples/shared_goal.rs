//! Many agents sent to one place: how many end in place, how far from the goal, and how often agents in place are
//! disturbed. Each line is one run: agents at random cells of the goal's connected part, with a random goal. A last line per
//! map and number of agents has the sum of `outside`, the least `in_place`, and means.
//!
//! `cargo run --release -p throng --example shared_goal -- [--check] PLANNER AGENTS SEEDS MAP...`
//!
//! `AGENTS` is one number or several, separated by commas. A map is a file, or `SET/NAME` in the folder `THRONG_DATA`; `ten`
//! stands for [`TEN_MAPS`]. With `--check` it is an error if an agent of a run is not in place at the end, or in place on a
//! cell that is not one of the nearest, or if agents leave their cells more than [`MAX_LEFT`] times in the mean.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use throng::grid::{SeededRng, movingai};
use throng::prelude::*;
use throng::{Cell, Ground};

/// The ticks of a run: this many, and [`TICKS_PER_STEP`] for each step of the longest path, and as many per agent.
const TICKS: usize = 1_000;
/// See [`TICKS`].
const TICKS_PER_STEP: usize = 4;

/// The maps of the guide's table.
const TEN_MAPS: [&str; 10] = [
    "rooms/16room_000",
    "random/random512-30-0",
    "dao/den520d",
    "dao/brc202d",
    "dao/lak303d",
    "bg512/AR0011SR",
    "bg512/AR0504SR",
    "mapf/Paris_1_256",
    "mapf/warehouse-10-20-10-2-1",
    "wc3/battleground",
];
/// How often an agent may leave its cell, in the mean of a run.
const MAX_LEFT: f64 = 2.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let is_check = args.first().is_some_and(|arg| arg == "--check");
    args.drain(..usize::from(is_check));
    let [planner, agents, seeds, maps @ ..] = args.as_slice() else {
        return Err("arguments: [--check] PLANNER AGENTS SEEDS MAP...".into());
    };
    println!(
        "map seed agents in_place outside far left_goal pushed first_arrival final_arrival last ticks longest_ms"
    );
    let is_ten = |map: &String| map == "ten";
    let maps: Vec<&str> = match maps {
        [map] if is_ten(map) => TEN_MAPS.to_vec(),
        _ => maps.iter().map(String::as_str).collect(),
    };
    let counts = agents.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let seeds: u64 = seeds.parse()?;
    let mut missed = Vec::new();
    for map in maps {
        let tiles = movingai::read_map(&std::fs::read(file(map))?)?;
        let name = map.rsplit('/').next().unwrap_or(map);
        for &count in &counts {
            let mut runs = Vec::new();
            for seed in 1..=seeds {
                let run = run(&tiles, planner, count, seed)?;
                println!("{name} {seed} {run}");
                if !run.is_right() {
                    missed.push(format!("{name} {seed} {run}"));
                }
                runs.push(run);
            }
            println!("{name} all {}", Outcome::of_all(&runs));
        }
    }
    if is_check && !missed.is_empty() {
        return Err(format!("{} runs miss a target:\n{}", missed.len(), missed.join("\n")).into());
    }
    Ok(())
}

/// Returns the file of a map: the given one, or that of `SET/NAME` in the folder `THRONG_DATA`.
fn file(map: &str) -> PathBuf {
    let given = PathBuf::from(map);
    match std::env::var_os("THRONG_DATA") {
        Some(folder) if !given.is_file() => PathBuf::from(folder).join(format!("{map}.map")),
        _ => given,
    }
}

/// What happened in a run.
#[derive(Clone, Copy, Default)]
struct Outcome {
    agents: usize,
    /// Agents in place at the end.
    in_place: usize,
    /// Those of them on a cell that is not one of the nearest.
    outside: usize,
    /// How many steps beyond the nearest cells the farthest of them is.
    far: u32,
    /// `LeftGoal` per agent.
    left: f64,
    /// `Pushed` per agent after its first arrival.
    pushed: f64,
    /// The mean tick of the first arrival.
    first: f64,
    /// The mean tick of the last arrival.
    final_arrival: f64,
    /// The tick of the last arrival of all.
    last: u64,
    ticks: u64,
    longest_ms: f64,
}

impl Outcome {
    /// Returns true if the run meets the targets.
    fn is_right(&self) -> bool {
        self.in_place == self.agents && self.outside == 0 && self.left <= MAX_LEFT
    }

    /// Returns the means of some runs; the worst values of those that a check looks at and of times.
    fn of_all(runs: &[Self]) -> Self {
        let mean = |value: fn(&Self) -> f64| runs.iter().map(value).sum::<f64>() / runs.len().max(1) as f64;
        Self {
            agents: runs.iter().map(|run| run.agents).max().unwrap_or(0),
            in_place: runs.iter().map(|run| run.in_place).min().unwrap_or(0),
            outside: runs.iter().map(|run| run.outside).sum(),
            far: runs.iter().map(|run| run.far).max().unwrap_or(0),
            left: mean(|run| run.left),
            pushed: mean(|run| run.pushed),
            first: mean(|run| run.first),
            final_arrival: mean(|run| run.final_arrival),
            last: runs.iter().map(|run| run.last).max().unwrap_or(0),
            ticks: runs.iter().map(|run| run.ticks).max().unwrap_or(0),
            longest_ms: runs.iter().map(|run| run.longest_ms).fold(0.0, f64::max),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            agents,
            in_place,
            outside,
            far,
            left,
            pushed,
            first,
            final_arrival,
            last,
            ticks,
            longest_ms,
        } = self;
        write!(
            f,
            "{agents} {in_place} {outside} {far} {left:.2} {pushed:.2} {first:.1} {final_arrival:.1} "
        )?;
        write!(f, "{last} {ticks} {longest_ms:.1}")
    }
}

/// Returns the number of steps from a cell to each cell it is connected with.
fn steps_from(ground: &Ground, from: Cell) -> Vec<Option<u32>> {
    let mut steps = vec![None; ground.size().area()];
    let mut front = VecDeque::from([from]);
    steps[from.index()] = Some(0);
    while let Some(cell) = front.pop_front() {
        for (_, next) in ground.neighbours(cell) {
            if steps[next.index()].is_none() {
                steps[next.index()] = steps[cell.index()].map(|steps| steps + 1);
                front.push_back(next);
            }
        }
    }
    steps
}

fn run(tiles: &Tiles, name: &str, count: usize, seed: u64) -> Result<Outcome, Box<dyn Error>> {
    let grid = Grid::new(tiles.clone(), MoveRules::default());
    let mut rng = SeededRng::new(seed);
    let free: Vec<Cell> = grid.ground().free_cells().collect();
    let mut draw = |cells: &[Cell]| cells[rng.below(cells.len() as u32) as usize];
    let (goal, steps) = loop {
        let goal = draw(&free);
        let steps = steps_from(grid.ground(), goal);
        let connected = steps.iter().flatten().count();
        if connected > 2 * count && 4 * connected > free.len() {
            break (goal, steps);
        }
    };
    let mut lengths: Vec<u32> = steps.iter().copied().flatten().collect();
    lengths.sort_unstable();
    // The steps to the farthest of the cells nearest to the goal.
    let radius = lengths[count - 1];
    let longest = lengths[lengths.len() - 1] as usize;
    let size = grid.size();
    let reachable: Vec<Cell> = free.iter().copied().filter(|cell| steps[cell.index()].is_some()).collect();
    let planner = planner(name, &grid)?;
    let mut world = World::new(grid, planner, Settings::default().seed(seed))?;
    while world.agents().len() < count {
        let at = size.pos(draw(&reachable));
        // The cell may be occupied already.
        let _ = world.spawn(AgentSpec::at(at.x, at.y));
    }
    let agents = world.agents().to_vec();
    for &agent in &agents {
        world.send(agent, size.pos(goal))?;
    }
    let (mut first, mut last_of, mut events) = (vec![None; count], vec![None; count], Vec::new());
    let (mut left, mut pushed) = (0, 0);
    let (mut last, mut slowest, mut in_place) = (0, 0.0_f64, 0_usize);
    let max_ticks = (TICKS + TICKS_PER_STEP * (longest + count)) as u64;
    while world.ticks() < max_ticks && (in_place < count || world.ticks() < last + 200) {
        events.clear();
        let start = std::time::Instant::now();
        world.tick(Budget::expansions(20_000), &mut events);
        slowest = slowest.max(start.elapsed().as_secs_f64() * 1e3);
        for event in &events {
            match event {
                Event::Arrived { agent } => {
                    first[agent.index()].get_or_insert(world.ticks());
                    last_of[agent.index()] = Some(world.ticks());
                    last = world.ticks();
                }
                Event::Pushed { agent, .. } => pushed += u32::from(first[agent.index()].is_some()),
                Event::LeftGoal { .. } => left += 1,
                _ => {}
            }
        }
        in_place = agents.iter().filter(|&&agent| world.has_arrived(agent) == Ok(true)).count();
    }
    let ends: Vec<u32> = agents
        .iter()
        .filter(|&&agent| world.has_arrived(agent).unwrap_or(false))
        .filter_map(|&agent| size.cell(world.position(agent).ok()?).and_then(|at| steps[at.index()]))
        .collect();
    let outside = ends.iter().filter(|&&steps| steps > radius).count();
    let far = ends.iter().max().copied().unwrap_or(0).saturating_sub(radius);
    let mean = |ticks: &[Option<u64>]| {
        ticks.iter().map(|tick| tick.unwrap_or(max_ticks)).sum::<u64>() as f64 / ticks.len() as f64
    };
    let per_agent = |events: u32| f64::from(events) / count as f64;
    Ok(Outcome {
        agents: count,
        in_place,
        outside,
        far,
        left: per_agent(left),
        pushed: per_agent(pushed),
        first: mean(&first),
        final_arrival: mean(&last_of),
        last,
        ticks: world.ticks(),
        longest_ms: slowest,
    })
}
