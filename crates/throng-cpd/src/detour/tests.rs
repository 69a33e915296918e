//! First looks at small maps.

use throng_grid::{Area, Corners, Grid, Ground, MoveRules, Pos, Tiles};

use super::*;
use crate::database::Cpd;

/// A field without walls, so wide and high.
fn field(width: usize, height: usize) -> Grid {
    let picture = vec![".".repeat(width); height].join("\n");
    Grid::new(Tiles::picture(&picture), MoveRules::eight_way(Corners::Mixed))
}

struct Look {
    sight: Option<Detour>,
    path: Vec<Cell>,
    glance: DetourSearch,
}

/// Looks from one place to another for a path that costs at most so many hundredths of the bound.
fn look(cpd: &Cpd, now: &Ground, (from, to): (Pos, Pos), hundredths: u32) -> Look {
    let (from, to) = (now.cell(from).unwrap(), now.cell(to).unwrap());
    let (toward, back) = (cpd.toward(to).unwrap(), cpd.toward(from));
    let maps = MapPair { old: cpd.ground(), now };
    let (mut glance, mut path) = (DetourSearch::default(), Vec::new());
    let sight = glance.look(&toward, maps, from, (|bound| bound / 100 * hundredths, back), &mut path);
    if let Some(sight) = sight {
        assert_eq!(now.path_cost(&path), Some(sight.cost), "the path costs what is said");
        assert_eq!((path.first(), path.last()), (Some(&from), Some(&to)));
        assert!(sight.bound <= cpd.distance(from, to).unwrap(), "the bound is one");
    }
    Look { sight, path, glance }
}

#[test]
fn a_free_way_is_the_answer() {
    let grid = field(20, 9);
    let cpd = Cpd::build(grid.ground());
    let look = look(&cpd, grid.ground(), (Pos::new(1, 4), Pos::new(18, 4)), 100);
    assert_eq!(look.sight.map(|sight| sight.cost == sight.bound), Some(true));
    assert_eq!((look.path.len(), look.glance.expanded().len()), (18, 0));
}

/// In the open the distance of an empty map is what the way cost: the rest of it is not followed.
#[test]
fn around_an_obstacle_the_rest_of_the_way_is_not_followed() {
    let mut grid = field(60, 21);
    let cpd = Cpd::build(grid.ground());
    grid.block(Area::disc(Pos::new(40, 10), 2));
    let look = look(&cpd, grid.ground(), (Pos::new(1, 10), Pos::new(58, 10)), 110);
    assert!(
        look.sight.is_some_and(|sight| sight.cost > sight.bound && sight.cost <= sight.bound / 100 * 110)
    );
    assert_eq!(look.glance.expanded().len(), 2);
    assert_eq!(look.glance.trail(grid.ground().cell(Pos::new(58, 10)).unwrap()), None);
}

/// What is not good enough is told all the same, and the whole way for whoever searches then.
#[test]
fn a_path_that_is_not_good_enough_is_told() {
    let mut grid = field(60, 21);
    let cpd = Cpd::build(grid.ground());
    grid.block(Area::disc(Pos::new(40, 10), 6));
    let ends = (Pos::new(1, 10), Pos::new(58, 10));
    let look = look(&cpd, grid.ground(), ends, 101);
    let sight = look.sight.unwrap();
    assert!(sight.cost > sight.bound / 100 * 101);
    let [from, to] = [ends.0, ends.1].map(|pos| grid.ground().cell(pos).unwrap());
    assert_eq!(Some(sight.bound), cpd.distance(from, to));
    assert_eq!(look.glance.trail(to).map(<[_]>::len), Some(57));
    assert!(look.glance.is_late());
}

/// One side of the obstacle is longer than the other: the cheaper one is told, whichever is looked at first.
#[test]
fn the_cheaper_side_wins() {
    for upper in [true, false] {
        let mut grid = field(60, 41);
        let cpd = Cpd::build(grid.ground());
        let (top, bottom) = if upper { (17, 36) } else { (4, 23) };
        for y in top..=bottom {
            grid.block(Pos::new(40, y));
        }
        let look = look(&cpd, grid.ground(), (Pos::new(1, 20), Pos::new(58, 20)), 100);
        let beyond = |cell: &Cell| {
            let y = grid.ground().pos(*cell).y;
            if upper { y > bottom } else { y < top }
        };
        assert!(look.sight.is_some());
        assert!(!look.path.iter().any(beyond), "the long way around was taken");
    }
}

#[test]
fn a_shut_in_start_has_no_path() {
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
    let look = look(&cpd, grid.ground(), ends, 150);
    assert!(look.sight.is_none() && look.path.is_empty());
    assert!(look.glance.trail(grid.ground().cell(ends.1).unwrap()).is_some());
}
