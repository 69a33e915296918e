//! How many tasks per tick a lifelong crowd can finish at most: `throughput_bound AGENTS MAP…`
//!
//! A task leads from one random cell of the largest connected component to another. Every step of an agent enters a cell, a
//! cell is entered at most once per tick, and an agent makes at most one step per tick. Let each cell and each agent's
//! time have a price. Then a task costs at least its cheapest path, and per tick no more can be spent than all prices
//! together: the quotient is a bound on the throughput of every planner, whatever the prices are. The prices here follow
//! from the load of the cheapest paths, by multiplicative weights, until the bound is nearly tight: beside it stands the
//! throughput that those paths would have if agents could pass each other. Pairs are a sample, so both have an error of a
//! few percent.
//!
//! N. Garg, J. Könemann, *Faster and Simpler Algorithms for Multicommodity Flow and Other Fractional Packing Problems*,
//! SIAM Journal on Computing 37(2), 2007.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;

use throng_grid::{Cell, Grid, Ground, MoveRules, SeededRng, movingai::read_map};

const SOURCES: usize = 60;
const GOALS: usize = 60;
const MAX_ROUNDS: u32 = 150;
/// The rounds before the prices are useful: their paths do not count.
const FIRST_ROUNDS: u32 = 30;
/// Bound and paths need not be nearer to each other.
const TIGHT: f64 = 1.01;
/// Agents are at most the cells divided by this, as in the experiment `surge-lifelong`.
const CELLS_PER_AGENT: usize = 4;

/// The prices of cells and of the time of all agents.
struct Prices {
    cells: Vec<f64>,
    time: f64,
    agents: f64,
}

impl Prices {
    /// Returns the cheapest costs from a cell, and the cell before each on the cheapest path.
    fn cheapest(&self, ground: &Ground, from: Cell) -> (Vec<f64>, Vec<Cell>) {
        let (mut costs, mut before) = (vec![f64::INFINITY; self.cells.len()], vec![from; self.cells.len()]);
        costs[from.index()] = 0.0;
        // Costs are not negative, so their bits are in the same order.
        let mut open = BinaryHeap::from([Reverse((0_u64, from))]);
        while let Some(Reverse((bits, cell))) = open.pop() {
            let cost = f64::from_bits(bits);
            if cost > costs[cell.index()] {
                continue;
            }
            for (_, to) in ground.neighbours(cell) {
                let next = cost + self.cells[to.index()] + self.time / self.agents;
                if next < costs[to.index()] {
                    (costs[to.index()], before[to.index()]) = (next, cell);
                    open.push(Reverse((next.to_bits(), to)));
                }
            }
        }
        (costs, before)
    }
}

/// Returns the bound, and the throughput of the paths by which it was found.
fn bound(ground: &Ground, agents: usize) -> (f64, f64) {
    let largest = ground.components().largest();
    let is_inside = |&cell: &Cell| ground.components().label(ground, cell) == largest;
    let free: Vec<Cell> = ground.free_cells().filter(is_inside).collect();
    let agents = agents.min(free.len() / CELLS_PER_AGENT) as f64;
    let mut rng = SeededRng::new(1);
    let mut draw = || free[rng.below(free.len() as u32) as usize];
    let tasks: Vec<(Cell, Vec<Cell>)> =
        (0..SOURCES).map(|_| (draw(), (0..GOALS).map(|_| draw()).collect())).collect();
    let pairs = (SOURCES * GOALS) as f64;
    let mut prices = Prices { cells: vec![1e-6; ground.size().area()], time: 1e-6, agents };
    let (mut least, mut paths) = (f64::INFINITY, 0.0);
    let (mut total, mut total_steps) = (vec![0.0; prices.cells.len()], 0.0);
    for round in 0..MAX_ROUNDS {
        let (mut cost, mut steps, mut load) = (0.0, 0.0, vec![0.0; prices.cells.len()]);
        for (from, goals) in &tasks {
            let (costs, before) = prices.cheapest(ground, *from);
            for goal in goals {
                cost += costs[goal.index()] / pairs;
                let mut cell = *goal;
                while cell != *from {
                    load[cell.index()] += 1.0 / pairs;
                    steps += 1.0 / pairs;
                    cell = before[cell.index()];
                }
            }
        }
        let all = free.iter().map(|cell| prices.cells[cell.index()]).sum::<f64>() + prices.time;
        least = least.min(all / cost);
        let most = load.iter().copied().fold(steps / agents, f64::max);
        let rate = 1.5 / (1.0 + f64::from(round) / 50.0);
        for (price, load) in prices.cells.iter_mut().zip(&load) {
            *price *= (rate * load / most).exp();
        }
        prices.time *= (rate * steps / agents / most).exp();
        if round >= FIRST_ROUNDS {
            total.iter_mut().zip(&load).for_each(|(total, load)| *total += load);
            total_steps += steps;
            let most = total.iter().copied().fold(total_steps / agents, f64::max);
            paths = f64::from(round - FIRST_ROUNDS + 1) / most;
            if least < TIGHT * paths {
                break;
            }
        }
    }
    (least, paths)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let agents = arguments.next().ok_or("usage: throughput_bound AGENTS MAP…")?.parse()?;
    println!("| map | no planner finishes more tasks per tick than | paths of that many |\n|---|---|---|");
    for name in arguments {
        let grid = Grid::new(read_map(&std::fs::read(&name)?)?, MoveRules::default());
        let (bound, paths) = bound(grid.ground(), agents);
        println!("| {name} | {bound:.2} | {paths:.2} |");
    }
    Ok(())
}
