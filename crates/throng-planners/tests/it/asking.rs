//! Questions about agents, for every planner: they agree with the events, with each other and with what happens.

use rand_core::SeedableRng;
use rand_pcg::Pcg32;
use throng_crowd::{AgentId, AgentSpec, AgentState, Budget, Certainty, Event, Settings, StuckReason, World};
use throng_grid::{Grid, MoveRules, Pos, Tiles};
use throng_planners::{planner, restore};

use crate::support::{crowd, disturb, every_spec, every_spec_with_goals, small_map, some_budget, tick};

/// Checks the preview of an agent against the map, its target and the other answers.
fn check_preview(world: &World, agent: AgentId) -> Certainty {
    let (at, target) = (world.position(agent).unwrap(), world.target(agent).unwrap());
    let path = world.path(agent, 1_000).unwrap();
    let (ground, mut last) = (world.known_ground(agent).unwrap(), at);
    assert!(path.is_sorted_by_key(|cell| cell.certainty));
    for step in &path {
        let cells = (ground.cell(last).unwrap(), ground.cell(step.at).unwrap());
        if step.certainty == Certainty::Unknown {
            assert_eq!(Some(step.at), target, "an unknown rest is the target");
        } else {
            assert!(ground.legal_step(cells.0, cells.1).is_some(), "{last} to {}", step.at);
        }
        last = step.at;
    }
    assert_eq!(
        last,
        target.unwrap_or(at),
        "the path leads to the target: {} {at} {path:?}",
        world.planner_name()
    );
    assert_eq!(world.path(agent, 2).unwrap()[..], path[..path.len().min(2)]);
    let remaining = world.remaining(agent).unwrap();
    assert_eq!(remaining.is_some(), target.is_some());
    if let Some(remaining) = remaining {
        assert_eq!(remaining.cost == 0, target == Some(at));
        let is_done = target == Some(at) && world.motion(agent).unwrap().fraction(1.0) >= 1.0;
        assert_eq!(remaining.ticks == 0, is_done);
        let certainty = path.last().map_or(Certainty::Planned, |cell| cell.certainty);
        assert_eq!(remaining.certainty, certainty);
    }
    if let AgentState::Waiting { wanted: Some(wanted), .. } = world.state(agent).unwrap() {
        assert_eq!(world.next_cell(agent).unwrap(), Some(wanted));
    }
    path.first().map_or(Certainty::Planned, |cell| cell.certainty)
}

/// Checks the states after a tick against its events. `before` has the targets before the tick.
fn check_states(world: &World, before: &[(AgentId, Option<Pos>)], events: &[Event]) {
    for &agent in world.agents() {
        let state = world.state(agent).unwrap();
        let is_idle = matches!(state, AgentState::Idle | AgentState::Uncontrolled);
        assert_eq!(state == AgentState::InPlace, !is_idle && world.has_arrived(agent).unwrap());
    }
    for event in events {
        match *event {
            Event::Arrived { agent } => assert_eq!(world.state(agent), Ok(AgentState::InPlace)),
            Event::Moved { agent, .. } => {
                let state = world.state(agent).unwrap();
                let is_stuck = matches!(
                    state,
                    AgentState::Stuck { reason: StuckReason::Wandering | StuckReason::NoReachableCell, .. }
                );
                let is_fine = !matches!(state, AgentState::Stuck { .. } | AgentState::Waiting { .. });
                assert!(is_fine || is_stuck, "{state:?}");
            }
            Event::Waited { agent, wanted, by } => match world.state(agent).unwrap() {
                AgentState::Waiting { wanted: found, by: unit } => {
                    assert_eq!((found, unit), (Some(wanted), by));
                }
                AgentState::Stuck { .. } | AgentState::InPlace | AgentState::Idle => {}
                // It stands on a target that it shares with others, or got another one at the end of the tick.
                AgentState::Moving => {
                    let target = world.target(agent).unwrap();
                    let is_other = before.iter().any(|&(id, before)| id == agent && before != target);
                    assert!(is_other || target == Some(world.position(agent).unwrap()));
                }
                state => panic!("{state:?}"),
            },
            Event::Stuck { agent, reason, by } if reason != StuckReason::NoReachableCell => {
                let AgentState::Stuck { reason: found, by: unit } = world.state(agent).unwrap() else {
                    // It got another target, or none, at the end of the tick.
                    continue;
                };
                let is_same = found == reason
                    || [found, reason].iter().all(|one| {
                        matches!(
                            one,
                            StuckReason::BehindArrived | StuckReason::Crowded | StuckReason::NoReachableCell
                        )
                    });
                assert!(
                    is_same && (unit == by || found == StuckReason::NoReachableCell),
                    "{found:?} {reason:?}"
                );
            }
            _ => {}
        }
    }
}

#[test]
fn answers_agree_with_events_and_with_each_other() {
    for spec in every_spec() {
        let mut known = 0;
        for seed in 80..82 {
            let mut random = Pcg32::seed_from_u64(seed);
            let mut world = crowd(&spec, small_map(seed), 40, seed);
            for number in 0..80 {
                if number % 3 == 0 {
                    disturb(&mut world, &mut random);
                }
                for &agent in world.agents() {
                    known += usize::from(check_preview(&world, agent) != Certainty::Unknown);
                }
                let target = |&agent: &AgentId| (agent, world.target(agent).unwrap());
                let before: Vec<_> = world.agents().iter().map(target).collect();
                let events = tick(&mut world, some_budget(&mut random));
                check_states(&world, &before, &events);
                for &agent in world.agents() {
                    check_preview(&world, agent);
                }
            }
            let again = restore(&world.snapshot()).unwrap();
            for &agent in world.agents() {
                assert_eq!(again.state(agent), world.state(agent), "{spec}");
            }
        }
        assert!(known > 0, "{spec} never knows the next step of an agent");
    }
}

/// On an empty map every planner knows soon how long the path is, and keeps to it.
#[test]
fn a_lone_agent_needs_the_time_that_was_told() {
    for spec in every_spec_with_goals() {
        let grid = Grid::new(Tiles::picture(&"....................\n".repeat(12)), MoveRules::default());
        let made = planner(&spec, &grid).unwrap();
        let mut world = World::new(grid, made, Settings::default()).unwrap();
        let agent = world.spawn(AgentSpec::at(2, 3).speed(2)).unwrap();
        world.send(agent, Pos::new(17, 9)).unwrap();
        assert_eq!(world.remaining(agent).unwrap().unwrap().ticks, 30, "{spec}: 15 steps of two ticks");
        let mut certainty = Certainty::Unknown;
        while world.state(agent).unwrap() != AgentState::InPlace {
            let (before, next) = (world.remaining(agent).unwrap().unwrap(), world.next_cell(agent).unwrap());
            let events = tick(&mut world, Budget::Unlimited);
            let moved = events.iter().find_map(|event| match event {
                Event::Moved { to, .. } => Some(*to),
                _ => None,
            });
            if let (Some(to), Some(next), Certainty::Planned) = (moved, next, before.certainty) {
                assert_eq!(to, next, "{spec}");
            }
            let after = world.remaining(agent).unwrap().unwrap();
            certainty = certainty.min(after.certainty);
            assert!(world.ticks() + after.ticks >= 30, "{spec}: told too short a time");
            assert!(world.ticks() < 200, "{spec}");
        }
        assert_eq!(world.remaining(agent).unwrap().unwrap().ticks, 0);
        assert!(certainty < Certainty::Unknown, "{spec} knows the way at last");
    }
}
