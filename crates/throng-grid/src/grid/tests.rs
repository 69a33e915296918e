//! Edited grids compared with freshly built ones, and the counters of edits.

use super::*;
use crate::testing::random_tiles;
use crate::{Area, Corners, Direction};

#[test]
fn an_edited_grid_equals_one_built_from_the_edited_terrain() {
    for seed in 0..60_u64 {
        let rules = [Corners::Forbid, Corners::Allow, Corners::Mixed][seed as usize % 3];
        let mut grid = Grid::new(random_tiles(70, 40, 30, seed), MoveRules::eight_way(rules));
        let wc3 = grid.add_profile(Profile::WC3);
        for edit in 0..20_i32 {
            let at = Pos::new((edit * 17 + seed as i32) % 70, (edit * 11) % 40);
            match edit % 4 {
                0 => grid.block(Area::disc(at, 3)),
                1 => grid.set_terrain(Area::rect(at, Pos::new(at.x + 4, at.y - 2)), Terrain::Water),
                2 => grid.unblock(Area::rect(at, Pos::new(at.x - 6, at.y + 6))),
                _ => grid.set_terrain(at, Terrain::Ground),
            };
        }
        let mut fresh = Grid::new(grid.tiles().clone(), grid.rules());
        fresh.add_profile(Profile::WC3);
        for cell in grid.size().cells().filter(|&cell| grid.blocked()[cell.index()]) {
            fresh.block(grid.size().pos(cell));
        }
        for id in [ProfileId(0), wc3] {
            let (edited, rebuilt) = (grid.ground_of(id).unwrap(), fresh.ground_of(id).unwrap());
            assert_eq!(edited.rows(), rebuilt.rows());
            assert_eq!(edited.columns(), rebuilt.columns());
            assert_eq!(edited.halves(), rebuilt.halves());
            assert_eq!(edited.fingerprint(), rebuilt.fingerprint());
            assert!(grid.size().cells().all(|cell| edited.moves(cell) == rebuilt.moves(cell)));
        }
    }
}

#[test]
fn an_edit_counts_changed_cells_and_raises_only_the_adjacent_tiles() {
    let size = Size::new(100, 70).unwrap();
    let mut grid = Grid::new(Tiles::filled(size, Terrain::Ground), MoveRules::default());
    let revision = |grid: &Grid, (x, y)| grid.tile_revisions()[size.tile_at(Pos::new(x, y))];
    assert_eq!(grid.block(Area::rect(Pos::new(10, 10), Pos::new(31, 11))), 44);
    assert_eq!(grid.block(Area::rect(Pos::new(10, 10), Pos::new(31, 11))), 0);
    assert_eq!(grid.revision(), 1);
    assert_eq!(revision(&grid, (0, 0)), 1);
    assert_eq!(revision(&grid, (32, 0)), 1, "the legal moves beside the edited tile changed too");
    assert_eq!(revision(&grid, (64, 0)), 0);
    assert_eq!(revision(&grid, (0, 32)), 0);
    assert_eq!(grid.unblock(Area::disc(Pos::new(-500, 3), 20)), 0);
    assert_eq!(grid.unblock(Area::disc(Pos::new(31, 11), 1)), 3);
    assert_eq!(grid.revision(), 2);
    assert_eq!(grid.set_terrain(Pos::new(99, 69), Terrain::Grass), 1);
    assert_eq!(grid.revision(), 2, "grass and ground are the same for every profile, so no move changed");
}

#[test]
fn fingerprints_differ_between_states_and_are_restored_with_them() {
    let mut grid = Grid::new(random_tiles(90, 40, 20, 4), MoveRules::default());
    let before = grid.ground().fingerprint();
    let tiles = |grid: &Grid| (0..6).map(|i| grid.ground().tile_fingerprint(i)).collect::<Vec<_>>();
    let tiles_before = tiles(&grid);
    let cell = grid.ground().free_cells().next().unwrap();
    grid.block(grid.size().pos(cell));
    assert_ne!(grid.ground().fingerprint(), before);
    assert_ne!(tiles(&grid)[0], tiles_before[0]);
    assert_eq!(tiles(&grid)[1..], tiles_before[1..]);
    grid.unblock(grid.size().pos(cell));
    assert_eq!(grid.ground().fingerprint(), before);
    let other_rules = Grid::new(grid.tiles().clone(), MoveRules::FOUR_WAY);
    assert_ne!(other_rules.ground().fingerprint(), before);
}

#[test]
fn unblocking_does_not_remove_walls() {
    let mut grid = Grid::new(Tiles::picture("..\n.#"), MoveRules::default());
    grid.block(Area::rect(Pos::new(0, 0), Pos::new(1, 1)));
    assert_eq!(grid.ground().free_count(), 0);
    grid.unblock(Area::rect(Pos::new(0, 0), Pos::new(1, 1)));
    assert_eq!(grid.ground().free_count(), 3);
    grid.set_terrain(Pos::new(1, 1), Terrain::Ground);
    assert_eq!(grid.ground().free_count(), 4);
}

/// Under the mixed corner rule a wall forbids corner cutting, a blocked cell does not.
#[test]
fn the_mixed_corner_rule_distinguishes_walls_from_blocked_cells() {
    let mut grid = Grid::new(Tiles::picture("..\n.."), MoveRules::eight_way(Corners::Mixed));
    let from = Cell(0);
    grid.block(Pos::new(1, 0));
    assert!(grid.ground().moves(from) & Direction::SouthEast.bit() != 0);
    grid.unblock(Pos::new(1, 0));
    grid.set_terrain(Pos::new(1, 0), Terrain::Wall);
    assert!(grid.ground().moves(from) & Direction::SouthEast.bit() == 0);
}

#[test]
fn step_costs_use_the_mean_multiplier_of_both_cells() {
    let grid = Grid::with_profile(Tiles::picture(".T\nSW"), MoveRules::default(), Profile::WC3);
    let ground = grid.ground();
    assert_eq!(ground.cost(Cell(0), Direction::East), 1632 * 5 / 4);
    assert_eq!(ground.cost(Cell(0), Direction::South), 1632 * 3 / 2);
    assert_eq!(ground.cost(Cell(0), Direction::SouthEast), 2308 * 7 / 4);
    assert_eq!(ground.path_cost(&[Cell(0), Cell(1), Cell(2)]), Some(1632 * 5 / 4 + 2308 * 7 / 4));
    assert_eq!(ground.path_cost(&[]), None);
}

#[test]
fn the_nearest_reachable_cell_matches_a_full_scan() {
    for seed in 0..40_u64 {
        let grid = Grid::new(random_tiles(37, 29, 35, seed), MoveRules::default());
        let ground = grid.ground();
        let Some(from) = ground.free_cells().nth(seed as usize) else { continue };
        for to in
            [(5, 5), (36, 28), (0, 14), (-3, 2), (40, 90), (18, -7), (i32::MIN, i32::MAX), (i32::MAX, 3)]
        {
            let to = Pos::new(to.0, to.1);
            let distance = |cell: Cell| {
                let pos = ground.pos(cell);
                let apart = |a: i32, b: i32| i128::from(a.abs_diff(b)).pow(2);
                apart(pos.x, to.x) + apart(pos.y, to.y)
            };
            let expect = ground
                .free_cells()
                .filter(|&cell| ground.reachable(from, cell))
                .min_by_key(|&cell| (distance(cell), cell));
            assert_eq!(ground.nearest_reachable(from, to), expect, "seed {seed}, to {to}");
        }
    }
}

#[test]
fn places_outside_the_map_are_neither_free_nor_blocked() {
    let mut grid = Grid::new(Tiles::picture("...\n..."), MoveRules::default());
    grid.block(Pos::new(1, 1));
    let ground = grid.ground();
    for pos in [Pos::new(-1, 0), Pos::new(3, 0), Pos::new(0, 2), Pos::new(i32::MIN, i32::MAX)] {
        assert_eq!((grid.is_blocked(pos), grid.cell(pos), grid.tiles().at(pos)), (false, None, None));
    }
    assert!(grid.is_blocked(Pos::new(1, 1)) && !grid.is_blocked(Pos::new(0, 0)));
    for cell in [6, 7, 1_000, 1 << 31, u32::MAX].map(Cell) {
        assert_eq!((ground.is_free(cell), ground.moves(cell)), (false, 0));
        assert_eq!(ground.neighbours(cell).count(), 0);
        for (from, to) in [(Cell(0), cell), (cell, Cell(0)), (cell, cell)] {
            assert_eq!((ground.legal_step(from, to), ground.reachable(from, to)), (None, false));
            assert_eq!(ground.path_cost(&[from, to]), None);
        }
        assert_eq!((ground.path_cost(&[cell]), ground.nearest_reachable(cell, Pos::new(0, 0))), (None, None));
    }
}
