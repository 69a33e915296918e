//! Searches over abstractions: how much longer than the shortest their paths are, and that they terminate on winding
//! maps.

use rand_core::Rng;
use throng_grid::{Cell, Corners, Grid, MoveRules, Pos, Profile, Size, Terrain, Tiles, generate};
use throng_search::search;

use crate::oracle::{edit, random_grid};

/// Returns the mean of a search's costs over the minimum costs, over some queries.
fn mean_ratio(text: &str, grids: &[(Grid, Vec<(Cell, Cell)>)]) -> f64 {
    let (mut search, mut astar) = (search(text).unwrap(), search("astar").unwrap());
    let mut path = Vec::new();
    let (mut sum, mut count) = (0.0, 0.0);
    for (grid, queries) in grids {
        for &(from, to) in queries {
            let min_cost = astar.find(grid.ground(), from, to, &mut path).unwrap().cost;
            let found = search.find(grid.ground(), from, to, &mut path).unwrap().cost;
            assert_eq!(found.is_some(), min_cost.is_some(), "{text}: {from:?} to {to:?}");
            if let (Some(found), Some(min_cost @ 1..)) = (found, min_cost) {
                sum += f64::from(found) / f64::from(min_cost);
                count += 1.0;
            }
        }
    }
    assert!(count > 100.0, "only {count} paths");
    sum / count
}

fn queries(grid: &Grid, random: &mut impl Rng, count: u32) -> Vec<(Cell, Cell)> {
    let free: Vec<Cell> = grid.ground().free_cells().collect();
    let mut any = || free[random.next_u32() as usize % free.len()];
    (0..count).map(|_| (any(), any())).collect()
}

#[test]
fn abstract_paths_are_near_the_shortest_on_random_maps_and_in_rooms() {
    let sparse = |(grid, _): &(Grid, _)| {
        grid.size().area() > 200 && grid.ground().free_count() * 5 > grid.size().area() * 4
    };
    let random_maps = (0..400).map(|seed| random_grid(seed, MoveRules::default(), Profile::WALKER));
    let mut grids: Vec<_> = random_maps
        .filter(sparse)
        .map(|(grid, mut random)| {
            let queries = queries(&grid, &mut random, 10);
            (grid, queries)
        })
        .collect();
    let limits = [("hpa", 1.02), ("hpa:smooth=off", 1.2), ("sector", 1.1), ("sector:refine=partial", 1.1)];
    for (text, limit) in limits {
        let ratio = mean_ratio(text, &grids);
        assert!(ratio < limit, "{text} on random maps: {ratio}");
    }
    let (_, mut random) = random_grid(1, MoveRules::default(), Profile::WALKER);
    let rooms = generate::generate("rooms", Size::new(100, 80).unwrap(), 5).unwrap();
    let rooms = Grid::new(rooms, MoveRules::default());
    grids = vec![(rooms.clone(), queries(&rooms, &mut random, 300))];
    for (text, limit) in limits {
        let ratio = mean_ratio(text, &grids);
        assert!(ratio < limit, "{text} in rooms: {ratio}");
    }
}

/// A corridor that winds inwards, as wide as its walls: cells that are near in a straight line are far apart.
fn spiral(side: u32, width: i32) -> Tiles {
    let size = Size::new(side, side).unwrap();
    let terrain = |cell: Cell| {
        let Pos { x, y } = size.pos(cell);
        let (far_x, far_y) = (side as i32 - 1 - x, side as i32 - 1 - y);
        let ring = x.min(y).min(far_x).min(far_y) / width;
        // Walls are the odd rings, each with a gap beside its upper left corner.
        let gap = y / width == ring && (x / width == ring + 1 || x / width == ring + 2);
        let shifted = ring / 2 % 2 == 1;
        let other_gap = far_y / width == ring && far_x / width == ring + 1;
        if ring % 2 == 1 && !(if shifted { other_gap } else { gap }) {
            Terrain::Wall
        } else {
            Terrain::Ground
        }
    };
    Tiles::from_terrain(size, size.cells().map(terrain).collect()).unwrap()
}

#[test]
fn winding_maps_are_solved() {
    let texts = [
        "sector:size=2,refine=partial,cut=0.05",
        "sector:size=3,refine=partial",
        "sector:size=7,refine=partial,cut=0.3",
        "sector:size=12,refine=partial,cut=1",
        "sector:size=64,refine=partial",
        "sector:size=5",
        "hpa:cluster=4",
        "hpa:cluster=3,levels=3",
    ];
    for rules in [MoveRules::default(), MoveRules::eight_way(Corners::Allow), MoveRules::FOUR_WAY] {
        let maze = generate::generate("maze", Size::new(61, 41).unwrap(), 3).unwrap();
        let maps = (1..=3).map(|width| spiral(41, width)).chain([maze]);
        for (number, tiles) in maps.enumerate() {
            let grid = Grid::new(tiles, rules);
            let (_, mut random) = random_grid(number as u64, rules, Profile::WALKER);
            let queries = queries(&grid, &mut random, 120);
            let grids = [(grid, queries)];
            for text in texts {
                let ratio = mean_ratio(text, &grids);
                assert!(ratio < 1.1, "{text} on map {number}: {ratio}");
            }
        }
    }
}

/// A search that was updated after an edit returns the same results as a new one.
#[test]
fn updated_abstractions_equal_new_ones() {
    let rules = [
        MoveRules::default(),
        MoveRules::eight_way(Corners::Allow),
        MoveRules::eight_way(Corners::Mixed),
        MoveRules::FOUR_WAY,
    ];
    for (seed, rules) in (0..).zip(rules) {
        let profile = if seed % 2 == 0 { Profile::WC3 } else { Profile::WALKER };
        let (_, mut random) = random_grid(seed, rules, profile);
        let tiles = generate::generate("caves", Size::new(110, 75).unwrap(), seed).unwrap();
        let mut grid = Grid::with_profile(tiles, rules, profile);
        let texts = ["sector", "sector:size=5,refine=partial", "hpa", "hpa:cluster=5,levels=3"];
        let mut kept = texts.map(|text| search(text).unwrap());
        let (mut path, mut other) = (Vec::new(), Vec::new());
        for round in 0..12 {
            let queries = queries(&grid, &mut random, 10);
            for (text, kept) in texts.iter().zip(&mut kept) {
                let mut fresh = search(text).unwrap();
                for &(from, to) in &queries {
                    let result = kept.find(grid.ground(), from, to, &mut path).unwrap();
                    let expect = fresh.find(grid.ground(), from, to, &mut other).unwrap();
                    assert_eq!((result, &path), (expect, &other), "{text}, map {seed}, round {round}");
                    assert_eq!(result.cost.is_some(), grid.ground().reachable(from, to));
                }
            }
            edit(&mut grid, &mut random);
            let spot = grid.size().pos(queries[0].0);
            grid.set_terrain(spot, Terrain::Swamp);
        }
    }
}
