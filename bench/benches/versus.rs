//! Our searches compared with `astar` of the `pathfinding` crate, on the same graph and the same queries.
//!
//! The searches take turns in each round, so that other load on the machine affects all of them alike. The result of a
//! search is the median of its rounds. A difference in path costs fails the run.

use std::time::{Duration, Instant};

use throng::{Cell, Cost, Grid, search};
use throng_bench::{Case, movingai};

const ROUNDS: usize = 7;

/// A name, and a function that returns the cost of a shortest path.
type Contestant<'a> = (&'static str, Box<dyn FnMut(Cell, Cell) -> Option<Cost> + 'a>);

fn pathfinding_astar(grid: &Grid) -> Contestant<'_> {
    let ground = grid.ground();
    let find = move |from: Cell, to: Cell| {
        let goal = ground.pos(to);
        pathfinding::directed::astar::astar(
            &from,
            |&cell| {
                ground.neighbours(cell).map(move |(direction, next)| (next, ground.cost(cell, direction)))
            },
            |&cell| throng::grid::moves::octile(ground.pos(cell), goal),
            |&cell| cell == to,
        )
        .map(|(_, cost)| cost)
    };
    ("pathfinding::astar", Box::new(find))
}

fn registered<'a>(grid: &'a Grid, name: &'static str) -> Contestant<'a> {
    let (mut search, mut path) = (search(name).expect("the search is registered"), Vec::new());
    search.prepare(grid.ground()).expect("the search supports the map");
    (
        name,
        Box::new(move |from, to| {
            search.find(grid.ground(), from, to, &mut path).expect("the search supports the map").cost
        }),
    )
}

fn run(case: &Case) {
    let mut contestants = vec![pathfinding_astar(&case.grid)];
    contestants.extend(["astar", "astar:ties=paper", "jps"].map(|name| registered(&case.grid, name)));
    let mut rounds = vec![Vec::new(); contestants.len()];
    let mut sums = vec![0_u64; contestants.len()];
    for _ in 0..ROUNDS {
        for (i, (_, find)) in contestants.iter_mut().enumerate() {
            let begun = Instant::now();
            sums[i] = case.queries.iter().map(|&(from, to)| u64::from(find(from, to).unwrap_or(0))).sum();
            rounds[i].push(begun.elapsed());
        }
    }
    println!("\n{}: {} queries, median of {ROUNDS} rounds", case.name, case.queries.len());
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e6 / case.queries.len() as f64
    };
    let base = median(&mut rounds[0]);
    for (i, (name, _)) in contestants.iter().enumerate() {
        assert_eq!(sums[i], sums[0], "{name} and {} disagree", contestants[0].0);
        let mean = median(&mut rounds[i]);
        println!("  {name:<20} {mean:>10.1} µs per query   {:>6.1} times as fast", base / mean);
    }
}

fn main() {
    for name in [
        "dao/lak304d",
        "bg512/AR0701SR",
        "dao/lak307d",
        "wc3/duskwood",
        "rooms/16room_000",
        "random/random512-20-0",
    ] {
        if let Some(case) = movingai(name, 200) {
            run(&case);
        }
    }
}
