//! Agents with shared goals: each gets a cell of its own near the goal, arrives once, and stays.

use std::collections::BTreeMap;

use throng_crowd::{AgentId, AgentSpec, Budget, Event, Recording, World, check};
use throng_grid::{Grid, MoveRules, Pos, Tiles};

use crate::support::{
    empty, every_spec_with_goals, not_arrived, picture, populate, random_grid, random_pairs, tick,
};

/// One planner per family.
const PLANNERS: [&str; 7] = ["bmaa", "bmaa-c", "far", "whca", "lra", "pibt", "surge"];
/// More ticks than any test needs.
const MAX_TICKS: u64 = 3_000;

/// Returns a rectangle surrounded by walls, with additional walls where `wall` is true.
fn hall(width: i32, height: i32, wall: impl Fn(i32, i32) -> bool) -> Grid {
    let edge = |x: i32, y: i32| x == 0 || y == 0 || x == width - 1 || y == height - 1;
    let cell = |x: i32, y: i32| if edge(x, y) || wall(x, y) { '#' } else { '.' };
    let rows: Vec<String> = (0..height).map(|y| (0..width).map(|x| cell(x, y)).collect()).collect();
    Grid::new(Tiles::picture(&rows.join("\n")), MoveRules::default())
}

/// Returns a world with 80 agents in a block on the left; the goals are assigned in turn.
fn crowd(spec: &str, grid: Grid, goals: &[Pos]) -> World {
    let mut world = empty(spec, grid);
    for i in 0..80 {
        let agent = world.spawn(AgentSpec::at(2 + i % 10, 6 + i / 10)).unwrap();
        world.send(agent, goals[i as usize % goals.len()]).unwrap();
    }
    world
}

/// Returns true if all agents arrive or settle short in time.
fn settles(world: &mut World, events: &mut Vec<Event>) -> bool {
    let mut is_settled = false;
    while !is_settled && world.ticks() < MAX_TICKS {
        events.extend(tick(world, Budget::Unlimited));
        let settles = |&agent: &AgentId| {
            world.has_arrived(agent).unwrap() || world.settled_short(agent).unwrap().is_some()
        };
        is_settled = world.agents().iter().all(settles);
    }
    is_settled
}

/// Checks that all agents arrive, that few are disturbed in place, and that they stay then.
fn assert_settles(name: &str, world: &mut World) {
    let agents = world.agents().len();
    world.start_recording();
    let mut events = Vec::new();
    let is_settled = settles(world, &mut events);
    assert!(is_settled, "{name}: {} have not arrived:\n{}", not_arrived(world).len(), picture(world));
    // Plans from before the last arrival are still carried out.
    events.extend((0..20).flat_map(|_| tick(world, Budget::Unlimited)));
    let short = world.agents().iter().filter(|&&agent| world.settled_short(agent).unwrap().is_some()).count();
    let mut goals: Vec<_> = world.agents().iter().map(|&agent| world.goal(agent).unwrap()).collect();
    goals.dedup();
    // Groups with several goals may enclose each other, and not every planner pushes.
    assert!(
        short == 0 || goals.len() > 1 && 16 * short <= agents,
        "{name}: {short} have settled short:\n{}",
        picture(world)
    );
    assert_eq!(not_arrived(world).len(), short, "{name}: an agent left its goal:\n{}", picture(world));
    // An agent that has settled short may find its cell to be a final one later, and arrives without a step.
    let mut answers: BTreeMap<AgentId, Option<bool>> = BTreeMap::new();
    for event in &events {
        let (agent, answer) = match *event {
            Event::Arrived { agent } => (agent, Some(true)),
            Event::SettledShort { agent, .. } => (agent, Some(false)),
            Event::LeftGoal { agent } => (agent, None),
            _ => continue,
        };
        let before = answers.insert(agent, answer).flatten();
        assert!(
            before != answer && before != Some(true) || answer.is_none(),
            "{name}: {agent} is answered twice"
        );
        assert!(before.is_some() || answer.is_some(), "{name}: {agent} left a place that it did not have");
    }
    assert!(answers.len() == agents && answers.values().all(Option::is_some), "{name}: {answers:?}");
    let left = events.iter().filter(|event| matches!(event, Event::LeftGoal { .. })).count();
    // `far` and `whca` move agents aside that have arrived.
    let most = match name {
        "far" => 12,
        "whca" => 2,
        _ => 1,
    };
    assert!(left <= most * agents, "{name}: {left} of {agents} left their cells");
    // An agent that has settled short tries again from time to time.
    for _ in 0..if short == 0 { 100 } else { 0 } {
        let changes = |event: &Event| {
            matches!(event, Event::Moved { .. } | Event::Arrived { .. } | Event::LeftGoal { .. })
        };
        let events = tick(world, Budget::Unlimited);
        assert!(!events.iter().any(changes), "{name}: {events:?}");
    }
    let report = check(&Recording::read(&world.finish_recording().unwrap()).unwrap());
    assert!(report.is_clean(), "{name}: {:?}", report.violations);
}

#[test]
fn agents_settle_in_the_open() {
    for spec in PLANNERS {
        assert_settles(spec, &mut crowd(spec, hall(44, 30, |_, _| false), &[Pos::new(30, 15)]));
    }
}

#[test]
fn agents_settle_in_a_room_behind_a_door() {
    for spec in PLANNERS {
        let grid = hall(34, 24, |x, y| x == 20 && y != 10);
        assert_settles(spec, &mut crowd(spec, grid, &[Pos::new(26, 12)]));
    }
}

#[test]
fn agents_settle_at_the_end_of_a_corridor() {
    for spec in PLANNERS {
        let grid = hall(54, 24, |x, y| x >= 20 && y != 10);
        assert_settles(spec, &mut crowd(spec, grid, &[Pos::new(52, 10)]));
    }
}

#[test]
fn two_groups_settle_side_by_side() {
    for spec in PLANNERS {
        let goals = [Pos::new(30, 15), Pos::new(32, 15)];
        assert_settles(spec, &mut crowd(spec, hall(44, 30, |_, _| false), &goals));
    }
}

#[test]
fn agents_settle_around_a_foreign_unit() {
    for spec in PLANNERS {
        let mut world = crowd(spec, hall(44, 30, |_, _| false), &[Pos::new(30, 15)]);
        world.place_foreign(Pos::new(30, 15)).unwrap();
        assert_settles(spec, &mut world);
    }
}

/// Groups whose goals lie close together, among walls, shift each other for long: under other planners than surge one in ten instances is not
/// settled in time.
#[test]
fn agents_with_one_to_three_goals_settle_on_random_maps() {
    let mut late = 0;
    for spec in PLANNERS {
        for seed in 0..8 {
            let grid = random_grid(30, seed as u32 % 5 * 6, MoveRules::default(), seed);
            let mut pairs = random_pairs(&grid, 100, seed);
            let goals: Vec<Pos> = pairs.iter().take(1 + seed as usize % 3).map(|pair| pair.1).collect();
            for (i, pair) in pairs.iter_mut().enumerate() {
                pair.1 = goals[i % goals.len()];
            }
            let mut world = empty(spec, grid);
            populate(&mut world, &pairs);
            if spec == "surge" || goals.len() == 1 {
                assert_settles(spec, &mut world);
                continue;
            }
            world.start_recording();
            late += u32::from(!settles(&mut world, &mut Vec::new()));
            let report = check(&Recording::read(&world.finish_recording().unwrap()).unwrap());
            assert!(report.is_clean(), "{spec}: {:?}", report.violations);
        }
    }
    assert!(late <= 4, "{late} of 30 crowds with several goals have not settled");
}

/// Agents that hold their position are not moved at rest, without a goal and at their target, by no planner. Without it
/// some are.
#[test]
fn agents_that_hold_their_position_are_not_moved() {
    let mut moved_without = 0;
    for spec in every_spec_with_goals() {
        for holds in [true, false] {
            let rows = vec![".".repeat(11); 3].join("\n");
            let mut world = empty(&spec, Grid::new(Tiles::picture(&rows), MoveRules::default()));
            let idle = world.spawn(AgentSpec::at(5, 1)).unwrap();
            let arrived = world.spawn(AgentSpec::at(7, 0)).unwrap();
            world.send(arrived, Pos::new(7, 1)).unwrap();
            for agent in [idle, arrived] {
                world.hold(agent, holds).unwrap();
            }
            (0..10).for_each(|_| drop(tick(&mut world, Budget::Unlimited)));
            let before = [idle, arrived].map(|agent| world.position(agent).unwrap());
            if holds {
                assert_eq!(before[1], Pos::new(7, 1), "{spec}: an agent that holds goes where it is sent");
            }
            for y in 0..3 {
                let agent = world.spawn(AgentSpec::at(0, y)).unwrap();
                world.send(agent, Pos::new(10, y)).unwrap();
            }
            world.start_recording();
            let mut moved = 0;
            for _ in 0..80 {
                tick(&mut world, Budget::Unlimited);
                let after = [idle, arrived].map(|agent| world.position(agent).unwrap());
                moved += u32::from(after != before);
            }
            assert!(!holds || moved == 0, "{spec}: an agent that holds was moved");
            moved_without += moved;
            assert_eq!(world.totals().overruled, 0, "{spec}");
            let report = check(&Recording::read(&world.finish_recording().unwrap()).unwrap());
            assert!(report.is_clean(), "{spec}: {:?}", report.violations);
        }
    }
    assert!(moved_without > 0);
}

/// Agents in place in the middle of a hall are left alone by a crowd that passes, because there are free ways around them.
#[test]
fn passers_by_walk_around_agents_in_place() {
    // They have left their cells five times under surge and 28 times under PIBT, which knows others beside an agent only.
    for (spec, most) in [("surge", 8), ("pibt", 40)] {
        let mut world = empty(spec, hall(62, 42, |_, _| false));
        let settled: Vec<AgentId> =
            (0..40).map(|i| world.spawn(AgentSpec::at(28 + i % 7, 18 + i / 7)).unwrap()).collect();
        for &agent in &settled {
            world.send(agent, Pos::new(31, 20)).unwrap();
        }
        while settled.iter().any(|&agent| !world.has_arrived(agent).unwrap()) {
            tick(&mut world, Budget::Unlimited);
        }
        // Fifty come from the left and fifty from the right. Every straight path of the middle rows leads through the others.
        for i in 0..100 {
            let (column, row) = (1 + i % 5, 11 + i / 5);
            let (from, to) = if i % 2 == 0 { (column, 60 - column) } else { (60 - column, column) };
            let agent = world.spawn(AgentSpec::at(from, row)).unwrap();
            world.send(agent, Pos::new(to, row)).unwrap();
        }
        let (mut left, mut ticks) = (0, 0);
        while !not_arrived(&world).is_empty() {
            let events = tick(&mut world, Budget::Unlimited);
            let has_left =
                |event: &&Event| matches!(event, Event::LeftGoal { agent } if settled.contains(agent));
            left += events.iter().filter(has_left).count();
            ticks += 1;
            assert!(ticks < 500, "{spec}: not all have arrived:\n{}", picture(&world));
        }
        assert!(left <= most, "{spec}: agents in place have left their cells {left} times");
    }
}
