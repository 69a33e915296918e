//! Many agents sent to one place: how many end in place, how far from the goal, and how often agents in place are
//! disturbed. Each line is one run: agents at random cells of the goal's connected part, with a random goal.
//!
//! `cargo run --release -p throng --example shared_goal -- PLANNER AGENTS SEEDS MAP...`

use std::collections::VecDeque;
use std::error::Error;

use throng::grid::{SeededRng, movingai};
use throng::prelude::*;
use throng::{Cell, Ground};

/// The ticks of a run: this many, and [`TICKS_PER_STEP`] for each step of the longest path, and as many per agent.
const TICKS: usize = 1_000;
/// See [`TICKS`].
const TICKS_PER_STEP: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [planner, agents, seeds, maps @ ..] = args.as_slice() else {
        return Err("arguments: PLANNER AGENTS SEEDS MAP...".into());
    };
    println!("map seed agents in_place outside far left_goal pushed mean_arrival last ticks longest_ms");
    for map in maps {
        let tiles = movingai::read_map(&std::fs::read(map)?)?;
        for seed in 1..=seeds.parse()? {
            let name = map.rsplit('/').next().unwrap_or(map);
            println!("{name} {seed} {}", run(&tiles, planner, agents.parse()?, seed)?);
        }
    }
    Ok(())
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

fn run(tiles: &Tiles, name: &str, count: usize, seed: u64) -> Result<String, Box<dyn Error>> {
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
    let (mut arrivals, mut left, mut pushed, mut events) = (vec![None; count], 0, 0, Vec::new());
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
                    arrivals[agent.index()].get_or_insert(world.ticks());
                    (in_place, last) = (in_place + 1, world.ticks());
                }
                Event::Pushed { agent, .. } => pushed += u32::from(arrivals[agent.index()].is_some()),
                Event::LeftGoal { .. } => (in_place, left) = (in_place - 1, left + 1),
                _ => {}
            }
        }
    }
    let ends: Vec<u32> = agents
        .iter()
        .filter(|&&agent| world.has_arrived(agent).unwrap_or(false))
        .filter_map(|&agent| size.cell(world.position(agent).ok()?).and_then(|at| steps[at.index()]))
        .collect();
    let outside = ends.iter().filter(|&&steps| steps > radius).count();
    let far = ends.iter().max().copied().unwrap_or(0).saturating_sub(radius);
    let mean = arrivals.iter().map(|tick| tick.unwrap_or(max_ticks)).sum::<u64>() as f64 / count as f64;
    let [left, pushed] = [left, pushed].map(|events| f64::from(events) / count as f64);
    let ticks = world.ticks();
    Ok(format!(
        "{count} {in_place} {outside} {far} {left:.2} {pushed:.2} {mean:.1} {last} {ticks} {slowest:.1}"
    ))
}
