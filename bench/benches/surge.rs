//! Time per tick of `surge` on one thread, from the first tick to the last arrival, distance fields included.
//!
//! Each tick counts with its shortest time over five runs; the ticks of all seeds are pooled.
//! `cargo bench --bench surge -- MAP AGENTS SEEDS PLANNER` measures one map. Without arguments it measures six 512×512
//! maps, and 10,000 agents on one of them.

use throng::MoveRules;
use throng_bench::{BenchArguments, map, random_instances, shortest_ticks};
use throng_lab::stats::Distribution;

const MAX_TICKS: usize = 2_000;
const ROUNDS: usize = 5;
const MAPS: [&str; 6] = [
    "bg512/AR0414SR",
    "bg512/AR0504SR",
    "bg512/AR0701SR",
    "wc3/blastedlands",
    "wc3/duskwood",
    "wc3/golemsinthemist",
];

fn measure(name: &str, planner: &str, agents: usize, seeds: u64) {
    let Some(grid) = map(name, MoveRules::default()) else { return };
    let instances = random_instances(&grid, agents, seeds);
    let times = shortest_ticks(&grid, &instances, planner, MAX_TICKS, ROUNDS).concat();
    let Distribution { mean, p50, p99, p999, max, .. } = Distribution::of(&times);
    println!(
        "{name:<20} {planner:<10} {agents:>6} {seeds:>5} {:>7} {mean:>7.0} {p50:>7.0} {p99:>7.0} {p999:>7.0} \
         {max:>7.0}",
        times.len()
    );
}

fn main() {
    println!("microseconds per tick, shortest of {ROUNDS} runs, pooled over seeds");
    println!("map                  planner    agents seeds   ticks    mean     p50     p99   p99.9     max");
    let arguments = BenchArguments::read();
    if let Some(map) = arguments.get(0) {
        let planner = arguments.get(3).unwrap_or("surge");
        return measure(map, planner, arguments.number(1, 2_000), arguments.number(2, 3) as u64);
    }
    for map in MAPS {
        measure(map, "surge", 2_000, 3);
    }
    measure("bg512/AR0504SR", "surge", 10_000, 1);
}
