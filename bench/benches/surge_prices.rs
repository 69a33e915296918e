//! The operations of `surge` that have a price, measured in units of work of 50 nanoseconds beside the units that are charged.
//!
//! Each operation is repeated and counts with its shortest thread CPU time, so that other load hardly matters. Printed are the means over the
//! operations of a map and the formulas of `crates/throng-planners/src/surge/prices.rs`.
//! `cargo bench --bench surge_prices -- MAP` measures one map; without arguments it measures maps of each kind.

use cpu_time::ThreadTime;
use throng::{Cell, Ground, MoveRules};
use throng_bench::{BenchArguments, map};
use throng_search::{LocalField, SectorGuide};

const MAPS: [&str; 8] = [
    "bg512/AR0504SR",
    "sc1/Aftershock",
    "rooms/8room_000",
    "random/random512-10-0",
    "random/random512-35-0",
    "mazes/maze512-1-0",
    "mazes/maze512-4-0",
    "street/Berlin_1_512",
];
const OPERATIONS: usize = 200;
const REPEATS: usize = 20;
const UNIT: f64 = 50.0;

/// Returns the mean over the operations of the least time of each, in units.
fn units(count: usize, mut operation: impl FnMut(usize)) -> f64 {
    let mut least = vec![f64::MAX; count];
    for _ in 0..REPEATS {
        for (number, least) in least.iter_mut().enumerate() {
            let begun = ThreadTime::now();
            operation(number);
            *least = least.min(begun.elapsed().as_nanos() as f64 / UNIT);
        }
    }
    least.iter().sum::<f64>() / count as f64
}

fn field_price(cells: u64, expansions: u64) -> u64 {
    24 + cells / 128 + expansions / 4
}

/// Returns free cells that are evenly spread over the numbers of cells.
fn sample(ground: &Ground) -> Vec<Cell> {
    ground.free_cells().step_by(ground.free_count().div_ceil(OPERATIONS)).collect()
}

fn measure(name: &str) {
    let Some(grid) = map(name, MoveRules::default()) else { return };
    let ground = grid.ground();
    let mut guide = SectorGuide::new(ground);
    let mut charged = 0;
    while guide.pending() > 0 {
        let cells = guide.next_cells();
        charged += field_price(cells, guide.compute_sector(ground));
    }
    let fields = units(1, |_| {
        let mut guide = SectorGuide::new(ground);
        guide.complete(ground);
    });
    print!("{name:<24} {:>6} {:>7} | {fields:>9.0} {charged:>8.0}", guide.parts(), guide.edges());
    let targets = sample(ground);
    let mut field = LocalField::default();
    let target_units = units(targets.len(), |number| {
        guide.fill_target(ground, targets[number], &mut field);
    });
    let mut charged = 0;
    for &target in &targets {
        let pos = ground.pos(target);
        let cells = guide.target_cells(pos, guide.part(pos, target));
        charged += field_price(cells, guide.fill_target(ground, target, &mut field));
    }
    let charged = charged / targets.len() as u64;
    print!(" | {target_units:>7.0} {charged:>7.0}");
    let mut row = Vec::new();
    let row_units = units(targets.len(), |number| {
        let part = guide.part(ground.pos(targets[number]), targets[number]);
        guide.fill_row(part, &mut row);
    });
    println!(" | {row_units:>7.0} {:>7}", (guide.parts() + guide.edges()) * 5 / 64 + 16);
}

fn main() {
    println!("units of {UNIT} nanoseconds, measured and charged, least of {REPEATS} repeats");
    println!(
        "map                       parts   edges |  all fields charged |  target charged |     row charged"
    );
    let arguments = BenchArguments::read();
    if let Some(map) = arguments.get(0) {
        return measure(map);
    }
    MAPS.into_iter().for_each(measure);
}
