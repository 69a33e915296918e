//! The classes of cells, compared with their definitions in `oracles.rs` and on pictures.

use super::*;
use crate::testing::random_tiles;
use crate::{Corners, Grid, MoveRules, Pos, Profile, Tiles};

const RULES: [MoveRules; 4] = [
    MoveRules::eight_way(Corners::Forbid),
    MoveRules::eight_way(Corners::Allow),
    MoveRules::eight_way(Corners::Mixed),
    MoveRules::FOUR_WAY,
];

/// Draws the map with a letter on the cells that pass a test.
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

/// Compares every class with its definition.
fn check(grid: &Grid, what: &str) {
    let ground = grid.ground();
    let regions = Regions::of(ground);
    let expected = |is: &dyn Fn(Cell) -> bool| drawn(grid, 'x', is);
    assert_eq!(
        drawn(grid, 'x', |cell| regions.is(cell, Region::Articulation)),
        expected(&|cell| oracles::is_articulation(ground, cell)),
        "articulation, {what}"
    );
    let in_dead_end = oracles::in_dead_end(ground);
    assert_eq!(
        drawn(grid, 'x', |cell| regions.is(cell, Region::InDeadEnd)),
        expected(&|cell| in_dead_end[cell.index()]),
        "in dead ends, {what}"
    );
    let chokepoints = oracles::chokepoints(ground);
    assert_eq!(
        drawn(grid, 'x', |cell| regions.is(cell, Region::Chokepoint)),
        expected(&|cell| chokepoints.contains(&cell)),
        "chokepoints, {what}"
    );
    for cell in ground.size().cells() {
        let (free, degree) = (ground.is_free(cell), ground.neighbours(cell).count());
        assert_eq!(regions.is(cell, Region::Corridor), free && degree == 2);
        assert_eq!(regions.is(cell, Region::DeadEnd), free && degree < 2);
    }
}

#[test]
fn small_random_maps_match_the_definitions() {
    for seed in 0..120 {
        for rules in RULES {
            let (width, height) = (1 + seed as u32 % 13, 1 + seed as u32 * 5 % 11);
            let tiles = random_tiles(width, height, 15 + seed as u32 % 40, seed);
            let mut grid = Grid::with_profile(tiles, rules, Profile::WC3);
            // A blocked cell limits degrees but not corner cutting under the mixed rule.
            grid.block(Pos::new(seed as i32 % 7, seed as i32 % 5));
            check(&grid, &format!("seed {seed}, {rules:?}"));
        }
    }
}

#[test]
fn maps_larger_than_the_window_match_the_definitions() {
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
    assert_eq!(drawn(&grid, 'x', |cell| regions.is(cell, Region::Chokepoint)), picture(door));
    assert_eq!(drawn(&grid, 'x', |cell| regions.is(cell, Region::Corridor)), picture(door));
    // Corner cutting is forbidden, so every path also passes the cells beside the door.
    let beside = "###########
                  #....#....#
                  #....#....#
                  #...xxx...#
                  #....#....#
                  ###########";
    assert_eq!(drawn(&grid, 'x', |cell| regions.is(cell, Region::Articulation)), picture(beside));

    let pillars = "...........
                   ...........
                   ....#.#....
                   ...........
                   ...........";
    let grid = Grid::new(Tiles::picture(pillars), MoveRules::default());
    assert_eq!(Regions::of(grid.ground()).count(Region::Chokepoint), 0);
}

#[test]
fn a_branch_without_another_exit_is_in_a_dead_end() {
    let map = "..#######
               ..#....##
               ........#
               ..#####.#
               #######.#";
    let grid = Grid::new(Tiles::picture(map), MoveRules::FOUR_WAY);
    let regions = Regions::of(grid.ground());
    let branch = "..#######
                  ..#....##
                  .......x#
                  ..#####x#
                  #######x#";
    assert_eq!(drawn(&grid, 'x', |cell| regions.is(cell, Region::InDeadEnd)), picture(branch));
    assert_eq!(regions.count(Region::DeadEnd), 1);
}

#[test]
fn a_component_without_cycles_is_a_dead_end() {
    let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    let regions = Regions::of(grid.ground());
    assert_eq!(regions.count(Region::InDeadEnd), 5);
}
