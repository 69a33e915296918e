//! Our searches against the `pathfinding` crate's `astar`, on the same graph and the same questions.
//!
//! The contestants take turns, round after round, so that whatever else the machine does hits all alike; a
//! contestant's figure is the median of its rounds. Costs are compared, so a wrong answer fails the run.

use std::time::{Duration, Instant};

use throng::{Cell, Cost, Grid, search};
use throng_bench::{Case, movingai};

const ROUNDS: usize = 7;

/// Answers one question: the cost of a shortest path.
type Contestant<'a> = (&'static str, Box<dyn FnMut(Cell, Cell) -> Option<Cost> + 'a>);

fn theirs(grid: &Grid) -> Contestant<'_> {
    let ground = grid.ground();
    let ask = move |from: Cell, to: Cell| {
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
    ("pathfinding::astar", Box::new(ask))
}

fn ours<'a>(grid: &'a Grid, name: &'static str) -> Contestant<'a> {
    let (mut finder, mut path) = (search(name).expect("a registered search"), Vec::new());
    finder.prepare(grid.ground()).expect("a supported ground");
    (name, Box::new(move |from, to| finder.find(grid.ground(), from, to, &mut path).expect("supported").cost))
}

fn run(case: &Case) {
    let mut contestants = vec![theirs(&case.grid)];
    contestants.extend(["astar", "astar:ties=paper", "jps"].map(|name| ours(&case.grid, name)));
    let mut rounds = vec![Vec::new(); contestants.len()];
    let mut sums = vec![0_u64; contestants.len()];
    for _ in 0..ROUNDS {
        for (i, (_, ask)) in contestants.iter_mut().enumerate() {
            let begun = Instant::now();
            sums[i] = case.questions.iter().map(|&(from, to)| u64::from(ask(from, to).unwrap_or(0))).sum();
            rounds[i].push(begun.elapsed());
        }
    }
    println!("\n{}: {} questions, median of {ROUNDS} rounds", case.name, case.questions.len());
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e6 / case.questions.len() as f64
    };
    let base = median(&mut rounds[0]);
    for (i, (name, _)) in contestants.iter().enumerate() {
        assert_eq!(sums[i], sums[0], "{name} and {} disagree", contestants[0].0);
        let each = median(&mut rounds[i]);
        println!("  {name:<20} {each:>10.1} µs a question   {:>6.1} times as fast", base / each);
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
