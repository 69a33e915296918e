//! What the tests share: worlds made of pictures and maps, threads, and a watch over every tick.

use std::sync::atomic::{AtomicUsize, Ordering};

use throng_crowd::{AgentId, AgentSpec, Budget, Event, Executor, Settings, World};
use throng_grid::scene::{Scene, draw};
use throng_grid::{Grid, MoveRules, Pos, builtin, random_pairs};
use throng_planners::planner;

/// A picture's world. Agents are numbered by their letters; one without a capital is at its goal.
pub(crate) fn scene(picture: &str, spec: &str) -> World {
    let scene = Scene::parse(picture).unwrap();
    let grid = Grid::new(scene.tiles, MoveRules::default());
    let pairs: Vec<_> =
        scene.agents.iter().map(|agent| (agent.start, agent.goal.unwrap_or(agent.start))).collect();
    crowd(grid, spec, &pairs)
}

/// One of the named scenes.
pub(crate) fn named(name: &str, spec: &str) -> World {
    scene(&Scene::named(name).unwrap().draw(), spec)
}

/// Agents with random starts and goals on an embedded map.
pub(crate) fn builtin_crowd(map: &str, spec: &str, agents: usize, seed: u64) -> World {
    grid_crowd(Grid::new(builtin::builtin(map).unwrap(), MoveRules::default()), spec, agents, seed)
}

/// Agents with random starts and goals on a grid.
pub(crate) fn grid_crowd(grid: Grid, spec: &str, agents: usize, seed: u64) -> World {
    let mut pairs: Vec<(Pos, Pos)> = Vec::new();
    for (from, to) in random_pairs(grid.ground(), 3 * agents, seed) {
        let (from, to) = (grid.ground().pos(from), grid.ground().pos(to));
        if pairs.len() < agents && pairs.iter().all(|pair| pair.0 != from && pair.1 != to) {
            pairs.push((from, to));
        }
    }
    assert_eq!(pairs.len(), agents);
    crowd(grid, spec, &pairs)
}

fn crowd(grid: Grid, spec: &str, pairs: &[(Pos, Pos)]) -> World {
    let planner = planner(spec, &grid).unwrap();
    with(grid, planner, pairs)
}

/// Agents under a planner of the test's own.
pub(crate) fn with(grid: Grid, planner: Box<dyn throng_crowd::Planner>, pairs: &[(Pos, Pos)]) -> World {
    let mut world = World::new(grid, planner, Settings::default().seed(7)).unwrap();
    for &(from, _) in pairs {
        world.spawn(AgentSpec::at(from.x, from.y)).unwrap();
    }
    for (number, &(_, to)) in pairs.iter().enumerate() {
        world.send(AgentId(number as u32), to).unwrap();
    }
    world
}

/// A tick that nobody was overruled in and that left nobody in a shared cell.
pub(crate) fn tick(world: &mut World, budget: Budget<'_>) -> Vec<Event> {
    let before: Vec<_> = world.agents().iter().map(|&agent| world.position(agent).unwrap()).collect();
    let mut events = Vec::new();
    world.tick(budget, &mut events);
    assert_eq!(world.totals().overruled, 0, "{events:?}");
    let after: Vec<_> = world.agents().iter().map(|&agent| world.position(agent).unwrap()).collect();
    let mut sorted = after.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), after.len(), "two agents share a cell:\n{}", picture(world));
    for event in &events {
        if let Event::Moved { agent, from, to } = *event {
            let stood = before.iter().position(|&pos| world.grid().cell(pos) == Some(to));
            let swaps = stood.is_some_and(|other| world.grid().cell(after[other]) == Some(from));
            assert!(!swaps, "{agent:?} changed places:\n{}", picture(world));
        }
    }
    events
}

/// Ticks until all are home, at most so many; says how many it took.
pub(crate) fn until_home(world: &mut World, most: u32) -> Option<u32> {
    (1..=most).find(|_| {
        tick(world, Budget::Unlimited);
        all_home(world)
    })
}

pub(crate) fn all_home(world: &World) -> bool {
    world.agents().iter().all(|&agent| world.is_home(agent))
}

/// The world as a picture, for messages.
pub(crate) fn picture(world: &World) -> String {
    let name = |agent: AgentId| (b'a' + agent.0 as u8 % 26) as char;
    draw(
        world.grid().ground(),
        world.agents().iter().map(|&agent| (name(agent), world.position(agent).unwrap())),
        &[],
    )
}

/// The hash after each of so many ticks.
pub(crate) fn hashes(world: &mut World, ticks: usize) -> Vec<u64> {
    (0..ticks)
        .map(|_| {
            tick(world, Budget::Unlimited);
            world.state_hash()
        })
        .collect()
}

/// Real threads, which take pieces as they come.
pub(crate) struct Threads(pub(crate) usize);

impl Executor for Threads {
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.0 {
                scope.spawn(|| {
                    loop {
                        match next.fetch_add(1, Ordering::Relaxed) {
                            i if i < count => piece(i),
                            _ => return,
                        }
                    }
                });
            }
        });
    }

    fn width(&self) -> usize {
        self.0
    }
}
