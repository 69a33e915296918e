//! Repaired paths to one target are shortest from every cell, and each target is repaired once.

use std::sync::Arc;

use throng_cpd::{Cpd, any_search};
use throng_grid::{Area, Cell, Corners, Grid, MoveRules, Pos, Profile, Terrain, builtin::builtin};
use throng_search::RegisteredSearch;

use crate::oracle::{check_path, distances};

/// Runs a query to a cell from every free cell. Returns the number of queries that needed a search.
fn searched(grid: &Grid, profile: Profile, search: &mut RegisteredSearch, to: Cell) -> usize {
    let exact = distances(grid, profile, to);
    let (mut path, mut searched) = (Vec::new(), 0);
    for from in grid.size().cells().filter(|&cell| grid.ground().is_free(cell)) {
        let result = search.find(grid.ground(), from, to, &mut path).unwrap();
        assert_eq!(result.cost, exact[from.index()], "from {from:?}");
        if let Some(cost) = result.cost {
            assert_eq!(result.lower_bound, cost);
            check_path(grid, profile, &path, cost);
        }
        searched += usize::from(result.expansions > 0);
    }
    searched
}

#[test]
fn a_target_is_repaired_once_and_again_after_an_edit() {
    let profile = Profile::WC3;
    let rules = MoveRules::eight_way(Corners::Mixed);
    let mut grid = Grid::with_profile(builtin("arena").unwrap(), rules, profile);
    let cpd = Arc::new(Cpd::build(grid.ground()));
    let mut search = any_search("cpd-shadow:targets=2", Some(&cpd)).unwrap();
    let cell = |x, y| grid.cell(Pos::new(x, y)).unwrap();
    let targets = [cell(24, 4), cell(24, 44), cell(4, 24)];
    assert_eq!(searched(&grid, profile, &mut search, targets[0]), 0, "nothing has changed");

    grid.block(Area::disc(Pos::new(24, 12), 3));
    assert_eq!(searched(&grid, profile, &mut search, targets[0]), 1);
    assert_eq!(searched(&grid, profile, &mut search, targets[1]), 1);
    assert_eq!(searched(&grid, profile, &mut search, targets[0]), 0, "both targets are kept");
    assert_eq!(searched(&grid, profile, &mut search, targets[2]), 1);
    assert_eq!(
        searched(&grid, profile, &mut search, targets[1]),
        1,
        "only two targets are kept, and this was the least recently used"
    );

    // Slower ground that some paths still cross.
    let slow = Area::disc(Pos::new(24, 40), 3).cells(grid.size()).map(|cell| grid.size().pos(cell));
    for pos in slow.collect::<Vec<_>>() {
        if grid.tiles().at(pos) == Some(Terrain::Ground) {
            grid.set_terrain(pos, Terrain::Water);
        }
    }
    assert_eq!(searched(&grid, profile, &mut search, targets[1]), 1, "the map has changed");
    assert_eq!(searched(&grid, profile, &mut search, targets[1]), 0);

    // A wall of the original map is removed: paths are not repaired, but still shortest.
    let is_free = |pos: Pos| grid.cell(pos).is_some_and(|cell| grid.ground().is_free(cell));
    let mut places = grid.size().cells().map(|cell| grid.size().pos(cell));
    let wall = places
        .find(|&pos| grid.tiles().at(pos) == Some(Terrain::Wall) && is_free(Pos::new(pos.x + 1, pos.y)));
    grid.set_terrain(wall.unwrap(), Terrain::Ground);
    assert!(searched(&grid, profile, &mut search, targets[1]) > 1);
}
