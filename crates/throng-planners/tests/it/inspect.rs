//! Debug layers: what planners emit of their fields, sectors and unfinished searches.

use throng_crowd::{AgentId, AgentRow, AgentSpec, Budget, DebugLayer, DebugMark, World, WorldError};
use throng_grid::moves::STRAIGHT;
use throng_grid::{Area, Corners, MoveRules, Pos};
use throng_planners::restore;
use throng_search::Rra;

use crate::conformance::run_disturbed;
use crate::support::{crowd, empty, every_spec, populate, random_grid, small_map};

const AGENT: AgentId = AgentId::from_bits(0);
const ROW: AgentRow = AgentRow(0);

/// A map of 100 by 100 cells after one tick, with an agent from one corner to the other.
fn world(spec: &str, budget: Budget) -> World {
    let mut world = empty(spec, random_grid(100, 10, MoveRules::eight_way(Corners::Forbid), 3));
    let free = |&pos: &Pos| world.grid().cell(pos).is_some_and(|cell| world.grid().ground().is_free(cell));
    let diagonal = || (2..98).map(|at| Pos::new(at, at));
    let ends = (diagonal().find(free).unwrap(), diagonal().rfind(free).unwrap());
    populate(&mut world, &[ends]);
    world.tick(budget, &mut Vec::new());
    world
}

fn marks(world: &World, layer: DebugLayer) -> Vec<DebugMark> {
    let mut marks = Vec::new();
    world.inspect(layer, &mut |mark| marks.push(mark)).unwrap();
    marks
}

/// Distance fields are exact at the agent with `pibt`, and nearly so with `surge`: in percent, and within a sector.
#[test]
fn distance_fields_are_those_of_the_map() {
    for (spec, least, most) in [("surge", 99, 115), ("pibt", 100, 100)] {
        let mut world = world(spec, Budget::Unlimited);
        let slack = if most > 100 { 100 * 16 * u64::from(STRAIGHT) } else { 0 };
        while !world.has_arrived(AGENT).unwrap() {
            let (ground, view) = (world.grid().ground(), world.view());
            let (at, target) = (view.at(ROW), view.target(ROW).unwrap());
            let mut table = Rra::without_history(ground, target, at);
            table.advance(ground, u64::MAX);
            let marks = marks(&world, DebugLayer::DistanceField(AGENT));
            let mut found = false;
            for mark in marks {
                let DebugMark::Distance { cell, distance } = mark else { panic!("{spec}: {mark:?}") };
                let exact = u64::from(table.known(cell).unwrap());
                let distance = 100 * u64::from(distance);
                assert!(distance >= least * exact, "{spec}: {cell:?}");
                found |= cell == at && distance <= most * exact + slack;
            }
            assert!(found, "{spec} at {at:?}");
            for _ in 0..20 {
                world.tick(Budget::Unlimited, &mut Vec::new());
            }
        }
        let nobody = AgentId::from_bits(7);
        let result = world.inspect(DebugLayer::DistanceField(nobody), &mut |_| ());
        assert_eq!(result, Err(WorldError::NoSuchAgent(nobody)));
    }
}

#[test]
fn sectors_cover_the_map() {
    let world = world("dm:sector=8", Budget::Unlimited);
    let marks = marks(&world, DebugLayer::Sectors);
    assert_eq!(marks.len(), world.grid().size().area());
    for mark in marks {
        let DebugMark::Sector { cell, sector } = mark else { panic!("{mark:?}") };
        let pos = world.grid().size().pos(cell);
        assert_eq!(sector as i32, pos.y / 8 * 13 + pos.x / 8);
    }
}

#[test]
fn the_sectors_of_surge_are_squares() {
    let world = world("surge", Budget::Unlimited);
    let marks = marks(&world, DebugLayer::Sectors);
    assert_eq!(marks.len(), world.grid().size().area());
    let sector = |x: i32, y: i32| match marks[(y * 100 + x) as usize] {
        DebugMark::Sector { sector, .. } => sector,
        mark => panic!("{mark:?}"),
    };
    let side = (1..100).find(|&x| sector(x, 0) != sector(0, 0)).unwrap();
    assert_eq!((sector(side - 1, side - 1), sector(0, side) == sector(0, 0)), (sector(0, 0), false));
}

/// Rows and columns alternate; nobody leaves a cell against its streets.
#[test]
fn one_way_streets_are_those_that_agents_follow() {
    for spec in ["far", "bmaa:flow=on"] {
        let world = world(spec, Budget::Unlimited);
        let ground = world.grid().ground();
        let marks = marks(&world, DebugLayer::OneWayStreets);
        assert!(marks.len() > ground.free_cells().count() / 2, "{spec}: {}", marks.len());
        let mut moves_of = std::collections::BTreeMap::new();
        for mark in marks {
            let DebugMark::Street { cell, moves } = mark else { panic!("{mark:?}") };
            assert_eq!(moves & !ground.moves(cell), 0, "{spec}: {cell:?}");
            assert_ne!(moves, ground.moves(cell), "{spec}: {cell:?}");
            moves_of.insert(cell, moves);
        }
        let mut path = Vec::new();
        let shown = world.inspect(DebugLayer::Paths, &mut |mark| {
            if let DebugMark::Path { cell, .. } = mark {
                path.push(cell);
            }
        });
        shown.unwrap();
        assert!(path.len() > 1, "{spec}");
        let mut steps = path
            .windows(2)
            .filter_map(|pair| Some((moves_of.get(&pair[0])?, ground.legal_step(pair[0], pair[1]).unwrap())));
        assert!(steps.all(|(moves, direction)| moves & direction.bit() != 0), "{spec}");
    }
    assert_eq!(marks(&world("far:flow=off", Budget::Unlimited), DebugLayer::OneWayStreets), []);
}

#[test]
fn unfinished_searches_show_their_cells() {
    for spec in ["far", "lra", "bmaa:expansions=64"] {
        let world = world(spec, Budget::Expansions(40));
        let marks = marks(&world, DebugLayer::SearchedCells);
        assert!((1..=40).contains(&marks.len()), "{spec}: {}", marks.len());
        let start = DebugMark::Searched { agent: AGENT, cell: world.view().at(ROW) };
        assert_eq!(marks[0], start, "{spec}");
    }
}

/// Planners answer between an edit and the next tick, also if they were loaded in between.
#[test]
fn everything_can_be_asked_between_an_edit_and_a_tick() {
    let ask = |world: &World| {
        use DebugLayer::{DirectionVectors, DistanceField, Paths, SearchedCells, Sectors};
        for layer in [Paths, Sectors, SearchedCells, DirectionVectors] {
            marks(world, layer);
        }
        for &agent in world.agents() {
            marks(world, DistanceField(agent));
            world.path(agent, 100).unwrap();
            world.next_cell(agent).unwrap();
            world.remaining(agent).unwrap();
        }
    };
    for spec in every_spec() {
        for seed in 60..63 {
            let mut world = crowd(&spec, small_map(seed), 30, seed);
            run_disturbed(&mut world, 30, seed);
            let size = world.grid().size();
            let middle = Pos::new(size.width() as i32 / 2, size.height() as i32 / 2);
            let before = world.snapshot();
            world.unblock(Area::rect(Pos::new(0, 0), middle));
            world.block(Area::disc(middle, 4));
            let at = |number: i32| AgentSpec::at(number % 8, number / 8);
            let spawned = (0..64).filter_map(|number| world.spawn(at(number)).ok()).take(2);
            for agent in spawned.collect::<Vec<_>>() {
                world.send(agent, Pos::new(0, 0)).unwrap();
            }
            ask(&world);
            let mut loaded = restore(&world.snapshot()).unwrap();
            ask(&loaded);
            ask(&throng_planners::restore_like(&world, &before).unwrap());
            loaded.tick(Budget::units(500), &mut Vec::new());
            ask(&loaded);
        }
    }
}
