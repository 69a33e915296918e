//! Crowds sent to one place: everyone gets a cell of its own there, is told so once, and stays.

use std::collections::BTreeMap;

use throng_crowd::{AgentId, AgentSpec, Budget, Event, Recording, World, check};
use throng_grid::{Grid, MoveRules, Pos, Tiles};

use crate::support::{away, empty, picture, populate, random_grid, random_pairs, run, tick};

/// One of each kind.
const PLANNERS: [&str; 5] = ["bmaa", "bmaa-c", "far", "whca", "lra"];
/// More than any of the scenes needs.
const LONG: u32 = 3_000;

/// A rectangle with walls around it, and more of them where the picture says so.
fn hall(width: i32, height: i32, wall: impl Fn(i32, i32) -> bool) -> Grid {
    let edge = |x: i32, y: i32| x == 0 || y == 0 || x == width - 1 || y == height - 1;
    let cell = |x: i32, y: i32| if edge(x, y) || wall(x, y) { '#' } else { '.' };
    let rows: Vec<String> = (0..height).map(|y| (0..width).map(|x| cell(x, y)).collect()).collect();
    Grid::new(Tiles::picture(&rows.join("\n")), MoveRules::default())
}

/// Eighty agents in a block of ten columns at the left, the n-th sent to the n-th of the goals in turn.
fn crowd(spec: &str, grid: Grid, goals: &[Pos]) -> World {
    let mut world = empty(spec, grid);
    for i in 0..80 {
        let agent = world.spawn(AgentSpec::at(2 + i % 10, 6 + i / 10)).unwrap();
        world.send(agent, goals[i as usize % goals.len()]).unwrap();
    }
    world
}

/// Lets a crowd come home, and looks at it for a while.
fn settles(name: &str, world: &mut World) {
    let agents = world.agents().len();
    world.start_recording();
    let mut events = Vec::new();
    let home = run(world, LONG, &mut events).is_some();
    assert!(home, "{name}: {} are away:\n{}", away(world).len(), picture(world));
    // Plans made before the last one came home are carried out.
    events.extend((0..20).flat_map(|_| tick(world, Budget::Unlimited)));
    assert!(away(world).is_empty(), "{name}: not for long:\n{}", picture(world));
    let mut told: BTreeMap<AgentId, i32> = BTreeMap::new();
    for event in &events {
        match event {
            Event::Arrived { agent } => *told.entry(*agent).or_default() += 1,
            Event::LeftGoal { agent } => *told.entry(*agent).or_default() -= 1,
            _ => {}
        }
    }
    assert!(told.len() == agents && told.values().all(|&times| times == 1), "{name}: {told:?}");
    let left = |event: &&Event| matches!(event, Event::LeftGoal { .. });
    let disturbed = events.iter().filter(left).count();
    assert!(disturbed == 0 || moves_others_aside(name), "{name}: {disturbed} left their cells");
    for _ in 0..100 {
        let stirs = |event: &Event| {
            matches!(event, Event::Moved { .. } | Event::Arrived { .. } | Event::LeftGoal { .. })
        };
        let events = tick(world, Budget::Unlimited);
        assert!(!events.iter().any(stirs), "{name}: {events:?}");
    }
    let report = check(&Recording::read(&world.finish_recording().unwrap()).unwrap());
    assert!(report.is_clean(), "{name}: {:?}", report.violations);
}

/// Whether a planner has agents that are home make room for others; with the rest nobody leaves its cell.
fn moves_others_aside(spec: &str) -> bool {
    spec != "lra" && spec != "bmaa"
}

#[test]
fn in_the_open() {
    for spec in PLANNERS {
        settles(spec, &mut crowd(spec, hall(44, 30, |_, _| false), &[Pos::new(30, 15)]));
    }
}

#[test]
fn in_a_room_behind_a_door() {
    for spec in PLANNERS {
        let grid = hall(34, 24, |x, y| x == 20 && y != 10);
        settles(spec, &mut crowd(spec, grid, &[Pos::new(26, 12)]));
    }
}

#[test]
fn at_the_end_of_a_corridor() {
    for spec in PLANNERS {
        let grid = hall(54, 24, |x, y| x >= 20 && y != 10);
        settles(spec, &mut crowd(spec, grid, &[Pos::new(52, 10)]));
    }
}

#[test]
fn two_groups_side_by_side() {
    for spec in PLANNERS {
        let goals = [Pos::new(30, 15), Pos::new(32, 15)];
        settles(spec, &mut crowd(spec, hall(44, 30, |_, _| false), &goals));
    }
}

#[test]
fn around_a_foreign_unit() {
    for spec in PLANNERS {
        let mut world = crowd(spec, hall(44, 30, |_, _| false), &[Pos::new(30, 15)]);
        world.place_foreign(Pos::new(30, 15)).unwrap();
        settles(spec, &mut world);
    }
}

/// Crowds with one, two or three goals on maps with walls.
#[test]
fn on_random_maps() {
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
            settles(spec, &mut world);
        }
    }
}
