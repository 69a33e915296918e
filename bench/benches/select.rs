//! Time of the features that `auto` picks a planner from, on one thread: those of the map, once per revision of the map, and
//! those of a crowd of 300 agents with the prediction of a model, once per choice. The last columns are both in units of an expansion of A*, per visited
//! cell and per choice: the prices that `auto` pays from the budget of a tick.
//!
//! Every number is the shortest processor time of several runs; a crowd's is the largest over the problem types.
//! `cargo bench --bench select -- MAP` measures one map.

use std::hint::black_box;

use cpu_time::ThreadTime;
use throng::{Cell, Grid, MoveRules};
use throng_bench::{BenchArguments, map, random_instances};
use throng_lab::{Instance, ProblemType};
use throng_search::astar;
use throng_search::open_list::Buckets;
use throng_select::{MapFeatures, MapFeaturesBuilder, Model, instance_features};

const AGENTS: usize = 300;
const ROUNDS: usize = 7;
/// The largest model of the program.
const MODEL: &[u8] = include_bytes!("../../crates/throng-planners/models/nothing-small.model");
const MAPS: [&str; 14] = [
    "bg512/AR0414SR",
    "bg512/AR0504SR",
    "bg512/AR0701SR",
    "wc3/blastedlands",
    "sc1/Aftershock",
    "random/random512-10-0",
    "random/random512-35-0",
    "random/random512-40-0",
    "mazes/maze512-1-0",
    "mazes/maze512-2-0",
    "mazes/maze512-8-0",
    "rooms/8room_000",
    "rooms/32room_000",
    "street/Berlin_1_512",
];

/// Returns the shortest time of several runs in microseconds: that of the processor in this thread. The time that other threads
/// run is not part of it, but what they cost in the caches is.
fn shortest(mut run: impl FnMut()) -> f64 {
    let mut time = || {
        let begun = ThreadTime::now();
        run();
        begun.elapsed().as_secs_f64() * 1e6
    };
    (0..ROUNDS).map(|_| time()).fold(f64::INFINITY, f64::min)
}

/// Returns start and goal of each agent, per problem type that the map has room for.
fn crowds(grid: &Grid) -> Vec<Vec<(Cell, Cell)>> {
    let ends = |instance: Instance| instance.starts.into_iter().zip(instance.goals).collect();
    let made = ProblemType::ALL.map(|kind| Instance::generate(grid.ground(), kind, AGENTS, 1).ok().map(ends));
    made.into_iter().flatten().collect()
}

/// Returns the time of an expansion of A* in microseconds, over paths of random agents.
fn expansion(grid: &Grid) -> f64 {
    let instance = random_instances(grid, 16, 1).remove(0);
    let mut search = astar(Buckets::default());
    let (mut path, mut expansions) = (Vec::new(), 0);
    let time = shortest(|| {
        expansions = 0;
        for (&from, &to) in instance.starts.iter().zip(&instance.goals) {
            path.clear();
            expansions += search.find(grid.ground(), from, to, &mut path).expansions;
        }
    });
    time / expansions.max(1) as f64
}

fn measure(name: &str) {
    let Some(grid) = map(name, MoveRules::default()) else { return };
    let ground = grid.ground();
    let map_time = shortest(|| {
        black_box(MapFeatures::of(ground));
    });
    let visits = MapFeaturesBuilder::new(ground).step(ground, usize::MAX);
    let features = MapFeatures::of(ground);
    let model = Model::read(MODEL).expect("the model is part of the program");
    let crowd = |agents: &Vec<(Cell, Cell)>| {
        shortest(|| {
            black_box(model.utilities(&instance_features(&features, ground, agents)));
        })
    };
    let crowd_time = crowds(&grid).iter().map(crowd).fold(0.0, f64::max);
    let unit = expansion(&grid);
    println!(
        "{name:<24} {:>8.1} {:>9.2} {:>8.0} {:>9} {:>11.2} {:>11.0}",
        map_time / 1e3,
        crowd_time / 1e3,
        unit * 1e3,
        visits,
        map_time / visits as f64 / unit,
        crowd_time / unit
    );
}

fn main() {
    println!("processor time, shortest of {ROUNDS} runs; {AGENTS} agents, the slowest of the problem types");
    println!("map                        map ms  crowd ms  A* ns/e    visits  e per visit  e per crowd");
    let arguments = BenchArguments::read();
    if let Some(map) = arguments.get(0) {
        return measure(map);
    }
    for map in MAPS {
        measure(map);
    }
}
