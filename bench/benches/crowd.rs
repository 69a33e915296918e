//! How long a tick of 2,000 agents takes, on one thread.
//!
//! Runs are deterministic, and other work on the machine only ever adds time: a run is repeated, and each tick counts
//! with its shortest time.

use std::time::Instant;

use throng::{AgentSpec, Budget, Corners, Grid, MoveRules, Settings, World, planner};
use throng_bench::data;
use throng_lab::{Instance, Percentiles, ProblemType};

const AGENTS: usize = 2_000;
const TICKS: usize = 500;
const REPEATS: usize = 5;

/// Microseconds of each tick of one run.
fn ticks(grid: &Grid, instance: &Instance, name: &str) -> Vec<f64> {
    let brain = planner(name, grid).expect("a registered planner");
    let mut world = World::new(grid.clone(), brain, Settings::default()).expect("a planner that fits");
    for (&start, &goal) in instance.starts.iter().zip(&instance.goals) {
        let (at, to) = (grid.size().pos(start), grid.size().pos(goal));
        let agent = world.spawn(AgentSpec::at(at.x, at.y)).expect("a free start");
        world.send(agent, to).expect("a goal on the map");
    }
    let mut events = Vec::new();
    let mut tick = || {
        events.clear();
        let begun = Instant::now();
        world.tick(Budget::Unlimited, &mut events);
        begun.elapsed().as_secs_f64() * 1e6
    };
    (0..TICKS).map(|_| tick()).collect()
}

fn main() {
    println!("{AGENTS} agents, first {TICKS} ticks, each tick's shortest of {REPEATS} runs, microseconds");
    for map in ["bg512/AR0414SR", "bg512/AR0504SR", "bg512/AR0701SR", "wc3/blastedlands", "wc3/duskwood"] {
        let bytes = data().and_then(|data| std::fs::read(data.join(format!("{map}.map"))).ok());
        let Some(bytes) = bytes else {
            eprintln!("skipped {map}: set THRONG_DATA to a folder of MovingAI maps");
            continue;
        };
        let tiles = throng::grid::movingai::read_map(&bytes).expect("a valid map");
        let grid = Grid::new(tiles, MoveRules::eight_way(Corners::Allow));
        let instance =
            Instance::generate(grid.ground(), ProblemType::Random, AGENTS, 1).expect("room for all");
        for name in ["bmaa", "bmaa-c", "bmaa-f-c"] {
            let mut least = vec![f64::MAX; TICKS];
            for _ in 0..REPEATS {
                for (least, time) in least.iter_mut().zip(ticks(&grid, &instance, name)) {
                    *least = least.min(time);
                }
            }
            let all = Percentiles::of(&least);
            println!(
                "{map:<18} {name:<10} mean {:>7.0}  p99 {:>7.0}  max {:>7.0}",
                all.mean, all.p99, all.max
            );
        }
    }
}
