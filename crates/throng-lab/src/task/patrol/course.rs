//! A crowd on patrol: who is sent where, what its loops come to, and what happens halfway.

use throng::crowd::WorldError;
use throng::grid::moves::STRAIGHT;
use throng::grid::{SeededRng, Terrain};
use throng::toolkit::DirectionMap;
use throng::{AgentId, Area, Cell, Event, Ground, TickReport, World};

use super::lanes::{Lanes, learn_moves};
use super::places::{Between, Places};
use super::tally::{Tally, Walk};
use crate::{Director, Instance, ProblemError, ProblemType};

/// What is asked of a patrol.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PatrolPlan {
    /// How many agents.
    pub agents: usize,
    /// How often each goes there and back.
    pub loops: u64,
    /// Whether their places move halfway.
    pub places_move: bool,
    /// A wall that is opened halfway.
    pub door: Option<Area>,
}

/// A crowd on patrol: gives orders, counts loops, and learns where lanes are.
#[derive(Clone, Debug)]
pub struct Patrol {
    pub(super) plan: PatrolPlan,
    places: Places,
    /// Where places move to halfway.
    later: Option<Places>,
    walkers: Vec<Walker>,
    /// Who has come to a place in the last tick.
    arrived: Vec<AgentId>,
    /// Ways to a place that were walked in all.
    legs: u64,
    finished: usize,
    changed: bool,
    pub(super) counted: Tally,
    /// Loops that began after the change.
    pub(super) late: Tally,
    pub(super) lanes: Lanes,
}

/// An agent on patrol.
#[derive(Clone, Copy, Debug, Default)]
struct Walker {
    /// Ways to a place that it has walked.
    legs: u64,
    /// Its loop so far.
    walk: Walk,
    /// Whether the loop began after the change.
    late: bool,
}

impl Patrol {
    /// Draws a patrol on a map.
    ///
    /// # Errors
    /// When there are not enough places, or no patrols of this type.
    pub fn new(
        ground: &Ground,
        kind: ProblemType,
        plan: PatrolPlan,
        seed: u64,
    ) -> Result<Self, ProblemError> {
        let (between, mut rng) = (Between::of(kind)?, SeededRng::new(seed));
        let places = between.draw(ground, plan.agents, &mut rng)?;
        let later = plan.places_move.then(|| between.turned().draw(ground, plan.agents, &mut rng));
        Ok(Self {
            plan,
            places,
            later: later.transpose()?,
            walkers: vec![Walker::default(); plan.agents],
            arrived: Vec::new(),
            legs: 0,
            finished: 0,
            changed: false,
            counted: Tally::default(),
            late: Tally::default(),
            lanes: Lanes::new(ground.size()),
        })
    }

    /// Where everyone begins and goes first.
    pub fn instance(&self) -> Instance {
        let (starts, goals) = self.places.iter().map(|&[first, second]| (first, second)).unzip();
        Instance { starts, goals }
    }

    /// The direction map that an onlooker learns.
    pub fn lanes(&self) -> &DirectionMap {
        &self.lanes.map
    }

    /// Loops that were walked in all.
    pub fn loops_done(&self) -> u64 {
        self.walkers.iter().map(|walker| walker.legs / 2).sum()
    }

    /// A loop on average, without the first and the last of each agent; nothing before there was one.
    pub fn mean_loop(&self) -> Option<Walk> {
        self.counted.mean()
    }

    /// The coherence of the onlooker's map, from 0 to 1.
    pub fn coherence(&self) -> f64 {
        self.lanes.map.coherence().millionths().unwrap_or(0) as f64 / 1e6
    }

    /// As what gives orders in a run; `watch` is asked after each tick whether to go on.
    pub fn watched<'a>(&'a mut self, watch: impl FnMut(&World) -> bool + 'a) -> impl Director + 'a {
        Watched { patrol: self, watch }
    }

    /// Sends an agent to the place that is next for it.
    fn send(&self, world: &mut World, agent: AgentId) -> Result<(), WorldError> {
        let next = (self.walkers[agent.index()].legs + 1) % 2;
        let place = world.grid().size().pos(self.places[agent.index()][next as usize]);
        world.send(agent, place).map(drop)
    }

    /// The world changes, and everyone is on its way to its new places.
    fn change(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        self.changed = true;
        if let Some(door) = self.plan.door {
            world.set_terrain(door, Terrain::Ground);
            world.unblock(door);
        }
        if let Some(later) = self.later.take() {
            self.places = later;
            for agent in world.agents().to_vec() {
                self.send(world, agent)?;
                retasked.push(agent);
            }
        }
        Ok(())
    }

    fn before(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        for agent in std::mem::take(&mut self.arrived) {
            if self.walkers[agent.index()].legs == 2 * self.plan.loops {
                world.despawn(agent)?;
            } else {
                self.send(world, agent)?;
                retasked.push(agent);
            }
        }
        let is_due = self.legs >= self.plan.agents as u64 * self.plan.loops;
        let is_planned = self.later.is_some() || self.plan.door.is_some();
        if is_due && is_planned && !self.changed { self.change(world, retasked) } else { Ok(()) }
    }

    fn after(&mut self, world: &World, report: TickReport, events: &[Event]) {
        let underway = (self.plan.agents - self.finished).max(1) as f64;
        let share = Walk {
            expansions: report.expansions as f64 / underway,
            backwards: report.backwards as f64 / underway,
            ..Walk::default()
        };
        let loops = self.plan.loops;
        self.walkers
            .iter_mut()
            .filter(|walker| walker.legs < 2 * loops)
            .for_each(|walker| walker.walk += share);
        let ground = world.grid().ground();
        for event in events {
            match *event {
                Event::Moved { agent, from, to } => {
                    self.walkers[agent.index()].walk.distance += length(ground, from, to);
                }
                Event::Waited { agent, .. } => self.walkers[agent.index()].walk.failed_moves += 1.0,
                Event::Arrived { agent } => self.arrive(agent),
                _ => {}
            }
        }
        learn_moves(&mut self.lanes.map, events);
        self.lanes.sample(self.legs / (2 * self.plan.agents as u64).max(1));
    }

    /// An agent has come to the place where it was sent.
    fn arrive(&mut self, agent: AgentId) {
        let walker = &mut self.walkers[agent.index()];
        walker.legs += 1;
        self.legs += 1;
        self.arrived.push(agent);
        if !walker.legs.is_multiple_of(2) {
            return;
        }
        let (walk, late) =
            (std::mem::take(&mut walker.walk), std::mem::replace(&mut walker.late, self.changed));
        let number = walker.legs / 2;
        if number == self.plan.loops {
            self.finished += 1;
        } else if number > 1 {
            self.counted.add(walk);
            if late {
                self.late.add(walk);
            }
        }
    }
}

/// A patrol with somebody who looks on.
struct Watched<'a, W> {
    patrol: &'a mut Patrol,
    watch: W,
}

impl<W: FnMut(&World) -> bool> Director for Watched<'_, W> {
    fn before(&mut self, world: &mut World, retasked: &mut Vec<AgentId>) -> Result<(), WorldError> {
        self.patrol.before(world, retasked)
    }

    fn after(&mut self, world: &World, report: TickReport, events: &[Event]) -> bool {
        self.patrol.after(world, report, events);
        (self.watch)(world)
    }

    fn ends_at_home(&self) -> bool {
        self.patrol.finished == self.patrol.plan.agents
    }
}

/// The length of a step: of a unit or its diagonal on uniform terrain, its cost elsewhere.
fn length(ground: &Ground, from: Cell, to: Cell) -> f64 {
    match ground.legal_step(from, to) {
        Some(direction) if !ground.profile().is_uniform() => {
            f64::from(ground.cost(from, direction)) / f64::from(STRAIGHT)
        }
        Some(direction) if direction.is_diagonal() => std::f64::consts::SQRT_2,
        _ => 1.0,
    }
}
