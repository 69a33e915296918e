//! A crowd in an app is the same as a world without an engine, and does not depend on entities.

use bevy_app::App;
use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_throng::prelude::*;
use bevy_throng::throng::grid::SeededRng;
use bevy_throng::throng::grid::builtin::builtin;
use bevy_throng::throng::{AgentSpec, Area, Budget, Grid, MoveRules, Pos, Settings, World, planner};

use crate::support::{crowd, crowd_mut, empty_app};

const AGENTS: usize = 150;
const TICKS: usize = 120;

fn bridge() -> World {
    let grid = Grid::new(builtin("bridge").unwrap(), MoveRules::default());
    let planner = planner("surge", &grid).unwrap();
    World::new(grid, planner, Settings::default().seed(3)).unwrap()
}

/// Returns start and goal of each agent, ordered by the cells of their starts.
fn instance() -> Vec<(Pos, Pos)> {
    let (mut world, mut rng, mut agents) = (bridge(), SeededRng::new(11), Vec::new());
    let size = world.grid().size();
    while agents.len() < AGENTS {
        let mut random = || Pos::new(rng.below(size.width()) as i32, rng.below(size.height()) as i32);
        let (start, goal) = (random(), random());
        if world.spawn(AgentSpec::at(start.x, start.y)).is_ok() && world.grid().cell(goal).is_some() {
            agents.push((start, goal));
        }
    }
    agents.sort_by_key(|(start, _)| (start.y, start.x));
    agents
}

fn plain() -> Vec<u64> {
    let mut world = bridge();
    let agents: Vec<_> = instance()
        .into_iter()
        .map(|(start, goal)| (world.spawn(AgentSpec::at(start.x, start.y)).unwrap(), goal))
        .collect();
    for &(agent, goal) in &agents {
        world.send(agent, goal).unwrap();
    }
    let mut hashes = Vec::new();
    for tick in 0..TICKS {
        match tick {
            30 => drop(world.block(Area::rect(Pos::new(30, 17), Pos::new(31, 18)))),
            50 => {
                for &(agent, goal) in agents.iter().step_by(7) {
                    world.send(agent, Pos::new(goal.y, goal.x)).ok();
                }
            }
            _ => {}
        }
        world.tick(Budget::units(20_000), &mut Vec::new());
        hashes.push(world.state_hash());
    }
    hashes
}

/// Something that moves entities between the tables of the app.
#[derive(Component)]
struct Selected;

fn in_app(shuffle: impl Fn(&mut Vec<(Pos, Pos)>), select: bool) -> Vec<u64> {
    in_app_with(bridge(), shuffle, select)
}

fn in_app_with(world: World, shuffle: impl Fn(&mut Vec<(Pos, Pos)>), select: bool) -> Vec<u64> {
    let mut app = empty_app();
    app.insert_resource(Crowds::new(Crowd::new(world)));
    let mut agents = instance();
    shuffle(&mut agents);
    let mut spawn = |(start, goal): (Pos, Pos)| {
        (app.world_mut().spawn((Agent, GridPosition(start), Goal::Cell(goal))).id(), start, goal)
    };
    let mut entities: Vec<(Entity, Pos, Pos)> = agents.into_iter().map(&mut spawn).collect();
    if select {
        for (entity, ..) in entities.iter().step_by(3) {
            app.world_mut().entity_mut(*entity).insert(Selected);
        }
    }
    entities.sort_by_key(|(_, start, _)| (start.y, start.x));
    let mut hashes = Vec::new();
    for tick in 0..TICKS {
        change(&mut app, tick, &entities, select);
        app.update();
        hashes.push(crowd(&app).world().state_hash());
    }
    hashes
}

fn change(app: &mut App, tick: usize, entities: &[(Entity, Pos, Pos)], reverse: bool) {
    match tick {
        30 => drop(crowd_mut(app).world_mut().block(Area::rect(Pos::new(30, 17), Pos::new(31, 18)))),
        50 => {
            let mut orders: Vec<_> = entities.iter().step_by(7).collect();
            if reverse {
                orders.reverse();
            }
            for &&(entity, _, goal) in &orders {
                *app.world_mut().get_mut::<Goal>(entity).unwrap() = Goal::cell(goal.y, goal.x);
            }
        }
        _ => {}
    }
}

#[test]
fn an_app_makes_the_same_ticks_as_a_world_alone() {
    assert_eq!(in_app(|_| {}, false), plain());
}

/// Two players draw different things: their entities differ in number, order and components.
#[test]
fn ticks_do_not_depend_on_entities() {
    let plain = plain();
    assert_eq!(in_app(|agents| agents.reverse(), true), plain);
    assert_eq!(in_app(|agents| agents.rotate_left(40), true), plain);
}

#[cfg(feature = "multi_threaded")]
mod compute_tasks {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
    use bevy_throng::ComputeTasks;
    use bevy_throng::throng::Executor;

    use super::*;

    /// Another test may have made the pool already, with a thread per core.
    fn make_pool() -> usize {
        ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(3).build()).thread_num()
    }

    #[test]
    fn every_piece_is_done_once() {
        assert_eq!(make_pool(), ComputeTasks.width());
        for count in [0, 1, 2, 1_000] {
            let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            ComputeTasks.run(count, &|i| {
                done[i].fetch_add(1, Ordering::Relaxed);
            });
            assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1), "{count} pieces");
        }
    }

    #[test]
    fn the_threads_of_the_app_change_no_tick() {
        make_pool();
        let mut world = bridge();
        world.set_executor(Box::new(ComputeTasks));
        assert_eq!(in_app_with(world, |_| {}, false), plain());
    }
}
