//! One run: a problem, a planner and limits, and its results.

mod course;
mod limits;
mod result;
mod shortest;
mod state;
mod verifier;

use std::sync::Arc;
use std::time::Instant;

use throng::{
    AgentId, AgentSpec, Cell, Crossings, Event, Fog, Grid, MapKnowledge, Pool, Settings, StepTime,
    TickReport, World,
};
use throng_cpd::Cpd;
use throng_crowd::{NamedPlanner, RecordingError, SetupError, WorldError};
use throng_planners::{PLANNERS, PlannerError, Resources};
use throng_search::{FirstMoves, Unsupported};
use throng_toolkit::DirectionMap;

use crate::Instance;
use crate::files::FilesError;
use crate::stats::Distribution;
pub use course::{Course, CourseMark, course_marks};
pub use limits::{RunLimits, Stopped, TickBudget};
pub use result::{CrowdMeasures, CrowdTimings, FinishedRun, RunResult, TickSample};
pub(crate) use shortest::available_threads;
pub use shortest::{SearchPool, SharedPaths, Shortest, ShortestPaths};
use state::RunState;
pub use verifier::RecordingSink;
use verifier::Verifier;

/// The setup of a run.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent options, each set by name")]
pub struct Setup<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// The starts and goals.
    pub instance: &'a Instance,
    /// The planner with its parameters.
    pub planner: &'a str,
    /// The seed of planners that use random values.
    pub seed: u64,
    /// The number of threads for independent searches.
    pub threads: usize,
    /// When to stop.
    pub limits: RunLimits,
    /// Whether to return the whole recording.
    pub record: bool,
    /// Where the recording goes, if the run is recorded and the recording is not returned.
    pub record_to: Option<&'a RecordingSink>,
    /// Whether the independent checker verifies the run.
    pub check: bool,
    /// Whether to return a sample per tick.
    pub series: bool,
    /// Whether to count how often each cell is entered.
    pub heat: bool,
    /// The source of the agents' shortest paths.
    pub shortest: Shortest<'a>,
    /// What agents see of the map; none if they know all of it.
    pub fog: Option<Fog>,
    /// Whether agents may cross diagonally within a tick.
    pub crossings: Crossings,
    /// Whether the time of a step follows its cost.
    pub step_time: StepTime,
    /// A learned direction map, for planners that follow one.
    pub directions: Option<&'a DirectionMap>,
    /// A path database of the map, for planners that use one.
    pub cpd: Option<&'a Arc<Cpd>>,
    /// The content of a model file, for planners that pick other planners.
    pub model: Option<&'a Arc<[u8]>>,
}

impl<'a> Setup<'a> {
    /// Returns the setup of a checked run with a maximum number of ticks, seed 1 and one thread.
    pub const fn new(grid: &'a Grid, instance: &'a Instance, planner: &'a str, ticks: u64) -> Self {
        Self {
            grid,
            instance,
            planner,
            seed: 1,
            threads: 1,
            limits: RunLimits::ticks(ticks),
            record: false,
            record_to: None,
            check: true,
            series: false,
            heat: true,
            shortest: Shortest::Find,
            fog: None,
            crossings: Crossings::Forbid,
            step_time: StepTime::Uniform,
            directions: None,
            cpd: None,
            model: None,
        }
    }
}

/// Why a run is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is no such planner.
    #[error(transparent)]
    Planner(#[from] PlannerError),
    /// The planner does not fit the world's settings.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The planner needs more of the map than agents see.
    #[error("{reason} ({planners} work on unknown maps)")]
    UnknownMap {
        /// What the planner needs.
        reason: SetupError,
        /// The planners that need less.
        planners: String,
    },
    /// An agent cannot start or go where the problem says.
    #[error(transparent)]
    World(#[from] WorldError),
    /// No search for shortest paths supports the map's rules.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The run's own recording cannot be read: a bug of the engine.
    #[error("the recording is unreadable: {0}")]
    Recording(#[from] RecordingError),
    /// The planner needs a direction map.
    #[error("`{0}` follows a direction map and has none: give it a learned one, or `learn=LOOPS`")]
    NoDirections(String),
    /// The recording cannot be written.
    #[error(transparent)]
    Write(#[from] FilesError),
    /// The system starts no more threads.
    #[error("cannot start {0} threads")]
    Threads(usize),
}

/// What happens in a run beside the planner's moves: orders and map edits between ticks. It also observes the events.
pub trait ScenarioScript {
    /// Called before each tick. Agents that get a new goal must be added to `retasked`: they no longer count as arrived.
    ///
    /// # Errors
    /// If the world refuses an order.
    fn before_tick(&mut self, _world: &mut World, _retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        Ok(())
    }

    /// Called after each tick; returns false to stop the run.
    fn after_tick(&mut self, _world: &World, _report: TickReport, _events: &[Event]) -> bool {
        true
    }

    /// Returns true if the run ends when all agents have arrived.
    fn ends_when_all_arrived(&self) -> bool {
        true
    }
}

/// A script without orders that calls a function after each tick.
struct Watch<W>(W);

impl<W: FnMut(&World, &[Event]) -> bool> ScenarioScript for Watch<W> {
    fn after_tick(&mut self, world: &World, _report: TickReport, events: &[Event]) -> bool {
        (self.0)(world, events)
    }
}

/// Runs a planner on a problem. `watch` is called after each tick and may return false to stop the run.
///
/// # Errors
/// If the planner is unknown, or the problem does not fit the map.
pub fn run(setup: Setup<'_>, watch: impl FnMut(&World, &[Event]) -> bool) -> Result<FinishedRun, RunError> {
    run_script(setup, &mut Watch(watch))
}

/// Runs a planner on a problem with a script.
///
/// # Errors
/// If the planner is unknown, the problem does not fit the map, or the world refuses an order.
pub fn run_script(setup: Setup<'_>, script: &mut dyn ScenarioScript) -> Result<FinishedRun, RunError> {
    let begun = Instant::now();
    let mut world = populate(setup)?;
    let prepare_seconds = begun.elapsed().as_secs_f64();
    let memory = setup.record.then(RecordingSink::memory);
    let mut verifier = Verifier::new(&mut world, setup.check, setup.record_to.or(memory.as_ref()));
    let (mut state, mut retasked) = (RunState::new(setup), Vec::new());
    let stopped = loop {
        if state.measures.all_arrived() && script.ends_when_all_arrived() {
            break Stopped::Arrived;
        }
        if let Some(limit) = setup.limits.reached(&state.progress) {
            break limit;
        }
        script.before_tick(&mut world, &mut retasked)?;
        retasked.drain(..).for_each(|agent| state.measures.retasked(agent));
        let report = state.tick(setup, &mut world);
        verifier.after_tick(&mut world)?;
        if !script.after_tick(&world, report, &state.events) {
            break if state.measures.all_arrived() { Stopped::Arrived } else { Stopped::Interrupted };
        }
    };
    let collisions = verifier.finish(&mut world)?;
    let recording = memory.map_or_else(|| Ok(Vec::new()), RecordingSink::finish)?;
    let course = state.finish_course(setup);
    if stopped == Stopped::Arrived {
        state.times.truncate(state.measures.last_arrival as usize);
    }
    let mut result = RunResult {
        planner: setup.planner.to_owned(),
        seed: setup.seed,
        stopped,
        wall_seconds: state.progress.wall.as_secs_f64(),
        collisions,
        tick_us: Distribution::of(&state.times),
        prepare_seconds,
        peak_bytes: state.peak_bytes,
        ..state.summary(setup, stopped, &world)?
    };
    let positions = positions(&world);
    let unseen = if setup.heat && setup.fog.is_some() { unseen(&world) } else { Vec::new() };
    let directions = DirectionMap::of_world(&world);
    let ended = Instant::now();
    drop(world);
    result.close_seconds = ended.elapsed().as_secs_f64();
    Ok(FinishedRun {
        result,
        heat: state.measures.heat,
        positions,
        unseen,
        recording,
        series: state.series,
        course,
        directions,
    })
}

/// Creates the world before the first tick.
fn populate(setup: Setup<'_>) -> Result<World, RunError> {
    let resources = Resources {
        direction_map: setup.directions.cloned(),
        first_moves: setup.cpd.map(|cpd| Arc::clone(cpd) as Arc<dyn FirstMoves>),
        model: setup.model.cloned(),
    };
    let planner = throng_planners::planner_with(setup.planner, setup.grid, resources)?;
    let name = throng_search::spec::split(setup.planner).0;
    let mut settings = Settings::default().seed(setup.seed).crossings(setup.crossings);
    settings.step_time = setup.step_time;
    settings.fog = setup.fog;
    let mut world = empty_world(setup.grid.clone(), planner, settings)?;
    let has_map = || DirectionMap::of_world(&world).is_some();
    if !throng_planners::planner_info(name).map_err(PlannerError::from)?.has_goals && !has_map() {
        return Err(RunError::NoDirections(setup.planner.to_owned()));
    }
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

/// Creates a world without agents.
///
/// # Errors
/// If the planner needs more of the map than agents see.
pub(crate) fn empty_world(grid: Grid, planner: NamedPlanner, settings: Settings) -> Result<World, RunError> {
    World::new(grid, planner, settings).map_err(|reason| match reason {
        SetupError::Map { .. } => {
            let works = PLANNERS.iter().filter(|info| info.needs_map < MapKnowledge::Whole);
            let planners = works.map(|info| info.name).collect::<Vec<_>>().join(", ");
            RunError::UnknownMap { reason, planners }
        }
        reason => reason.into(),
    })
}

/// Returns the cells that no agent has seen.
fn unseen(world: &World) -> Vec<Cell> {
    let size = world.grid().size();
    let is_seen =
        |cell| world.agents().iter().any(|&agent| world.has_seen(agent, size.pos(cell)) == Ok(true));
    size.cells().filter(|&cell| !is_seen(cell)).collect()
}

fn positions(world: &World) -> Vec<Cell> {
    let size = world.grid().size();
    let place = |&agent| world.position(agent).ok().and_then(|pos| size.cell(pos)).unwrap_or_default();
    world.agents().iter().map(place).collect()
}
