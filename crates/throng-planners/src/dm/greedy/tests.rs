//! The rules of section 3.6 of the thesis, one test each.

use std::collections::BTreeSet;

use super::*;
use crate::{planner, planner_with};
use throng_crowd::{AgentSpec, Budget, Settings, World};
use throng_grid::{Direction, MoveRules, Pos, Size, Terrain, Tiles};
use throng_toolkit::Vector;

/// Returns a world of followers on an open map of 5 by 5 cells, with a vector in each cell where `vector` has one.
fn world(spec: &str, seed: u64, vector: impl Fn(Pos) -> Option<Vector>) -> World {
    let size = Size::new(5, 5).unwrap();
    let grid = Grid::new(Tiles::filled(size, Terrain::Ground), MoveRules::default());
    let mut map = DirectionMap::new(size);
    for cell in size.cells() {
        map.set(cell, vector(size.pos(cell)));
    }
    let resources = Resources { direction_map: Some(map), ..Resources::default() };
    let follower = planner_with(spec, &grid, resources).unwrap();
    World::new(grid, follower, Settings::default().seed(seed)).unwrap()
}

/// Returns where a follower in the middle of the map goes in the first tick.
fn first_step(mut world: World) -> Pos {
    let agent = world.spawn(AgentSpec::at(2, 2)).unwrap();
    world.tick(Budget::Unlimited, &mut Vec::new());
    world.position(agent).unwrap()
}

const EAST: Vector = Vector::step(Direction::East);

#[test]
fn a_follower_takes_the_cheapest_step() {
    for seed in 0..50 {
        assert_eq!(first_step(world("dm-greedy", seed, |_| Some(EAST))), Pos::new(3, 2));
    }
}

#[test]
fn occupied_cells_are_not_considered() {
    for seed in 0..50 {
        let mut world = world("dm-greedy", seed, |_| Some(EAST));
        world.place_foreign(Pos::new(3, 2)).unwrap();
        let to = first_step(world);
        assert!(to == Pos::new(3, 1) || to == Pos::new(3, 3), "{to:?}");
    }
}

#[test]
fn cells_with_a_vector_are_preferred() {
    // The vector of the middle leads to a cell without one. The only other vector is behind.
    let vector = |pos| [Pos::new(2, 2), Pos::new(1, 2)].contains(&pos).then_some(EAST);
    for seed in 0..50 {
        assert_eq!(first_step(world("dm-greedy", seed, vector)), Pos::new(1, 2));
    }
}

#[test]
fn one_time_in_four_a_similar_second_is_taken() {
    // Halfway between east and north-east: both steps have the same penalty, and the costs differ by the length only, which
    // is 0.41 straight steps, or 4.1 % of the largest penalty.
    let slanted = Vector { x: 15_137, y: -6_270 };
    let seconds = |spec: &str| {
        let steps = (0..400).map(|seed| first_step(world(spec, seed, |_| Some(slanted))));
        steps.inspect(|to| assert!(to.x == 3 && to.y <= 2, "{to:?}")).filter(|to| to.y == 1).count()
    };
    // The standard deviation of the number is 8.7.
    assert!((60..=140).contains(&seconds("dm-greedy")), "{}", seconds("dm-greedy"));
    assert_eq!(seconds("dm-greedy:similar=0.04"), 0);
    assert!(seconds("dm-greedy:similar=0.05") > 0);
}

#[test]
fn without_a_vector_the_step_is_random() {
    // Vectors all around do not matter.
    let vector = |pos: Pos| (pos != Pos::new(2, 2)).then_some(EAST);
    let cells: BTreeSet<Pos> = (0..400).map(|seed| first_step(world("dm-greedy", seed, vector))).collect();
    assert_eq!(cells.len(), 8, "{cells:?}");
}

#[test]
fn a_follower_expands_one_node_per_tick() {
    let mut world = world("dm-greedy", 1, |pos| (pos.y > 1).then_some(EAST));
    for y in 0..4 {
        world.spawn(AgentSpec::at(0, y)).unwrap();
    }
    for _ in 0..100 {
        world.tick(Budget::Unlimited, &mut Vec::new());
    }
    assert_eq!(world.totals().expansions, 400);
}

/// A ring of vectors around a block: a follower circles it.
#[test]
fn a_follower_walks_along_the_vectors() {
    let tiles = Tiles::picture(
        ".....
         .@@@.
         .@@@.
         .....",
    );
    let grid = Grid::new(tiles, MoveRules::default());
    let mut map = DirectionMap::new(grid.size());
    let cell = |x, y| grid.cell(Pos::new(x, y)).unwrap();
    let ring: Vec<Cell> = (0..4)
        .map(|x| cell(x, 0))
        .chain((0..3).map(|y| cell(4, y)))
        .chain((1..5).rev().map(|x| cell(x, 3)))
        .chain((1..4).rev().map(|y| cell(0, y)))
        .collect();
    for (i, &from) in ring.iter().enumerate() {
        let to = ring[(i + 1) % ring.len()];
        let direction = Direction::between(grid.size().pos(from), grid.size().pos(to)).unwrap();
        map.set(from, Some(Vector::step(direction)));
    }
    let with = |map| {
        planner_with("dm-greedy", &grid, Resources { direction_map: Some(map), ..Resources::default() })
    };
    let other_size = DirectionMap::new(throng_grid::Size::new(3, 3).unwrap());
    assert!(with(other_size).is_err());
    let follower = with(map).unwrap();
    let mut world = World::new(grid.clone(), follower, Settings::default()).unwrap();
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    for i in 0..60 {
        let at = world.position(agent).unwrap();
        assert_eq!(grid.cell(at), Some(ring[i % ring.len()]), "after {i} ticks");
        world.tick(Budget::Unlimited, &mut Vec::new());
    }
}

#[test]
fn a_map_is_learned_from_patrolling_agents() {
    let grid = Grid::new(throng_grid::builtin::builtin("arena").unwrap(), MoveRules::default());
    let learn = || {
        let follower = planner("dm-greedy:learn=3", &grid).unwrap();
        let world = World::new(grid.clone(), follower, Settings::default()).unwrap();
        DirectionMap::of_world(&world).unwrap()
    };
    let map = learn();
    assert!(map.known().count() * 2 > grid.ground().free_count(), "{}", map.known().count());
    assert!(map.coherence().millionths().unwrap() > 250_000);
    assert_eq!(learn(), map, "learning is deterministic");
}
