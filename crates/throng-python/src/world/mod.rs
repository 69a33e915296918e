//! Worlds: a map with agents and the planner that moves them. The methods of the class are grouped by file: orders to one agent and
//! to many, edits of the map, questions, arrays about all agents, events, recordings.

mod arrays;
mod batches;
mod edits;
mod events;
mod orders;
mod preview;
mod queries;
mod recordings;

pub(crate) use batches::DESTINATIONS;
pub(crate) use events::{EVENT_KINDS, MOVE_RULES, STUCK_REASONS};
use numpy::PyArray1;
pub(crate) use preview::{AgentOrders, CERTAINTIES, Remaining};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
pub(crate) use queries::AgentDetails;
pub(crate) use recordings::*;
use throng::{Event, Fog, Pool, Resources, Settings, planner_with, restore};

use crate::array::agent_array;
use crate::database::Database;
use crate::error::bad_value;
use crate::map::Map;
use crate::rules::{TickLimit, named, sharing};

/// A map with agents and the planner that moves them. A game or an experiment spawns agents, sends them to goals, and calls
/// `tick`; each tick moves every agent by at most one cell. No two agents share a cell or swap cells.
///
/// Agents are numbers that `spawn` returns. The same calls give the same results on every machine. One thread at a time may use a
/// world; a call from another thread during a tick raises `RuntimeError`. Other Python threads run during ticks.
///
/// >>> import throng
/// >>> map = throng.Map.picture('''
/// ...     ....#....
/// ...     .........
/// ... ''')
/// >>> world = throng.World(map, "surge", seed=1)
/// >>> guard, thief = world.spawn(0, 0), world.spawn(8, 0)
/// >>> world.send(guard, 8, 1)
/// ('goal', (8, 1))
/// >>> world.send(thief, 0, 1)
/// ('goal', (0, 1))
/// >>> world.run(100, units=20_000)
/// 12
/// >>> world.position(guard), world.position(thief)
/// ((8, 1), (0, 1))
#[pyclass(module = "throng")]
pub(crate) struct World {
    pub(crate) world: throng::World,
    /// The events of the last tick, or of all ticks of the last call that made several.
    events: Vec<Event>,
}

/// What the planner did in a call of `World.tick`.
#[pyclass(module = "throng", frozen, get_all)]
pub(crate) struct TickReport {
    /// The number of ticks.
    ticks: u64,
    /// Node expansions.
    expansions: u64,
    /// Units of work; one stands for 50 ns of one core.
    units: u64,
    /// Rounds of work. A tick that was limited by `seconds` is repeated by the same number of `rounds`.
    rounds: u32,
}

#[pymethods]
impl TickReport {
    fn __repr__(&self) -> String {
        let Self { ticks, expansions, units, rounds } = self;
        format!("TickReport(ticks={ticks}, expansions={expansions}, units={units}, rounds={rounds})")
    }
}

impl World {
    /// Ticks and adds to a report; the events are added to those that are there.
    fn tick_once(&mut self, limit: TickLimit, report: &mut TickReport) {
        let done = limit.with_budget(|budget| self.world.tick(budget, &mut self.events));
        report.ticks += 1;
        report.expansions += done.expansions;
        report.units += done.units;
        report.rounds += done.rounds;
    }

    fn has_all_arrived(&self) -> bool {
        self.world.agents().iter().all(|&agent| self.world.has_arrived(agent) == Ok(true))
    }
}

/// Ticks between two looks at signals such as that of Ctrl-C.
const SIGNAL_TICKS: u64 = 16;

#[pymethods]
impl World {
    /// Creates a world without agents. `throng.planners()` lists the planners.
    ///
    /// `sharing` limits what agents may share: `"nothing"`, `"move-requests"`, `"reservations"` or `"everything"`; `fog` is the radius
    /// in which agents see the map, `fog_shared` puts what they see on one map; `crossings="allow"` lets two agents cross
    /// diagonally within a tick; with `step_time="cost"` a step takes as long as it costs. After `stuck_after` ticks without a step
    /// an agent is reported stuck. `threads` run independent searches and change no result. `database` is a path database for
    /// planners that use one.
    #[new]
    #[pyo3(signature = (
        map, planner="surge", *, seed=0, sharing="everything", fog=None, fog_shared=false, crossings="forbid",
        step_time="uniform", stuck_after=50, threads=1, database=None
    ))]
    fn new(
        py: Python<'_>,
        map: &Map,
        planner: &str,
        seed: u64,
        sharing: &str,
        fog: Option<u16>,
        fog_shared: bool,
        crossings: &str,
        step_time: &str,
        stuck_after: u32,
        threads: usize,
        database: Option<&Database>,
    ) -> PyResult<Self> {
        let mut settings = Settings::default()
            .seed(seed)
            .sharing(self::sharing(sharing)?)
            .crossings(named(crossings)?)
            .step_time(named(step_time)?)
            .stuck_after(stuck_after);
        if fog_shared && fog.is_none() {
            return Err(bad_value(
                "fog_shared has no meaning without fog, the radius in which agents see the map",
            ));
        }
        if let Some(radius) = fog {
            let fog = Fog::radius(radius);
            settings = settings.fog(if fog_shared { fog.shared() } else { fog });
        }
        let mut resources = Resources::default();
        if let Some(database) = database {
            resources.first_moves = Some(database.cpd.clone());
        }
        let made = py.detach(|| {
            let planner = planner_with(planner, &map.grid, resources).map_err(|error| error.to_string())?;
            throng::World::new(map.grid.as_ref().clone(), planner, settings)
                .map_err(|error| error.to_string())
        });
        let mut world = Self { world: made.map_err(bad_value)?, events: Vec::new() };
        world.set_threads(threads)?;
        Ok(world)
    }

    /// Continues a world from the bytes of `snapshot`.
    ///
    /// >>> throng.World.restore(world.snapshot()).state_hash == world.state_hash
    /// True
    #[staticmethod]
    fn restore(py: Python<'_>, snapshot: &[u8]) -> PyResult<Self> {
        let world = py.detach(|| restore(snapshot)).map_err(bad_value)?;
        Ok(Self { world, events: Vec::new() })
    }

    /// Returns the whole run, including the state of the planner, as bytes. `restore` continues it exactly.
    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.world.snapshot()))
    }

    /// Returns a copy that goes its own way from now on. What the planner knows about the map is shared.
    fn copy(&self) -> Self {
        Self { world: self.world.clone(), events: self.events.clone() }
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let restore = slf.get_type().getattr("restore")?;
        let snapshot = slf.borrow().snapshot(slf.py());
        Ok((restore, (snapshot,)).into_pyobject(slf.py())?.into_any())
    }

    /// Sets the number of threads that run independent searches. No result depends on it.
    fn set_threads(&mut self, threads: usize) -> PyResult<()> {
        if threads == 0 {
            return Err(bad_value("a world needs at least one thread"));
        }
        self.world.set_executor(Box::new(Pool::new(threads).map_err(bad_value)?));
        Ok(())
    }

    /// Lets each agent begin at most one step, `count` times. At most one limit may be given per tick: `units` of work, of
    /// which each stands for 50 ns, `expansions` of the planner, `rounds` as in a report, or `seconds`. The moves are legal and
    /// free of collisions for any limit; a small one delays agents that wait for a path. Afterwards `events` are those of
    /// these ticks.
    #[pyo3(signature = (count=1, *, units=None, expansions=None, rounds=None, seconds=None))]
    fn tick(
        &mut self,
        py: Python<'_>,
        count: u64,
        units: Option<u64>,
        expansions: Option<u64>,
        rounds: Option<u32>,
        seconds: Option<f64>,
    ) -> PyResult<TickReport> {
        let limit = TickLimit::of(units, expansions, rounds, seconds)?;
        let mut report = TickReport { ticks: 0, expansions: 0, units: 0, rounds: 0 };
        self.events.clear();
        while report.ticks < count {
            let end = count.min(report.ticks + SIGNAL_TICKS);
            py.detach(|| {
                while report.ticks < end {
                    self.tick_once(limit, &mut report);
                }
            });
            py.check_signals()?;
        }
        Ok(report)
    }

    /// Ticks until all agents have arrived, at most `max_ticks` times, and returns the number of ticks. The limits are those of
    /// `tick`. Afterwards `events` are those of the last tick.
    #[pyo3(signature = (max_ticks, *, units=None, expansions=None, rounds=None, seconds=None))]
    fn run(
        &mut self,
        py: Python<'_>,
        max_ticks: u64,
        units: Option<u64>,
        expansions: Option<u64>,
        rounds: Option<u32>,
        seconds: Option<f64>,
    ) -> PyResult<u64> {
        let limit = TickLimit::of(units, expansions, rounds, seconds)?;
        let mut report = TickReport { ticks: 0, expansions: 0, units: 0, rounds: 0 };
        let mut is_over = false;
        while !is_over && report.ticks < max_ticks {
            let end = max_ticks.min(report.ticks + SIGNAL_TICKS);
            is_over = py.detach(|| {
                while report.ticks < end && !self.has_all_arrived() {
                    self.events.clear();
                    self.tick_once(limit, &mut report);
                }
                self.has_all_arrived()
            });
            py.check_signals()?;
        }
        Ok(report.ticks)
    }

    /// The number of ticks so far.
    #[getter]
    fn ticks(&self) -> u64 {
        self.world.ticks()
    }

    /// The agents, in the order of their rows.
    #[getter]
    fn agents<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        agent_array(py, self.world.agents())
    }

    /// The specification of the planner.
    #[getter]
    fn planner(&self) -> &str {
        self.world.planner_name()
    }

    /// A hash of the tick number, the map, and the positions and targets of all units: equal on every machine after the same calls.
    #[getter]
    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }

    /// The map as it is now.
    #[getter]
    fn map(&self) -> Map {
        Map { grid: std::sync::Arc::new(self.world.grid().clone()) }
    }

    /// What the planner reported about itself in the last tick.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.world.notices().to_vec()
    }

    fn __len__(&self) -> usize {
        self.world.agents().len()
    }

    fn __repr__(&self) -> String {
        let size = self.world.grid().size();
        let (agents, ticks) = (self.world.agents().len(), self.world.ticks());
        let (planner, width, height) = (self.world.planner_name(), size.width(), size.height());
        format!("<throng.World of {width}×{height} cells, {agents} agents under {planner}, tick {ticks}>")
    }
}
