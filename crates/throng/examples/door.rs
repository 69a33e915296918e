//! Two rooms and a door that opens and closes, guards that patrol through it, and a game loop that ticks them.
//!
//! `cargo run --release -p throng --example door`

use throng::grid::scene;
use throng::{AgentSpec, Area, Budget, Event, Grid, MoveRules, Pos, Settings, Tiles, World, planner};

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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let grid = Grid::new(Tiles::picture(ROOMS), MoveRules::default());
    let guards_think_with = planner("bmaa-c", &grid)?;
    let mut world = World::new(grid, guards_think_with, Settings::default())?;

    // Each guard remembers in its `user` value which way it is going.
    let posts = [
        [Pos::new(2, 1), Pos::new(16, 5)],
        [Pos::new(2, 5), Pos::new(16, 1)],
        [Pos::new(1, 3), Pos::new(17, 3)],
    ];
    for (number, [west, _]) in posts.iter().enumerate() {
        let guard = world.spawn(AgentSpec::at(west.x, west.y).user(number as u64))?;
        world.send(guard, posts[number][1])?;
    }

    let (mut events, mut arrivals) = (Vec::new(), 0);
    for frame in 1..=400 {
        // The door closes for a while, and opens again.
        match frame % 80 {
            30 => world.block(Area::from(DOOR)),
            60 => world.unblock(Area::from(DOOR)),
            _ => 0,
        };
        world.tick(Budget::expansions(2_000), &mut events);
        for event in events.drain(..) {
            match event {
                // A guard at its post turns round. Orders may be given right here. One that waits before the closed
                // door has arrived as near as it can, and goes on by itself when the door opens.
                Event::Arrived { agent } if world.position(agent) == world.goal(agent) => {
                    arrivals += 1;
                    let [west, east] = posts[world.user(agent).unwrap_or_default() as usize];
                    let next = if world.position(agent) == Some(west) { east } else { west };
                    world.send(agent, next)?;
                }
                Event::Unreachable { agent, goal, .. } => {
                    println!("frame {frame}: guard {} cannot get to {goal}, and waits nearby", agent.0);
                }
                Event::Displaced { agent, .. } => println!("frame {frame}: the door hit guard {}", agent.0),
                _ => {}
            }
        }
    }
    let places = world.agents().iter().filter_map(|&agent| Some(('g', world.position(agent)?)));
    println!("\n{}", scene::draw(world.grid().ground(), places, &[]));
    println!("{arrivals} arrivals in {} frames; state {:016x}", world.ticks(), world.state_hash());
    Ok(())
}
