//! Measures how long a path database takes to open, and what a query costs.
//!
//! ```sh
//! throng cpd build MAP -o FILE
//! cargo run --release -p throng-cpd --example queries -- MAP FILE
//! ```

use std::time::Instant;

use throng_cpd::Cpd;
use throng_grid::movingai::read_map;
use throng_grid::{Grid, MoveRules, random_queries};

/// Queries of each kind, and queries timed together: few enough that most batches are not interrupted.
const QUERIES: usize = 200_000;
const BATCH: usize = 500;

/// Returns the median time of a call, in seconds.
fn median(calls: usize, mut call: impl FnMut(usize)) -> f64 {
    let mut times: Vec<f64> = (0..calls)
        .map(|i| {
            let start = Instant::now();
            call(i);
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[calls / 2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [map, file] = &names[..] else { return Err("two arguments are needed: MAP FILE".into()) };
    let grid = Grid::new(read_map(&std::fs::read(map)?)?, MoveRules::default());
    let bytes = std::fs::read(file)?;
    let opening = median(51, |_| {
        std::hint::black_box(Cpd::open(&bytes, grid.ground())).expect("the file was built for the map");
    });
    println!("opening: {:.2} ms for {:.2} MB", opening * 1e3, bytes.len() as f64 / 1e6);

    let cpd = Cpd::open(&bytes, grid.ground())?;
    let pairs = random_queries(grid.ground(), QUERIES, 1);
    let batch = median(QUERIES / BATCH, |i| {
        for &(from, to) in &pairs[i * BATCH..][..BATCH] {
            std::hint::black_box(cpd.first_move(from, to));
        }
    });
    println!("first move, random pairs: {:.1} ns", batch * 1e9 / BATCH as f64);

    let (mut path, mut steps) = (Vec::new(), 0);
    let each = median(QUERIES / 100, |i| {
        cpd.path(pairs[i].0, pairs[i].1, &mut path);
        steps += path.len() - 1;
    });
    let steps = steps as f64 / (QUERIES / 100) as f64;
    println!("paths: {:.1} µs each, about {:.1} ns per step", each * 1e6, each * 1e9 / steps);
    Ok(())
}
