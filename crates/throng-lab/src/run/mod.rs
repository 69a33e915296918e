//! One run: a problem, a planner, limits; and what came of it.

mod inspector;
mod limits;
mod result;
mod shortest;

use std::sync::Arc;
use std::time::{Duration, Instant};

use throng::cpd::Cpd;
use throng::crowd::{RecordingError, SetupError, WorldError};
use throng::planners::{PlannerError, Resources};
use throng::searches::{FirstMoves, Unsupported};
use throng::toolkit::DirectionMap;
use throng::{AgentId, AgentSpec, Budget, Cell, Event, Grid, Pool, Settings, TickReport, World};

use crate::Instance;
use crate::measures::{Measures, mean};
use crate::stats::Distribution;
use inspector::Inspector;
use limits::SoFar;
pub use limits::{Limits, Stopped, TickBudget};
pub use result::{Outcome, RunResult, TickSample};
pub use shortest::{Finders, SharedMean, Shortest, shortest_mean};

/// What to run.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent wishes, each asked for by name")]
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
    /// Whether the independent checker follows the run.
    pub check: bool,
    /// Whether what each tick did is wanted.
    pub series: bool,
    /// Whether it is wanted how often each cell was entered.
    pub heat: bool,
    /// Where the mean length of the agents' shortest paths comes from.
    pub shortest: Shortest<'a>,
    /// A direction map that was learned before, for planners that follow one.
    pub directions: Option<&'a DirectionMap>,
    /// A path database of the map, for planners that use one.
    pub cpd: Option<&'a Arc<Cpd>>,
}

impl<'a> Setup<'a> {
    /// A checked run of at most so many ticks, with seed 1 and one thread.
    pub const fn new(grid: &'a Grid, instance: &'a Instance, planner: &'a str, ticks: u64) -> Self {
        Self {
            grid,
            instance,
            planner,
            seed: 1,
            threads: 1,
            limits: Limits::ticks(ticks),
            record: false,
            check: true,
            series: false,
            heat: true,
            shortest: Shortest::Find,
            directions: None,
            cpd: None,
        }
    }
}

/// Why a run cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is no such planner.
    #[error(transparent)]
    Planner(#[from] PlannerError),
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
    /// The planner cannot do without a direction map.
    #[error("`{0}` follows a direction map and has none: give it one that was learned, or `learn=LOOPS`")]
    NoDirections(String),
    /// The system gives no more threads.
    #[error("cannot start {0} threads")]
    Threads(usize),
}

/// What happens beside the planner's doing: orders given between ticks, and who looks on.
pub trait Director {
    /// Before each tick. Whoever is sent elsewhere is named in `retasked`: it is not at home any more.
    ///
    /// # Errors
    /// When an order is refused.
    fn before(&mut self, _world: &mut World, _retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        Ok(())
    }

    /// After each tick; false stops the run.
    fn after(&mut self, _world: &World, _report: TickReport, _events: &[Event]) -> bool {
        true
    }

    /// Whether the run is over when everyone is home.
    fn ends_at_home(&self) -> bool {
        true
    }
}

/// Looks on and may stop the run.
struct Watcher<W>(W);

impl<W: FnMut(&World, &[Event]) -> bool> Director for Watcher<W> {
    fn after(&mut self, world: &World, _report: TickReport, events: &[Event]) -> bool {
        (self.0)(world, events)
    }
}

/// Runs a planner on a problem. `watch` sees the world after each tick, and may stop the run by answering false.
///
/// # Errors
/// When the planner is unknown, or the problem does not fit the map.
pub fn run(setup: Setup<'_>, watch: impl FnMut(&World, &[Event]) -> bool) -> Result<Outcome, RunError> {
    direct(setup, &mut Watcher(watch))
}

/// Runs a planner on a problem while a director gives orders.
///
/// # Errors
/// When the planner is unknown, the problem does not fit the map, or an order is refused.
pub fn direct(setup: Setup<'_>, director: &mut dyn Director) -> Result<Outcome, RunError> {
    let begun = Instant::now();
    let mut world = populate(setup)?;
    let prepare_seconds = begun.elapsed().as_secs_f64();
    let mut inspector = Inspector::new(&mut world, setup.check, setup.record);
    let (mut course, mut retasked) = (Course::new(setup), Vec::new());
    let stopped = loop {
        let all_home = course.measures.all_arrived();
        if let Some(why) = course.verdict(&setup.limits, all_home && director.ends_at_home()) {
            break why;
        }
        director.before(&mut world, &mut retasked)?;
        retasked.drain(..).for_each(|agent| course.measures.retasked(agent));
        let report = course.tick(setup, &mut world);
        inspector.look(&mut world)?;
        if !director.after(&world, report, &course.events) {
            break if course.measures.all_arrived() { Stopped::Home } else { Stopped::Watcher };
        }
    };
    let (collisions, recording) = inspector.finish(&mut world)?;
    if stopped == Stopped::Home {
        course.times.truncate(course.measures.last_arrival() as usize);
    }
    let mut result = RunResult {
        planner: setup.planner.to_owned(),
        seed: setup.seed,
        stopped,
        wall_seconds: course.so_far.wall.as_secs_f64(),
        collisions,
        tick_us: Distribution::of(&course.times),
        prepare_seconds,
        peak_bytes: course.peak_bytes,
        ..summary(setup, stopped, &world, &course.measures, &course.seconds_at)?
    };
    let positions = positions(&world);
    let directions = DirectionMap::of_planner(world.planner(), world.grid().size());
    let ended = Instant::now();
    drop(world);
    result.close_seconds = ended.elapsed().as_secs_f64();
    Ok(Outcome {
        result,
        heat: course.measures.heat,
        positions,
        recording,
        series: course.series,
        directions,
    })
}

/// A run under way: how far it has come, and what was measured.
struct Course {
    measures: Measures,
    so_far: SoFar,
    events: Vec<Event>,
    /// Time of each tick, in microseconds.
    times: Vec<f64>,
    /// Time of all ticks up to each.
    seconds_at: Vec<f64>,
    peak_bytes: usize,
    series: Vec<TickSample>,
}

impl Course {
    fn new(setup: Setup<'_>) -> Self {
        Self {
            measures: Measures::new(
                setup.instance.starts.len(),
                if setup.heat { setup.grid.size().area() } else { 0 },
            ),
            so_far: SoFar::default(),
            events: Vec::new(),
            times: Vec::new(),
            seconds_at: vec![0.0],
            peak_bytes: 0,
            series: Vec::new(),
        }
    }

    fn verdict(&self, limits: &Limits, home: bool) -> Option<Stopped> {
        if home { Some(Stopped::Home) } else { limits.reached(&self.so_far) }
    }

    fn tick(&mut self, setup: Setup<'_>, world: &mut World) -> TickReport {
        self.events.clear();
        let begun = Instant::now();
        let report = tick(world, setup.limits.budget, begun, &mut self.events);
        let took = begun.elapsed();
        // Only the ticks count: whatever is checked, drawn or counted between them takes no time of the run.
        self.so_far.wall += took;
        self.so_far.ticks = world.ticks();
        self.so_far.expansions += report.expansions;
        let stepped = self.events.iter().any(|event| matches!(event, Event::Moved { .. }));
        self.so_far.still = if stepped { 0 } else { self.so_far.still + 1 };
        self.times.push(took.as_secs_f64() * 1e6);
        self.seconds_at.push(self.so_far.wall.as_secs_f64());
        self.measures.observe(setup.grid.ground(), world.ticks(), &self.events);
        if world.ticks() % 16 == 1 {
            self.peak_bytes = self.peak_bytes.max(world.planner().memory_bytes());
        }
        if setup.series {
            let home = self.measures.arrived() as u64;
            let tick_us = took.as_secs_f64() * 1e6;
            self.series.push(TickSample { home, expansions: report.expansions, tick_us });
        }
        report
    }
}

/// What the world and the measures tell in the end.
fn summary(
    setup: Setup<'_>,
    stopped: Stopped,
    world: &World,
    measures: &Measures,
    seconds_at: &[f64],
) -> Result<RunResult, RunError> {
    let agents = setup.instance.starts.len();
    // Who is not home counts the limit, also where a run was cut short because nothing moved any more.
    let (last, limit) = (world.ticks(), setup.limits);
    let in_vain = if stopped == Stopped::Still { limit.ticks } else { last };
    let seconds_in_vain = match (stopped, limit.wall) {
        (Stopped::Still, Some(wall)) => wall.as_secs_f64(),
        _ => seconds_at[last as usize],
    };
    let ticks = measures.completion_ticks().map(|tick| tick.unwrap_or(in_vain) as f64);
    let seconds = measures
        .completion_ticks()
        .map(|tick| tick.map_or(seconds_in_vain, |tick| seconds_at[tick as usize]));
    let (ticks, seconds): (Vec<f64>, Vec<f64>) = (ticks.collect(), seconds.collect());
    let travel_mean = measures.travel_mean(setup.grid.ground());
    let shortest = setup.shortest.mean(setup.grid, setup.instance)?;
    Ok(RunResult {
        agents,
        ticks: world.ticks(),
        completion_rate: if agents == 0 { 1.0 } else { measures.arrived() as f64 / agents as f64 },
        completion_ticks_mean: mean(ticks.iter().copied()),
        completion_seconds_mean: mean(seconds.iter().copied()),
        travel_mean,
        shortest_mean: shortest,
        travel_over_shortest: if shortest > 0.0 { travel_mean / shortest } else { 1.0 },
        expansions: world.totals().expansions,
        failed_moves: measures.failed_moves,
        overruled: measures.overruled,
        state_hash: world.state_hash(),
        ..RunResult::default()
    })
}

/// The world at its first tick.
fn populate(setup: Setup<'_>) -> Result<World, RunError> {
    let resources = Resources {
        direction_map: setup.directions.cloned(),
        first_moves: setup.cpd.map(|cpd| Arc::clone(cpd) as Arc<dyn FirstMoves>),
    };
    let planner = throng::planners::planner_with(setup.planner, setup.grid, resources)?;
    let name = throng::searches::spec::split(setup.planner).0;
    let has_map = || DirectionMap::of_planner(planner.planner.as_ref(), setup.grid.size()).is_some();
    if !throng::planners::planner_info(name).map_err(PlannerError::from)?.has_goals && !has_map() {
        return Err(RunError::NoDirections(setup.planner.to_owned()));
    }
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

fn tick(world: &mut World, budget: TickBudget, begun: Instant, events: &mut Vec<Event>) -> TickReport {
    match budget {
        TickBudget::Unlimited => world.tick(Budget::Unlimited, events),
        TickBudget::Expansions(limit) => world.tick(Budget::expansions(limit), events),
        TickBudget::Microseconds(limit) => {
            let mut spent = || begun.elapsed() >= Duration::from_micros(limit);
            world.tick(Budget::Until(&mut spent), events)
        }
    }
}

fn positions(world: &World) -> Vec<Cell> {
    let size = world.grid().size();
    let place = |&agent| world.position(agent).and_then(|pos| size.cell(pos)).unwrap_or_default();
    world.agents().iter().map(place).collect()
}
