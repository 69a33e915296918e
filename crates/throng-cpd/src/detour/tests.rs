//! Detour searches on small maps.

use throng_grid::{Area, Corners, Grid, Ground, MoveRules, Pos, Tiles};

use super::*;
use crate::database::Cpd;

/// Returns a map without walls.
fn field(width: usize, height: usize) -> Grid {
    let picture = vec![".".repeat(width); height].join("\n");
    Grid::new(Tiles::picture(&picture), MoveRules::eight_way(Corners::Mixed))
}

struct Found {
    detour: Option<Detour>,
    path: Vec<Cell>,
    search: DetourSearch,
}

/// Searches between two positions for a path that costs at most `percent` of the bound, and checks what is found.
fn find(cpd: &Cpd, now: &Ground, (from, to): (Pos, Pos), percent: u32) -> Found {
    let (from, to) = (now.cell(from).unwrap(), now.cell(to).unwrap());
    let (toward, back) = (cpd.toward(to).unwrap(), cpd.toward(from));
    let maps = MapPair { old: cpd.ground(), now };
    let (mut search, mut path) = (DetourSearch::default(), Vec::new());
    let detour = search.find(&toward, maps, from, (|bound| bound / 100 * percent, back), &mut path);
    if let Some(detour) = detour {
        assert_eq!(now.path_cost(&path), Some(detour.cost), "the cost is that of the path");
        assert_eq!((path.first(), path.last()), (Some(&from), Some(&to)));
        assert!(detour.bound <= cpd.distance(from, to).unwrap(), "the bound is a lower bound");
    }
    Found { detour, path, search }
}

#[test]
fn a_free_database_path_is_the_result() {
    let grid = field(20, 9);
    let cpd = Cpd::build(grid.ground());
    let found = find(&cpd, grid.ground(), (Pos::new(1, 4), Pos::new(18, 4)), 100);
    assert_eq!(found.detour.map(|detour| detour.cost == detour.bound), Some(true));
    assert_eq!((found.path.len(), found.search.expanded().len()), (18, 0));
}

/// On an open map the octile distance is the old cost, so the rest of the database's path is not followed.
#[test]
fn the_rest_of_the_path_is_not_followed_if_the_octile_bound_is_sufficient() {
    let mut grid = field(60, 21);
    let cpd = Cpd::build(grid.ground());
    grid.block(Area::disc(Pos::new(40, 10), 2));
    let found = find(&cpd, grid.ground(), (Pos::new(1, 10), Pos::new(58, 10)), 110);
    assert!(
        found
            .detour
            .is_some_and(|detour| detour.cost > detour.bound && detour.cost <= detour.bound / 100 * 110)
    );
    assert_eq!(found.search.expanded().len(), 2);
    assert_eq!(found.search.followed_steps(grid.ground().cell(Pos::new(58, 10)).unwrap()), None);
}

/// A path that is not accepted is returned too, together with the whole database path for the search that follows.
#[test]
fn a_path_that_is_not_accepted_is_returned() {
    let mut grid = field(60, 21);
    let cpd = Cpd::build(grid.ground());
    grid.block(Area::disc(Pos::new(40, 10), 6));
    let ends = (Pos::new(1, 10), Pos::new(58, 10));
    let found = find(&cpd, grid.ground(), ends, 101);
    let detour = found.detour.unwrap();
    assert!(detour.cost > detour.bound / 100 * 101);
    let [from, to] = [ends.0, ends.1].map(|pos| grid.ground().cell(pos).unwrap());
    assert_eq!(Some(detour.bound), cpd.distance(from, to));
    assert_eq!(found.search.followed_steps(to).map(<[_]>::len), Some(57));
    assert!(found.search.is_near_target());
}

/// The cheaper side of the obstacle is returned, regardless of the order of the two walks.
#[test]
fn the_cheaper_side_wins() {
    for upper in [true, false] {
        let mut grid = field(60, 41);
        let cpd = Cpd::build(grid.ground());
        let (top, bottom) = if upper { (17, 36) } else { (4, 23) };
        for y in top..=bottom {
            grid.block(Pos::new(40, y));
        }
        let found = find(&cpd, grid.ground(), (Pos::new(1, 20), Pos::new(58, 20)), 100);
        let beyond = |cell: &Cell| {
            let y = grid.ground().pos(*cell).y;
            if upper { y > bottom } else { y < top }
        };
        assert!(found.detour.is_some());
        assert!(!found.path.iter().any(beyond), "the path takes the longer side");
    }
}

#[test]
fn an_enclosed_goal_has_no_path() {
    let mut grid = field(30, 21);
    let cpd = Cpd::build(grid.ground());
    for x in 18..=22 {
        for y in 8..=12 {
            if x == 18 || x == 22 || y == 8 || y == 12 {
                grid.block(Pos::new(x, y));
            }
        }
    }
    let ends = (Pos::new(1, 10), Pos::new(20, 10));
    let found = find(&cpd, grid.ground(), ends, 150);
    assert!(found.detour.is_none() && found.path.is_empty());
    assert!(found.search.followed_steps(grid.ground().cell(ends.1).unwrap()).is_some());
}
