//! What the tests of all planners share: worlds from scenes and random maps, a referee of their own, threads, and a
//! planner that is saved and restored all the time.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::bytes::Damaged;
use throng_crowd::{
    AgentId, AgentSpec, Budget, Change, Event, Executor, Moves, Planner, Settings, Sharing, View, Work, World,
};
use throng_grid::scene::Scene;
use throng_grid::{Cell, Grid, MoveRules, Size, Terrain, Tiles};

/// As many threads as it says, made for each run.
pub(crate) struct Threads(pub(crate) usize);

impl Executor for Threads {
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for i in 0..count {
                scope.spawn(move || piece(i));
            }
        });
    }

    fn width(&self) -> usize {
        self.0
    }
}

/// Saves its planner and restores it into a fresh one before every few ticks.
struct Restored {
    name: String,
    inner: Box<dyn Planner>,
    every: u64,
}

impl Planner for Restored {
    fn needs(&self) -> Sharing {
        self.inner.needs()
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        if view.tick().is_multiple_of(self.every) {
            let mut bytes = Vec::new();
            self.inner.save(&mut bytes);
            self.inner = throng_planners::planner(&self.name, view.grid()).unwrap();
            self.inner.load(&bytes).unwrap();
            for cut in 0..bytes.len().min(40) {
                let mut other = throng_planners::planner(&self.name, view.grid()).unwrap();
                assert!(other.load(&bytes[..cut]).is_err(), "{} cut to {cut} bytes", bytes.len());
            }
        }
        self.inner.plan(view, work, moves);
    }

    fn notice(&mut self, agent: AgentId, change: Change) {
        self.inner.notice(agent, change);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.inner.save(bytes);
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        self.inner.load(bytes)
    }
}

/// An empty world.
pub(crate) fn world(name: &str, grid: Grid) -> World {
    let planner = throng_planners::planner(name, &grid).unwrap();
    World::new(grid, planner, Settings::default().seed(7)).unwrap()
}

/// An empty world whose planner is saved and restored before every few ticks.
pub(crate) fn world_of_restored(name: &str, grid: Grid, every: u64) -> World {
    let inner = throng_planners::planner(name, &grid).unwrap();
    let planner = Box::new(Restored { name: name.to_owned(), inner, every });
    World::new(grid, planner, Settings::default().seed(7)).unwrap()
}

/// The agents of a scene, on their way.
pub(crate) fn populate_scene(world: &mut World, scene: &Scene) {
    for agent in &scene.agents {
        let id = world.spawn(AgentSpec::at(agent.start.x, agent.start.y)).unwrap();
        if let Some(goal) = agent.goal {
            world.send(id, goal).unwrap();
        }
    }
}

/// A random map with walls at the given percentage.
pub(crate) fn random_grid((width, height): (u32, u32), walls: u32, rules: MoveRules, seed: u64) -> Grid {
    let mut random = Pcg32::seed_from_u64(seed);
    let size = Size::new(width, height).unwrap();
    let cell = |_| if random.next_u32() % 100 < walls { Terrain::Wall } else { Terrain::Ground };
    Grid::new(Tiles::from_terrain(size, size.cells().map(cell).collect()).unwrap(), rules)
}

/// Agents with different starts and goals, all in the largest part of the map.
pub(crate) fn populate(world: &mut World, count: usize, seed: u64) {
    let ground = world.grid().ground();
    let components = ground.components();
    let inside = |cell: &Cell| components.label(ground, *cell) == components.largest();
    let mut cells: Vec<Cell> = ground.free_cells().filter(inside).collect();
    let mut random = Pcg32::seed_from_u64(seed);
    let mut shuffle = |cells: &mut Vec<Cell>| {
        for i in 0..cells.len() {
            let j = i + random.next_u32() as usize % (cells.len() - i);
            cells.swap(i, j);
        }
    };
    let size = world.grid().size();
    shuffle(&mut cells);
    let starts: Vec<_> = cells.iter().take(count).map(|&cell| size.pos(cell)).collect();
    shuffle(&mut cells);
    let goals: Vec<_> = cells.iter().take(count).map(|&cell| size.pos(cell)).collect();
    for (start, goal) in starts.into_iter().zip(goals) {
        let agent = world.spawn(AgentSpec::at(start.x, start.y)).unwrap();
        world.send(agent, goal).unwrap();
    }
}

/// Ticks a world and judges every move again: one legal step at most, nobody shares a cell or changes places, and
/// the referee had nothing to say.
pub(crate) fn tick(world: &mut World, budget: Budget<'_>, events: &mut Vec<Event>) {
    let places = |world: &World| -> Vec<(AgentId, Cell)> {
        let at = |&agent: &AgentId| (agent, world.grid().cell(world.position(agent).unwrap()).unwrap());
        world.agents().iter().map(at).collect()
    };
    let first = events.len();
    world.tick(budget, events);
    let after = places(world);
    let mut cells: Vec<Cell> = after.iter().map(|&(_, cell)| cell).collect();
    cells.sort();
    assert!(cells.windows(2).all(|pair| pair[0] != pair[1]), "two agents share a cell");
    let mut steps = Vec::new();
    for event in &events[first..] {
        if let Event::Moved { from, to, .. } = *event {
            assert!(world.grid().ground().legal_step(from, to).is_some(), "{from:?} to {to:?}");
            assert!(!steps.contains(&(to, from)), "two agents changed places");
            steps.push((from, to));
        }
    }
    assert_eq!(world.totals().overruled, 0, "the referee overruled the planner at tick {}", world.ticks());
}

/// Ticks until everyone is home or the limit is reached, and says who is not home.
pub(crate) fn run(world: &mut World, ticks: u64, events: &mut Vec<Event>) -> Vec<AgentId> {
    for _ in 0..ticks {
        tick(world, Budget::Unlimited, events);
        if world.agents().iter().all(|&agent| world.is_home(agent)) {
            break;
        }
    }
    world.agents().iter().copied().filter(|&agent| !world.is_home(agent)).collect()
}
