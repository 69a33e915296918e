//! The script of a run of the task `follow`: draws new goals and counts steps along the vectors.

use throng::grid::SeededRng;
use throng::{AgentId, Cell, Direction, Event, Grid, Pos, TickReport, World};
use throng_crowd::WorldError;
use throng_toolkit::DirectionMap;

use super::FollowMeasures;
use crate::ScenarioScript;
use crate::problem::largest_component;
use crate::task::{CrowdProblem, RunContext};

/// The script of a run.
pub(super) struct FollowScript<'a> {
    context: &'a RunContext,
    rng: SeededRng,
    /// The cells that goals are drawn from.
    cells: Vec<Cell>,
    /// The map before the first tick; `None` if the planner has none.
    map: Option<DirectionMap>,
    free_cells: usize,
    /// The agents that arrived in the last tick.
    arrived: Vec<AgentId>,
    /// The tick of the first contact with a vector, by agent; the start counts as tick 0.
    contact: Vec<Option<u64>>,
    /// Ticks of all agents after their first contact, and those of them on cells with a vector.
    ticks: (u64, u64),
    /// Steps out of cells with a vector, those of them along it, and the sum of the shares of legal steps along it.
    steps: (u64, u64, f64),
}

impl<'a> FollowScript<'a> {
    pub(super) fn new(context: &'a RunContext, problem: &CrowdProblem) -> Self {
        Self {
            context,
            rng: SeededRng::new(problem.seed ^ 0x666f_6c6c_6f77),
            cells: largest_component(problem.grid.ground()),
            map: None,
            free_cells: problem.grid.ground().free_count(),
            arrived: Vec::new(),
            contact: vec![None; problem.instance.starts.len()],
            ticks: (0, 0),
            steps: (0, 0, 0.0),
        }
    }

    /// Returns true if the cell has a vector.
    fn has_vector(&self, cell: Cell) -> bool {
        self.map.as_ref().is_some_and(|map| map.vector(cell).is_some())
    }

    fn count_step(&mut self, grid: &Grid, from: Pos, to: Pos) {
        let Some(cell) = grid.cell(from) else { return };
        let vector = self.map.as_ref().and_then(|map| map.vector(cell));
        let nearest = vector.and_then(throng_toolkit::Vector::nearest_direction);
        let Some(nearest) = nearest else { return };
        let is_along = |step: Direction| (-1..=1).any(|eighths| nearest.turned(eighths) == step);
        let legal = || grid.ground().neighbours(cell).map(|(direction, _)| direction);
        let chance = legal().filter(|&step| is_along(step)).count() as f64 / legal().count().max(1) as f64;
        let along = Direction::between(from, to).is_some_and(is_along);
        self.steps = (self.steps.0 + 1, self.steps.1 + u64::from(along), self.steps.2 + chance);
    }

    fn count_positions(&mut self, world: &World) {
        for &agent in world.agents() {
            let Some(cell) = world.position(agent).ok().and_then(|pos| world.grid().cell(pos)) else {
                continue;
            };
            let is_on = self.has_vector(cell);
            let contact = &mut self.contact[agent.index()];
            if contact.is_some() {
                self.ticks = (self.ticks.0 + 1, self.ticks.1 + u64::from(is_on));
            } else if is_on {
                *contact = Some(world.ticks());
            }
        }
    }

    pub(super) fn measures(&self, ticks: u64, expansions: u64) -> FollowMeasures {
        let share = |part: f64, whole: u64| (whole > 0).then(|| part / whole as f64);
        let agents = self.contact.len() as u64;
        let contacts = self.contact.iter().flatten().count() as f64;
        let waited = self.contact.iter().map(|contact| contact.unwrap_or(ticks)).sum::<u64>();
        let known = self.map.as_ref().map_or(0, |map| map.known().count());
        FollowMeasures {
            contact_rate: share(contacts, agents).unwrap_or(1.0),
            contact_ticks_mean: share(waited as f64, agents).unwrap_or_default(),
            on_vectors: share(self.ticks.1 as f64, self.ticks.0),
            vector_cells: share(known as f64, self.free_cells as u64).unwrap_or_default(),
            along_vectors: share(self.steps.1 as f64, self.steps.0),
            along_by_chance: share(self.steps.2, self.steps.0),
            step_expansions: share(expansions as f64, agents * ticks).unwrap_or_default(),
        }
    }
}

impl ScenarioScript for FollowScript<'_> {
    fn before_tick(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        if world.ticks() == 0 {
            self.map = DirectionMap::of_world(world);
            self.count_positions(world);
        }
        for agent in std::mem::take(&mut self.arrived) {
            let goal = world.grid().size().pos(self.rng.pick(&self.cells));
            world.send(agent, goal)?;
            retasked.push(agent);
        }
        Ok(())
    }

    fn after_tick(&mut self, world: &World, _report: TickReport, events: &[Event]) -> bool {
        for event in events {
            match *event {
                Event::Moved { from, to, .. } => self.count_step(world.grid(), from, to),
                Event::Arrived { agent } => self.arrived.push(agent),
                _ => {}
            }
        }
        self.count_positions(world);
        !self.context.is_stopped()
    }

    fn ends_when_all_arrived(&self) -> bool {
        false
    }
}
