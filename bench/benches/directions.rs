//! How long a tick of agents that follow a direction map takes on one thread, once the first of them are home and the
//! others meet: the mean after the first 200 ticks.
//!
//! Runs are deterministic, and other work on the machine only ever adds time: a run is repeated, each tick counts with its
//! shortest time, and the ticks of all seeds are pooled. `cargo bench --bench directions -- MAP PLANNER SEEDS REPEATS`
//! measures one map; without arguments three 512×512 maps with sectors, and one of them without.

use throng::MoveRules;
use throng_bench::{map, shortest_ticks};
use throng_lab::stats::Distribution;
use throng_lab::{Instance, ProblemType};

const AGENTS: usize = 2_000;
const TICKS: usize = 500;
const LEFT_OUT: usize = 200;
const REPEATS: usize = 5;
const SECTORS: &str = "dm:sector=16,refine=partial,weight=2";
const MAPS: [&str; 3] = ["bg512/AR0504SR", "bg512/AR0701SR", "wc3/duskwood"];

fn measure(name: &str, planner: &str, seeds: u64, repeats: usize) {
    let Some(grid) = map(name, MoveRules::default()) else { return };
    let mut pooled = Vec::new();
    for seed in 1..=seeds {
        let instance =
            Instance::generate(grid.ground(), ProblemType::Random, AGENTS, seed).expect("room for all");
        let ticks = shortest_ticks(&grid, &instance, planner, TICKS, repeats);
        pooled.extend_from_slice(ticks.get(LEFT_OUT..).unwrap_or(&[]));
    }
    let later = Distribution::of(&pooled);
    println!(
        "{name:<18} {planner:<38} {seeds:>5} {:>8.0} {:>8.0} {:>8.0} {:>8.0}",
        later.mean, later.p50, later.p99, later.max
    );
}

fn main() {
    println!(
        "{AGENTS} agents, ticks {LEFT_OUT} to {TICKS}, each tick's shortest of several runs, microseconds"
    );
    println!(
        "map                planner                                seeds     mean      p50      p99      max"
    );
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let number =
        |at: usize, usual: usize| words.get(at).map_or(usual, |word| word.parse().expect("a number"));
    if let Some(map) = words.first() {
        let planner = words.get(1).map_or(SECTORS, String::as_str);
        return measure(map, planner, number(2, 3) as u64, number(3, REPEATS));
    }
    for map in MAPS {
        measure(map, SECTORS, 3, REPEATS);
    }
    measure(MAPS[0], "dm", 1, 1);
}
