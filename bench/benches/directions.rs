//! Time per tick of agents that follow a direction map, on one thread, after the first 200 ticks, when the first agents
//! have arrived and the others meet.
//!
//! Each tick counts with its shortest time over several runs; the ticks of all seeds are pooled.
//! `cargo bench --bench directions -- MAP PLANNER SEEDS ROUNDS` measures one map. Without arguments it measures three
//! 512×512 maps with sectors, and one of them without.

use throng::MoveRules;
use throng_bench::{BenchArguments, map, random_instances, shortest_ticks};
use throng_lab::stats::Distribution;

const AGENTS: usize = 2_000;
const MAX_TICKS: usize = 500;
const SKIPPED_TICKS: usize = 200;
const ROUNDS: usize = 5;
const WITH_SECTORS: &str = "dm:sector=16,refine=partial,weight=2";
const MAPS: [&str; 3] = ["bg512/AR0504SR", "bg512/AR0701SR", "wc3/duskwood"];

fn measure(name: &str, planner: &str, seeds: u64, rounds: usize) {
    let Some(grid) = map(name, MoveRules::default()) else { return };
    let instances = random_instances(&grid, AGENTS, seeds);
    let times = shortest_ticks(&grid, &instances, planner, MAX_TICKS, rounds);
    let later = times.iter().flat_map(|times| times.get(SKIPPED_TICKS..).unwrap_or(&[]));
    let Distribution { mean, p50, p99, max, .. } = Distribution::of(&later.copied().collect::<Vec<_>>());
    println!("{name:<18} {planner:<38} {seeds:>5} {mean:>8.0} {p50:>8.0} {p99:>8.0} {max:>8.0}");
}

fn main() {
    println!(
        "{AGENTS} agents, ticks {SKIPPED_TICKS} to {MAX_TICKS}, microseconds per tick, shortest of several runs"
    );
    println!(
        "map                planner                                seeds     mean      p50      p99      max"
    );
    let arguments = BenchArguments::read();
    if let Some(map) = arguments.get(0) {
        let planner = arguments.get(1).unwrap_or(WITH_SECTORS);
        return measure(map, planner, arguments.number(2, 3) as u64, arguments.number(3, ROUNDS));
    }
    for map in MAPS {
        measure(map, WITH_SECTORS, 3, ROUNDS);
    }
    measure(MAPS[0], "dm", 1, 1);
}
