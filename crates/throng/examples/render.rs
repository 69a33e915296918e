//! A renderer that draws 60 frames per second of a game that ticks 10 times per second.
//!
//! While a tick's time passes, the renderer shows the tick before: [`World::motion`] says from where to where each agent
//! went, and [`Motion::at`] where it is at a fraction of the tick. Steps of slow units and diagonal steps last longer
//! than a tick. The example writes an animation, and checks that no agent jumps and that no two come too close.
//!
//! `cargo run --release -p throng --features render --example render -- [FILE.png]`

use std::collections::BTreeMap;
use std::error::Error;

use throng::grid::SeededRng;
use throng::grid::render::{Animation, Colour};
use throng::prelude::*;

const TICKS: u32 = 100;
const FRAMES_PER_TICK: u16 = 6;
const AGENTS: usize = 60;
/// The time of a tick, in milliseconds.
const TICK_MS: u16 = 100;
/// How near two agents come at most, in cells: one follows another round a corner, at 1/√5.
const MIN_DISTANCE: f32 = 0.44;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "render.png".into());
    let png = draw()?;
    std::fs::write(&file, &png)?;
    println!("wrote {file} ({} kB): open it in a browser", png.len() / 1_000);
    Ok(())
}

/// Plays the game and returns the animation.
fn draw() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut world = start()?;
    let grid = world.grid().clone();
    let mut animation = Animation::new(&grid, Some(9), TICK_MS / FRAMES_PER_TICK);
    let (mut drawn, mut events) = (BTreeMap::new(), Vec::new());
    let mut nearest = f32::MAX;
    for _ in 0..TICKS {
        events.clear();
        world.tick(Budget::units(20_000), &mut events);
        for frame in 1..=FRAMES_PER_TICK {
            let fraction_of_tick = f32::from(frame) / f32::from(FRAMES_PER_TICK);
            let mut points = Vec::new();
            for &agent in world.agents() {
                let point = world.motion(agent)?.at(fraction_of_tick);
                if let Some(before) = drawn.insert(agent, point) {
                    let limit = 1.5 / f32::from(FRAMES_PER_TICK);
                    assert!(
                        distance(before, point) < limit,
                        "agent {agent} jumps from {before:?} to {point:?}"
                    );
                }
                points.push((point, Colour::nth(world.user(agent)? as usize)));
            }
            nearest = nearest.min(min_distance(&points));
            animation.frame_between_cells(points);
        }
        send_back(&mut world, &events)?;
    }
    println!("the two nearest agents were {nearest:.3} cells apart");
    assert!(nearest >= MIN_DISTANCE, "two agents came within {nearest} cells");
    Ok(animation.finish()?)
}

/// Returns two armies that change sides over a bridge and a ford. Every third agent is slow.
fn start() -> Result<World, Box<dyn Error>> {
    let grid = Grid::with_profile(builtin("bridge")?, MoveRules::default(), Profile::WC3);
    let planner = planner("surge", &grid)?;
    let mut world = World::new(grid, planner, Settings::default().step_time(StepTime::Cost))?;
    let (width, height) = (world.grid().size().width() as i32, world.grid().size().height());
    let mut rng = SeededRng::new(5);
    while world.agents().len() < AGENTS {
        let (number, x) = (world.agents().len(), rng.below(14) as i32);
        let x = if number % 2 == 0 { x } else { width - 1 - x };
        let ticks_per_step = if number % 3 == 0 { 2 } else { 1 };
        let spec = AgentSpec::at(x, rng.below(height) as i32).speed(ticks_per_step).user(number as u64 % 2);
        // Some cells are water or occupied already.
        if let Ok(agent) = world.spawn(spec) {
            let goal = Pos::new(width - 1 - x, world.position(agent)?.y);
            world.send(agent, goal)?;
        }
    }
    Ok(world)
}

/// Sends agents that have arrived to the other side.
fn send_back(world: &mut World, events: &[Event]) -> Result<(), Box<dyn Error>> {
    let width = world.grid().size().width() as i32;
    for event in events {
        if let Event::Arrived { agent } = *event {
            let Pos { x, y } = world.position(agent)?;
            world.send(agent, Pos::new(width - 1 - x, y))?;
        }
    }
    Ok(())
}

fn distance((ax, ay): (f32, f32), (bx, by): (f32, f32)) -> f32 {
    (ax - bx).hypot(ay - by)
}

/// Returns the distance between the two points that are nearest to each other.
fn min_distance(points: &[((f32, f32), Colour)]) -> f32 {
    let pairs =
        points.iter().enumerate().flat_map(|(i, a)| points[..i].iter().map(move |b| distance(a.0, b.0)));
    pairs.fold(f32::MAX, f32::min)
}

#[test]
fn no_agent_jumps_and_none_come_too_close() {
    assert_eq!(&draw().unwrap()[1..4], b"PNG");
}
