//! The figures of the report as pictures: `#` is a wall of the map, `x` a new wall, `a` the expanded node and `A` the
//! target. In the results, `s` is a step to a neighbour, `j` the CPD successor, `w` the end of a walk along a wall and
//! `p` a node whose string was pulled. Capital letters are members of the focal list.

use throng_grid::{Corners, Grid, MoveRules, Pos, Tiles};
use throng_search::{BestFirst, DenseStore, Policy, Status, open_list::Heap};

use super::*;
use crate::database::Cpd;
use crate::map_change::MapChange;
use crate::path_cache::PathCache;

/// Returns the grid of a picture, a database built without its new walls, and the cells of `a` and `A`.
fn scene(picture: &str, corners: Corners) -> (Grid, Cpd, Cell, Cell) {
    let rows: Vec<&str> = picture.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
    let plain = rows.join("\n").replace(['a', 'A', 'x'], ".");
    let mut grid = Grid::new(Tiles::picture(&plain), MoveRules::eight_way(corners));
    let cpd = Cpd::build(grid.ground());
    let (mut from, mut to) = (Cell(0), Cell(0));
    for (y, row) in rows.iter().enumerate() {
        for (x, letter) in row.chars().enumerate() {
            let pos = Pos::new(x as i32, y as i32);
            match letter {
                'x' => assert_eq!(grid.block(pos), 1),
                'a' => from = grid.cell(pos).unwrap(),
                'A' => to = grid.cell(pos).unwrap(),
                _ => {}
            }
        }
    }
    (grid, cpd, from, to)
}

/// Returns the successors of `a` as a picture. If there is a shoot node, it is expanded first, and `a` is reached from
/// it.
fn successors(picture: &str, corners: Corners, rule: FocalRule, shoot: Option<Pos>) -> String {
    let (grid, cpd, from, to) = scene(picture, corners);
    let (mut change, mut paths, mut shoot_nodes) =
        (MapChange::default(), PathCache::default(), ShootNodes::default());
    change.refresh(&cpd, grid.ground());
    let bounds = CpdBounds::new(&cpd, grid.ground(), &change, &mut paths, to);
    let mut space = CpdSpace::new(&bounds, rule, 0, &mut shoot_nodes);
    let mut search = BestFirst::new(DenseStore::default(), Heap::default(), Policy::default());
    let start = shoot.map_or(from, |pos| grid.cell(pos).unwrap());
    search.begin(&space);
    search.add_source(start.0, 0, &mut &bounds);
    if shoot.is_some() {
        assert_eq!(search.resume(&mut space, &mut &bounds, |_| false, 1, &mut ()), Status::Paused);
        assert!(search.node(from.0).is_some(), "a is no successor of the shoot node");
    }
    let known = search.node(from.0).unwrap();
    let mut seen = Vec::new();
    space.expand(Expansion { node: from.0, known }, |successor| seen.push(successor));
    draw(&grid, from, to, &seen)
}

fn draw(grid: &Grid, from: Cell, to: Cell, seen: &[Successor]) -> String {
    let size = grid.size();
    let mut picture = String::from("\n");
    for y in 0..size.height() as i32 {
        for x in 0..size.width() as i32 {
            let cell = size.cell(Pos::new(x, y)).unwrap();
            let open = grid.tiles().at(Pos::new(x, y)) == Some(throng_grid::Terrain::Ground);
            let last = seen.iter().rev().find(|successor| successor.node == cell.0);
            picture.push(match last {
                _ if cell == from => 'a',
                _ if cell == to => 'A',
                Some(successor) => {
                    let letter = ['s', 'j', 'p', 'w'][usize::from((successor.tag & KIND) >> 3)];
                    if successor.tag & IN_FOCAL != 0 { letter.to_ascii_uppercase() } else { letter }
                }
                None if !open => '#',
                None if !grid.ground().is_free(cell) => 'x',
                None => '.',
            });
        }
        picture.push('\n');
    }
    picture
}

const AREA: FocalRule = walls(SamePerturbation::Area, false);
const CELL: FocalRule = walls(SamePerturbation::Cell, false);
const PUBLISHED: FocalRule = walls(SamePerturbation::Cell, true);
const BESIDE_WALLS: FocalRule = FocalRule::BesideWalls(StringPulling::FocalNodes);
const ALL_NODES: FocalRule = FocalRule::BesideWalls(StringPulling::AllNodes);

const fn walls(same: SamePerturbation, full_walks: bool) -> FocalRule {
    FocalRule::BranchingNodes(WallSearch { same, look: false, full_walks })
}

/// The scene of figures 6 and 9: `a` stands before a new wall.
const BEFORE_A_WALL: &str = "
    ............
    .....xx.....
    .....xx.....
    ....axx....A
    .....xx.....
    .....xx.....
    ............";

/// Compares two pictures; the rows of the expected one may be indented.
fn expect(found: &str, expected: &str) {
    let rows: Vec<&str> = expected.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
    assert!(found.trim() == rows.join("\n"), "found{found}expected\n{}", rows.join("\n"));
}

/// Corners of new walls may be cut under the mixed rule, but not if corners are forbidden.
#[test]
fn figure_2_moves_beside_a_new_wall() {
    let picture = "
        .......
        ..xxx..
        ..xxx..
        .axxx..
        ......A
        .......";
    let cut = "
        .......
        ..xxx..
        ssxxx..
        saxxx..
        sss...A
        .......";
    expect(&successors(picture, Corners::Mixed, AREA, None), cut);
    expect(&successors(picture, Corners::Forbid, AREA, None), &cut.replace("sss...A", "ss....A"));
}

/// Besides its neighbours, a node has the last cell before the obstacle as a successor.
#[test]
fn figure_4_the_cpd_successor() {
    let picture = "
        ............
        ......x.....
        ......x.....
        .a....x...A.
        ......x.....
        ......x.....
        ............";
    let expected = "
        ............
        ......x.....
        sss...x.....
        sas..Jx...A.
        sss...x.....
        ......x.....
        ............";
    for rule in [BESIDE_WALLS, AREA] {
        expect(&successors(picture, Corners::Mixed, rule, None), expected);
    }
}

/// Every neighbour beside the new wall is in the focal list, and its string is pulled from the shoot node.
#[test]
fn figure_6_strings_are_pulled_beside_walls() {
    let expected = "
        ............
        .....xx.....
        ...sPxx.....
        ...saxx....A
        ...sPxx.....
        .....xx.....
        ............";
    expect(&successors(BEFORE_A_WALL, Corners::Mixed, BESIDE_WALLS, Some(Pos::new(0, 3))), expected);
    // As published, strings are also pulled at nodes away from the wall.
    let all = expected.replace("..sP", "..pP").replace("..sa", "..pa");
    expect(&successors(BEFORE_A_WALL, Corners::Mixed, ALL_NODES, Some(Pos::new(0, 3))), &all);
}

/// Strings are pulled from the last shoot node, even if an earlier node has a cheaper path to the end of the wall.
#[test]
fn figure_7_an_earlier_node_would_be_cheaper() {
    let picture = "
        ............
        ......x.....
        ......x.....
        .....ax....A
        ......x.....
        ...####.....
        ............";
    let expected = "
        ......P.....
        ......x.....
        ....ssx.....
        ....sax....A
        ....ssx.....
        ...####.....
        ..P.........";
    let (shoot, earlier, end) = (Pos::new(0, 3), Pos::new(0, 6), Pos::new(2, 6));
    expect(&successors(picture, Corners::Mixed, AREA, Some(shoot)), expected);
    let (grid, cpd, ..) = scene(picture, Corners::Mixed);
    let [shoot, earlier, end] = [shoot, earlier, end].map(|pos| grid.cell(pos).unwrap());
    let mut direct = Vec::new();
    let cost = cpd.path(earlier, end, &mut direct);
    assert_eq!(grid.ground().path_cost(&direct), cost, "the earlier node has a free path to the end");
    assert!(cost < Some(cpd.distance(earlier, shoot).unwrap() + cpd.distance(shoot, end).unwrap()));
}

/// Walks end where the database's path to the target is free.
#[test]
fn figure_9_walks_end_where_the_path_is_free() {
    let expected = "
        ......W.....
        .....xx.....
        ...ssxx.....
        ...saxx....A
        ...ssxx.....
        .....xx.....
        ......W.....";
    for rule in [AREA, CELL, PUBLISHED] {
        expect(&successors(BEFORE_A_WALL, Corners::Mixed, rule, Some(Pos::new(0, 3))), expected);
    }
    // One step later if corners must not be cut.
    let strict = expected.replace("......W.....", ".......W....");
    expect(&successors(BEFORE_A_WALL, Corners::Forbid, AREA, Some(Pos::new(0, 3))), &strict);
}

/// In a hollow, the report's definition of the same perturbation stops the walk at once, at a cell whose path is
/// blocked by the same walls elsewhere. The improved definition continues until the path leads out of the hollow.
#[test]
fn figure_13_out_of_a_hollow() {
    let picture = "
        .............
        ....xxxxx....
        ........x....
        ........x....
        .......ax...A
        ........x....
        ........x....
        ....xxxxx....
        .............";
    let improved = "
        ........W....
        ....xxxxx....
        ........x....
        ......ssx....
        ......sax...A
        ......ssx....
        ........x....
        ....xxxxx....
        ........W....";
    let report = "
        .............
        ....xxxxx....
        ......P.x....
        ......ssx....
        ......sax...A
        ......ssx....
        ......P.x....
        ....xxxxx....
        .............";
    expect(&successors(picture, Corners::Mixed, AREA, Some(Pos::new(0, 4))), improved);
    for rule in [CELL, PUBLISHED] {
        expect(&successors(picture, Corners::Mixed, rule, Some(Pos::new(0, 4))), report);
    }
}

/// As published, a walk ends at a branching node however far that is. By default it ends where `f` has risen too far.
#[test]
fn full_walks_follow_a_long_wall_to_its_end() {
    let wall = "....x....\n".repeat(24);
    let picture = format!(".........\n{wall}...axA...\n{wall}.........");
    let ends = |full_walks| {
        let rule = walls(SamePerturbation::Area, full_walks);
        let found = successors(&picture, Corners::Mixed, rule, Some(Pos::new(0, 25)));
        let rows = found.trim().lines().enumerate();
        rows.filter(|row| row.1.contains(['W', 'P'])).map(|row| row.0).collect::<Vec<usize>>()
    };
    assert_eq!(ends(true), [0, 50], "both ends of the wall");
    let short = ends(false);
    assert!(short.len() == 2 && 0 < short[0] && short[1] < 50, "{short:?}");
}
