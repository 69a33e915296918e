//! Features compared with their definitions on random maps, and with values computed by hand.

use std::collections::{BTreeMap, BTreeSet};

use throng_grid::{Corners, Grid, MoveRules, Pos, SeededRng, Size, Terrain, Tiles};
use throng_search::open_list::Heap;
use throng_search::{BestFirst, DenseStore, Status};

use super::coarse::CenterDistance;
use super::*;

const RULES: [MoveRules; 3] =
    [MoveRules::eight_way(Corners::Forbid), MoveRules::eight_way(Corners::Allow), MoveRules::FOUR_WAY];

fn random_grid(width: u32, height: u32, walls: u32, rules: MoveRules, seed: u64) -> Grid {
    let mut rng = SeededRng::new(seed);
    let size = Size::new(width, height).unwrap();
    let terrain = |_| if rng.chance(walls) { Terrain::Wall } else { Terrain::Ground };
    Grid::new(Tiles::from_terrain(size, size.cells().map(terrain).collect()).unwrap(), rules)
}

/// Random maps of several sizes, densities and rules.
pub(super) fn random_grids() -> impl Iterator<Item = (String, Grid)> {
    let sizes = [(1, 1), (7, 5), (17, 33), (40, 35)];
    sizes.into_iter().flat_map(|(width, height)| {
        (0..12).map(move |seed| {
            let (walls, rules) = ([10, 30, 45, 60][seed as usize % 4], RULES[seed as usize % 3]);
            (format!("{width}x{height}, seed {seed}"), random_grid(width, height, walls, rules, seed))
        })
    })
}

fn picture(rows: &str, rules: MoveRules) -> Grid {
    Grid::new(Tiles::picture(rows), rules)
}

fn cell(grid: &Grid, x: i32, y: i32) -> Cell {
    grid.cell(Pos::new(x, y)).unwrap()
}

fn check(features: &FeatureVector, expected: &[(&str, i32)]) {
    for &(name, value) in expected {
        assert_eq!(features.get(name), Some(value), "{name}");
    }
}

#[test]
fn names_are_unique_and_described() {
    let names: BTreeSet<&str> = FEATURES.iter().map(|feature| feature.name).collect();
    assert_eq!(names.len(), FEATURES.len());
    for feature in FEATURES {
        assert!(feature.meaning.ends_with('.') && !feature.meaning.starts_with(' '), "{}", feature.name);
    }
}

#[test]
fn shapes_match_their_definitions() {
    for (what, grid) in random_grids() {
        let ground = grid.ground();
        let map = MapFeatures::of(ground);
        let free: Vec<Cell> = ground.free_cells().collect();
        let part = |is: &dyn Fn(Cell) -> bool| {
            share(free.iter().filter(|&&cell| is(cell)).count() as u64, free.len() as u64)
        };
        let clearance = |from, to| part(&|cell| (from..=to).contains(&oracles::clearance(ground, cell)));
        let width = |from, to| part(&|cell| (from..=to).contains(&oracles::passage_width(ground, cell)));
        let shape = map.shape;
        assert_eq!(shape.free_cells as usize, free.len(), "{what}");
        assert_eq!(
            [shape.clearance_1, shape.clearance_2, shape.clearance_4, shape.clearance_8],
            [clearance(1, 1), clearance(2, 2), clearance(3, 4), clearance(5, 8)],
            "{what}"
        );
        let largest = free.iter().map(|&cell| oracles::clearance(ground, cell)).max().unwrap_or(0);
        assert_eq!(shape.clearance_max, largest, "{what}");
        assert_eq!(
            [shape.width_1, shape.width_2, shape.width_4],
            [width(1, 1), width(2, 2), width(3, 4)],
            "{what}"
        );
        assert_eq!(shape.articulation_points, part(&|cell| oracles::is_articulation(ground, cell)), "{what}");
        assert_eq!(shape.dead_ends, part(&|cell| ground.neighbours(cell).count() <= 1), "{what}");
        assert_eq!(shape.obstacles as usize, oracles::surrounded_obstacles(ground), "{what}");
        for cell in ground.size().cells() {
            let expected = if ground.is_free(cell) { oracles::clearance(ground, cell) } else { 0 };
            assert_eq!(i32::from(map.clearance[cell.index()]), expected, "{what}");
        }
    }
}

#[test]
fn a_room_with_a_corridor() {
    let grid = picture(
        "....####
         ........
         ....####
         ..#.####",
        MoveRules::default(),
    );
    let map = MapFeatures::of(grid.ground());
    let shape = map.shape;
    assert_eq!((shape.map_width, shape.map_height, shape.free_cells, shape.free_share), (8, 4, 19, 5_937));
    assert_eq!((shape.components, shape.largest_component, shape.obstacles), (1, 10_000, 0));
    // The four cells of the corridor and the cell below the room have passages of width 1.
    assert_eq!(shape.width_1, share(5, 19));
    // All cells of the corridor but its end, and the cell from which it leaves the room, are articulation points.
    assert_eq!(shape.articulation_points, share(5, 19));
    assert_eq!(shape.dead_ends, share(2, 19));
    // Cells (1,1) and (2,1) have a free ring.
    assert_eq!(shape.clearance_2, share(2, 19));
    assert_eq!(map.coarse.regions, 1);
}

#[test]
fn coarse_graphs_match_their_definition() {
    for (what, grid) in random_grids() {
        let ground = grid.ground();
        let graph = &MapFeatures::of(ground).graph;
        let (region, borders) = oracles::regions(ground, 16);
        let mut number: BTreeMap<Cell, u32> = BTreeMap::new();
        for cell in ground.size().cells() {
            assert_eq!(graph.region_of(cell).is_some(), ground.is_free(cell), "{what}");
            if let Some(found) = graph.region_of(cell) {
                assert_eq!(*number.entry(region[&cell]).or_insert(found), found, "{what}");
            }
        }
        assert_eq!(number.len(), graph.regions.len(), "{what}");
        assert_eq!(borders.len(), graph.edges.len(), "{what}");
        for ((from, to), width) in borders {
            let edge = graph.edges[graph.edge_between(number[&from], number[&to]).unwrap()];
            assert!(if width > 0 { edge.width == width } else { edge.width > 0 }, "{what}: {from:?} {to:?}");
            assert_eq!(edge.length, graph.distance(number[&from], number[&to]).max(1), "{what}");
        }
        let found = landmarks::articulation_regions(graph);
        for region in 0..graph.regions.len() as u32 {
            let alone = graph.edges_of(region).is_empty();
            let components = ground.components().count();
            let expected = !alone && oracles::components_without(graph, region) > components;
            assert_eq!(found.contains(&region), expected, "{what}: {region}");
        }
    }
}

#[test]
fn coarse_searches_find_shortest_distances() {
    for (what, grid) in random_grids() {
        let graph = &MapFeatures::of(grid.ground()).graph;
        let mut search: BestFirst<DenseStore, Heap> = BestFirst::default();
        for from in 0..graph.regions.len() as u32 {
            let expected = oracles::coarse_distances(graph, from);
            for to in 0..graph.regions.len() as u32 {
                let (mut space, mut heuristic) = (graph, CenterDistance { graph, goal: to });
                search.begin(&space);
                search.add_source(from, 0, &mut heuristic);
                let status =
                    search.resume(&mut space, &mut heuristic, |region| region == to, u64::MAX, &mut ());
                let found = matches!(status, Status::Found(_)).then(|| search.node(to).unwrap().g);
                // Rounding to half cells makes the heuristic inconsistent by at most one tenth of a cell per edge.
                let near = match (found, expected[to as usize]) {
                    (Some(found), Some(expected)) => found >= expected && found <= expected + expected / 10,
                    (found, expected) => found == expected,
                };
                assert!(near, "{what}: {from} to {to}: {found:?}, {:?}", expected[to as usize]);
            }
        }
    }
}

#[test]
fn slices_give_the_same_as_one_step() {
    for (what, grid) in random_grids() {
        let whole = MapFeatures::of(grid.ground());
        for cells in [1, 100, 1_000] {
            let mut builder = MapFeaturesBuilder::new(grid.ground());
            while !builder.is_complete() {
                assert!(builder.step(grid.ground(), cells) > 0);
            }
            assert_eq!(builder.step(grid.ground(), cells), 0);
            assert_eq!(builder.finish(), whole, "{what}, {cells} cells");
        }
    }
}

/// Steps stay small: none visits more than a row, a square or the regions beyond what it was asked for.
#[test]
fn steps_are_bounded() {
    let grid = random_grid(200, 100, 30, MoveRules::default(), 1);
    let mut builder = MapFeaturesBuilder::new(grid.ground());
    let regions = MapFeatures::of(grid.ground()).coarse.regions as usize;
    let mut total = 0;
    while !builder.is_complete() {
        let done = builder.step(grid.ground(), 500);
        assert!(done <= 500 + 256.max(regions), "{done} cells");
        total += done;
    }
    assert!(total <= 8 * 20_000, "{total} visits of 20,000 cells");
}

/// Two agents that swap places in a corridor of width 1 across two squares.
#[test]
fn contraflow_in_a_corridor() {
    let grid = picture(
        "################################
         ................................
         ################################",
        MoveRules::default(),
    );
    let (west, east) = (cell(&grid, 0, 1), cell(&grid, 31, 1));
    let map = MapFeatures::of(grid.ground());
    let both = instance_features(&map, grid.ground(), &[(west, east), (east, west)]);
    check(
        &both,
        &[
            ("agents", 2),
            ("agent_density", 625),
            ("octile_mean", 310),
            ("octile_max", 310),
            ("octile_deviation", 0),
            ("demand", 62 * 1_000 / 32),
            ("common_direction", 0),
            ("path_mean", 160),
            ("error_mean", 1_000),
            ("expansions_mean", 1),
            ("used_regions", 10_000),
            ("region_load", 125),
            ("border_load_max", 2_000),
            ("contraflow", 5_000),
            ("contraflow_max", 1_000),
            ("narrowest_min", 1),
            ("narrow_paths", 10_000),
            ("line_blocked", 0),
            ("first_descent", 10_000),
            ("minima", 0),
            ("depression_cells", 0),
            ("probe_length", 1_000),
            ("probe_arrived", 10_000),
            ("start_spread", 155),
            ("centre_distance", 0),
            ("start_box", 3_333),
            ("goals_among_starts", 10_000),
            ("region_overlap", 10_000),
        ],
    );
    let one = instance_features(&map, grid.ground(), &[(west, east)]);
    check(
        &one,
        &[("contraflow", 0), ("contraflow_max", 0), ("border_load_max", 1_000), ("common_direction", 10_000)],
    );
}

/// A cup that opens away from the goal is one depression.
#[test]
fn a_cup_is_a_depression() {
    let grid = picture(
        ".........
         ..####...
         .....#...
         .....#...
         .....#...
         ..####...
         .........",
        MoveRules::default(),
    );
    let map = MapFeatures::of(grid.ground());
    let (inside, outside) = (cell(&grid, 4, 3), cell(&grid, 8, 3));
    let features = instance_features(&map, grid.ground(), &[(inside, outside)]);
    check(
        &features,
        &[("first_descent", 0), ("minima", 1_000), ("probe_arrived", 10_000), ("line_obstacles", 1_000)],
    );
    assert!(features.get("depression_cells") >= Some(10), "{features:?}");
    assert!(features.get("probe_length") > Some(2_000), "{features:?}");
    check(&features, &[("back_minima", 1_000), ("back_first_descent", share(2, 4))]);
    let free = instance_features(&map, grid.ground(), &[(cell(&grid, 0, 0), cell(&grid, 8, 0))]);
    check(&free, &[("minima", 0), ("back_minima", 0), ("line_obstacles", 0), ("probe_length", 1_000)]);
}

#[test]
fn every_crowd_has_features() {
    for (what, grid) in random_grids() {
        let ground = grid.ground();
        let map = MapFeatures::of(ground);
        let free: Vec<Cell> = ground.free_cells().collect();
        let none = instance_features(&map, ground, &[]);
        assert!(none.values()[MapFeatures::COUNT..].iter().all(|&value| value == 0), "{what}");
        assert_eq!(none.values()[..MapFeatures::COUNT], map.values(), "{what}");
        let Some(&first) = free.first() else { continue };
        // Agents on their goals, with unreachable goals, and with any.
        let mut rng = SeededRng::new(5);
        let mut any: Vec<_> = (0..free.len().min(100)).map(|_| (rng.pick(&free), rng.pick(&free))).collect();
        for agents in [vec![(first, first)], vec![(first, free[free.len() - 1])], any.clone()] {
            let features = instance_features(&map, ground, &agents);
            assert_eq!(features.get("agents"), Some(agents.len() as i32), "{what}");
            assert!(features.values().iter().all(|&value| value >= 0), "{what}: {features:?}");
        }
        // Features that cover all agents do not depend on the agents' order.
        let before = instance_features(&map, ground, &any);
        any.reverse();
        let after = instance_features(&map, ground, &any);
        let end = MapFeatures::COUNT + CrowdFeatures::TABLE.len();
        assert_eq!(before.values()[..end], after.values()[..end], "{what}");
    }
}
