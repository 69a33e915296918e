//! Illegal proposals of a planner are overruled with the broken rule, and positions stay legal.

use throng_crowd::{AgentId, AgentRow, AgentSpec, Crossings, Event, Rule, Settings, World, check};
use throng_grid::{Cell, Grid, MoveRules, Pos, Tiles};

use crate::support::{script, tick, world_of};

/// Returns a recording world whose planner proposes the given moves (agent, cell) in every tick.
fn world_with_proposals(picture: &str, agents: &[AgentSpec], proposals: &'static [(u32, u32)]) -> World {
    world_with_crossings(Crossings::Forbid, picture, agents, proposals)
}

fn world_with_crossings(
    crossings: Crossings,
    picture: &str,
    agents: &[AgentSpec],
    proposals: &'static [(u32, u32)],
) -> World {
    let planner = script(move |_, moves| {
        for &(agent, to) in proposals {
            moves.go(AgentRow(agent), Cell(to));
        }
    });
    let grid = Grid::new(Tiles::picture(picture), MoveRules::default());
    let mut world = World::new(grid, planner, Settings::default().crossings(crossings)).unwrap();
    for &spec in agents {
        world.spawn(spec).unwrap();
    }
    world.start_recording();
    world
}

/// Runs one tick, checks its recording, and returns the overruled agents with the broken rules.
fn overruled(world: &mut World) -> Vec<(u32, Rule)> {
    let events = tick(world);
    let recording = throng_crowd::Recording::read(&world.finish_recording().unwrap()).unwrap();
    assert!(check(&recording).is_clean());
    world.start_recording();
    let rule = |event: &Event| match event {
        Event::Overruled { agent, rule, .. } => Some((agent.row(), *rule)),
        _ => None,
    };
    let overruled: Vec<_> = events.iter().filter_map(rule).collect();
    assert!(world.totals().overruled >= overruled.len() as u64);
    overruled
}

fn at(x: i32, y: i32) -> AgentSpec {
    AgentSpec::at(x, y)
}

const ROOM: &str = "....\n.#..\n....";

#[test]
fn a_contested_cell_goes_to_the_lowest_number() {
    let mut world = world_with_proposals(ROOM, &[at(0, 0), at(2, 0)], &[(0, 1), (1, 1)]);
    assert_eq!(overruled(&mut world), [(1, Rule::SharedCell)]);
    assert_eq!(world.position(AgentId::from_bits(0)), Ok(Pos::new(1, 0)));
}

#[test]
fn an_occupied_cell_stays_with_its_agent() {
    let mut world = world_with_proposals(ROOM, &[at(0, 0), at(1, 0)], &[(0, 1)]);
    assert_eq!(overruled(&mut world), [(0, Rule::SharedCell)]);
}

#[test]
fn swaps_are_overruled() {
    let mut world = world_with_proposals(ROOM, &[at(0, 0), at(1, 0)], &[(0, 1), (1, 0)]);
    assert_eq!(overruled(&mut world), [(0, Rule::Swap), (1, Rule::Swap)]);
}

#[test]
fn jumps_walls_corner_cutting_and_the_edge_are_illegal() {
    for to in [2, 8, 11, 5, 3, 12, 4_000_000, u32::MAX] {
        let to: &'static [(u32, u32)] = Vec::leak(vec![(0, to)]);
        let mut world = world_with_proposals(ROOM, &[at(1, 0)], to);
        let expect = if to[0].1 == 2 { vec![] } else { vec![(0, Rule::Illegal)] };
        assert_eq!(overruled(&mut world), expect, "to cell {}", to[0].1);
    }
    let mut corner = world_with_proposals(ROOM, &[at(1, 0)], &[(0, 6)]);
    assert_eq!(overruled(&mut corner), [(0, Rule::Illegal)], "cuts the wall's corner");
}

#[test]
fn moves_out_of_turn_are_overruled() {
    let east = script(|view, moves| view.agents().iter().for_each(|&a| moves.go(a, Cell(view.at(a).0 + 1))));
    let mut world = world_of("....", east);
    world.spawn(at(0, 0).speed(3)).unwrap();
    world.start_recording();
    assert_eq!(overruled(&mut world), []);
    assert_eq!(overruled(&mut world), [(0, Rule::NotItsTurn)], "one tick after a step");
    assert_eq!(overruled(&mut world), [(0, Rule::NotItsTurn)], "two ticks after");
    assert_eq!(overruled(&mut world), [], "three ticks after");
    let mut world = world_with_proposals("....", &[at(0, 0)], &[(0, 1)]);
    world.control(AgentId::from_bits(0), false).unwrap();
    assert_eq!(overruled(&mut world), [(0, Rule::NotItsTurn)], "the planner does not control the agent");
}

#[test]
fn the_last_proposal_for_an_agent_counts() {
    let mut world = world_with_proposals("....", &[at(0, 0)], &[(0, 1), (0, 2)]);
    assert_eq!(overruled(&mut world), [(0, Rule::Illegal)]);
    assert_eq!(world.position(AgentId::from_bits(0)), Ok(Pos::new(0, 0)));
}

#[test]
fn a_cell_of_a_foreign_unit_is_occupied() {
    let mut world = world_with_proposals("....", &[at(0, 0)], &[(0, 1)]);
    world.place_foreign(Pos::new(1, 0)).unwrap();
    assert_eq!(overruled(&mut world), [(0, Rule::SharedCell)]);
}

#[test]
fn agents_behind_an_overruled_agent_stay() {
    // The first agent of the queue proposes an illegal move, so all of them stay.
    let queue = [at(3, 0), at(2, 0), at(1, 0), at(0, 0)];
    let mut world = world_with_proposals("....\n....", &queue, &[(0, 8), (1, 3), (2, 2), (3, 1)]);
    let expect = [(0, Rule::Illegal), (1, Rule::SharedCell), (2, Rule::SharedCell), (3, Rule::SharedCell)];
    assert_eq!(overruled(&mut world), expect);
}

#[test]
fn queues_and_cycles_may_move() {
    let queue = [at(0, 0), at(1, 0), at(2, 0)];
    assert_eq!(overruled(&mut world_with_proposals("....\n....", &queue, &[(0, 1), (1, 2), (2, 3)])), []);
    let cycle = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
    assert_eq!(overruled(&mut world_with_proposals("..\n..", &cycle, &[(0, 1), (1, 3), (2, 2), (3, 0)])), []);
}

/// In every combination of directions.
#[test]
fn crossings_are_overruled_or_counted_once() {
    let diagonals: [(u32, u32); 4] = [(0, 3), (3, 0), (1, 2), (2, 1)];
    for falling in &diagonals[..2] {
        for rising in &diagonals[2..] {
            let proposals: &'static [(u32, u32)] = Vec::leak(vec![(0, falling.1), (1, rising.1)]);
            let spec = |cell: u32| at(cell as i32 % 2, cell as i32 / 2);
            let agents = [spec(falling.0), spec(rising.0)];
            let mut world = world_with_proposals("..\n..", &agents, proposals);
            assert_eq!(overruled(&mut world), [(1, Rule::Crossing)], "{falling:?} {rising:?}");
            assert_eq!(world.totals().crossings, 0);
            let mut world = world_with_crossings(Crossings::Allow, "..\n..", &agents, proposals);
            assert_eq!(overruled(&mut world), []);
            assert_eq!(world.totals().crossings, 1, "{falling:?} {rising:?}");
        }
    }
}
