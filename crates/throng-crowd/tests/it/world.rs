//! The interface of a world: rejected inputs, goals, events, state hashes.

use throng_crowd::{
    AgentId, AgentSpec, Budget, Destination, Event, Input, Planner, Settings, SetupError, Sharing,
    StuckReason, Unit, World, WorldError,
};
use throng_grid::{Area, Cell, Grid, MoveRules, Pos, ProfileId, Terrain, Tiles};

use crate::support::{Idle, disturb, given, greedy, idle, random_world, script, tick, world_of};

fn pos(x: i32, y: i32) -> Pos {
    Pos::new(x, y)
}

/// Runs ticks and returns their events, except moves, waits and pushes.
fn reported(world: &mut World, ticks: usize) -> Vec<Event> {
    let frequent =
        |event: &Event| matches!(event, Event::Moved { .. } | Event::Waited { .. } | Event::Pushed { .. });
    (0..ticks).flat_map(|_| tick(world)).filter(|event| !frequent(event)).collect()
}

#[test]
fn invalid_positions_are_rejected() {
    let mut world = idle("..#\n...");
    let a = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.place_foreign(pos(1, 0)).unwrap();
    let hash = world.state_hash();
    assert_eq!(world.spawn(AgentSpec::at(3, 0)), Err(WorldError::Outside(pos(3, 0))));
    assert_eq!(world.spawn(AgentSpec::at(2, 0)), Err(WorldError::Blocked(pos(2, 0))));
    assert_eq!(world.spawn(AgentSpec::at(0, 0)), Err(WorldError::Occupied(pos(0, 0))));
    assert_eq!(world.spawn(AgentSpec::at(1, 0)), Err(WorldError::Occupied(pos(1, 0))));
    let unknown_profile = AgentSpec::at(0, 1).profile(ProfileId(1));
    assert_eq!(world.spawn(unknown_profile), Err(WorldError::NoSuchProfile(ProfileId(1))));
    assert_eq!(world.teleport(a, pos(2, 0)), Err(WorldError::Blocked(pos(2, 0))));
    assert_eq!(world.teleport(a, pos(1, 0)), Err(WorldError::Occupied(pos(1, 0))));
    assert_eq!(world.send(a, pos(0, 2)), Err(WorldError::Outside(pos(0, 2))));
    assert_eq!(
        world.send(AgentId::from_bits(1), pos(0, 0)),
        Err(WorldError::NoSuchAgent(AgentId::from_bits(1)))
    );
    assert_eq!(world.place_foreign(pos(0, 0)), Err(WorldError::Occupied(pos(0, 0))));
    assert_eq!(world.state_hash(), hash, "rejected inputs change nothing");
    world.despawn(a).unwrap();
    assert_eq!(world.despawn(a), Err(WorldError::RemovedAgent(a)));
    assert_eq!(world.spawn(AgentSpec::at(0, 0)), Ok(AgentId::from_bits(1 << 32)), "row 0, generation 1");
}

/// Every method that takes an id says that the agent was removed, also when another agent has the row.
#[test]
fn ids_of_removed_units_are_refused() {
    let mut world = idle("....");
    let old = world.spawn(AgentSpec::at(0, 0).user(7)).unwrap();
    world.send(old, pos(3, 0)).unwrap();
    world.despawn(old).unwrap();
    let new = world.spawn(AgentSpec::at(1, 0)).unwrap();
    assert_eq!((new.row(), new == old), (old.row(), false));
    let removed = WorldError::RemovedAgent(old);
    assert_eq!(removed.to_string(), "agent 0 was removed");
    assert_eq!(world.position(old), Err(removed));
    assert_eq!(world.goal(old), Err(removed));
    assert_eq!(world.target(old), Err(removed));
    assert_eq!(world.user(old), Err(removed));
    assert_eq!(world.has_arrived(old), Err(removed));
    assert_eq!(world.has_seen(old, pos(0, 0)), Err(removed));
    assert_eq!(world.known_ground(old).map(|_| ()), Err(removed));
    assert_eq!(world.row(old), Err(removed));
    assert_eq!(world.despawn(old), Err(removed));
    assert_eq!(world.teleport(old, pos(0, 0)), Err(removed));
    assert_eq!(world.send(old, pos(0, 0)), Err(removed));
    assert_eq!(world.halt(old), Err(removed));
    assert_eq!(world.control(old, false), Err(removed));
    let layer = throng_crowd::DebugLayer::DistanceField(old);
    assert_eq!(world.inspect(layer, &mut |_| ()), Err(removed));
    assert_eq!((world.goal(new), world.user(new)), (Ok(None), Ok(0)), "the new agent inherits nothing");
    let unit = world.place_foreign(pos(3, 0)).unwrap();
    world.remove_foreign(unit).unwrap();
    let other = world.place_foreign(pos(2, 0)).unwrap();
    assert_eq!((other.row(), other == unit), (unit.row(), false));
    let removed = WorldError::RemovedForeign(unit);
    assert_eq!(world.move_foreign(unit, pos(3, 0)), Err(removed));
    assert_eq!(world.remove_foreign(unit), Err(removed));
    assert_eq!(world.foreign_position(unit), Err(removed));
    assert_eq!(world.occupant(pos(2, 0)), Some(Unit::Foreign(other)));
    assert_eq!([pos(-1, 0), pos(4, 0), pos(0, i32::MAX)].map(|pos| world.occupant(pos)), [None; 3]);
}

#[test]
fn an_arrival_is_reported_once_per_goal() {
    let mut world = world_of("....", greedy());
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    assert_eq!(world.send(agent, pos(2, 0)), Ok(Destination::Goal));
    assert_eq!(reported(&mut world, 6), [Event::Arrived { agent }]);
    world.send(agent, pos(2, 0)).unwrap();
    assert_eq!(reported(&mut world, 3), [Event::Arrived { agent }], "every order is answered");
    world.halt(agent).unwrap();
    world.send(agent, pos(2, 0)).unwrap();
    assert_eq!(reported(&mut world, 3), [Event::Arrived { agent }], "a new goal at its own cell");
    world.block(pos(0, 0));
    world.unblock(pos(0, 0));
    assert_eq!(reported(&mut world, 3), [], "an edit elsewhere causes no second arrival");
    world.teleport(agent, pos(2, 0)).unwrap();
    assert_eq!(reported(&mut world, 3), []);
    world.halt(agent).unwrap();
    assert_eq!(reported(&mut world, 3), []);
    assert_eq!((world.goal(agent).unwrap(), world.target(agent).unwrap()), (None, None));
}

#[test]
fn leaving_the_goal_is_reported_and_the_agent_arrives_again() {
    let mut world = world_of("....", greedy());
    let agent = world.spawn(AgentSpec::at(2, 0)).unwrap();
    world.send(agent, pos(2, 0)).unwrap();
    tick(&mut world);
    world.teleport(agent, pos(0, 0)).unwrap();
    assert_eq!(reported(&mut world, 4), [Event::LeftGoal { agent }, Event::Arrived { agent }]);
    // A wall on its cell displaces the agent and makes the goal unreachable.
    world.block(pos(2, 0));
    let (from, to) = (pos(2, 0), pos(1, 0));
    let (goal, instead) = (pos(2, 0), pos(1, 0));
    let displaced = [Event::Displaced { agent, from, to }, Event::Unreachable { agent, goal, instead }];
    assert_eq!(reported(&mut world, 3), displaced, "it stands on its new target");
    assert!(world.has_arrived(agent).unwrap());
    world.unblock(pos(2, 0));
    assert_eq!(reported(&mut world, 3), [], "target and agent moved one cell in the same tick");
    assert_eq!(world.position(agent), Ok(pos(2, 0)));
}

#[test]
fn agents_with_one_goal_get_distinct_cells_nearest_to_it() {
    let mut world = world_of(".......\n.......\n.......\n.......\n.......", greedy());
    let agents: Vec<_> = (0..9).map(|i| world.spawn(AgentSpec::at(i % 7, i / 7)).unwrap()).collect();
    let goal = pos(3, 2);
    for &agent in &agents {
        assert_eq!(world.send(agent, goal), Ok(Destination::Goal));
    }
    let events = reported(&mut world, 1);
    let arrives = |event: &Event| matches!(event, Event::Arrived { .. });
    assert!(events.iter().all(arrives), "a shared goal is not reported as unreachable");
    let mut targets: Vec<_> = agents.iter().map(|&agent| world.target(agent).unwrap().unwrap()).collect();
    let steps = |at: &Pos| (at.x - goal.x).abs().max((at.y - goal.y).abs());
    assert!(targets.iter().all(|target| steps(target) <= 1), "the goal and its eight neighbours");
    targets.sort_unstable_by_key(|at| (at.y, at.x));
    targets.dedup();
    assert_eq!(targets.len(), 9);
}

#[test]
fn a_released_target_is_available_again() {
    let mut world = idle("....");
    let [a, b, c] = [0, 1, 2].map(|x| world.spawn(AgentSpec::at(x, 0)).unwrap());
    world.send(a, pos(3, 0)).unwrap();
    world.send(b, pos(3, 0)).unwrap();
    tick(&mut world);
    assert_eq!(world.target(b), Ok(Some(pos(3, 0))), "the agent in front gets the goal");
    assert_eq!(world.target(a), Ok(Some(pos(1, 0))), "the third agent stands on 2,0 without a goal");
    world.despawn(b).unwrap();
    let b = world.spawn(AgentSpec::at(1, 0)).unwrap();
    world.halt(a).unwrap();
    assert_eq!(world.send(b, pos(3, 0)), Ok(Destination::Goal));
    world.halt(b).unwrap();
    assert_eq!(world.send(c, pos(3, 0)), Ok(Destination::Goal));
    world.send(c, pos(0, 0)).unwrap();
    assert_eq!(world.send(b, pos(3, 0)), Ok(Destination::Goal));
}

#[test]
fn unreachable_goals_are_returned_at_once_and_reported_once() {
    let mut world = world_of("...#.\n...#.", greedy());
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    let goal = pos(4, 1);
    // Only the last goal before the tick counts.
    world.send(agent, pos(3, 0)).unwrap();
    world.send(agent, goal).unwrap();
    assert_eq!(world.send(agent, goal), Ok(Destination::Unreachable(pos(2, 1))));
    let unreachable = Event::Unreachable { agent, goal, instead: pos(2, 1) };
    assert_eq!(reported(&mut world, 4), [unreachable, Event::Arrived { agent }]);
    world.set_terrain(pos(3, 1), Terrain::Ground);
    assert_eq!(reported(&mut world, 5), [Event::LeftGoal { agent }, Event::Arrived { agent }]);
    assert_eq!(world.position(agent), Ok(goal));
}

#[test]
fn despawned_agents_cause_no_events() {
    let mut world = idle("..#.");
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.send(agent, pos(3, 0)).unwrap();
    world.despawn(agent).unwrap();
    assert_eq!(reported(&mut world, 2), []);
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.send(agent, pos(3, 0)).unwrap();
    world.unblock(pos(0, 0));
    world.set_terrain(pos(2, 0), Terrain::Ground);
    assert_eq!(reported(&mut world, 2), [], "the wall was removed before the tick");
}

#[test]
fn targets_follow_edits() {
    let mut world = idle(".....\n.....");
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.send(agent, pos(4, 0)).unwrap();
    world.block(Area::rect(pos(3, 0), pos(3, 1)));
    let goal = pos(4, 0);
    assert_eq!(reported(&mut world, 3), [Event::Unreachable { agent, goal, instead: pos(2, 0) }]);
    world.block(pos(2, 0));
    assert_eq!(reported(&mut world, 3), [Event::Unreachable { agent, goal, instead: pos(2, 1) }]);
    world.unblock(pos(3, 1));
    assert_eq!(reported(&mut world, 3), []);
    assert_eq!(world.target(agent).unwrap(), Some(pos(4, 0)));
    world.block(Area::rect(pos(0, 0), pos(4, 1)));
    assert_eq!(
        reported(&mut world, 3),
        [Event::Stuck { agent, reason: StuckReason::NoReachableCell, by: None }]
    );
    assert_eq!(world.target(agent).unwrap(), None);
    world.unblock(pos(1, 1));
    let displaced = Event::Displaced { agent, from: pos(0, 0), to: pos(1, 1) };
    let unreachable = Event::Unreachable { agent, goal, instead: pos(1, 1) };
    assert_eq!(reported(&mut world, 3), [displaced, unreachable, Event::Arrived { agent }]);
}

#[test]
fn displaced_agents_get_the_nearest_cells_in_the_order_of_their_numbers() {
    let mut world = idle(".....");
    let [a, b] = [2, 1].map(|x| world.spawn(AgentSpec::at(x, 0)).unwrap());
    world.block(Area::rect(pos(1, 0), pos(2, 0)));
    let expect = [
        Event::Displaced { agent: a, from: pos(2, 0), to: pos(3, 0) },
        Event::Displaced { agent: b, from: pos(1, 0), to: pos(0, 0) },
    ];
    assert_eq!(reported(&mut world, 1), expect);
    assert_eq!(world.occupant(pos(3, 0)), Some(Unit::Agent(a)));
    assert_eq!(world.occupant(pos(2, 0)), None);
}

#[test]
fn an_agent_that_waits_long_is_reported_stuck_with_its_blocker() {
    let stuck = |world: &mut World| {
        let events = reported(world, 120);
        let stuck = events.iter().filter(|event| matches!(event, Event::Stuck { .. })).copied();
        stuck.collect::<Vec<_>>()
    };
    let mut world = world_of("...", greedy());
    let [a, b] = [0, 1].map(|x| world.spawn(AgentSpec::at(x, 0)).unwrap());
    world.send(a, pos(2, 0)).unwrap();
    assert_eq!(
        stuck(&mut world),
        [Event::Stuck { agent: a, reason: StuckReason::Crowded, by: Some(Unit::Agent(b)) }]
    );
    world.send(b, pos(1, 0)).unwrap();
    world.halt(a).unwrap();
    world.send(a, pos(2, 0)).unwrap();
    assert_eq!(
        stuck(&mut world),
        [Event::Stuck { agent: a, reason: StuckReason::BehindArrived, by: Some(Unit::Agent(b)) }]
    );
    world.despawn(b).unwrap();
    let unit = world.place_foreign(pos(1, 0)).unwrap();
    world.halt(a).unwrap();
    world.send(a, pos(2, 0)).unwrap();
    let by = Some(Unit::Foreign(unit));
    assert_eq!(stuck(&mut world), [Event::Stuck { agent: a, reason: StuckReason::BehindForeign, by }]);
    let mut world = idle("...");
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.send(agent, pos(2, 0)).unwrap();
    assert_eq!(stuck(&mut world), [Event::Stuck { agent, reason: StuckReason::NoPathYet, by: None }]);
    world.send(agent, pos(2, 0)).unwrap();
    world.control(agent, false).unwrap();
    assert_eq!(stuck(&mut world), [], "an uncontrolled agent is not stuck");
}

#[test]
fn agents_step_at_their_speed() {
    let mut world = world_of("..........", greedy());
    let agent = world.spawn(AgentSpec::at(0, 0).speed(3)).unwrap();
    world.send(agent, pos(9, 0)).unwrap();
    let columns = (0..7).map(|_| {
        tick(&mut world);
        world.position(agent).unwrap().x
    });
    assert_eq!(columns.collect::<Vec<_>>(), [1, 1, 1, 2, 2, 2, 3]);
}

#[test]
fn planners_that_need_too_much_sharing_are_rejected() {
    use Sharing::{Everything, MoveRequests, Nothing, Reservations};
    let kinds = [Nothing, MoveRequests, Reservations, Everything];
    for (i, needs) in kinds.into_iter().enumerate() {
        for (j, grants) in kinds.into_iter().enumerate() {
            let grid = Grid::new(Tiles::picture("."), MoveRules::default());
            let world = World::new(grid, Box::new(Idle(needs)), Settings::default().sharing(grants));
            let expect =
                if i > j { Some(SetupError::Sharing { required: needs, granted: grants }) } else { None };
            assert_eq!(world.err(), expect);
        }
    }
}

#[test]
fn equal_histories_have_equal_hashes() {
    for seed in 0..10 {
        let ((mut a, mut random), (mut b, mut again)) = (random_world(seed), random_world(seed));
        for _ in 0..60 {
            disturb(&mut a, &mut random);
            disturb(&mut b, &mut again);
            assert_eq!(tick(&mut a), tick(&mut b));
            assert_eq!(a.state_hash(), b.state_hash());
        }
    }
}

#[test]
fn different_states_have_different_hashes() {
    let hash = |inputs: &[Input]| {
        let mut grid = Grid::new(Tiles::picture("..T.\n...."), MoveRules::default());
        grid.add_profile(throng_grid::Profile::WC3);
        let mut world = World::new(grid, greedy(), Settings::default()).unwrap();
        for &input in inputs {
            world.apply(input).unwrap();
        }
        world.state_hash()
    };
    let (spawn, agent) = (Input::Spawn(AgentSpec::at(0, 0)), AgentId::from_bits(0));
    let histories: [&[Input]; 9] = [
        &[],
        &[spawn],
        &[Input::Spawn(AgentSpec::at(1, 0))],
        &[spawn, Input::Send(agent, pos(3, 0))],
        &[spawn, Input::Send(agent, pos(3, 1))],
        &[spawn, Input::PlaceForeign(pos(1, 0))],
        &[spawn, Input::Block(Area::Cell(pos(1, 0)))],
        &[spawn, Input::SetTerrain(Area::Cell(pos(1, 0)), Terrain::Wall)],
        // Only the second profile may enter this cell.
        &[spawn, Input::Block(Area::Cell(pos(2, 0)))],
    ];
    // A blocked cell and a wall are different states: only the blocked cell can be unblocked.
    let mut hashes: Vec<_> = histories.map(hash).to_vec();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), histories.len());
    let there_and_back = [spawn, Input::Teleport(agent, pos(1, 1)), Input::Teleport(agent, pos(0, 0))];
    assert_eq!(hash(&there_and_back), hash(&[spawn]));
}

#[test]
fn a_tick_with_an_empty_budget_moves_no_agent() {
    let (mut world, _) = random_world(9);
    let before: Vec<_> = world.agents().iter().map(|&agent| world.position(agent)).collect();
    let report = world.tick(Budget::expansions(0), &mut Vec::new());
    let after: Vec<_> = world.agents().iter().map(|&agent| world.position(agent)).collect();
    assert_eq!((report.expansions, report.rounds, world.ticks()), (0, 0, 1));
    assert_eq!(before, after);
}

#[test]
fn sending_the_same_goal_every_tick_changes_nothing() {
    let run = |repeat: bool| {
        let mut world = world_of(".......", greedy());
        let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
        world.send(agent, pos(6, 0)).unwrap();
        let mut arrivals = 0;
        let hashes: Vec<u64> = (1..=20)
            .map(|tick_number| {
                if repeat {
                    assert_eq!(world.send(agent, pos(6, 0)), Ok(Destination::Goal));
                }
                let events = tick(&mut world);
                let answers = events.iter().filter(|event| matches!(event, Event::Arrived { .. })).count();
                // On the way all orders are one. In place each is answered.
                assert_eq!(answers, usize::from(tick_number == 6 || (repeat && tick_number > 6)));
                arrivals += answers;
                world.state_hash()
            })
            .collect();
        assert_eq!(arrivals, if repeat { 15 } else { 1 });
        hashes
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_slow_agent_is_not_reported_stuck() {
    let mut world = world_of("......", greedy());
    let agent = world.spawn(AgentSpec::at(0, 0).speed(60)).unwrap();
    world.send(agent, pos(3, 0)).unwrap();
    assert_eq!(reported(&mut world, 200), [Event::Arrived { agent }]);
}

/// Returns a planner whose agents alternate between two adjacent cells.
fn alternating() -> Box<dyn Planner> {
    script(|view, moves| {
        for &agent in view.movers() {
            let at = view.at(agent);
            moves.go(agent, Cell(at.0 ^ 1));
        }
    })
}

#[test]
fn wandering_is_reported_once() {
    let grid = Grid::new(Tiles::picture(&".".repeat(40)), MoveRules::default());
    let mut world = World::new(grid, alternating(), Settings::default().stuck_after(5)).unwrap();
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.send(agent, pos(30, 0)).unwrap();
    assert_eq!(reported(&mut world, 40), [], "not yet");
    // A snapshot includes the detection state.
    let mut world = World::restore(&world.snapshot(), given(alternating())).unwrap();
    let wandering = Event::Stuck { agent, reason: StuckReason::Wandering, by: None };
    assert_eq!(reported(&mut world, 200), [wandering]);
    world.teleport(agent, pos(20, 0)).unwrap();
    assert_eq!(reported(&mut world, 200), [wandering], "after a teleport");
    world.send(agent, pos(29, 0)).unwrap();
    assert_eq!(reported(&mut world, 200), [wandering], "after a new goal");
    world.halt(agent).unwrap();
    assert_eq!(reported(&mut world, 200), []);
}

#[test]
fn an_uncontrolled_blocker_is_reported() {
    let mut world = world_of("....", greedy());
    let [a, b] = [0, 1].map(|x| world.spawn(AgentSpec::at(x, 0)).unwrap());
    world.control(b, false).unwrap();
    world.send(a, pos(3, 0)).unwrap();
    let stuck = Event::Stuck { agent: a, reason: StuckReason::BehindForeign, by: Some(Unit::Agent(b)) };
    assert_eq!(reported(&mut world, 200), [stuck]);
}
