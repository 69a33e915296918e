//! FAR and A*-Replan.

use throng_crowd::{AgentId, AgentSpec, Budget, Event};
use throng_grid::scene::{self, Scene};
use throng_grid::{Area, Corners, Grid, MoveRules, Pos, Tiles};

use crate::common::{Threads, populate, populate_scene, random_grid, run, tick, world, world_of_restored};

const NAMES: [&str; 2] = ["far", "astar-replan"];
const RULES: [MoveRules; 3] =
    [MoveRules::eight_way(Corners::Forbid), MoveRules::eight_way(Corners::Allow), MoveRules::FOUR_WAY];

#[test]
fn show_scenes() {
    for name in NAMES {
        for (scene_name, _) in scene::all() {
            let scene = Scene::named(scene_name).unwrap();
            for rules in RULES {
                let mut world = world(name, Grid::new(scene.tiles.clone(), rules));
                populate_scene(&mut world, &scene);
                let mut events = Vec::new();
                let left = run(&mut world, 2_000, &mut events);
                let stuck = events.iter().filter(|event| matches!(event, Event::Stuck { .. })).count();
                println!(
                    "{name} {scene_name} {rules:?}: {left:?} of {} at {}, stuck {stuck}",
                    world.agents().len(),
                    world.ticks()
                );
            }
        }
        for seed in 0..20 {
            let grid = random_grid((30, 30), 5 + seed as u32, RULES[seed as usize % 3], seed);
            let mut world = world(name, grid);
            populate(&mut world, 20 + seed as usize * 2, seed);
            let mut events = Vec::new();
            let left = run(&mut world, 3_000, &mut events);
            let stuck = events.iter().filter(|event| matches!(event, Event::Stuck { .. })).count();
            println!(
                "{name} {seed}: {left:?} of {} at {}, stuck {stuck}",
                world.agents().len(),
                world.ticks()
            );
        }
    }
}

#[test]
fn show_jam() {
    let scene = Scene::named("crossing_streams").unwrap();
    let mut w = world("far", Grid::new(scene.tiles.clone(), RULES[2]));
    populate_scene(&mut w, &scene);
    let mut events = Vec::new();
    run(&mut w, 100, &mut events);
    for _ in 0..14 {
        events.clear();
        tick(&mut w, Budget::Unlimited, &mut events);
        let all: Vec<_> = w.agents().iter().map(|&a| (a.0, w.position(a).unwrap())).collect();
        println!(
            "{}",
            scene::draw(w.grid().ground(), all.iter().map(|&(a, p)| ((b'a' + a as u8) as char, p)), &[])
        );
        println!("{events:?}");
    }
    for seed in [8, 15, 12, 11] {
        let grid = random_grid((30, 30), 5 + seed as u32, RULES[seed as usize % 3], seed);
        let mut w = world("far", grid);
        populate(&mut w, 20 + seed as usize * 2, seed);
        run(&mut w, 1000, &mut events);
        events.clear();
        run(&mut w, 6, &mut events);
        println!("SEED {seed}");
        for e in &events {
            println!("{e:?}");
        }
        let all: Vec<_> = w.agents().iter().map(|&a| (a.0, w.position(a).unwrap())).collect();
        println!(
            "{}",
            scene::draw(
                w.grid().ground(),
                all.iter()
                    .map(|&(a, p)| ((if a < 26 { b'a' + a as u8 } else { b'A' + a as u8 - 26 }) as char, p)),
                &[]
            )
        );
    }
}
