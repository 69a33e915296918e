//! A planner that cheats is overruled, and told which rule it broke; positions stay legal.

use throng_crowd::{AgentId, AgentSpec, Event, Rule, World, check};
use throng_grid::{Cell, Pos};

use crate::support::{script, tick, world_of};

/// A world of one tick in which agents are to go where the pairs say.
fn cheat(picture: &str, agents: &[AgentSpec], cheats: &'static [(u32, u32)]) -> World {
    let mut world = world_of(
        picture,
        script(move |_, moves| {
            for &(agent, to) in cheats {
                moves.go(AgentId(agent), Cell(to));
            }
        }),
    );
    for &spec in agents {
        world.spawn(spec).unwrap();
    }
    world.start_recording();
    world
}

/// Who was overruled, and why, after a tick in which everyone stays on the map and apart.
fn verdict(world: &mut World) -> Vec<(u32, Rule)> {
    let events = tick(world);
    let recording = throng_crowd::Recording::read(&world.finish_recording().unwrap()).unwrap();
    assert!(check(&recording).is_clean());
    world.start_recording();
    let overruled = |event: &Event| match event {
        Event::Overruled { agent, rule, .. } => Some((agent.0, *rule)),
        _ => None,
    };
    let verdict: Vec<_> = events.iter().filter_map(overruled).collect();
    assert!(world.totals().overruled >= verdict.len() as u64);
    verdict
}

fn at(x: i32, y: i32) -> AgentSpec {
    AgentSpec::at(x, y)
}

const ROOM: &str = "....\n.#..\n....";

#[test]
fn a_shared_cell_goes_to_the_lowest_number() {
    let mut world = cheat(ROOM, &[at(0, 0), at(2, 0)], &[(0, 1), (1, 1)]);
    assert_eq!(verdict(&mut world), [(1, Rule::SharedCell)]);
    assert_eq!(world.position(AgentId(0)), Some(Pos::new(1, 0)));
}

#[test]
fn a_cell_that_somebody_keeps_is_theirs() {
    let mut world = cheat(ROOM, &[at(0, 0), at(1, 0)], &[(0, 1)]);
    assert_eq!(verdict(&mut world), [(0, Rule::SharedCell)]);
}

#[test]
fn nobody_changes_places() {
    let mut world = cheat(ROOM, &[at(0, 0), at(1, 0)], &[(0, 1), (1, 0)]);
    assert_eq!(verdict(&mut world), [(0, Rule::Swap), (1, Rule::Swap)]);
}

#[test]
fn jumps_walls_corners_and_the_edge_are_illegal() {
    for to in [2, 8, 11, 5, 3, 12, 4_000_000, u32::MAX] {
        let to: &'static [(u32, u32)] = Vec::leak(vec![(0, to)]);
        let mut world = cheat(ROOM, &[at(1, 0)], to);
        let expect = if to[0].1 == 2 { vec![] } else { vec![(0, Rule::Illegal)] };
        assert_eq!(verdict(&mut world), expect, "to cell {}", to[0].1);
    }
    let mut corner = cheat(ROOM, &[at(1, 0)], &[(0, 6)]);
    assert_eq!(verdict(&mut corner), [(0, Rule::Illegal)], "round the wall's corner");
}

#[test]
fn nobody_moves_out_of_turn() {
    let mut world = cheat("....", &[at(0, 0).speed(3)], &[(0, 1)]);
    assert_eq!(verdict(&mut world), []);
    world.teleport(AgentId(0), Pos::new(0, 0)).unwrap();
    assert_eq!(verdict(&mut world), [(0, Rule::NotItsTurn)], "one tick after a step");
    assert_eq!(verdict(&mut world), [(0, Rule::NotItsTurn)], "two ticks after");
    assert_eq!(verdict(&mut world), [], "three ticks after");
    let mut world = cheat("....", &[at(0, 0)], &[(0, 1)]);
    world.control(AgentId(0), false).unwrap();
    assert_eq!(verdict(&mut world), [(0, Rule::NotItsTurn)], "not the planner's to move");
}

/// The last word of a planner counts: an agent cannot be moved twice.
#[test]
fn two_moves_in_a_tick_are_one() {
    let mut world = cheat("....", &[at(0, 0)], &[(0, 1), (0, 2)]);
    assert_eq!(verdict(&mut world), [(0, Rule::Illegal)]);
    assert_eq!(world.position(AgentId(0)), Some(Pos::new(0, 0)));
}

#[test]
fn a_foreign_units_cell_is_taken() {
    let mut world = cheat("....", &[at(0, 0)], &[(0, 1)]);
    world.place_foreign(Pos::new(1, 0)).unwrap();
    assert_eq!(verdict(&mut world), [(0, Rule::SharedCell)]);
}

#[test]
fn who_is_overruled_stays_and_so_do_those_behind() {
    // A queue to the right: the first is held by the edge, so that all of them stay.
    let queue = [at(3, 0), at(2, 0), at(1, 0), at(0, 0)];
    let mut world = cheat("....\n....", &queue, &[(0, 8), (1, 3), (2, 2), (3, 1)]);
    let expect = [(0, Rule::Illegal), (1, Rule::SharedCell), (2, Rule::SharedCell), (3, Rule::SharedCell)];
    assert_eq!(verdict(&mut world), expect);
}

#[test]
fn queues_and_circles_may_move() {
    let queue = [at(0, 0), at(1, 0), at(2, 0)];
    assert_eq!(verdict(&mut cheat("....\n....", &queue, &[(0, 1), (1, 2), (2, 3)])), []);
    let circle = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
    assert_eq!(verdict(&mut cheat("..\n..", &circle, &[(0, 1), (1, 3), (2, 2), (3, 0)])), []);
}

/// Crossing diagonals are legal, and each is counted once, whichever way the two go.
#[test]
fn crossings_are_counted_once() {
    let ways: [(u32, u32); 4] = [(0, 3), (3, 0), (1, 2), (2, 1)];
    for falling in &ways[..2] {
        for rising in &ways[2..] {
            let cheats: &'static [(u32, u32)] = Vec::leak(vec![(0, falling.1), (1, rising.1)]);
            let spec = |cell: u32| at(cell as i32 % 2, cell as i32 / 2);
            let mut world = cheat("..\n..", &[spec(falling.0), spec(rising.0)], cheats);
            assert_eq!(verdict(&mut world), []);
            assert_eq!(world.totals().crossings, 1, "{falling:?} {rising:?}");
        }
    }
}
