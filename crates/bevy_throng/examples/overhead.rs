//! What a tick costs in an app, compared with a world alone: the same agents, orders and ticks, in turns.
//!
//! In both, agents that arrive are sent to another random cell. An update of the app is one frame with one tick, and
//! counts completely: clock, schedules, sync in, tick, sync out, messages and the system that gives orders. The second app also has
//! transforms, which are interpolated and propagated. The state hashes of all worlds must be equal after every tick.
//!
//! `cargo run --release -p bevy_throng --example overhead -- [AGENTS [TICKS [MAP]]]`

#![expect(clippy::needless_pass_by_value, reason = "Bevy's systems take their parameters by value")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_throng::prelude::*;
use bevy_throng::throng::grid::generate::generate;
use bevy_throng::throng::grid::movingai::read_map;
use bevy_throng::throng::grid::{SeededRng, Size, Tiles};
use bevy_throng::throng::{
    AgentId, AgentSpec, Budget, Event, Grid, MoveRules, Pos, Settings, World as ThrongWorld, planner,
};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;

const UNITS: u64 = 20_000;
/// Ticks before the measurement.
const WARM_UP: usize = 50;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let agents = args.next().map_or(Ok(2_000), |text| text.parse())?;
    let ticks = args.next().map_or(Ok(500), |text| text.parse())?;
    let size = Size::new(512, 512).ok_or("the map is too large")?;
    let tiles = match args.next() {
        Some(file) => read_map(&std::fs::read(file)?)?,
        None => generate("rooms", size, 1)?,
    };
    println!("{}", measure(&tiles, agents, ticks)?);
    Ok(())
}

/// Plays the game in a world alone and in two apps, and returns the table of times.
fn measure(tiles: &Tiles, agents: usize, ticks: usize) -> Result<String, Box<dyn Error>> {
    let grid = Grid::new(tiles.clone(), MoveRules::default());
    let starts = starts(&grid, agents)?;
    let mut games: [Box<dyn Game>; 3] = [
        Box::new(Plain::new(&grid, &starts)?),
        Box::new(InApp::new(&grid, &starts, false)?),
        Box::new(InApp::new(&grid, &starts, true)?),
    ];
    let mut times = [Duration::ZERO; 3];
    for tick in 0..WARM_UP + ticks {
        for turn in 0..games.len() {
            let game = (tick + turn) % games.len();
            let start = Instant::now();
            games[game].tick();
            times[game] += if tick < WARM_UP { Duration::ZERO } else { start.elapsed() };
        }
        let hashes: Vec<u64> = games.iter().map(|game| game.state_hash()).collect();
        assert!(hashes.iter().all(|&hash| hash == hashes[0]), "tick {tick}: {hashes:x?}");
    }
    let micros = times.map(|time| time.as_secs_f64() * 1e6 / ticks as f64);
    let rows = ["plain Rust", "app", "app with transforms"].iter().zip(micros).map(|(name, time)| {
        format!("{name:<20} {time:>9.1} µs per tick {:>+6.1} %\n", (time / micros[0] - 1.0) * 100.0)
    });
    Ok(format!("{agents} agents, {ticks} ticks\n{}", rows.collect::<String>()))
}

/// Returns different random free cells, ordered by row and column.
fn starts(grid: &Grid, count: usize) -> Result<Vec<Pos>, Box<dyn Error>> {
    let mut world = ThrongWorld::new(grid.clone(), planner("surge", grid)?, Settings::default())?;
    let mut rng = SeededRng::new(1);
    while world.agents().len() < count {
        let Pos { x, y } = random_cell(grid, &mut rng);
        // The cell may be occupied already.
        let _ = world.spawn(AgentSpec::at(x, y));
    }
    let mut starts =
        world.agents().iter().map(|&agent| world.position(agent)).collect::<Result<Vec<_>, _>>()?;
    starts.sort_by_key(|start| (start.y, start.x));
    Ok(starts)
}

/// Returns a random free cell.
fn random_cell(grid: &Grid, rng: &mut SeededRng) -> Pos {
    loop {
        let pos = Pos::new(rng.below(grid.size().width()) as i32, rng.below(grid.size().height()) as i32);
        if grid.cell(pos).is_some_and(|cell| grid.ground().is_free(cell)) {
            return pos;
        }
    }
}

trait Game {
    fn tick(&mut self);
    fn state_hash(&self) -> u64;
}

/// A world alone.
struct Plain {
    world: ThrongWorld,
    rng: SeededRng,
    events: Vec<Event>,
    /// Agents to send in the next tick.
    arrived: Vec<AgentId>,
    positions: Vec<Pos>,
}

impl Plain {
    fn new(grid: &Grid, starts: &[Pos]) -> Result<Self, Box<dyn Error>> {
        let mut world = ThrongWorld::new(grid.clone(), planner("surge", grid)?, Settings::default())?;
        let mut arrived = Vec::new();
        for start in starts {
            arrived.push(world.spawn(AgentSpec::at(start.x, start.y))?);
        }
        Ok(Self { world, rng: SeededRng::new(2), events: Vec::new(), arrived, positions: Vec::new() })
    }
}

impl Game for Plain {
    fn tick(&mut self) {
        for agent in self.arrived.drain(..) {
            let goal = random_cell(self.world.grid(), &mut self.rng);
            self.world.send(agent, goal).expect("the agent lives and its goal is on the map");
        }
        self.events.clear();
        self.world.tick(Budget::units(UNITS), &mut self.events);
        let arrived = self.events.iter().filter_map(|event| match *event {
            Event::Arrived { agent } => Some(agent),
            _ => None,
        });
        self.arrived.extend(arrived);
        self.arrived.sort();
        // Every game reads where its agents are.
        self.positions.clear();
        self.positions.extend(self.world.agents().iter().flat_map(|&agent| self.world.position(agent)));
        black_box(&self.positions);
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }
}

/// An app.
struct InApp(App);

/// The random numbers of goals, and the agents that get one.
#[derive(Resource)]
struct Goals(SeededRng, Vec<(AgentId, Entity)>);

impl InApp {
    fn new(grid: &Grid, starts: &[Pos], transforms: bool) -> Result<Self, Box<dyn Error>> {
        let world = ThrongWorld::new(grid.clone(), planner("surge", grid)?, Settings::default())?;
        let mut app = App::new();
        app.add_plugins((TimePlugin, ThrongPlugin))
            .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .insert_resource(Crowds::new(Crowd::new(world).budget(TickBudget::Units(UNITS))))
            .insert_resource(Goals(SeededRng::new(2), Vec::new()))
            .add_systems(FixedUpdate, send.before(ThrongSystems::SyncIn));
        if transforms {
            app.add_plugins(TransformPlugin);
        }
        // The first frame has no length and no fixed step.
        app.update();
        let mut rng = SeededRng::new(2);
        for &start in starts {
            let agent = (Agent, GridPosition(start), Goal::Cell(random_cell(grid, &mut rng)));
            let entity = app.world_mut().spawn(agent).id();
            if transforms {
                app.world_mut().entity_mut(entity).insert(Transform::default());
            }
        }
        app.world_mut().resource_mut::<Goals>().0 = rng;
        Ok(Self(app))
    }
}

/// Sends agents that have arrived to another random cell.
fn send(
    mut events: MessageReader<CrowdEvent>,
    mut goals: ResMut<Goals>,
    crowds: Res<Crowds>,
    mut agents: Query<&mut Goal>,
) {
    let Goals(rng, arrived) = &mut *goals;
    for message in events.read() {
        if let (Event::Arrived { agent }, Some(entity)) = (message.event, message.entity) {
            arrived.push((agent, entity));
        }
    }
    arrived.sort();
    for (_, entity) in arrived.drain(..) {
        let cell = random_cell(crowds.first().world().grid(), rng);
        if let Ok(mut goal) = agents.get_mut(entity) {
            *goal = Goal::Cell(cell);
        }
    }
}

impl Game for InApp {
    fn tick(&mut self) {
        self.0.update();
    }

    fn state_hash(&self) -> u64 {
        self.0.world().resource::<Crowds>().first().world().state_hash()
    }
}

#[test]
fn all_games_are_equal() {
    let size = Size::new(64, 64).unwrap();
    let table = measure(&generate("rooms", size, 1).unwrap(), 100, 60).unwrap();
    assert_eq!(table.lines().count(), 4, "{table}");
}
