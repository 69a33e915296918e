//! Crowds for learned policies: many agents whose actions, observations and rewards are arrays. The environments of the package
//! are made of them.

mod actions;
pub(crate) mod window;

use std::sync::{Arc, PoisonError};

use numpy::{PyArray1, PyArray2, PyArray4, ToPyArray};
use pyo3::prelude::*;
use throng::grid::SeededRng;
use throng::{AgentId, AgentSpec, Cell, Event, Grid, NamedPlanner, Planner, Pos, Settings, planner};
use throng_lab::{Instance, ProblemType};

use crate::array::{integers, position_array, positions};
use crate::error::{bad_value, refused};
use crate::map::Map;
use crate::rules::{TickLimit, named};
pub(crate) use actions::ACTIONS;
use actions::{ActionPlanner, Actions, action_count};
use window::{Windows, new_array, read_write};

/// What an agent does when it has reached its goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OnGoal {
    /// It stays on the map, and may move on.
    Stay,
    /// It is removed.
    Remove,
    /// It gets another goal.
    Next,
}

impl OnGoal {
    fn named(name: &str) -> PyResult<Self> {
        match name {
            "stay" => Ok(Self::Stay),
            "remove" => Ok(Self::Remove),
            "next" => Ok(Self::Next),
            _ => Err(bad_value(format!("unknown value {name:?} of on_goal: it is stay, remove or next"))),
        }
    }
}

/// Where starts and goals come from.
enum Source {
    /// Drawn for each episode.
    Type(ProblemType),
    /// The same in all episodes.
    Fixed(Vec<(Pos, Pos)>),
}

/// Many agents whose actions, observations and rewards are arrays. `learners` are the agents that the caller moves, by default
/// all; `planner` moves the others, with `units` of work per tick. The referee of the engine resolves conflicts: an illegal
/// move, a shared cell, a swap or a crossing makes an agent stay.
///
/// Actions are 0 to stay and 1 to 4 for up, down, left and right; on maps with diagonal steps also 5 to 8 for the upper left,
/// upper right, lower left and lower right neighbour. Rewards are 1 in the tick in which an agent reaches its goal. `on_goal` says
/// what happens then: the agent stays, is removed, or gets a next goal.
///
/// >>> import numpy as np, throng
/// >>> map = throng.Map.generate("random", 32, 32, seed=3).with_rules(four_way=True)
/// >>> crowd = throng.Crowd(map, 8)
/// >>> crowd.reset(seed=1)
/// >>> crowd.observe().shape
/// (8, 3, 11, 11)
/// >>> crowd.step(np.array([0, 1, 2, 3, 4, 1, 2, 3]))
/// >>> crowd.rewards.tolist()
/// [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
#[pyclass(module = "throng")]
pub(crate) struct Crowd {
    grid: Arc<Grid>,
    source: Source,
    agents: usize,
    learners: Vec<usize>,
    on_goal: OnGoal,
    limit: TickLimit,
    radius: u16,
    /// The cells of the largest connected component, where goals are drawn.
    cells: Vec<Cell>,
    actions: Actions,
    /// A world without agents, of which every episode gets a copy.
    empty: throng::World,
    world: throng::World,
    windows: Windows,
    random: SeededRng,
    events: Vec<Event>,
    starts: Vec<Pos>,
    at: Vec<Pos>,
    goals: Vec<Pos>,
    present: Vec<bool>,
    rewards: Vec<f32>,
    overruled: Vec<bool>,
}

#[pymethods]
impl Crowd {
    /// Creates a crowd; `reset` begins an episode. The problem is a type of `throng.problem_types()`, which is drawn anew for each
    /// episode, or `starts` and `goals`, arrays of shape `(n, 2)`.
    #[new]
    #[pyo3(signature = (
        map, agents=None, *, problem="random", starts=None, goals=None, planner=None, learners=None, units=None,
        radius=5, on_goal="stay", crossings="forbid"
    ))]
    fn new(
        py: Python<'_>,
        map: &Map,
        agents: Option<usize>,
        problem: &str,
        starts: Option<&Bound<'_, PyAny>>,
        goals: Option<&Bound<'_, PyAny>>,
        planner: Option<&str>,
        learners: Option<Vec<usize>>,
        units: Option<u64>,
        radius: u16,
        on_goal: &str,
        crossings: &str,
    ) -> PyResult<Self> {
        let (source, agents) = match (starts, goals) {
            (Some(starts), Some(goals)) => {
                let fixed = fixed(&map.grid, starts, goals)?;
                let count = fixed.len();
                if agents.is_some_and(|agents| agents != count) {
                    return Err(bad_value(format!("there are {count} starts, not one per agent")));
                }
                (Source::Fixed(fixed), count)
            }
            (None, None) => {
                let agents = agents.ok_or_else(|| bad_value("how many agents?"))?;
                (Source::Type(named(problem)?), agents)
            }
            _ => return Err(bad_value("starts and goals are given together")),
        };
        let learners = learners.unwrap_or_else(|| (0..agents).collect());
        if let Some(bad) = learners.iter().find(|&&learner| learner >= agents) {
            return Err(bad_value(format!("there is no agent {bad} of {agents}")));
        }
        if planner.is_none() && learners.len() < agents {
            return Err(bad_value("a planner is needed to move the agents that are no learners"));
        }
        let settings = Settings::default().crossings(named(crossings)?).stuck_after(0);
        let actions = Actions::default();
        let empty = py.detach(|| empty_world(&map.grid, planner, &actions, settings)).map_err(bad_value)?;
        let ground = map.grid.ground();
        let components = ground.components();
        let largest = components.largest();
        let cells = ground.free_cells().filter(|&cell| components.label(ground, cell) == largest).collect();
        Ok(Self {
            grid: map.grid.clone(),
            source,
            agents,
            learners,
            on_goal: OnGoal::named(on_goal)?,
            limit: TickLimit::of(units, None, None, None)?,
            radius,
            cells,
            actions,
            world: empty.clone(),
            empty,
            windows: Windows::new(&map.grid, radius),
            random: SeededRng::new(0),
            events: Vec::new(),
            starts: Vec::new(),
            at: Vec::new(),
            goals: Vec::new(),
            present: Vec::new(),
            rewards: vec![0.0; agents],
            overruled: vec![false; agents],
        })
    }

    /// Begins an episode. The seed determines starts and goals, those drawn later among them.
    #[pyo3(signature = (seed=0))]
    fn reset(&mut self, py: Python<'_>, seed: u64) -> PyResult<()> {
        py.detach(|| self.begin(seed))
    }

    /// Makes one tick: an array with an action per learner, in the order of `learners`.
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.at.len() != self.agents {
            return Err(bad_value("reset() begins an episode"));
        }
        let given = integers(actions)?;
        let given = given.as_array();
        if given.ndim() != 1 || given.len() != self.learners.len() {
            let (learners, shape) = (self.learners.len(), given.shape());
            return Err(bad_value(format!(
                "{learners} learners need as many actions, not an array of shape {shape:?}"
            )));
        }
        let count = action_count(self.grid.rules());
        {
            let mut actions = self.actions.lock().unwrap_or_else(PoisonError::into_inner);
            for (&learner, &action) in self.learners.iter().zip(given) {
                let known = u8::try_from(action).ok().filter(|&action| action < count);
                let unknown =
                    || bad_value(format!("there is no action {action}: they are 0 to {}", count - 1));
                actions[learner] = Some(known.ok_or_else(unknown)?);
            }
        }
        py.detach(|| self.tick())
    }

    /// Returns what the learners see: an array of shape `(n, 3, 2r+1, 2r+1)` and type `float32` with the layers obstacles, agents and
    /// goal, the same as POGEMA's default observations. With `out`, the values are written there and no memory is allocated.
    /// A removed agent sees the place where it was.
    #[pyo3(signature = (out=None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyArray4<f32>>>,
    ) -> PyResult<Bound<'py, PyArray4<f32>>> {
        if self.at.len() != self.agents {
            return Err(bad_value("reset() begins an episode"));
        }
        let count = self.learners.len();
        let out = out.map_or_else(|| new_array(py, count, self.radius), Ok)?;
        let mut values = read_write(&out, count, self.radius)?;
        let values = values.as_slice_mut().map_err(|_| bad_value("out is not contiguous"))?;
        py.detach(|| {
            let places = self.learners.iter().map(|&learner| (self.at[learner], self.goals[learner]));
            self.windows.write(places, values);
        });
        Ok(out)
    }

    /// The agents that the caller moves.
    #[getter]
    fn learners(&self) -> Vec<usize> {
        self.learners.clone()
    }

    /// The number of actions.
    #[getter]
    fn action_count(&self) -> u8 {
        action_count(self.grid.rules())
    }

    /// The radius of observations.
    #[getter]
    fn radius(&self) -> u16 {
        self.radius
    }

    /// The starts of the episode, an array of shape `(n, 2)` with all agents.
    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        position_array(py, self.starts.iter().copied())
    }

    /// The goals, an array of shape `(n, 2)` with all agents.
    #[getter]
    fn goals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        position_array(py, self.goals.iter().copied())
    }

    /// The positions, an array of shape `(n, 2)` with all agents.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i32>> {
        position_array(py, self.at.iter().copied())
    }

    /// The reward of each learner in the last tick.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.per_learner(|agent| self.rewards[agent]).to_pyarray(py)
    }

    /// Whether each learner is at its goal, or was removed there.
    #[getter]
    fn arrived<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.per_learner(|agent| self.at[agent] == self.goals[agent]).to_pyarray(py)
    }

    /// Whether each learner is on the map.
    #[getter]
    fn present<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.per_learner(|agent| self.present[agent]).to_pyarray(py)
    }

    /// Whether the referee made each learner stay in the last tick, because its move was in conflict with that of another agent.
    #[getter]
    fn overruled<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.per_learner(|agent| self.overruled[agent]).to_pyarray(py)
    }

    /// Whether all agents are at their goals or were removed there.
    #[getter]
    fn all_arrived(&self) -> bool {
        self.at == self.goals
    }

    /// The number of ticks of the episode.
    #[getter]
    fn ticks(&self) -> u64 {
        self.world.ticks()
    }

    /// Returns a picture as the bytes of a PNG file. Agents that have arrived have muted colours.
    fn png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
        let size = self.grid.size();
        let discs = (0..self.at.len()).filter(|&agent| self.present[agent]).filter_map(|agent| {
            let colour = throng::grid::render::Colour::nth(agent);
            let is_there = self.at[agent] == self.goals[agent];
            Some((size.cell(self.at[agent])?, if is_there { colour.muted() } else { colour }))
        });
        let picture = throng::grid::render::Picture::of_grid(&self.grid).agents(discs);
        Ok(pyo3::types::PyBytes::new(py, &picture.png().map_err(bad_value)?))
    }

    /// Draws the crowd in a notebook.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
        self.png(py)
    }

    fn __repr__(&self) -> String {
        let (learners, agents, ticks) = (self.learners.len(), self.agents, self.world.ticks());
        format!("<throng.Crowd of {agents} agents, {learners} learners, tick {ticks}>")
    }
}

impl Crowd {
    fn per_learner<T>(&self, value: impl Fn(usize) -> T) -> Vec<T> {
        self.learners.iter().map(|&learner| value(learner)).collect()
    }

    /// Begins an episode.
    fn begin(&mut self, seed: u64) -> PyResult<()> {
        let pairs = match &self.source {
            Source::Fixed(pairs) => pairs.clone(),
            Source::Type(kind) => {
                let instance = Instance::generate(self.grid.ground(), *kind, self.agents, seed);
                let instance = instance.map_err(bad_value)?;
                let size = self.grid.size();
                let pairs = instance.starts.iter().zip(&instance.goals);
                pairs.map(|(&start, &goal)| (size.pos(start), size.pos(goal))).collect()
            }
        };
        self.world = self.empty.clone();
        self.random = SeededRng::new(seed);
        self.windows.clear();
        (self.starts, self.goals) = pairs.into_iter().unzip();
        self.at.clone_from(&self.starts);
        let mut actions = vec![None; self.agents];
        for &learner in &self.learners {
            actions[learner] = Some(0);
        }
        *self.actions.lock().unwrap_or_else(PoisonError::into_inner) = actions;
        for agent in 0..self.agents {
            self.world.spawn(AgentSpec::at(self.at[agent].x, self.at[agent].y)).map_err(refused)?;
            self.send(agent)?;
            self.windows.enter(self.at[agent]);
        }
        self.present = vec![true; self.agents];
        self.rewards.fill(0.0);
        self.overruled.fill(false);
        Ok(())
    }

    /// Tells the planner of the other agents where an agent goes. Without one nobody needs to know.
    fn send(&mut self, agent: usize) -> PyResult<()> {
        if self.learners.len() < self.agents {
            self.world.send(id(agent), self.goals[agent]).map_err(refused)?;
        }
        Ok(())
    }

    /// Makes a tick with the actions that were given.
    fn tick(&mut self) -> PyResult<()> {
        self.events.clear();
        self.rewards.fill(0.0);
        self.overruled.fill(false);
        self.limit.with_budget(|budget| self.world.tick(budget, &mut self.events));
        let mut moved = Vec::new();
        for event in &self.events {
            match *event {
                Event::Moved { agent, from, to, .. } => {
                    self.windows.leave(from);
                    self.at[agent.index()] = to;
                    moved.push(agent.index());
                }
                Event::Overruled { agent, .. } => self.overruled[agent.index()] = true,
                _ => {}
            }
        }
        for &agent in &moved {
            self.windows.enter(self.at[agent]);
        }
        let reached = moved.into_iter().filter(|&agent| self.at[agent] == self.goals[agent]);
        for agent in reached.collect::<Vec<_>>() {
            self.rewards[agent] = 1.0;
            match self.on_goal {
                OnGoal::Stay => {}
                OnGoal::Remove => {
                    self.world.despawn(id(agent)).map_err(refused)?;
                    self.windows.leave(self.at[agent]);
                    self.present[agent] = false;
                }
                OnGoal::Next => {
                    self.goals[agent] = self.next_goal(agent);
                    self.send(agent)?;
                }
            }
        }
        Ok(())
    }

    /// Draws a goal that differs from the agent's position, if there is one.
    fn next_goal(&mut self, agent: usize) -> Pos {
        let count = self.cells.len() as u32;
        let mut number = self.random.below(count.max(1)) as usize;
        let size = self.grid.size();
        if self.cells.get(number).is_some_and(|&cell| size.pos(cell) == self.at[agent]) {
            number = (number + 1) % self.cells.len();
        }
        self.cells.get(number).map_or(self.at[agent], |&cell| size.pos(cell))
    }
}

/// The id of an agent of an episode: agents are spawned in order, and none after another was removed.
fn id(agent: usize) -> AgentId {
    AgentId::from_bits(agent as u64)
}

/// Creates the world that episodes are copies of.
fn empty_world(
    grid: &Grid,
    spec: Option<&str>,
    actions: &Actions,
    settings: Settings,
) -> Result<throng::World, String> {
    let others: Option<Box<dyn Planner>> = match spec {
        Some(spec) => Some(planner(spec, grid).map_err(|error| error.to_string())?.planner),
        None => None,
    };
    let planner = ActionPlanner { actions: Arc::clone(actions), others };
    let named = NamedPlanner::new("", Box::new(planner)).made_for(grid);
    throng::World::new(grid.clone(), named, settings).map_err(|error| error.to_string())
}

/// Returns starts and goals that the caller gave.
fn fixed(grid: &Grid, starts: &Bound<'_, PyAny>, goals: &Bound<'_, PyAny>) -> PyResult<Vec<(Pos, Pos)>> {
    let (starts, goals) = (positions(starts)?, positions(goals)?);
    if starts.len() != goals.len() {
        return Err(bad_value(format!("there are {} starts and {} goals", starts.len(), goals.len())));
    }
    let is_free = |&pos: &Pos| grid.cell(pos).is_some_and(|cell| grid.ground().is_free(cell));
    if let Some(bad) = starts.iter().chain(&goals).find(|pos| !is_free(pos)) {
        return Err(bad_value(format!("{bad} is not a free cell of the map")));
    }
    Ok(starts.into_iter().zip(goals).collect())
}
