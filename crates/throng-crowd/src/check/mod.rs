//! An independent check of a recording: every move, every input, every arrival, every hash.
//!
//! It starts from the snapshot's plain data and follows the recording by the rules as they are written down, with code
//! of its own: nothing here is shared with the world, the referee or the grid's tables, so that a mistake there does
//! not hide itself. Where the recording breaks a rule that is noted, and the check goes on from what was recorded.

mod inputs;
pub(crate) mod map;
mod targets;

use throng_grid::{Cell, Direction, Pos};

use crate::check::map::{CheckMap, Place, finalize};
use crate::snapshot::{MapParts, Parts};
use crate::{AgentId, Input, Recording, TickRecord};

/// A broken rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// A step that is not one legal move of the agent's profile.
    IllegalStep {
        /// Where it stood.
        from: Pos,
        /// Where it went.
        to: Pos,
    },
    /// It stepped too soon for its speed, or although the planner does not control it.
    NotItsTurn,
    /// It stands where another agent or a foreign unit stands.
    SharedCell,
    /// It changed places with this agent.
    Swap(AgentId),
    /// It was reported to have arrived and did not.
    FalseArrival,
    /// It arrived, and that was not reported.
    MissedArrival,
    /// It heads for a cell that it cannot have: one without an order for any, one with an order for none, or for a
    /// cell that is not free for it, cannot be reached, or is neither its own nor the nearest to its goal.
    FalseTarget(Option<Cell>),
    /// It claims a cell that is another agent's already.
    SharedClaim(AgentId),
    /// Something was done to the world that must be refused.
    Input(Input),
    /// There are moves for another number of agents than live.
    Agents {
        /// How many were recorded.
        recorded: usize,
        /// How many live.
        living: usize,
    },
    /// The state has another hash than was recorded.
    Hash {
        /// What was recorded.
        recorded: u64,
        /// What it is.
        computed: u64,
    },
}

/// A broken rule, when, and by whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Violation {
    /// The tick, from 1.
    pub tick: u64,
    /// The agent, if it was one's.
    pub agent: Option<AgentId>,
    /// What happened.
    pub fault: Fault,
}

/// What a check has found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct CheckReport {
    /// Ticks checked.
    pub ticks: u64,
    /// Decisions checked: one a living agent a tick, steps and stays.
    pub agent_steps: u64,
    /// How many of them were steps.
    pub steps: u64,
    /// Broken rules, in order; at most [`CheckReport::MAX_VIOLATIONS`] are kept.
    pub violations: Vec<Violation>,
    /// How many rules were broken.
    pub violation_count: u64,
}

impl CheckReport {
    /// The most violations that are kept.
    pub const MAX_VIOLATIONS: usize = 1_000;

    /// Whether no rule was broken.
    pub fn is_clean(&self) -> bool {
        self.violation_count == 0
    }
}

/// Checks a recording.
pub fn check(recording: &Recording) -> CheckReport {
    let mut checker = Checker::new(&recording.start);
    for tick in &recording.ticks {
        checker.tick(tick);
    }
    checker.report
}

/// What the checker knows of an agent.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the columns of the world, one agent a row")]
struct Body {
    alive: bool,
    at: u32,
    goal: Option<u32>,
    target: Option<u32>,
    /// Whether the target is its own.
    claimed: bool,
    home: bool,
    /// Whether its target has to be looked at again.
    suspect: bool,
    controlled: bool,
    ready: u64,
    profile: usize,
    speed: u64,
}

const NOBODY: u32 = u32::MAX;
const FOREIGN: u32 = u32::MAX - 1;

#[derive(Debug)]
struct Checker {
    map: CheckMap,
    tick: u64,
    bodies: Vec<Body>,
    /// Numbers of those alive, in order.
    living: Vec<u32>,
    foreign: Vec<Option<u32>>,
    /// Who stands in each cell.
    holder: Vec<u32>,
    /// Who claims each cell.
    bound_for: Vec<u32>,
    /// Where each goes in this tick, by number.
    next: Vec<u32>,
    report: CheckReport,
}

impl Checker {
    fn new(start: &Parts) -> Self {
        let mut checker = Self::on_map(&start.map);
        checker.map.changed = start.seen != start.map.revision;
        checker.tick = start.tick;
        for i in 0..start.agents.at.len() {
            let agents = &start.agents;
            let cell = |pos: Pos| checker.map.cell((pos.x, pos.y));
            let body = Body {
                alive: agents.alive[i],
                at: agents.at[i].0,
                goal: agents.goal[i].and_then(cell),
                target: agents.target[i].map(|cell| cell.0),
                home: agents.home[i],
                claimed: agents.claimed[i],
                suspect: false,
                controlled: agents.controlled[i],
                ready: agents.ready[i],
                profile: usize::from(agents.profile[i].0),
                speed: u64::from(agents.speed[i]),
            };
            checker.add(body);
        }
        for unit in &start.foreign {
            checker.foreign.push(unit.map(|cell| cell.0));
            if let Some(cell) = unit {
                checker.holder[cell.index()] = FOREIGN;
            }
        }
        checker
    }

    /// Nobody on a map.
    fn on_map(parts: &MapParts) -> Self {
        let map = CheckMap::new(parts);
        let cells = map.cells();
        Self {
            map,
            tick: 0,
            bodies: Vec::new(),
            living: Vec::new(),
            foreign: Vec::new(),
            holder: vec![NOBODY; cells],
            bound_for: vec![NOBODY; cells],
            next: Vec::new(),
            report: CheckReport::default(),
        }
    }

    fn add(&mut self, body: Body) {
        let number = self.bodies.len() as u32;
        if body.alive {
            self.living.push(number);
            self.holder[body.at as usize] = number;
            if let Some(target) = body.target.filter(|_| body.claimed) {
                self.bound_for[target as usize] = number;
            }
        }
        self.bodies.push(body);
    }

    fn find(&mut self, agent: Option<u32>, fault: Fault) {
        self.report.violation_count += 1;
        if self.report.violations.len() < CheckReport::MAX_VIOLATIONS {
            self.report.violations.push(Violation { tick: self.tick, agent: agent.map(AgentId), fault });
        }
    }

    /// One tick: inputs, the map taken in, moves, targets, arrivals, hash.
    fn tick(&mut self, record: &TickRecord) {
        self.tick += 1;
        for &input in &record.inputs {
            if !self.input(input) {
                self.find(None, Fault::Input(input));
            }
        }
        if std::mem::take(&mut self.map.changed) {
            self.take_in_map();
        }
        if record.moves.len() != self.living.len() {
            let fault = Fault::Agents { recorded: record.moves.len(), living: self.living.len() };
            self.find(None, fault);
        }
        self.moves(&record.moves);
        self.targets(&record.targets);
        self.arrivals(&record.arrived);
        let computed = self.hash();
        if computed != record.hash {
            self.find(None, Fault::Hash { recorded: record.hash, computed });
        }
        self.report.ticks += 1;
        self.report.agent_steps += self.living.len() as u64;
    }

    fn moves(&mut self, moves: &[Option<Direction>]) {
        self.next.clear();
        self.next.extend(self.bodies.iter().map(|body| body.at));
        let living = std::mem::take(&mut self.living);
        for (&number, &step) in living.iter().zip(moves) {
            if let Some(direction) = step {
                self.step(number, direction);
            }
        }
        for &number in &living {
            self.swap(number);
        }
        // Everyone leaves before anyone enters.
        for &number in &living {
            let at = self.bodies[number as usize].at;
            if self.holder[at as usize] == number {
                self.holder[at as usize] = NOBODY;
            }
        }
        for &number in &living {
            let to = self.next[number as usize];
            self.bodies[number as usize].at = to;
            if self.holder[to as usize] == NOBODY {
                self.holder[to as usize] = number;
            } else {
                self.find(Some(number), Fault::SharedCell);
            }
        }
        self.living = living;
    }

    fn step(&mut self, number: u32, direction: Direction) {
        let body = &self.bodies[number as usize];
        let (profile, from) = (body.profile, self.map.place(body.at));
        let to = neighbour(from, direction);
        self.report.steps += 1;
        if !body.controlled || body.ready > self.tick {
            self.find(Some(number), Fault::NotItsTurn);
        }
        if !self.map.legal(profile, from, to) {
            let pos = |(x, y): Place| Pos::new(x, y);
            self.find(Some(number), Fault::IllegalStep { from: pos(from), to: pos(to) });
        }
        if let Some(cell) = self.map.cell(to) {
            self.next[number as usize] = cell;
            let body = &mut self.bodies[number as usize];
            body.ready = self.tick + body.speed;
        }
    }

    /// Whether an agent changes places with one of a lower number.
    fn swap(&mut self, number: u32) {
        let (at, to) = (self.bodies[number as usize].at, self.next[number as usize]);
        let other = self.holder[to as usize];
        if other < number && at != to && self.next[other as usize] == at {
            self.find(Some(number), Fault::Swap(AgentId(other)));
        }
    }

    fn arrivals(&mut self, arrived: &[AgentId]) {
        let mut claims = arrived.iter().map(|agent| agent.0).peekable();
        for i in 0..self.living.len() {
            let number = self.living[i];
            // MoveDraft for numbers that do not live, or out of order, are false too.
            while let Some(claim) = claims.next_if(|&claim| claim < number) {
                self.find(Some(claim), Fault::FalseArrival);
            }
            let body = &mut self.bodies[number as usize];
            let home = body.claimed && body.target == Some(body.at);
            let was_home = std::mem::replace(&mut body.home, home);
            let arrives = home && !was_home;
            match (claims.next_if_eq(&number).is_some(), arrives) {
                (true, false) => self.find(Some(number), Fault::FalseArrival),
                (false, true) => self.find(Some(number), Fault::MissedArrival),
                _ => {}
            }
        }
        for claim in claims {
            self.find(Some(claim), Fault::FalseArrival);
        }
    }

    /// The state's hash, by the definition at [`World::state_hash`](crate::World::state_hash).
    fn hash(&self) -> u64 {
        let agents = self.living.iter().map(|&number| {
            let body = &self.bodies[number as usize];
            let target = body.target.map_or(0, |target| u64::from(target) + 1);
            finalize(finalize(u64::from(number) << 32 | u64::from(body.at)) ^ target)
        });
        let foreign = (0_u64..).zip(&self.foreign).filter_map(|(unit, at)| {
            let at = u64::from((*at)?);
            Some(finalize(!(unit << 32 | at)))
        });
        agents.chain(foreign).fold(finalize(self.tick) ^ self.map.hash(), |hash, fact| hash ^ fact)
    }
}

fn neighbour(from: Place, direction: Direction) -> Place {
    let (dx, dy) = match direction {
        Direction::North => (0, -1),
        Direction::NorthEast => (1, -1),
        Direction::East => (1, 0),
        Direction::SouthEast => (1, 1),
        Direction::South => (0, 1),
        Direction::SouthWest => (-1, 1),
        Direction::West => (-1, 0),
        Direction::NorthWest => (-1, -1),
    };
    (from.0 + dx, from.1 + dy)
}
