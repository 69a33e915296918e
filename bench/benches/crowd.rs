//! How long a tick of 2,000 agents takes, on one thread.
//!
//! Runs are deterministic, and other work on the machine only ever adds time: a run is repeated, and each tick counts
//! with its shortest time.

use throng::{Corners, MoveRules};
use throng_bench::{map, shortest_ticks};
use throng_lab::stats::Distribution;
use throng_lab::{Instance, ProblemType};

const AGENTS: usize = 2_000;
const TICKS: usize = 500;
const REPEATS: usize = 5;

fn main() {
    println!("{AGENTS} agents, first {TICKS} ticks, each tick's shortest of {REPEATS} runs, microseconds");
    for name in ["bg512/AR0414SR", "bg512/AR0504SR", "bg512/AR0701SR", "wc3/blastedlands", "wc3/duskwood"] {
        let Some(grid) = map(name, MoveRules::eight_way(Corners::Allow)) else { continue };
        let instance =
            Instance::generate(grid.ground(), ProblemType::Random, AGENTS, 1).expect("room for all");
        for planner in ["bmaa", "bmaa-c", "bmaa-f-c"] {
            let all = Distribution::of(&shortest_ticks(&grid, &instance, planner, TICKS, REPEATS));
            println!(
                "{name:<18} {planner:<10} mean {:>7.0}  p99 {:>7.0}  max {:>7.0}",
                all.mean, all.p99, all.max
            );
        }
    }
}
