//! The longest ticks when an edit concerns a whole crowd. The only gate of a map of 512×512 closes and opens again while
//! agents are on their way through it; then all are sent to one cell that cannot be reached, and to many such cells.
//!
//! `cargo run --release -p throng --example gate -- [PLANNER [BUDGET [AGENTS]]]`

use std::error::Error;
use std::time::Instant;

use throng::grid::{SeededRng, Size, Terrain};
use throng::prelude::*;

const SIDE: u32 = 512;
/// The column of the wall.
const WALL: u32 = 256;
/// A free cell inside a block of walls.
const ENCLOSED: Pos = Pos::new(402, 402);

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "surge".into());
    let budget = args.next().map_or(Ok(20_000), |text| text.parse())?;
    let count = args.next().map_or(Ok(2_000), |text| text.parse())?;
    let gate = Area::rect(Pos::new(WALL as i32, 250), Pos::new(WALL as i32, 260));
    let grid = map(gate)?;
    let planner = planner(&name, &grid)?;
    let mut world = World::new(grid, planner, Settings::default())?;
    let mut rng = SeededRng::new(1);
    while world.agents().len() < count {
        // A cell may be occupied already.
        let _ = world.spawn(AgentSpec::at(rng.below(200) as i32, rng.below(SIDE) as i32));
    }
    let mut beyond = || Pos::new(rng.below(SIDE - WALL - 1) as i32 + WALL as i32 + 1, rng.below(SIDE) as i32);
    send_all(&mut world, "to cells beyond the gate", &mut beyond)?;
    run(&mut world, "on the way", 60, budget);
    world.block(gate);
    run(&mut world, "gate closed", 60, budget);
    world.unblock(gate);
    run(&mut world, "gate opened", 60, budget);
    send_all(&mut world, "to one unreachable cell", || ENCLOSED)?;
    run(&mut world, "sent to one unreachable cell", 300, budget);
    world.block(gate);
    send_all(&mut world, "to many unreachable cells", beyond)?;
    run(&mut world, "sent to many unreachable cells", 60, budget);
    Ok(())
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
    println!("send {what}: median {median:.2} µs, longest {:.1} µs", times[times.len() - 1]);
    Ok(())
}

/// Runs ticks and prints how long they take.
fn run(world: &mut World, what: &str, ticks: u32, budget: u64) {
    let (mut events, mut times) = (Vec::new(), Vec::new());
    for _ in 0..ticks {
        events.clear();
        let start = Instant::now();
        world.tick(Budget::expansions(budget), &mut events);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!("{what}: median {median:.2} ms, longest {:.2} ms", times[times.len() - 1]);
}
