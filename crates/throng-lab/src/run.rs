//! One run: a problem, a planner, limits; and what came of it.

use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};
use throng::crowd::{Recording, RecordingError, SetupError, WorldError, check};
use throng::grid::Steps;
use throng::grid::moves::STRAIGHT;
use throng::searches::Unsupported;
use throng::searches::spec::SpecError;
use throng::{AgentSpec, Budget, Cell, Event, Grid, Pool, Settings, World};

use crate::Instance;
use crate::measures::{Measures, Percentiles, mean};

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// Who goes where.
    pub instance: &'a Instance,
    /// The planner, as people write it.
    pub planner: &'a str,
    /// For planners that draw lots.
    pub seed: u64,
    /// Threads for independent searches.
    pub threads: usize,
    /// When to stop.
    pub limits: Limits,
    /// Whether the whole recording is wanted.
    pub record: bool,
}

/// When a run stops, if not because everyone is home.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// After so many ticks.
    pub ticks: u64,
    /// After so much time, if given.
    pub wall: Option<Duration>,
    /// What each tick may do.
    pub budget: TickBudget,
}

/// What a tick may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TickBudget {
    /// Anything.
    #[default]
    Unlimited,
    /// So many expansions.
    Expansions(u64),
    /// So many microseconds, asked between rounds.
    Microseconds(u64),
}

/// The measures of a run, as the command line prints them.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct RunResult {
    /// The map's name.
    pub map: String,
    /// The planner.
    pub planner: String,
    /// Number of agents.
    pub agents: usize,
    /// The problem's type.
    pub r#type: String,
    /// The seed.
    pub seed: u64,
    /// Ticks run.
    pub ticks: u64,
    /// Time from the first tick to the last.
    pub wall_seconds: f64,
    /// Share of agents at home at the end.
    pub completion_rate: f64,
    /// Mean tick of coming home; the limit for agents that are not.
    pub completion_ticks_mean: f64,
    /// The same in seconds of the run.
    pub completion_seconds_mean: f64,
    /// Mean length walked.
    pub travel_mean: f64,
    /// That over the mean length of the agents' shortest paths.
    pub travel_over_shortest: f64,
    /// Expansions of the planner.
    pub expansions: u64,
    /// Times an agent wanted a cell and stayed because somebody held or took it.
    pub failed_moves: u64,
    /// Proposals that the referee refused.
    pub overruled: u64,
    /// What the independent checker found wrong, with any move or any tick's hash.
    pub collisions: u64,
    /// Times of the ticks until the last arrival or the limit, in microseconds.
    pub tick_us: Percentiles,
    /// Everything before the first tick.
    pub prepare_seconds: f64,
    /// The most memory that the planner held.
    pub peak_bytes: usize,
    /// The world's hash at the end. Written as 16 hexadecimal digits: most readers of JSON keep only 53 bits of a
    /// number.
    #[serde(serialize_with = "hexadecimal")]
    pub state_hash: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields so")]
fn hexadecimal<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:016x}"))
}

/// A run's result and what can be drawn or kept of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The measures.
    pub result: RunResult,
    /// How often each cell was entered.
    pub heat: Vec<u32>,
    /// Where everyone stood in the end.
    pub positions: Vec<Cell>,
    /// The whole run, to be played and checked without the planner; empty when it was not wanted.
    pub recording: Vec<u8>,
}

/// Why a run cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is no such planner.
    #[error(transparent)]
    Planner(#[from] SpecError),
    /// The planner does not fit the settings.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An agent cannot start where the problem says, or go where it says.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The map's rules have no search for shortest paths.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The run's own recording cannot be read: a bug of the engine.
    #[error("the recording is unreadable: {0}")]
    Recording(#[from] RecordingError),
    /// The system gives no more threads.
    #[error("cannot start {0} threads")]
    Threads(usize),
}

/// Runs a planner on a problem. `watch` sees the world after each tick, and may stop the run by answering false.
///
/// # Errors
/// When the planner is unknown, or the problem does not fit the map.
pub fn run(setup: Setup<'_>, mut watch: impl FnMut(&World, &[Event]) -> bool) -> Result<Outcome, RunError> {
    let begun = Instant::now();
    let mut world = populate(setup)?;
    let prepare_seconds = begun.elapsed().as_secs_f64();

    let (agents, ground) = (setup.instance.starts.len(), setup.grid.ground());
    let mut measures = Measures::new(agents, ground.size().area());
    let mut inspector = Inspector::new(&mut world, setup.record);
    let (mut events, mut times, mut seconds_at) = (Vec::new(), Vec::new(), vec![0.0]);
    let mut peak_bytes = 0;
    let mut watch_stopped = false;
    // Only the ticks count: whatever is checked, drawn or counted between them takes no time of the run.
    let mut wall = Duration::ZERO;
    while !measures.all_home() && !watch_stopped && !setup.limits.are_reached(world.ticks(), wall) {
        events.clear();
        let tick_begun = Instant::now();
        tick(&mut world, setup.limits.budget, tick_begun, &mut events);
        let took = tick_begun.elapsed();
        wall += took;
        times.push(took.as_secs_f64() * 1e6);
        seconds_at.push(wall.as_secs_f64());
        measures.observe(ground, world.ticks(), &events);
        peak_bytes = peak_bytes.max(if world.ticks() % 16 == 1 { world.planner().bytes() } else { 0 });
        inspector.look(&mut world)?;
        watch_stopped = !watch(&world, &events);
    }
    let (collisions, recording) = inspector.finish(&mut world)?;
    if measures.all_home() {
        times.truncate(measures.last_arrival() as usize);
    }
    let result = RunResult {
        planner: setup.planner.to_owned(),
        seed: setup.seed,
        wall_seconds: wall.as_secs_f64(),
        collisions,
        tick_us: Percentiles::of(&times),
        prepare_seconds,
        peak_bytes,
        ..summary(setup, &world, &measures, &seconds_at)?
    };
    Ok(Outcome { result, heat: measures.heat, positions: positions(&world), recording })
}

/// What the world and the measures tell in the end.
fn summary(
    setup: Setup<'_>,
    world: &World,
    measures: &Measures,
    seconds_at: &[f64],
) -> Result<RunResult, RunError> {
    let agents = setup.instance.starts.len();
    let completed = |tick: Option<u64>| tick.unwrap_or(world.ticks());
    let completion: Vec<u64> = measures.completion_ticks().map(completed).collect();
    let travel_mean = measures.travel_mean(setup.grid.ground());
    let shortest = shortest_mean(setup.grid, setup.instance)?;
    Ok(RunResult {
        agents,
        ticks: world.ticks(),
        completion_rate: if agents == 0 { 1.0 } else { measures.home() as f64 / agents as f64 },
        completion_ticks_mean: mean(completion.iter().map(|&tick| tick as f64)),
        completion_seconds_mean: mean(completion.iter().map(|&tick| seconds_at[tick as usize])),
        travel_mean,
        travel_over_shortest: if shortest > 0.0 { travel_mean / shortest } else { 1.0 },
        expansions: world.totals().expansions,
        failed_moves: measures.failed_moves,
        overruled: measures.overruled,
        state_hash: world.state_hash(),
        ..RunResult::default()
    })
}

impl Limits {
    fn are_reached(self, ticks: u64, wall: Duration) -> bool {
        ticks >= self.ticks || self.wall.is_some_and(|limit| wall >= limit)
    }
}

/// Has every tick checked by code that shares nothing with the engine.
///
/// A long run is recorded and checked in stretches, so that its recording does not fill the memory; each stretch begins
/// with the state in which the one before ended. A recording that is wanted is kept whole.
struct Inspector {
    keep: bool,
    found: u64,
}

impl Inspector {
    /// Ticks a stretch.
    const STRETCH: u64 = 8_192;

    fn new(world: &mut World, keep: bool) -> Self {
        world.start_recording();
        Self { keep, found: 0 }
    }

    fn look(&mut self, world: &mut World) -> Result<(), RunError> {
        if !self.keep && world.ticks().is_multiple_of(Self::STRETCH) {
            self.check(world)?;
            world.start_recording();
        }
        Ok(())
    }

    fn check(&mut self, world: &mut World) -> Result<Vec<u8>, RunError> {
        let recording = world.finish_recording().unwrap_or_default();
        self.found += check(&Recording::read(&recording)?).found;
        Ok(recording)
    }

    /// What was found in all, and the whole recording if it was to be kept.
    fn finish(mut self, world: &mut World) -> Result<(u64, Vec<u8>), RunError> {
        let recording = self.check(world)?;
        Ok((self.found, if self.keep { recording } else { Vec::new() }))
    }
}

/// The world at its first tick.
fn populate(setup: Setup<'_>) -> Result<World, RunError> {
    let planner = throng::planner(setup.planner, setup.grid)?;
    let settings = Settings::default().seed(setup.seed);
    let mut world = World::new(setup.grid.clone(), planner, settings)?;
    if setup.threads > 1 {
        let pool = Pool::new(setup.threads).map_err(|_| RunError::Threads(setup.threads))?;
        world.set_executor(Box::new(pool));
    }
    let size = setup.grid.size();
    for (&start, &goal) in setup.instance.starts.iter().zip(&setup.instance.goals) {
        let at = size.pos(start);
        let agent = world.spawn(AgentSpec::at(at.x, at.y))?;
        world.send(agent, size.pos(goal))?;
    }
    Ok(world)
}

fn tick(world: &mut World, budget: TickBudget, begun: Instant, events: &mut Vec<Event>) {
    match budget {
        TickBudget::Unlimited => world.tick(Budget::Unlimited, events),
        TickBudget::Expansions(limit) => world.tick(Budget::expansions(limit), events),
        TickBudget::Microseconds(limit) => {
            let mut spent = || begun.elapsed() >= Duration::from_micros(limit);
            world.tick(Budget::Until(&mut spent), events)
        }
    };
}

fn positions(world: &World) -> Vec<Cell> {
    let size = world.grid().size();
    let place = |&agent| world.position(agent).and_then(|pos| size.cell(pos)).unwrap_or_default();
    world.agents().iter().map(place).collect()
}

/// Mean length of the agents' shortest paths, each alone on the map.
fn shortest_mean(grid: &Grid, instance: &Instance) -> Result<f64, RunError> {
    let ground = grid.ground();
    let mut finder = throng::search("jps")?;
    if finder.info().supports(ground).is_err() {
        finder = throng::search("astar")?;
    }
    let (mut path, mut sum) = (Vec::new(), 0.0);
    for (&start, &goal) in instance.starts.iter().zip(&instance.goals) {
        let cost = finder.find(ground, start, goal, &mut path)?.cost.unwrap_or(0);
        // Counted as walked lengths are.
        sum += if ground.profile().is_uniform() {
            Steps::of(path.iter().map(|&cell| ground.pos(cell))).length()
        } else {
            f64::from(cost) / f64::from(STRAIGHT)
        };
    }
    Ok(sum / instance.starts.len().max(1) as f64)
}
