//! Debug layers: what planners emit of their fields, sectors and unfinished searches.

use throng_crowd::{AgentId, AgentRow, Budget, DebugLayer, DebugMark, World, WorldError};
use throng_grid::moves::STRAIGHT;
use throng_grid::{Corners, MoveRules, Pos};
use throng_search::Rra;

use crate::support::{empty, populate, random_grid};

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
fn unfinished_searches_show_their_cells() {
    for spec in ["far", "lra", "bmaa:expansions=64"] {
        let world = world(spec, Budget::Expansions(40));
        let marks = marks(&world, DebugLayer::SearchedCells);
        assert!((1..=40).contains(&marks.len()), "{spec}: {}", marks.len());
        let start = DebugMark::Searched { agent: AGENT, cell: world.view().at(ROW) };
        assert_eq!(marks[0], start, "{spec}");
    }
}
