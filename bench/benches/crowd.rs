//! Time per tick of 2,000 agents under the BMAA* planners, on one thread. Each tick counts with its shortest time over
//! several runs.

use throng::{Corners, MoveRules};
use throng_bench::{map, random_instances, shortest_ticks};
use throng_lab::stats::Distribution;

const AGENTS: usize = 2_000;
const MAX_TICKS: usize = 500;
const ROUNDS: usize = 5;
const MAPS: [&str; 5] =
    ["bg512/AR0414SR", "bg512/AR0504SR", "bg512/AR0701SR", "wc3/blastedlands", "wc3/duskwood"];

fn main() {
    println!("{AGENTS} agents, first {MAX_TICKS} ticks, microseconds per tick, shortest of {ROUNDS} runs");
    for name in MAPS {
        let Some(grid) = map(name, MoveRules::eight_way(Corners::Allow)) else { continue };
        let instances = random_instances(&grid, AGENTS, 1);
        for planner in ["bmaa", "bmaa-c", "bmaa-f-c"] {
            let times = shortest_ticks(&grid, &instances, planner, MAX_TICKS, ROUNDS).concat();
            let Distribution { mean, p99, max, .. } = Distribution::of(&times);
            println!("{name:<18} {planner:<10} mean {mean:>7.0}  p99 {p99:>7.0}  max {max:>7.0}");
        }
    }
}
