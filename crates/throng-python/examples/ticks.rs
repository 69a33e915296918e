//! The plain Rust side of `benches/overhead.py`: ticks a crowd, reads all positions after each tick, and prints the mean time of
//! a tick in microseconds, the state hash, and the sum of all coordinates.

use std::time::Instant;

use throng::grid::generate::generate;
use throng::{AgentSpec, Budget, Grid, MoveRules, Settings, Size, World, planner};
use throng_lab::{Instance, ProblemType};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let &[side, agents, ticks, units] = arguments.as_slice() else {
        return Err("usage: ticks SIDE AGENTS TICKS UNITS".into());
    };
    let size = Size::new(side as u32, side as u32).ok_or("the map is too large")?;
    let grid = Grid::new(generate("rooms", size, 1)?, MoveRules::default());
    let problem = Instance::generate(grid.ground(), ProblemType::Random, agents as usize, 1)?;
    let planner = planner("surge", &grid)?;
    let mut world = World::new(grid, planner, Settings::default())?;
    for (&start, &goal) in problem.starts.iter().zip(&problem.goals) {
        let at = size.pos(start);
        let agent = world.spawn(AgentSpec::at(at.x, at.y))?;
        world.send(agent, size.pos(goal))?;
    }
    let (mut events, mut positions, mut sum) = (Vec::new(), Vec::new(), 0_i64);
    let begun = Instant::now();
    for _ in 0..ticks {
        events.clear();
        world.tick(Budget::units(units), &mut events);
        positions.clear();
        for &agent in world.agents() {
            positions.push(world.position(agent)?);
        }
        sum += positions.iter().map(|pos| i64::from(pos.x + pos.y)).sum::<i64>();
    }
    let micros = begun.elapsed().as_secs_f64() * 1e6 / ticks as f64;
    println!("{micros} {:016x} {sum}", world.state_hash());
    Ok(())
}
