//! The script of a patrol: sends agents back and forth, counts their loops, and changes the world halfway.

use throng::grid::moves::STRAIGHT;
use throng::grid::{Direction, SeededRng, Terrain};
use throng::{AgentId, Area, Event, Ground, Pos, TickReport, World};
use throng_crowd::WorldError;
use throng_toolkit::DirectionMap;

use super::TIME_PER_TICK;
use super::coherence::{CoherenceObserver, learn_moves};
use super::loops::{LoopMeasures, PatrolLoops};
use super::passages::Passages;
use super::places::{PlaceArea, PlaceLayout, PlacePairs};
use crate::{Instance, ProblemError, ProblemType, ScenarioScript};

/// The crossings of passages count when the agents have done this number of loops on average: lanes form in the first loops.
const FIRST_LOOPS: u64 = 2;

/// The parameters of a patrol.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PatrolPlan {
    /// The number of agents.
    pub agents: usize,
    /// The number of loops per agent.
    pub loops: u64,
    /// Whether the places move when half of the loops are done.
    pub places_move: bool,
    /// A wall that is opened when half of the loops are done.
    pub door: Option<Area>,
    /// The extent of the places on two sides.
    pub area: PlaceArea,
}

/// A patrol: the places of the agents and the measures of their loops.
#[derive(Clone, Debug)]
pub struct Patrol {
    pub(super) plan: PatrolPlan,
    places: PlacePairs,
    /// The places after the change, until it happens.
    later_places: Option<PlacePairs>,
    /// The state of each agent.
    agents: Vec<PatrolAgent>,
    /// The agents that arrived in the last tick.
    arrived: Vec<AgentId>,
    /// The number of arrivals of all agents; a loop has two.
    arrivals: u64,
    finished: usize,
    changed: bool,
    pub(super) loops: PatrolLoops,
    pub(super) observer: CoherenceObserver,
    pub(super) passages: Passages,
}

/// The state of an agent on patrol.
#[derive(Clone, Copy, Debug, Default)]
struct PatrolAgent {
    /// The number of its arrivals.
    arrivals: u64,
    /// The measures of its current loop.
    current: LoopMeasures,
    /// Whether the current loop started after the change.
    late: bool,
}

impl Patrol {
    /// Draws a patrol on a map.
    ///
    /// # Errors
    /// If the map has too few places, or the problem type has no patrols.
    pub fn new(
        ground: &Ground,
        kind: ProblemType,
        plan: PatrolPlan,
        seed: u64,
    ) -> Result<Self, ProblemError> {
        let (layout, mut rng) = (PlaceLayout::of(kind)?, SeededRng::new(seed));
        let places = layout.draw(ground, plan.area, plan.agents, &mut rng)?;
        let later = plan.places_move.then(|| layout.turned().draw(ground, plan.area, plan.agents, &mut rng));
        Ok(Self {
            plan,
            places,
            later_places: later.transpose()?,
            agents: vec![PatrolAgent::default(); plan.agents],
            arrived: Vec::new(),
            arrivals: 0,
            finished: 0,
            changed: false,
            loops: PatrolLoops::default(),
            observer: CoherenceObserver::new(ground.size()),
            passages: Passages::new(ground),
        })
    }

    /// Returns the starts and the first goals.
    pub fn instance(&self) -> Instance {
        let (starts, goals) = self.places.iter().map(|&[first, second]| (first, second)).unzip();
        Instance { starts, goals }
    }

    /// Returns the direction map that an observer learns from all moves.
    pub fn lanes(&self) -> &DirectionMap {
        &self.observer.map
    }

    /// Returns the number of loops that all agents have done.
    pub fn loops_done(&self) -> u64 {
        self.agents.iter().map(|agent| agent.arrivals / 2).sum()
    }

    /// Returns the mean loop without the first and the last of each agent; none before there is one.
    pub fn mean_loop(&self) -> Option<LoopMeasures> {
        self.loops.middle.mean()
    }

    /// Returns the coherence of the observer's direction map, from 0 to 1.
    pub fn coherence(&self) -> f64 {
        self.observer.now()
    }

    /// Returns the script of this patrol for a run; `watch` is called after each tick and may return false to stop.
    pub fn watched<'a>(&'a mut self, watch: impl FnMut(&World) -> bool + 'a) -> impl ScenarioScript + 'a {
        WatchedPatrol { patrol: self, watch }
    }

    /// Sends an agent to its next place.
    fn send(&self, world: &mut World, agent: AgentId) -> Result<(), WorldError> {
        let next = (self.agents[agent.index()].arrivals + 1) % 2;
        let place = world.grid().size().pos(self.places[agent.index()][next as usize]);
        world.send(agent, place).map(drop)
    }

    /// Opens the door, moves the places, and sends all agents to their new places.
    fn change(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        self.changed = true;
        if let Some(door) = self.plan.door {
            world.set_terrain(door, Terrain::Ground);
            world.unblock(door);
        }
        if let Some(later) = self.later_places.take() {
            self.places = later;
            for agent in world.agents().to_vec() {
                self.send(world, agent)?;
                retasked.push(agent);
            }
        }
        Ok(())
    }

    /// Counts the arrival of an agent at the place that it was sent to.
    fn arrive(&mut self, agent: AgentId) {
        let state = &mut self.agents[agent.index()];
        state.arrivals += 1;
        self.arrivals += 1;
        self.arrived.push(agent);
        if !state.arrivals.is_multiple_of(2) {
            return;
        }
        let (measures, late) =
            (std::mem::take(&mut state.current), std::mem::replace(&mut state.late, self.changed));
        let number = state.arrivals / 2;
        self.loops.add(number, self.plan.loops, measures, late);
        if number == self.plan.loops {
            self.finished += 1;
        }
    }
}

/// The script of a patrol with a function that watches the run.
struct WatchedPatrol<'a, W> {
    patrol: &'a mut Patrol,
    watch: W,
}

impl<W: FnMut(&World) -> bool> ScenarioScript for WatchedPatrol<'_, W> {
    fn before_tick(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        let patrol = &mut *self.patrol;
        for agent in std::mem::take(&mut patrol.arrived) {
            if patrol.agents[agent.index()].arrivals == 2 * patrol.plan.loops {
                world.despawn(agent)?;
            } else {
                patrol.send(world, agent)?;
                retasked.push(agent);
            }
        }
        let is_due = patrol.arrivals >= patrol.plan.agents as u64 * patrol.plan.loops;
        let is_planned = patrol.later_places.is_some() || patrol.plan.door.is_some();
        if is_due && is_planned && !patrol.changed { patrol.change(world, retasked) } else { Ok(()) }
    }

    fn after_tick(&mut self, world: &World, report: TickReport, events: &[Event]) -> bool {
        let patrol = &mut *self.patrol;
        let underway = (patrol.plan.agents - patrol.finished).max(1) as f64;
        let share = LoopMeasures {
            time: TIME_PER_TICK,
            expansions: report.expansions as f64 / underway,
            backwards: report.backwards as f64 / underway,
            ..LoopMeasures::default()
        };
        let loops = patrol.plan.loops;
        patrol
            .agents
            .iter_mut()
            .filter(|agent| agent.arrivals < 2 * loops)
            .for_each(|agent| agent.current += share);
        let ground = world.grid().ground();
        for event in events {
            match *event {
                Event::Moved { agent, from, to, .. } => {
                    patrol.agents[agent.index()].current.distance += step_length(ground, from, to);
                }
                Event::Waited { agent, .. } => patrol.agents[agent.index()].current.failed_moves += 1.0,
                Event::Arrived { agent } => patrol.arrive(agent),
                _ => {}
            }
        }
        learn_moves(&mut patrol.observer.map, events);
        let mean_loops = patrol.arrivals / (2 * patrol.plan.agents as u64).max(1);
        patrol.observer.sample(mean_loops);
        if mean_loops >= FIRST_LOOPS {
            patrol.passages.count(events);
        }
        (self.watch)(world)
    }

    fn ends_when_all_arrived(&self) -> bool {
        self.patrol.finished == self.patrol.plan.agents
    }
}

/// Returns the length of a step: 1 or the square root of 2 on uniform terrain, its cost elsewhere.
fn step_length(ground: &Ground, from: Pos, to: Pos) -> f64 {
    match (ground.cell(from), Direction::between(from, to)) {
        (Some(from), Some(direction)) if !ground.profile().is_uniform() => {
            f64::from(ground.cost(from, direction)) / f64::from(STRAIGHT)
        }
        (_, Some(direction)) if direction.is_diagonal() => std::f64::consts::SQRT_2,
        _ => 1.0,
    }
}
