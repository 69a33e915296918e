//! The longest ticks when an edit concerns a whole crowd. The only gate of a map of 512×512 closes and opens again while
//! agents are on their way through it; then all are sent to one cell that can be reached, to one that cannot, and to many that cannot. At last a
//! quarter of the map becomes costly and cheap again, and a sixteenth of it is blocked.
//!
//! `cargo run --release -p throng --example gate -- [PLANNER [UNITS [AGENTS]]]`; the planner `all` stands for every planner.
//!
//! A budget in units stands for a time, which is printed. What a tick takes beyond it is what the budget does not limit: an
//! error tells if that is more than three milliseconds.

use std::error::Error;
use std::time::Instant;

use throng::PLANNERS;
use throng::grid::{SeededRng, Size, Terrain};
use throng::prelude::*;

const SIDE: u32 = 512;
/// The column of the wall.
const WALL: u32 = 256;
/// A free cell inside a block of walls.
const ENCLOSED: Pos = Pos::new(402, 402);
/// A free cell beyond the wall, around which there is room for all.
const SHARED: Pos = Pos::new(330, 120);
/// The number of long ticks that are printed.
const LONGEST: usize = 3;
/// What a tick may take beyond its budget, in milliseconds.
const MAX_BEYOND: f64 = 3.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "surge".into());
    let budget = args.next().map_or(Ok(20_000), |text| text.parse())?;
    let count = args.next().map_or(Ok(2_000), |text| text.parse())?;
    let all = PLANNERS.iter().map(|planner| planner.name);
    let names = if name == "all" { all.collect() } else { vec![name.as_str()] };
    let mut longest = Vec::new();
    for name in names {
        longest.push((measure(name, budget, count)?, name));
    }
    let granted = milliseconds(budget);
    let missed: Vec<_> = longest.iter().filter(|(time, _)| *time > granted + MAX_BEYOND).collect();
    if missed.is_empty() {
        Ok(())
    } else {
        Err(format!("longer than {MAX_BEYOND} ms beyond the budget: {missed:?}").into())
    }
}

/// Measures a planner. Returns the longest tick in milliseconds.
fn measure(name: &str, budget: u64, count: usize) -> Result<f64, Box<dyn Error>> {
    let gate = Area::rect(Pos::new(WALL as i32, 250), Pos::new(WALL as i32, 260));
    let grid = map(gate)?;
    let planner = planner(name, &grid)?;
    let mut world = World::new(grid, planner, Settings::default())?;
    let mut rng = SeededRng::new(1);
    while world.agents().len() < count {
        // A cell may be occupied already.
        let _ = world.spawn(AgentSpec::at(rng.below(200) as i32, rng.below(SIDE) as i32));
    }
    println!("{name}, {count} agents: a tick is granted {:.1} ms", milliseconds(budget));
    let mut beyond = || Pos::new(rng.below(SIDE - WALL - 1) as i32 + WALL as i32 + 1, rng.below(SIDE) as i32);
    let mut longest = 0.0_f64;
    let mut run =
        |world: &mut World, what: &str, ticks| longest = longest.max(run(world, what, ticks, budget));
    send_all(&mut world, "to cells beyond the gate", &mut beyond)?;
    run(&mut world, "on the way", 60);
    world.block(gate);
    run(&mut world, "gate closed", 60);
    world.unblock(gate);
    run(&mut world, "gate opened", 60);
    send_all(&mut world, "to one cell", || SHARED)?;
    run(&mut world, "sent to one cell", 600);
    send_all(&mut world, "to one unreachable cell", || ENCLOSED)?;
    run(&mut world, "sent to one unreachable cell", 300);
    world.block(gate);
    send_all(&mut world, "to many unreachable cells", beyond)?;
    run(&mut world, "sent to many unreachable cells", 60);
    let quarter = Area::rect(Pos::new(0, 0), Pos::new(WALL as i32 - 1, WALL as i32 - 1));
    world.set_cost(quarter, Classes::ALL, 4)?;
    run(&mut world, "a quarter of the map becomes costly", 60);
    world.set_cost(quarter, Classes::ALL, 0)?;
    run(&mut world, "and cheap again", 60);
    world.block(Area::rect(Pos::new(0, 0), Pos::new(127, 127)));
    run(&mut world, "a sixteenth of the map is blocked", 60);
    Ok(longest)
}

/// Returns the time that units of work stand for.
fn milliseconds(units: u64) -> f64 {
    (units * throng::UNIT_NANOSECONDS) as f64 / 1e6
}

/// Returns an open map with a wall, a gate in it, and an enclosed cell.
fn map(gate: Area) -> Result<Grid, Box<dyn Error>> {
    let size = Size::new(SIDE, SIDE).ok_or("the map is too large")?;
    let mut grid = Grid::new(Tiles::filled(size, Terrain::Ground), MoveRules::default());
    grid.block(Area::rect(Pos::new(WALL as i32, 0), Pos::new(WALL as i32, SIDE as i32 - 1)));
    grid.unblock(gate);
    grid.block(Area::rect(
        Pos::new(ENCLOSED.x - 2, ENCLOSED.y - 2),
        Pos::new(ENCLOSED.x + 2, ENCLOSED.y + 2),
    ));
    grid.unblock(ENCLOSED);
    Ok(grid)
}

/// Sends every agent to a goal and prints how long a call takes.
fn send_all(world: &mut World, what: &str, mut goal: impl FnMut() -> Pos) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    for agent in world.agents().to_vec() {
        let start = Instant::now();
        world.send(agent, goal())?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!("  send {what}: median {median:.2} µs, longest {:.1} µs", times[times.len() - 1]);
    Ok(())
}

/// Runs ticks and prints how long they take, the longest with their numbers. Returns the longest time.
fn run(world: &mut World, what: &str, ticks: usize, budget: u64) -> f64 {
    let (mut events, mut times) = (Vec::new(), Vec::new());
    for tick in 0..ticks {
        events.clear();
        let start = Instant::now();
        let report = world.tick(Budget::units(budget), &mut events);
        times.push((start.elapsed().as_secs_f64() * 1e3, tick, report.units));
    }
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    let long = |&(time, tick, units): &(f64, usize, u64)| format!("{time:.2} (tick {tick}, {units} units)");
    let longest: Vec<_> = times.iter().take(LONGEST).map(long).collect();
    println!("  {what}: median {:.2} ms, longest {} ms", times[ticks / 2].0, longest.join(", "));
    times[0].0
}
