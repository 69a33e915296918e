//! Worlds for tests: made from pictures and random maps, and watched while they tick.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::bytes::Damaged;
use throng_crowd::{
    AgentId, AgentSpec, Budget, Change, Event, Executor, Moves, Planner, Settings, Sharing, View, Work, World,
};
use throng_grid::scene::Scene;
use throng_grid::{Cell, Grid, MoveRules, Pos, Size, Terrain, Tiles, random_pairs};
use throng_planners::planner;

/// A world with a planner and nobody in it.
pub(crate) fn empty(name: &str, grid: Grid) -> World {
    let planner = planner(name, &grid).unwrap();
    World::new(grid, planner, Settings::default().seed(7)).unwrap()
}

/// A world made from a picture; agents in the order of their letters.
pub(crate) fn pictured(name: &str, picture: &str) -> World {
    let scene = Scene::parse(picture).unwrap();
    let mut world = empty(name, Grid::new(scene.tiles, MoveRules::default()));
    for agent in scene.agents {
        let id = world.spawn(AgentSpec::at(agent.start.x, agent.start.y)).unwrap();
        if let Some(goal) = agent.goal {
            world.send(id, goal).unwrap();
        }
    }
    world
}

/// A random map with a crowd that has somewhere to go; some step slowly if so wanted.
pub(crate) fn random(planner: Box<dyn Planner>, grid: Grid, agents: usize, seed: u64, slow: bool) -> World {
    let pairs = random_pairs(grid.ground(), 4 * agents, seed);
    let mut world = World::new(grid, planner, Settings::default().seed(seed)).unwrap();
    for (from, to) in pairs {
        let (from, to) = (world.grid().size().pos(from), world.grid().size().pos(to));
        let speed = if slow { 1 + world.agents().len() as u8 % 3 } else { 1 };
        if world.agents().len() < agents
            && let Ok(agent) = world.spawn(AgentSpec::at(from.x, from.y).speed(speed))
        {
            world.send(agent, to).unwrap();
        }
    }
    world
}

/// Walls at random, a fifth of the cells.
pub(crate) fn random_grid(side: u32, seed: u64) -> Grid {
    let mut random = Pcg32::seed_from_u64(seed);
    let size = Size::new(side, side).unwrap();
    let terrain = |roll: u32| if roll.is_multiple_of(5) { Terrain::Wall } else { Terrain::Ground };
    let tiles =
        Tiles::from_terrain(size, size.cells().map(|_| terrain(random.next_u32())).collect()).unwrap();
    Grid::new(tiles, MoveRules::default())
}

/// Ticks until everyone is home, and says after how many ticks that was.
pub(crate) fn run_home(world: &mut World, limit: u64) -> Option<u64> {
    for tick in 1..=limit {
        tick_checked(world, Budget::Unlimited);
        if world.agents().iter().all(|&agent| world.is_home(agent)) {
            return Some(tick);
        }
    }
    None
}

/// One tick, after which nobody was overruled and everyone has a cell of its own.
pub(crate) fn tick_checked(world: &mut World, budget: Budget<'_>) -> Vec<Event> {
    let mut events = Vec::new();
    world.tick(budget, &mut events);
    let overruled = events.iter().find(|event| matches!(event, Event::Overruled { .. }));
    assert_eq!(overruled, None, "at tick {}", world.ticks());
    let mut places: Vec<Pos> = world.agents().iter().filter_map(|&agent| world.position(agent)).collect();
    places.sort_unstable();
    assert!(places.is_sorted_by(|a, b| a < b), "two in one cell at tick {}", world.ticks());
    events
}

/// Many agents on random maps with everything that can happen to them; gives a hash after every tick.
pub(crate) fn ordeal(planner: Box<dyn Planner>, seed: u64, threads: usize, most: u64) -> Vec<u64> {
    let mut dice = Pcg32::seed_from_u64(seed);
    let mut world = random(planner, random_grid(24, seed), 40, seed, true);
    world.set_executor(Box::new(Threads(threads)));
    let foreign = place_foreign(&mut world, &mut dice);
    let mut hashes = Vec::new();
    for tick in 0..150_u64 {
        let place = |dice: &mut Pcg32| Pos::new((dice.next_u32() % 24) as i32, (dice.next_u32() % 24) as i32);
        let agents = world.agents();
        let agent = agents[dice.next_u32() as usize % agents.len()];
        // Whatever is refused is refused in every run alike.
        match (tick % 5 == 0, dice.next_u32() % 9) {
            (true, 0) => drop(world.block(place(&mut dice))),
            (true, 1) => drop(world.unblock(place(&mut dice))),
            (true, 2) => drop(world.despawn(agent)),
            (true, 3) => drop(world.teleport(agent, place(&mut dice))),
            (true, 4) => drop(world.halt(agent)),
            (true, 5) => drop(world.control(agent, tick % 2 == 0)),
            (true, 6) => drop(world.move_foreign(foreign, place(&mut dice))),
            (true, _) => drop(world.send(agent, place(&mut dice))),
            (false, _) => {}
        }
        let spot = place(&mut dice);
        if tick % 20 == 19
            && let Ok(agent) = world.spawn(AgentSpec::at(spot.x, spot.y))
        {
            world.send(agent, place(&mut dice)).unwrap();
        }
        let budget = match tick % 30 {
            0..10 => Budget::Unlimited,
            10..20 => Budget::Expansions(most),
            _ => Budget::Expansions(most / 10),
        };
        tick_checked(&mut world, budget);
        hashes.push(world.state_hash() ^ world.totals().failed_moves.rotate_right(8));
    }
    hashes
}

fn place_foreign(world: &mut World, dice: &mut Pcg32) -> throng_crowd::ForeignId {
    loop {
        let at = Pos::new((dice.next_u32() % 24) as i32, (dice.next_u32() % 24) as i32);
        if let Ok(unit) = world.place_foreign(at) {
            return unit;
        }
    }
}

/// Runs pieces on so many threads.
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

/// A planner that is saved, thrown away and loaded before every tick.
pub(crate) struct Forgetful {
    pub(crate) name: &'static str,
    pub(crate) inner: Box<dyn Planner>,
}

impl Planner for Forgetful {
    fn needs(&self) -> Sharing {
        self.inner.needs()
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        let mut bytes = Vec::new();
        self.inner.save(&mut bytes);
        self.inner = planner(self.name, view.grid()).unwrap();
        self.inner.load(&bytes).unwrap();
        let mut again = Vec::new();
        self.inner.save(&mut again);
        assert_eq!(bytes, again, "what was loaded is what was saved");
        let cut = bytes.len().saturating_sub(1);
        assert!(self.inner.load(&bytes[..cut]).is_err(), "cut short");
        self.inner.load(&bytes).unwrap();
        self.inner.plan(view, work, moves);
    }

    fn notice(&mut self, agent: AgentId, change: Change) {
        self.inner.notice(agent, change);
    }

    fn intent(&self, agent: AgentId) -> Option<Cell> {
        self.inner.intent(agent)
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.inner.save(bytes);
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        self.inner.load(bytes)
    }
}

/// The same ordeal for 1, 2, 3 and 8 threads, and with a planner that is saved and loaded all the time.
pub(crate) fn survives_everything(name: &'static str, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let fresh = || planner(name, &random_grid(24, seed)).unwrap();
        let expected = ordeal(fresh(), seed, 1, 4_000);
        for threads in [2, 3, 8] {
            assert!(
                ordeal(fresh(), seed, threads, 4_000) == expected,
                "{name}, seed {seed}, {threads} threads"
            );
        }
        let forgetful = Box::new(Forgetful { name, inner: fresh() });
        let restored = ordeal(forgetful, seed, 1, 4_000);
        let differs = restored.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{name}, seed {seed}: differs after loading");
    }
}
