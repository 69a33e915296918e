//! Counts the nodes that no search with a database's bounds can avoid, for the queries of E. Shi, *Dynamic Pathfinding
//! in Video Games*, and what searches expand for the same queries.
//!
//! A search from the start that accepts paths within 10 % may end only when the lowest `f` of its open list is at least
//! the optimal cost divided by 1.1. So it expands every node with a lower `f`, even if it knows an optimal path from the
//! beginning. This holds for all searches of the report except the weighted one.
//!
//! ```sh
//! cargo run --release -p throng-cpd --example necessary -- exp1 25 MAP… [SEARCH…]
//! ```
//!
//! The second argument is the sampling step N: every N-th problem of each map's scenario file `MAP.scen` is solved.
//! Without searches no database is built.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use throng_cpd::{Cpd, Perturbation, any_search};
use throng_grid::movingai::{read_map, read_scenario};
use throng_grid::{Cell, Corners, Cost, Grid, Ground, MoveRules};
use throng_search::open_list::Buckets;
use throng_search::{
    BestFirst, Blind, DenseStore, GridSpace, Heuristic, Policy, RegisteredSearch, Status, f_range,
};

type Search = BestFirst<DenseStore, Buckets>;

/// The distances to the target before the map changed: the bounds of a database.
struct OldDistances<'a>(&'a Search);

impl Heuristic for OldDistances<'_> {
    fn lower(&mut self, node: u32) -> Cost {
        self.0.node(node).map_or(Cost::MAX - 1, |node| node.g)
    }
}

fn best_first(ground: &Ground, epsilon: u64) -> Search {
    let policy = Policy { epsilon, ..Policy::default() };
    let mut search = BestFirst::new(DenseStore::default(), Buckets::default(), policy);
    search.set_f_range(f_range(ground));
    search
}

/// Computes the distances of all cells to one.
fn distances(dijkstra: &mut Search, ground: &Ground, to: Cell) {
    let mut space = GridSpace::new(ground);
    dijkstra.begin(&space);
    dijkstra.add_source(to.0, 0, &mut Blind);
    dijkstra.resume(&mut space, &mut Blind, |_| false, u64::MAX, &mut ());
}

/// Returns the number of nodes with `f` below the optimal cost divided by 1.1.
fn necessary(old: &Search, now: &Ground, from: Cell, optimal: Cost) -> u64 {
    let (mut space, mut heuristic) = (GridSpace::new(now), OldDistances(old));
    let mut search = best_first(now, 1_100_000);
    search.begin(&space);
    search.add_incumbent(optimal);
    search.add_source(from.0, 0, &mut heuristic);
    let status = search.resume(&mut space, &mut heuristic, |_| false, u64::MAX, &mut ());
    assert!(matches!(status, Status::Incumbent(_)), "the known path ends the search");
    search.expansions()
}

/// Returns, for each query of a map, the necessary nodes and what each search expands.
fn of_map(
    map: &str,
    perturbation: Perturbation,
    one_in: usize,
    searches: &[&String],
) -> Result<Vec<Vec<u64>>, Box<dyn Error>> {
    let mut grid = Grid::new(read_map(&std::fs::read(map)?)?, MoveRules::eight_way(Corners::Mixed));
    let scenario = read_scenario(&std::fs::read(format!("{map}.scen"))?)?;
    let ends: Vec<_> = scenario.usable(grid.ground()).step_by(one_in).map(|it| (it.start, it.goal)).collect();
    let cpd = (!searches.is_empty()).then(|| Arc::new(Cpd::build(grid.ground())));
    let create = |text: &&String| any_search(text, cpd.as_ref());
    let mut searches: Vec<RegisteredSearch> = searches.iter().map(create).collect::<Result<_, _>>()?;
    let mut astar = throng_search::search("astar")?;
    let mut dijkstra = best_first(grid.ground(), 1_000_000);
    let (mut numbers, mut path) = (Vec::new(), Vec::new());
    for (start, goal) in ends {
        let (Some(from), Some(to)) = (grid.cell(start), grid.cell(goal)) else { continue };
        if from == to {
            continue;
        }
        distances(&mut dijkstra, grid.ground(), to);
        let Some(perturbed) = perturbation.apply(&mut grid, (from, to), &mut astar)? else { continue };
        if let Some(optimal) = perturbed.after {
            let mut query = vec![necessary(&dijkstra, grid.ground(), from, optimal)];
            for search in &mut searches {
                query.push(search.find(grid.ground(), from, to, &mut path)?.expansions);
            }
            numbers.push(query);
        }
        perturbed.undo(&mut grid);
    }
    Ok(numbers)
}

/// Prints quartiles and mean of the necessary nodes and of each search.
fn print(place: &str, queries: &[Vec<u64>], searches: &[&String]) {
    let free = queries.iter().filter(|query| query[0] == 0).count();
    println!("{place}: {} queries, {free} without necessary nodes", queries.len());
    for (index, name) in std::iter::once("necessary").chain(searches.iter().map(|it| it.as_str())).enumerate()
    {
        let mut numbers: Vec<u64> = queries.iter().map(|query| query[index]).collect();
        numbers.sort_unstable();
        let quartile = |share: usize| numbers.get(numbers.len() * share / 4).copied().unwrap_or(0);
        let mean = numbers.iter().sum::<u64>() as f64 / numbers.len().max(1) as f64;
        println!("  {name}: quartiles {} {} {}, mean {mean:.0}", quartile(1), quartile(2), quartile(3));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [perturbation, one_in, rest @ ..] = &arguments[..] else {
        return Err("arguments are needed: exp1 or exp2, one query in how many, maps, searches".into());
    };
    let perturbation = match perturbation.as_str() {
        "exp1" => Perturbation::Exp1,
        "exp2" => Perturbation::Exp2,
        _ => return Err("the first argument is exp1 or exp2".into()),
    };
    let (maps, searches): (Vec<&String>, Vec<&String>) =
        rest.iter().partition(|name| Path::new(name).exists());
    let mut all = Vec::new();
    for map in maps {
        let queries = of_map(map, perturbation, one_in.parse()?, &searches)?;
        print(map, &queries, &searches);
        all.extend(queries);
    }
    print("all maps", &all, &searches);
    Ok(())
}
