//! FAR and A*-Replan.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{AgentId, AgentSpec, Budget, Event, ForeignId, Input, World};
use throng_grid::scene::{self, Scene};
use throng_grid::{Area, Corners, Grid, MoveRules, Pos, Tiles};

use crate::common::{Threads, populate, populate_scene, random_grid, run, tick, world, world_of_restored};

const NAMES: [&str; 2] = ["far", "astar-replan"];
const RULES: [MoveRules; 3] =
    [MoveRules::eight_way(Corners::Forbid), MoveRules::eight_way(Corners::Allow), MoveRules::FOUR_WAY];

/// Whether an agent was reported stuck, or to be in the way of one that was.
fn is_named(events: &[Event], who: AgentId) -> bool {
    events
        .iter()
        .any(|event| matches!(event, Event::Stuck { agent, by, .. } if *agent == who || *by == Some(who)))
}

#[test]
fn everyone_comes_home_in_every_scene_with_room() {
    for name in NAMES {
        for (scene_name, _) in scene::all() {
            let scene = Scene::named(scene_name).unwrap();
            for rules in RULES {
                let mut world = world(name, Grid::new(scene.tiles.clone(), rules));
                populate_scene(&mut world, &scene);
                let mut events = Vec::new();
                let left = run(&mut world, 300, &mut events);
                if *scene_name == "swap_without_room" {
                    assert!(!left.is_empty(), "there is no room");
                    assert!(left.iter().all(|&agent| is_named(&events, agent)), "{name}, {events:?}");
                } else {
                    assert!(left.is_empty(), "{name} in {scene_name} with {rules:?}: {left:?}");
                }
            }
        }
    }
}

/// Almost everyone comes home. Those who do not are nearly all reported; a few keep making room for each other for
/// ever, and the world reports only who stands still.
#[test]
fn on_random_maps_nearly_everyone_comes_home_or_is_reported() {
    for name in NAMES {
        let (mut all, mut late, mut unnamed) = (0, 0, 0);
        for seed in 0..80_u64 {
            let grid = random_grid((30, 30), 5 + seed as u32 % 24, RULES[seed as usize % 3], seed);
            let mut world = world(name, grid);
            populate(&mut world, 20 + seed as usize % 21 * 2, seed);
            let mut events = Vec::new();
            let left = run(&mut world, 1_500, &mut events);
            all += world.agents().len();
            late += left.len();
            unnamed += left.iter().filter(|&&agent| !is_named(&events, agent)).count();
        }
        assert!(late * 40 < all, "{name}: {late} of {all} did not come home");
        assert!(unnamed * 200 < all, "{name}: {unnamed} of {all} neither came home nor were reported");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for name in NAMES {
        let runs = [1, 2, 3, 8].map(|threads| {
            let mut world = world(name, random_grid((50, 40), 20, RULES[0], 3));
            populate(&mut world, 60, 4);
            world.set_executor(Box::new(Threads(threads)));
            let mut events = Vec::new();
            for _ in 0..80 {
                tick(&mut world, Budget::expansions(900), &mut events);
            }
            (world.state_hash(), world.totals(), events)
        });
        assert!(runs.iter().all(|run| *run == runs[0]), "{name}");
    }
}

#[test]
fn a_budget_is_kept_and_without_one_agents_still_walk() {
    let mut world = world("far", random_grid((40, 40), 15, RULES[0], 5));
    populate(&mut world, 30, 6);
    let mut events = Vec::new();
    for _ in 0..5 {
        tick(&mut world, Budget::expansions(0), &mut events);
    }
    assert!(events.is_empty(), "nobody knows a way yet");
    for limit in [1, 7, 100, 333] {
        for _ in 0..20 {
            let report = world.tick(Budget::expansions(limit), &mut events);
            assert!(report.expansions <= limit, "{report:?}");
        }
    }
    tick(&mut world, Budget::Unlimited, &mut events);
    events.clear();
    for _ in 0..3 {
        let report = world.tick(Budget::expansions(0), &mut events);
        assert_eq!(report.expansions, 0);
    }
    assert!(events.iter().any(|event| matches!(event, Event::Moved { .. })));
    assert_eq!(run(&mut world, 500, &mut events), []);
}

/// Everything a game can do, at random, between the ticks.
fn disturb(world: &mut World, random: &mut Pcg32) {
    let mut below = |n: u32| random.next_u32() % n;
    let size = world.grid().size();
    let mut place = || Pos::new(below(size.width()) as i32, below(size.height()) as i32);
    let (here, there) = (place(), place());
    let agents = world.agents();
    let Some(&agent) = agents.get(below(agents.len().max(1) as u32) as usize) else { return };
    // What is refused changes nothing.
    let _refused = match below(14) {
        0 => world.apply(Input::Block(Area::disc(here, 1))),
        1 | 2 => world.apply(Input::Unblock(Area::disc(here, 4))),
        3 | 4 => world.send(agent, here).map(drop),
        5 => world.teleport(agent, here),
        6 => world.despawn(agent),
        7 => world
            .spawn(AgentSpec::at(here.x, here.y).speed(1 + below(3) as u8))
            .and_then(|agent| world.send(agent, there).map(drop)),
        8 => world.place_foreign(here).map(drop),
        9 | 10 => world.move_foreign(ForeignId(below(8)), here),
        11 => world.control(agent, below(2) == 0),
        12 => world.halt(agent),
        _ => Ok(()),
    };
}

#[test]
fn whatever_happens_moves_stay_legal_and_restored_runs_the_same() {
    for name in NAMES {
        for seed in 0..12_u64 {
            let grid = || random_grid((24, 20), 15, RULES[seed as usize % 3], seed);
            let runs =
                [world(name, grid()), world_of_restored(name, grid(), 1 + seed % 3)].map(|mut world| {
                    populate(&mut world, 40, seed);
                    let mut random = Pcg32::seed_from_u64(seed);
                    let mut events = Vec::new();
                    let mut hashes = Vec::new();
                    for _ in 0..250 {
                        disturb(&mut world, &mut random);
                        tick(&mut world, Budget::expansions(150), &mut events);
                        hashes.push(world.state_hash());
                    }
                    (hashes, events)
                });
            assert!(runs[0] == runs[1], "{name}, seed {seed}");
        }
    }
}

#[test]
fn who_has_arrived_makes_room_and_returns() {
    let picture = "#######\n.......\n###.###";
    let mut world = world("far", Grid::new(Tiles::picture(picture), RULES[0]));
    let standing = world.spawn(AgentSpec::at(3, 1)).unwrap();
    world.send(standing, Pos::new(3, 1)).unwrap();
    let passing = world.spawn(AgentSpec::at(0, 1)).unwrap();
    world.send(passing, Pos::new(6, 1)).unwrap();
    let mut events = Vec::new();
    assert_eq!(run(&mut world, 40, &mut events), []);
    assert!(events.contains(&Event::Pushed { agent: standing, by: passing }));
    assert!(events.contains(&Event::LeftGoal { agent: standing }));
}

#[test]
fn foreign_units_are_walked_around_and_waited_for() {
    let mut world = world("far", Grid::new(Tiles::picture(".........\n.........\n........."), RULES[0]));
    let agent = world.spawn(AgentSpec::at(0, 1)).unwrap();
    world.send(agent, Pos::new(8, 1)).unwrap();
    for y in 0..3 {
        world.place_foreign(Pos::new(4, y)).unwrap();
    }
    let mut events = Vec::new();
    assert_eq!(run(&mut world, 80, &mut events), [agent]);
    assert!(is_named(&events, agent));
    world.remove_foreign(ForeignId(2)).unwrap();
    assert_eq!(run(&mut world, 80, &mut events), []);
}

#[test]
fn slow_agents_come_home_too() {
    let mut world = world("far", random_grid((20, 20), 10, RULES[0], 8));
    populate(&mut world, 10, 8);
    let size = world.grid().size();
    let free: Vec<Pos> = world.grid().ground().free_cells().map(|cell| size.pos(cell)).collect();
    let mut slow = 0;
    for (i, &at) in free.iter().enumerate().filter(|(i, _)| i % 37 == 0) {
        if let Ok(agent) = world.spawn(AgentSpec::at(at.x, at.y).speed(2 + (i % 2) as u8)) {
            world.send(agent, free[free.len() - 1 - i]).unwrap();
            slow += 1;
        }
    }
    assert!(slow > 4);
    assert_eq!(run(&mut world, 600, &mut Vec::new()), []);
}
