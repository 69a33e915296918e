//! Measures queries from many starts to one goal after the map has changed.
//!
//! ```sh
//! throng cpd build MAP -o FILE
//! cargo run --release -p throng-cpd --example one_goal -- MAP FILE
//! ```

use std::sync::Arc;
use std::time::Instant;

use throng_cpd::{Cpd, any_search};
use throng_grid::movingai::read_map;
use throng_grid::{Area, Cell, Grid, MoveRules, random_queries};

/// Number of starts, and radius of the new wall.
const STARTS: usize = 500;
const RADIUS: i32 = 8;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [map, file] = &names[..] else { return Err("two arguments are needed: MAP FILE".into()) };
    let mut grid = Grid::new(read_map(&std::fs::read(map)?)?, MoveRules::default());
    let cpd = Arc::new(Cpd::open(&std::fs::read(file)?, grid.ground())?);
    let pairs = random_queries(grid.ground(), STARTS, 1);
    let goal = pairs.first().ok_or("no path on this map")?.1;
    let mut path = Vec::new();
    cpd.path(pairs[0].0, goal, &mut path);
    let size = grid.size();
    grid.block(Area::disc(size.pos(path[path.len() / 2]), RADIUS));
    grid.unblock(size.pos(goal));
    let ground = grid.ground();
    let blocked = |from: Cell, path: &mut Vec<Cell>| {
        cpd.path(from, goal, path).is_some() && ground.path_cost(path).is_none()
    };
    let starts = pairs.iter().map(|pair| pair.0).filter(|&from| ground.reachable(from, goal));
    let (blocked_starts, free): (Vec<Cell>, Vec<Cell>) = starts.partition(|&from| blocked(from, &mut path));
    println!("{} paths are blocked, {} are not", blocked_starts.len(), free.len());
    for name in ["astar", "cpd", "cpd-near", "cpd-shadow"] {
        let mut search = any_search(name, Some(&cpd))?;
        search.prepare(ground)?;
        let mut times = Vec::new();
        for &from in &blocked_starts {
            let start = Instant::now();
            search.find(ground, from, goal, &mut path)?;
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        let first = times.first().copied().unwrap_or_default();
        let all: f64 = times.iter().sum();
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        println!("{name:12} first {first:8.1} µs, median {median:7.1} µs, all {:8.2} ms", all / 1e3);
    }
    Ok(())
}
