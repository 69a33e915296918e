//! How long a tick of `surge` takes on one thread, from the first to the last arrival, distances included.
//!
//! Runs are deterministic, and other work on the machine only ever adds time, for seconds on end: all seeds are run five
//! times over, each tick counts with its shortest time, and the ticks of all seeds are pooled. `cargo bench --bench surge -- MAP AGENTS SEEDS`
//! measures one map; without arguments the 512×512 maps of the ten, and 10,000 agents on one of them.

use throng::MoveRules;
use throng_bench::{map, shortest_ticks};
use throng_lab::stats::Distribution;
use throng_lab::{Instance, ProblemType};

const TICKS: usize = 2_000;
const REPEATS: usize = 5;
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
    let draw =
        |seed| Instance::generate(grid.ground(), ProblemType::Random, agents, seed).expect("room for all");
    let instances: Vec<Instance> = (1..=seeds).map(draw).collect();
    let once =
        || instances.iter().flat_map(|instance| shortest_ticks(&grid, instance, planner, TICKS, 1)).collect();
    let mut pooled: Vec<f64> = once();
    for _ in 1..REPEATS {
        let again: Vec<f64> = once();
        pooled.iter_mut().zip(again).for_each(|(least, time)| *least = least.min(time));
    }
    let all = Distribution::of(&pooled);
    println!(
        "{name:<20} {planner:<10} {agents:>6} {seeds:>5} {:>7} {:>7.0} {:>7.0} {:>7.0} {:>7.0} {:>7.0}",
        pooled.len(),
        all.mean,
        all.p50,
        all.p99,
        all.p999,
        all.max
    );
}

fn main() {
    println!("each tick's shortest of {REPEATS} runs, pooled over seeds, microseconds");
    println!("map                  planner    agents seeds   ticks    mean     p50     p99   p99.9     max");
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let number =
        |at: usize, usual: usize| words.get(at).map_or(usual, |word| word.parse().expect("a number"));
    if let Some(map) = words.first() {
        let planner = words.get(3).map_or("surge", String::as_str);
        return measure(map, planner, number(1, 2_000), number(2, 3) as u64);
    }
    for map in MAPS {
        measure(map, "surge", 2_000, 3);
    }
    measure("bg512/AR0504SR", "surge", 10_000, 1);
}
