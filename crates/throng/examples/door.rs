//! A game loop with two rooms, a door that opens and closes, and guards that patrol through it.
//!
//! `cargo run --release -p throng --example door`

use throng::grid::scene;
use throng::prelude::*;

/// Two rooms with a door in the wall between them.
const ROOMS: &str = "
    .........#.........
    .........#.........
    .........#.........
    ...................
    .........#.........
    .........#.........
    .........#.........";

const DOOR: Pos = Pos::new(9, 3);

/// The western and the eastern post of each guard.
const POSTS: [[Pos; 2]; 3] =
    [[Pos::new(2, 1), Pos::new(16, 5)], [Pos::new(2, 5), Pos::new(16, 1)], [Pos::new(1, 3), Pos::new(17, 3)]];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let grid = Grid::new(Tiles::picture(ROOMS), MoveRules::default());
    let planner = planner("surge", &grid)?;
    let mut world = World::new(grid, planner, Settings::default())?;
    for (number, [west, east]) in POSTS.iter().enumerate() {
        // The `user` value stores which posts belong to the guard.
        let guard = world.spawn(AgentSpec::at(west.x, west.y).user(number as u64))?;
        world.send(guard, *east)?;
    }

    let (mut events, mut arrivals) = (Vec::new(), 0);
    for frame in 1..=400 {
        match frame % 80 {
            30 => world.block(DOOR),
            60 => world.unblock(DOOR),
            _ => 0,
        };
        world.tick(Budget::expansions(2_000), &mut events);
        for event in events.drain(..) {
            match event {
                // A guard at its post goes to the other one. A guard that waits at the closed door has arrived as near
                // as possible; it continues without a new order when the door opens.
                Event::Arrived { agent } if Some(world.position(agent)?) == world.goal(agent)? => {
                    arrivals += 1;
                    let [west, east] = POSTS[world.user(agent)? as usize];
                    let next = if world.position(agent)? == west { east } else { west };
                    world.send(agent, next)?;
                }
                Event::Unreachable { agent, goal, .. } => {
                    println!("frame {frame}: guard {agent} cannot reach {goal} and waits nearby");
                }
                Event::Displaced { agent, .. } => println!("frame {frame}: the door hit guard {agent}"),
                _ => {}
            }
        }
    }
    let places = world.agents().iter().filter_map(|&agent| Some(('g', world.position(agent).ok()?)));
    println!("\n{}", scene::draw(world.grid().ground(), places, &[]));
    println!("{arrivals} arrivals in {} frames; state {:016x}", world.ticks(), world.state_hash());
    Ok(())
}
