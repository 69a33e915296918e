//! Agents with shared goals: each gets a cell of its own near the goal, arrives once, and stays.

use std::collections::BTreeMap;

use throng_crowd::{AgentId, AgentSpec, Budget, Event, Recording, World, check};
use throng_grid::{Grid, MoveRules, Pos, Tiles};

use crate::support::{empty, not_arrived, picture, populate, random_grid, random_pairs, run, tick};

/// One planner per family.
const PLANNERS: [&str; 5] = ["bmaa", "bmaa-c", "far", "whca", "lra"];
/// More ticks than any test needs.
const MAX_TICKS: u32 = 3_000;

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

/// Checks that all agents arrive exactly once and then stay.
fn assert_settles(name: &str, world: &mut World) {
    let agents = world.agents().len();
    world.start_recording();
    let mut events = Vec::new();
    let arrived = run(world, MAX_TICKS, &mut events).is_some();
    assert!(arrived, "{name}: {} have not arrived:\n{}", not_arrived(world).len(), picture(world));
    // Plans from before the last arrival are still carried out.
    events.extend((0..20).flat_map(|_| tick(world, Budget::Unlimited)));
    assert!(not_arrived(world).is_empty(), "{name}: an agent left its goal:\n{}", picture(world));
    let mut balance: BTreeMap<AgentId, i32> = BTreeMap::new();
    for event in &events {
        match event {
            Event::Arrived { agent } => *balance.entry(*agent).or_default() += 1,
            Event::LeftGoal { agent } => *balance.entry(*agent).or_default() -= 1,
            _ => {}
        }
    }
    assert!(balance.len() == agents && balance.values().all(|&count| count == 1), "{name}: {balance:?}");
    let left = |event: &&Event| matches!(event, Event::LeftGoal { .. });
    let disturbed = events.iter().filter(left).count();
    assert!(disturbed == 0 || moves_others_aside(name), "{name}: {disturbed} left their cells");
    for _ in 0..100 {
        let changes = |event: &Event| {
            matches!(event, Event::Moved { .. } | Event::Arrived { .. } | Event::LeftGoal { .. })
        };
        let events = tick(world, Budget::Unlimited);
        assert!(!events.iter().any(changes), "{name}: {events:?}");
    }
    let report = check(&Recording::read(&world.finish_recording().unwrap()).unwrap());
    assert!(report.is_clean(), "{name}: {:?}", report.violations);
}

/// Returns true if the planner moves arrived agents aside for others.
fn moves_others_aside(spec: &str) -> bool {
    spec != "lra" && spec != "bmaa"
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

#[test]
fn agents_with_one_to_three_goals_settle_on_random_maps() {
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
            assert_settles(spec, &mut world);
        }
    }
}
