use super::*;
use crate::testing::random_tiles;
use crate::{Corners, Grid, MoveRules, Pos, Profile, Tiles};

const RULES: [MoveRules; 4] = [
    MoveRules::eight_way(Corners::Forbid),
    MoveRules::eight_way(Corners::Allow),
    MoveRules::eight_way(Corners::Mixed),
    MoveRules::FOUR_WAY,
];

/// Draws the map with a letter on the cells that have a property.
fn drawn(grid: &Grid, letter: char, has: impl Fn(Cell) -> bool) -> String {
    let size = grid.size();
    (0..size.height() as i32)
        .map(|y| {
            let row = (0..size.width() as i32).map(|x| {
                let cell = grid.cell(Pos::new(x, y)).unwrap();
                match (grid.ground().is_free(cell), has(cell)) {
                    (true, true) => letter,
                    (true, false) => '.',
                    (false, _) => '#',
                }
            });
            row.chain(['\n']).collect::<String>()
        })
        .collect()
}

fn picture(rows: &str) -> String {
    rows.lines().flat_map(|row| [row.trim(), "\n"]).collect()
}

fn check(grid: &Grid, what: &str) {
    let ground = grid.ground();
    let regions = Regions::of(ground);
    let slow = |is: &dyn Fn(Cell) -> bool| drawn(grid, 'x', is);
    assert_eq!(
        drawn(grid, 'x', |cell| regions.is_articulation(cell)),
        slow(&|cell| oracles::is_articulation(ground, cell)),
        "articulation, {what}"
    );
    let blind = oracles::blind(ground);
    assert_eq!(
        drawn(grid, 'x', |cell| regions.is_in_dead_end(cell)),
        slow(&|cell| blind[cell.index()]),
        "blind, {what}"
    );
    for (cell, depth) in ground.size().cells().zip(oracles::depths(ground, &blind)) {
        if let Some(depth) = depth {
            assert_eq!(regions.dead_end_depth(cell), depth, "depth at {}, {what}", ground.pos(cell));
        }
    }
    let chokepoints = oracles::chokepoints(ground);
    assert_eq!(
        drawn(grid, 'x', |cell| regions.is_chokepoint(cell)),
        slow(&|cell| chokepoints.contains(&cell)),
        "chokepoints, {what}"
    );
    for cell in ground.size().cells() {
        let (free, degree) = (ground.is_free(cell), ground.neighbours(cell).count());
        assert_eq!(regions.is_corridor(cell), free && degree == 2);
        assert_eq!(regions.is_dead_end(cell), free && degree < 2);
    }
}

#[test]
fn small_random_maps_are_as_the_definitions_say() {
    for seed in 0..120 {
        for rules in RULES {
            let (width, height) = (1 + seed as u32 % 13, 1 + seed as u32 * 5 % 11);
            let tiles = random_tiles(width, height, 15 + seed as u32 % 40, seed);
            let mut grid = Grid::with_profile(tiles, rules, Profile::WC3);
            // Blocked later: walls for degrees, but not for the corners of the mixed rule.
            grid.block(Pos::new(seed as i32 % 7, seed as i32 % 5));
            check(&grid, &format!("seed {seed}, {rules:?}"));
        }
    }
}

#[test]
fn larger_maps_reach_beyond_the_window() {
    for seed in 0..6 {
        for rules in RULES {
            let grid = Grid::new(random_tiles(24, 21, 20 + 3 * seed as u32, 1_000 + seed), rules);
            check(&grid, &format!("seed {seed}, {rules:?}"));
            let size = crate::Size::new(25, 23).unwrap();
            let kind = ["maze", "rooms", "caves"][seed as usize % 3];
            let tiles = crate::generate::generate(kind, size, seed).unwrap();
            check(&Grid::new(tiles, rules), &format!("{kind} {seed}, {rules:?}"));
        }
    }
}

#[test]
fn a_door_between_two_rooms_is_a_chokepoint_and_a_pillar_gap_is_not() {
    let rooms = "###########
                 #....#....#
                 #....#....#
                 #.........#
                 #....#....#
                 ###########";
    let grid = Grid::new(Tiles::picture(rooms), MoveRules::default());
    let regions = Regions::of(grid.ground());
    let door = "###########
                #....#....#
                #....#....#
                #....x....#
                #....#....#
                ###########";
    assert_eq!(drawn(&grid, 'x', |cell| regions.is_chokepoint(cell)), picture(door));
    assert_eq!(drawn(&grid, 'x', |cell| regions.is_corridor(cell)), picture(door));
    // No corner is cut, so all ways pass the cells beside the door as well.
    let beside = "###########
                  #....#....#
                  #....#....#
                  #...xxx...#
                  #....#....#
                  ###########";
    assert_eq!(drawn(&grid, 'x', |cell| regions.is_articulation(cell)), picture(beside));

    let pillars = "...........
                   ...........
                   ....#.#....
                   ...........
                   ...........";
    let grid = Grid::new(Tiles::picture(pillars), MoveRules::default());
    assert_eq!(Regions::of(grid.ground()).counts().chokepoints, 0);
}

#[test]
fn blind_alleys_are_followed_to_their_mouth() {
    let map = "..#######
               ..#....##
               ........#
               ..#####.#
               #######.#";
    let grid = Grid::new(Tiles::picture(map), MoveRules::FOUR_WAY);
    let regions = Regions::of(grid.ground());
    let depths = "..#######
                  ..#....##
                  .......1#
                  ..#####2#
                  #######3#";
    for (y, row) in depths.lines().enumerate() {
        for (x, character) in row.trim().chars().enumerate() {
            let cell = grid.cell(Pos::new(x as i32, y as i32)).unwrap();
            let depth = character.to_digit(10).unwrap_or(0) as u16;
            assert_eq!(regions.dead_end_depth(cell), depth, "at {x},{y}");
            assert_eq!(regions.is_in_dead_end(cell), depth > 0);
        }
    }
    assert_eq!(regions.counts().dead_ends, 1);
}

#[test]
fn a_maze_without_loops_is_blind_throughout() {
    let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    let regions = Regions::of(grid.ground());
    assert_eq!(regions.counts().in_dead_ends, 5);
    assert_eq!([0, 1, 2, 3, 4].map(|cell| regions.dead_end_depth(Cell(cell))), [2, 1, 0, 1, 2]);
}
