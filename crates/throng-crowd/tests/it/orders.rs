//! Orders: waypoints, patrols, following. Each recording is checked, and continued from a snapshot in every tick.

use throng_crowd::{
    AgentId, AgentSpec, Event, FOLLOW_TICKS, Fault, GroupId, Input, MAX_WAYPOINTS, Orders,
    PATROL_RETRY_TICKS, Recording, Unit, World, WorldError, check,
};
use throng_grid::{Area, Direction, Pos};

use crate::support::{given, greedy, world_of};

fn pos(x: i32, y: i32) -> Pos {
    Pos::new(x, y)
}

/// A world of greedy agents that is recorded.
fn recorded(picture: &str) -> World {
    let mut world = world_of(picture, greedy());
    world.start_recording();
    world
}

/// Runs ticks and returns the events about orders and arrivals, with their ticks. The run is saved and restored before each
/// tick, and goes on as the one that was not.
fn run(world: &mut World, ticks: u64) -> Vec<(u64, Event)> {
    let mut reported = Vec::new();
    for _ in 0..ticks {
        let mut restored = World::restore(&world.snapshot(), given(greedy())).unwrap();
        let (mut events, mut others) = (Vec::new(), Vec::new());
        world.tick(throng_crowd::Budget::Unlimited, &mut events);
        restored.tick(throng_crowd::Budget::Unlimited, &mut others);
        assert_eq!((&events, world.state_hash()), (&others, restored.state_hash()));
        let quiet = |event: &Event| matches!(event, Event::Moved { .. } | Event::Waited { .. });
        let events = events.into_iter().filter(|event| !quiet(event));
        reported.extend(events.map(|event| (world.ticks(), event)));
    }
    reported
}

fn assert_clean(mut world: World) -> Recording {
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    let report = check(&recording);
    assert!(report.is_clean(), "{:?}", report.violations);
    recording
}

fn events(reported: &[(u64, Event)]) -> Vec<Event> {
    reported.iter().map(|&(_, event)| event).collect()
}

#[test]
fn waypoints_are_passed_in_order_and_the_last_is_an_arrival() {
    let mut world = recorded("..........\n..........");
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.send(agent, pos(4, 0)).unwrap();
    world.queue(agent, pos(4, 1)).unwrap();
    world.queue(agent, pos(9, 1)).unwrap();
    let Orders::Queue(rest) = world.orders(agent).unwrap() else { panic!("waypoints") };
    assert_eq!(rest.iter().collect::<Vec<_>>(), [pos(4, 1), pos(9, 1)]);
    let reported = run(&mut world, 15);
    let expected = [
        // The agent stands on the waypoint after tick 4 and goes on without a pause.
        (5, Event::Waypoint { agent, at: pos(4, 0) }),
        (6, Event::Waypoint { agent, at: pos(4, 1) }),
        (10, Event::Arrived { agent }),
    ];
    assert_eq!(reported, expected);
    assert_eq!(world.orders(agent), Ok(Orders::None));
    assert_clean(world);
}

#[test]
fn an_agent_in_place_is_sent_to_its_first_waypoint() {
    let mut world = recorded(".....");
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.queue(agent, pos(1, 0)).unwrap();
    assert_eq!(world.goal(agent), Ok(Some(pos(1, 0))));
    assert_eq!(events(&run(&mut world, 3)), [Event::Arrived { agent }]);
    world.queue(agent, pos(3, 0)).unwrap();
    assert_eq!((world.goal(agent), world.orders(agent)), (Ok(Some(pos(3, 0))), Ok(Orders::None)));
    assert_eq!(events(&run(&mut world, 3)), [Event::Arrived { agent }]);
    assert_clean(world);
}

#[test]
fn an_occupied_waypoint_is_passed_nearby() {
    let mut world = recorded(".........\n.........");
    world.place_foreign(pos(4, 0)).unwrap();
    let agent = world.spawn(AgentSpec::at(0, 1)).unwrap();
    world.send(agent, pos(4, 0)).unwrap();
    world.queue(agent, pos(8, 1)).unwrap();
    let reported = run(&mut world, 10);
    // Two cells from the waypoint after tick 2.
    assert_eq!(reported, [(3, Event::Waypoint { agent, at: pos(4, 0) }), (8, Event::Arrived { agent })]);
    assert_clean(world);
}

#[test]
fn unreachable_waypoints_are_skipped_and_an_unreachable_last_one_is_a_goal() {
    let mut world = recorded("....#.\n....#.");
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.send(agent, pos(5, 0)).unwrap();
    for waypoint in [pos(5, 1), pos(2, 1), pos(5, 0)] {
        world.queue(agent, waypoint).unwrap();
    }
    let expected = [
        Event::WaypointSkipped { agent, at: pos(5, 0) },
        Event::WaypointSkipped { agent, at: pos(5, 1) },
        Event::Waypoint { agent, at: pos(2, 1) },
        Event::Unreachable { agent, goal: pos(5, 0), instead: pos(3, 0) },
        Event::Arrived { agent },
    ];
    assert_eq!(events(&run(&mut world, 10)), expected);
    // A wall cuts off a waypoint on the way to it.
    world.send(agent, pos(0, 0)).unwrap();
    world.queue(agent, pos(3, 1)).unwrap();
    run(&mut world, 1);
    world.block(Area::rect(pos(1, 0), pos(1, 1)));
    let skipped = Event::WaypointSkipped { agent, at: pos(0, 0) };
    assert!(events(&run(&mut world, 5)).starts_with(&[skipped]));
    assert_clean(world);
}

#[test]
fn a_patrol_goes_round_until_it_is_replaced() {
    let mut world = recorded("......\n......");
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.patrol(agent, &[pos(0, 0), pos(3, 0), pos(0, 1)]).unwrap();
    let passed = events(&run(&mut world, 24));
    let at = |x, y| Event::Waypoint { agent, at: pos(x, y) };
    // It stands on the first point, so it begins with the second.
    assert_eq!(passed[..4], [at(3, 0), at(0, 1), at(0, 0), at(3, 0)]);
    assert_eq!(passed.iter().filter(|event| !matches!(event, Event::Waypoint { .. })).count(), 0);
    world.halt(agent).unwrap();
    assert_eq!((world.orders(agent), world.goal(agent)), (Ok(Orders::None), Ok(None)));
    assert_eq!(run(&mut world, 5), []);
    assert_clean(world);
}

#[test]
fn a_patrol_that_can_reach_nothing_rests_and_tries_again() {
    let mut world = recorded("..#..");
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.patrol(agent, &[pos(3, 0), pos(4, 0)]).unwrap();
    let reported = run(&mut world, 2 * PATROL_RETRY_TICKS + 8);
    let skipped = |x| (1, Event::WaypointSkipped { agent, at: pos(x, 0) });
    assert_eq!(reported, [skipped(3), skipped(4)], "reported once");
    assert_eq!(world.goal(agent), Ok(None));
    world.set_terrain(pos(2, 0), throng_grid::Terrain::Ground);
    let passed = events(&run(&mut world, PATROL_RETRY_TICKS + 8));
    assert_eq!(passed[..2], [3, 4].map(|x| Event::Waypoint { agent, at: pos(x, 0) }));
    // One point of two can be reached: the agent waits there.
    world.teleport(agent, pos(3, 0)).unwrap();
    world.set_terrain(pos(2, 0), throng_grid::Terrain::Wall);
    world.patrol(agent, &[pos(4, 0), pos(0, 0)]).unwrap();
    let reported = events(&run(&mut world, 100));
    let expected =
        [Event::Waypoint { agent, at: pos(4, 0) }, Event::WaypointSkipped { agent, at: pos(0, 0) }];
    assert_eq!((reported, world.position(agent)), (expected.to_vec(), Ok(pos(4, 0))));
    assert_clean(world);
}

/// Returns the ticks in which an agent got another goal while a foreign unit was moved by one cell per tick.
fn goal_changes(
    world: &mut World,
    agent: AgentId,
    mut step: impl FnMut(&mut World, u64),
    ticks: u64,
) -> Vec<u64> {
    let (mut goals, mut before) = (Vec::new(), world.goal(agent).unwrap());
    for tick in 0..ticks {
        step(world, tick);
        run(world, 1);
        let goal = world.goal(agent).unwrap();
        if goal != before && goal.is_some() {
            goals.push(world.ticks());
        }
        before = goal;
    }
    goals
}

#[test]
fn a_follower_stays_near_a_moving_unit_without_new_goals_in_every_tick() {
    let mut world = recorded(&"..................................................\n".repeat(3));
    let agent = world.spawn(AgentSpec::at(0, 1)).unwrap();
    let foreign = world.place_foreign(pos(20, 1)).unwrap();
    world.follow(agent, Unit::Foreign(foreign), 2).unwrap();
    // From afar a unit that moves back and forth by one cell changes nothing.
    let rocks = |world: &mut World, tick: u64| {
        world.move_foreign(foreign, pos(20 + (tick % 2) as i32, 1)).unwrap();
    };
    assert_eq!(goal_changes(&mut world, agent, rocks, 8), [1]);
    run(&mut world, 30);
    assert_eq!(
        (world.position(agent).unwrap().x, world.goal(agent)),
        (19, Ok(None)),
        "it rests two cells away"
    );
    // The unit walks away at half the speed of the agent.
    let walks = |world: &mut World, tick: u64| {
        world.move_foreign(foreign, pos(21 + tick as i32 / 2, 1)).unwrap();
    };
    let changes = goal_changes(&mut world, agent, walks, 40);
    assert!(changes.windows(2).all(|pair| pair[1] - pair[0] >= FOLLOW_TICKS), "{changes:?}");
    assert!(changes.len() > 5, "{changes:?}");
    let (near, far) = (world.position(agent).unwrap(), world.foreign_position(foreign).unwrap());
    assert!((1..=6).contains(&(far.x - near.x)), "{near} follows {far}");
    world.remove_foreign(foreign).unwrap();
    let ended = Event::FollowEnded { agent, unit: Unit::Foreign(foreign) };
    assert_eq!(events(&run(&mut world, 3)), [ended]);
    assert_eq!((world.goal(agent), world.orders(agent)), (Ok(None), Ok(Orders::None)));
    assert_clean(world);
}

#[test]
fn an_agent_follows_an_agent_and_not_its_successor_in_the_row() {
    let mut world = recorded("..............");
    let leader = world.spawn(AgentSpec::at(5, 0)).unwrap();
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.follow(agent, Unit::Agent(leader), 1).unwrap();
    world.send(leader, pos(12, 0)).unwrap();
    let reported = events(&run(&mut world, 40));
    assert_eq!(reported, [Event::Arrived { agent: leader }], "a follower does not arrive");
    assert_eq!(world.position(agent), Ok(pos(11, 0)));
    world.despawn(leader).unwrap();
    let other = world.spawn(AgentSpec::at(2, 0)).unwrap();
    assert_eq!(other.row(), leader.row());
    assert_eq!(events(&run(&mut world, 20)), [Event::FollowEnded { agent, unit: Unit::Agent(leader) }]);
    assert_eq!(world.position(agent), Ok(pos(11, 0)));
    assert_clean(world);
}

#[test]
fn orders_that_make_no_sense_are_refused() {
    let mut world = recorded("...");
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    let nobody = AgentId::from_bits(7);
    let hash = world.state_hash();
    assert_eq!(world.queue(agent, pos(3, 0)), Err(WorldError::Outside(pos(3, 0))));
    assert_eq!(world.queue(nobody, pos(0, 0)), Err(WorldError::NoSuchAgent(nobody)));
    assert_eq!(world.patrol(agent, &[]), Err(WorldError::NoWaypoint));
    assert_eq!(world.patrol(agent, &[pos(0, 0); MAX_WAYPOINTS + 1]), Err(WorldError::TooManyWaypoints));
    assert_eq!(world.extend_patrol(agent, pos(0, 0)), Err(WorldError::NoPatrol(agent)));
    assert_eq!(world.follow(agent, Unit::Agent(agent), 1), Err(WorldError::FollowsItself(agent)));
    assert_eq!(world.follow(agent, Unit::Agent(nobody), 1), Err(WorldError::NoSuchAgent(nobody)));
    assert_eq!((world.orders(agent), world.state_hash()), (Ok(Orders::None), hash));
    world.send(agent, pos(2, 0)).unwrap();
    for _ in 0..MAX_WAYPOINTS {
        world.queue(agent, pos(0, 0)).unwrap();
    }
    assert_eq!(world.queue(agent, pos(0, 0)), Err(WorldError::TooManyWaypoints));
    run(&mut world, 20);
    assert_clean(world);
}

/// The checker carries orders out itself, so a recording with other orders contradicts its goals.
#[test]
fn altered_orders_are_detected() {
    let recording = |alter: &dyn Fn(&mut Recording)| {
        let mut world = recorded(&"..............................\n".repeat(2));
        let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
        world.send(agent, pos(3, 0)).unwrap();
        world.queue(agent, pos(29, 1)).unwrap();
        run(&mut world, 34);
        let mut recording = assert_clean(world);
        alter(&mut recording);
        check(&recording).violations.iter().map(|violation| violation.fault).collect::<Vec<_>>()
    };
    let order = |recording: &mut Recording| recording.ticks[0].inputs.len() - 1;
    assert_eq!(recording(&|_| {}), []);
    let other = recording(&|recording| {
        let last = order(recording);
        recording.ticks[0].inputs[last] = Input::Queue(AgentId::from_bits(0), pos(29, 0));
    });
    assert!(other.iter().any(|fault| matches!(fault, Fault::FalseTarget(_))), "{other:?}");
    let missing = recording(&|recording| recording.ticks[0].inputs.truncate(2));
    assert!(missing.contains(&Fault::MissedArrival), "{missing:?}");
    let twice = recording(&|recording| {
        recording.ticks[0].inputs.push(Input::PatrolPoint(AgentId::from_bits(0), pos(1, 1)));
    });
    assert!(twice.iter().any(|fault| matches!(fault, Fault::Input(_))), "{twice:?}");
}

/// An alteration of a recording in whose tick of this index a group arrives.
type Alteration = fn(&mut Recording, usize);

/// The arrivals of groups in a recording are compared with those of their members.
#[test]
fn altered_arrivals_of_groups_are_detected() {
    let recording = |alter: &dyn Fn(&mut Recording, usize)| {
        let mut world = recorded("..........\n..........");
        let squad = [0, 1].map(|y| world.spawn(AgentSpec::at(0, y)).unwrap());
        world.send_group(&squad, pos(8, 0)).unwrap();
        run(&mut world, 20);
        let mut recording = assert_clean(world);
        let tick = recording.ticks.iter().position(|tick| !tick.groups.is_empty()).unwrap();
        alter(&mut recording, tick);
        check(&recording).violations
    };
    assert_eq!(recording(&|_, _| {}), []);
    let alterations: [Alteration; 5] = [
        |recording, tick| recording.ticks[tick].groups.clear(),
        |recording, tick| recording.ticks[tick].groups[0].1 = 1,
        |recording, tick| recording.ticks[tick].groups[0].0 = GroupId::from_bits(1),
        |recording, tick| {
            let arrival = recording.ticks[tick].groups[0];
            recording.ticks[tick - 1].groups.push(arrival);
        },
        // A group that was never formed.
        |recording, _| recording.ticks[0].inputs.retain(|input| !matches!(input, Input::FormGroup)),
    ];
    for (number, alter) in alterations.into_iter().enumerate() {
        let found = recording(&alter);
        let is_right = |fault: Fault| matches!(fault, Fault::GroupArrival(_) | Fault::Input(_));
        assert!(found.iter().any(|violation| is_right(violation.fault)), "{number}: {found:?}");
    }
}

/// A recorded step of an agent that holds its position is a fault, without a goal and at its target.
#[test]
fn steps_of_agents_that_hold_their_position_are_detected() {
    for goal in [None, Some(pos(2, 0))] {
        let mut world = recorded("....");
        let agent = world.spawn(AgentSpec::at(2, 0)).unwrap();
        world.hold(agent, true).unwrap();
        if let Some(goal) = goal {
            world.send(agent, goal).unwrap();
        }
        run(&mut world, 5);
        let mut recording = assert_clean(world);
        recording.ticks[3].moves[0] = Some(Direction::East);
        let faults: Vec<Fault> = check(&recording).violations.iter().map(|found| found.fault).collect();
        assert!(faults.contains(&Fault::NotItsTurn), "{goal:?}: {faults:?}");
    }
}
