//! Draws the path of a greedy follower on the direction map that it follows, like figure 3.14 of M. R. Jansen,
//! *Multi-Agent Pathfinding with Direction Maps*: forty agents have patrolled ten times before.
//!
//! ```sh
//! cargo run --release -p throng-planners --example follower -- docs/images/follower.png
//! ```

use throng_crowd::{AgentSpec, Budget, Settings, World};
use throng_grid::builtin::builtin;
use throng_grid::render::{Arrow, Picture};
use throng_grid::{Cell, Grid, MoveRules, Pos};
use throng_planners::planner;
use throng_toolkit::{DirectionMap, Vector};

const MAP: &str = "patrol-passages";
const START: Pos = Pos::new(2, 60);
const TICKS: usize = 150;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("missing argument: the picture's file")?;
    let grid = Grid::new(builtin(MAP)?, MoveRules::default());
    let follower = planner("dm-greedy:learn=10", &grid)?;
    let mut world = World::new(grid.clone(), follower, Settings::default())?;
    let map = DirectionMap::of_world(&world).ok_or("no direction map")?;
    let agent = world.spawn(AgentSpec::at(START.x, START.y))?;
    let mut path: Vec<Cell> = Vec::new();
    for _ in 0..TICKS {
        path.extend(grid.cell(world.position(agent)?));
        world.tick(Budget::Unlimited, &mut Vec::new());
    }
    // The figure shows the path from the first cell with a vector on.
    let first =
        path.iter().position(|&cell| map.vector(cell).is_some()).ok_or("the follower found no vector")?;
    let component = |number: i16| f32::from(number) / f32::from(Vector::ONE);
    let arrow =
        |(cell, vector): (Cell, Vector)| Arrow { cell, x: component(vector.x), y: component(vector.y) };
    let arrows: Vec<Arrow> = map.known().map(arrow).collect();
    std::fs::write(&file, Picture::of_grid(&grid).arrows(&arrows).path(&path[first..]).scale(8).png()?)?;
    let free = grid.ground().free_count();
    println!("{} of {free} cells have a vector; the follower found one after {first} ticks", arrows.len());
    Ok(())
}
