//! What searches expand where terrain on the path has become slower: section 6.1.3 of E. Shi, *Dynamic Pathfinding in
//! Video Games*.
//!
//! Ground becomes water, which costs 2.5 times as much, in a disc at three quarters of a shortest path. A square of the
//! map is used, because databases with terrain costs are large.
//!
//! ```sh
//! cargo run --release -p throng-cpd --example soft -- wc3/duskwood.map 192,192 128 200
//! ```
//!
//! The arguments are a map, the corner of the square, its side and the number of random queries.

use std::error::Error;
use std::sync::Arc;

use throng_cpd::{Cpd, any_search};
use throng_grid::movingai::read_map;
use throng_grid::{Area, Cell, Corners, Grid, MoveRules, Pos, Profile, Size, Terrain, Tiles, random_queries};
use throng_search::RegisteredSearch;

const SEARCHES: [&str; 6] = [
    "astar",
    "cpd-search:epsilon=1",
    "cpd-search",
    "cpd-weighted",
    "cpd-soft:priority=flag",
    "cpd-soft:priority=multiplier",
];

/// Returns a square of a map.
fn square(tiles: &Tiles, corner: Pos, side: u32) -> Result<Tiles, Box<dyn Error>> {
    let size = Size::new(side, side).ok_or("the side is too large")?;
    let terrain = size.cells().map(|cell| {
        let pos = size.pos(cell);
        tiles.at(Pos::new(corner.x + pos.x, corner.y + pos.y)).ok_or("the square exceeds the map")
    });
    let terrain = terrain.collect::<Result<Vec<Terrain>, _>>()?;
    Ok(Tiles::from_terrain(size, terrain).ok_or("the side is too large")?)
}

/// Turns ground into water in a disc around a cell of the path. Returns false if there is no ground.
fn flood(grid: &mut Grid, path: &[Cell]) -> bool {
    let (size, moves) = (grid.size(), path.len() - 1);
    let disc = Area::disc(size.pos(path[moves * 3 / 4]), (moves / 16).clamp(1, 15) as i32);
    let is_ground = |cell: &Cell| grid.tiles().terrain()[cell.index()] == Terrain::Ground;
    let cells: Vec<Cell> = disc.cells(size).filter(is_ground).collect();
    for &cell in &cells {
        grid.set_terrain(size.pos(cell), Terrain::Water);
    }
    !cells.is_empty()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [map, corner, side, queries] = &arguments[..] else {
        return Err("four arguments are needed: MAP X,Y SIDE QUERIES".into());
    };
    let (x, y) = corner.split_once(',').ok_or("the corner is X,Y")?;
    let tiles = square(&read_map(&std::fs::read(map)?)?, Pos::new(x.parse()?, y.parse()?), side.parse()?)?;
    let grid = Grid::with_profile(tiles, MoveRules::eight_way(Corners::Mixed), Profile::WC3);
    let cpd = Arc::new(Cpd::build(grid.ground()));
    let create = |text: &&str| any_search(text, Some(&cpd));
    let mut searches: Vec<RegisteredSearch> = SEARCHES.iter().map(create).collect::<Result<_, _>>()?;
    let mut expansions = vec![Vec::new(); SEARCHES.len()];
    let mut path = Vec::new();
    for (from, to) in random_queries(grid.ground(), queries.parse()?, 1) {
        let mut changed = grid.clone();
        if cpd.path(from, to, &mut path).is_none() || !flood(&mut changed, &path) {
            continue;
        }
        for (search, expansions) in searches.iter_mut().zip(&mut expansions) {
            expansions.push(search.find(changed.ground(), from, to, &mut path)?.expansions);
        }
    }
    println!("{} free cells, {} queries", grid.ground().free_count(), expansions[0].len());
    for (name, mut numbers) in SEARCHES.into_iter().zip(expansions) {
        numbers.sort_unstable();
        let quartile = |share: usize| numbers.get(numbers.len() * share / 4).copied().unwrap_or(0);
        let mean = numbers.iter().sum::<u64>() as f64 / numbers.len().max(1) as f64;
        println!("  {name}: quartiles {} {} {}, mean {mean:.0}", quartile(1), quartile(2), quartile(3));
    }
    Ok(())
}
