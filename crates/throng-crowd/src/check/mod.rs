//! The checker: verifies every move, input, target, arrival and state hash of a recording.
//!
//! It starts from the data of the snapshot and follows the recording by the definition of the rules. It shares no code
//! with the world, the referee or the tables of the grid, so that a mistake there cannot hide itself. After a violation
//! it goes on from what was recorded.

mod groups;
mod inputs;
mod known;
pub(crate) mod map;
mod orders;
pub(crate) mod running;
mod steps;
mod targets;

use std::collections::BTreeSet;

use throng_grid::{Cell, Direction, Pos};

use crate::check::known::CheckedKnowledge;
use crate::check::map::{CheckMap, Position, finalize};
use crate::check::orders::CheckedOrder;
use crate::goals::arrival::ReportedKind;
use crate::goals::reviews::Review;
use crate::snapshot::world_state::WorldState;
use crate::{AgentId, AgentRow, Crossings, GroupId, Input, Recording, StepTime, TargetRecord, TickRecord};

/// A broken rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// A step is not one legal move of the agent's profile.
    IllegalStep {
        /// The position before the step.
        from: Pos,
        /// The position after the step.
        to: Pos,
    },
    /// The agent stepped before its last step was done, or the planner does not control it.
    NotItsTurn,
    /// The agent entered the cell of another agent or a foreign unit (vertex conflict), or one that another agent has not
    /// left because its step takes several ticks.
    SharedCell,
    /// The agent exchanged cells with this agent (swap conflict).
    Swap(AgentId),
    /// The agent crossed this agent diagonally, and the settings forbid it.
    Crossing(AgentId),
    /// An arrival was recorded and did not happen.
    FalseArrival,
    /// An arrival happened and was not recorded.
    MissedArrival,
    /// The arrival of a group was recorded and did not happen, or the reverse, or with another number of agents.
    GroupArrival(GroupId),
    /// The target is wrong: an agent without a goal has one, an agent with a goal has none although there is room, or
    /// the cell is blocked, cannot be reached, or is neither claimed nor the reachable cell nearest to the goal. Whether a
    /// claimed cell is among the nearest is not checked: a recording does not have what others claimed at the time of the choice.
    FalseTarget(Option<Cell>),
    /// The agent claims a cell that this agent has claimed.
    SharedClaim(AgentId),
    /// An input was recorded that the world must refuse.
    Input(Input),
    /// The number of moves differs from the number of living agents.
    Agents {
        /// The number of recorded moves.
        recorded: usize,
        /// The number of living agents.
        living: usize,
    },
    /// The state hash differs from the recorded one.
    Hash {
        /// The recorded hash.
        recorded: u64,
        /// The hash of the state.
        computed: u64,
    },
}

/// A broken rule with its tick and agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Violation {
    /// The tick; the first is 1.
    pub tick: u64,
    /// The agent that broke the rule, if one did.
    pub agent: Option<AgentId>,
    /// The broken rule.
    pub fault: Fault,
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct CheckReport {
    /// The number of ticks checked.
    pub ticks: u64,
    /// The number of decisions checked: one per living agent and tick.
    pub agent_steps: u64,
    /// The number of decisions that were steps.
    pub steps: u64,
    /// The first [`CheckReport::MAX_VIOLATIONS`] violations, in order.
    pub violations: Vec<Violation>,
    /// The number of all violations.
    pub violation_count: u64,
}

impl CheckReport {
    /// The largest number of violations that a report lists.
    pub const MAX_VIOLATIONS: usize = 1_000;

    /// Returns true if there was no violation.
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

/// The state of one agent.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of an agent, as in the world")]
struct CheckedAgent {
    alive: bool,
    generation: u32,
    at: u32,
    goal: Option<u32>,
    target: Option<u32>,
    /// True if the target belongs to this agent alone.
    claimed: bool,
    /// True if the target is not one of the final cells of the group.
    short: bool,
    /// What the last recorded event about arrival said.
    arrived: ReportedKind,
    /// True if the target has to be checked in this tick.
    target_due: bool,
    /// True if the target may be one of the map before the last edits, because its review is spread over ticks.
    may_lag: bool,
    controlled: bool,
    holds: bool,
    group: Option<u64>,
    ready: u64,
    profile: usize,
    /// Straight steps on plain ground, and the ticks that they take.
    speed: (u64, u64),
    /// The cell that the last step left.
    from: u32,
    /// What the last step needed beyond whole ticks, in parts of a tick: `1632 * speed.0` are a tick.
    rest: u64,
    order: CheckedOrder,
}

impl CheckedAgent {
    /// Returns what an event has to say about the arrival of the agent after a tick.
    fn state(&self, tick: u64) -> ReportedKind {
        let is_across = self.ready <= tick + 1;
        match (self.claimed && self.target == Some(self.at) && is_across, self.short) {
            (false, _) => ReportedKind::No,
            (true, false) => ReportedKind::InPlace,
            (true, true) => ReportedKind::Short,
        }
    }
}

/// The row of a foreign unit.
#[derive(Clone, Copy, Debug)]
struct CheckedForeign {
    generation: u32,
    /// The cell, `None` if the unit was removed.
    at: Option<u32>,
}

/// If agents know only what they have seen, a target is checked when it is chosen, and in one of this many ticks in which
/// the agent has moved.
const KNOWN_TARGET_CHECKS: u64 = 16;

const NOBODY: u32 = u32::MAX;
const FOREIGN: u32 = u32::MAX - 1;

/// The number of a unit per cell. What is stored is the complement, so that [`NOBODY`] is zero, which the allocator hands out
/// without touching the memory.
#[derive(Debug)]
struct PerCell(Vec<u32>);

impl PerCell {
    fn new(cells: usize) -> Self {
        Self(vec![!NOBODY; cells])
    }

    fn at(&self, cell: u32) -> u32 {
        !self.0[cell as usize]
    }

    fn set(&mut self, cell: u32, number: u32) {
        self.0[cell as usize] = !number;
    }
}

#[derive(Debug)]
struct Checker {
    /// The true map.
    map: CheckMap,
    /// What agents know of it, `None` without fog.
    knowledge: Option<CheckedKnowledge>,
    crossings: Crossings,
    step_time: StepTime,
    tick: u64,
    agents: Vec<CheckedAgent>,
    /// The rows of the living agents, in order.
    living: Vec<u32>,
    /// The rows that a new agent may get.
    free_rows: BTreeSet<usize>,
    foreign: Vec<CheckedForeign>,
    /// The unit in each cell.
    occupant: PerCell,
    /// The agent that claims each cell.
    claimant: PerCell,
    /// The position of each agent after this tick, by number.
    next: Vec<u32>,
    /// The units of work after which all targets must have been reviewed.
    review_units: u64,
    /// The number of groups that have been formed.
    next_group: u64,
    report: CheckReport,
}

impl Checker {
    fn new(start: &WorldState) -> Self {
        let mut map = CheckMap::new(&start.map);
        let knowledge = start.settings.fog.zip(start.knowledge.as_ref());
        let unhandled = start.map.revision - start.handled_revision;
        let overlays = start.map.overlay_revision - start.handled_overlay;
        map.changed = unhandled != overlays;
        map.has_new_costs = unhandled > 0;
        let cells = map.cells();
        let mut checker = Self {
            map,
            knowledge: knowledge.map(|(fog, state)| CheckedKnowledge::new(fog, state)),
            crossings: start.settings.crossings,
            step_time: start.settings.step_time,
            tick: start.tick,
            agents: Vec::new(),
            living: Vec::new(),
            free_rows: BTreeSet::new(),
            foreign: Vec::new(),
            occupant: PerCell::new(cells),
            claimant: PerCell::new(cells),
            next: Vec::new(),
            review_units: 0,
            next_group: start.next_group,
            report: CheckReport::default(),
        };
        for row in &start.agents {
            let generation = row.generation;
            let Some(agent) = &row.unit else {
                checker.free_row(checker.agents.len(), generation);
                checker.agents.push(CheckedAgent { generation, ..CheckedAgent::default() });
                continue;
            };
            checker.agents.push(CheckedAgent {
                alive: true,
                generation,
                at: agent.at.0,
                goal: agent.goal.map(|cell| cell.0),
                target: agent.target.map(|cell| cell.0),
                arrived: agent.arrival.reported.kind(),
                short: agent.arrival.short,
                claimed: agent.arrival.stage.has_claim(),
                target_due: false,
                may_lag: agent.arrival.review != Review::Done,
                controlled: agent.controlled,
                holds: agent.holds,
                group: agent.group.map(GroupId::to_bits),
                ready: start.tick + 1 + agent.step.map_or(0, |step| u64::from(step.left)),
                profile: usize::from(agent.profile.0),
                speed: (agent.speed.steps().into(), agent.speed.ticks().into()),
                from: agent.step.map_or(0, |step| step.from.0),
                rest: agent.carry.into(),
                order: CheckedOrder::new(agent.order.as_ref()),
            });
            checker.enter(checker.agents.len() as u32 - 1);
            if let Some(step) = agent.step.filter(|step| step.left > 1) {
                checker.occupant.set(step.from.0, checker.agents.len() as u32 - 1);
            }
        }
        if checker.agents.iter().any(|agent| agent.may_lag) {
            checker.review_units = checker.all_reviews();
        }
        for row in &start.foreign {
            let (generation, at) = (row.generation, row.unit.map(|cell| cell.0));
            checker.foreign.push(CheckedForeign { generation, at });
            if let Some(cell) = at {
                checker.occupant.set(cell, FOREIGN);
            }
        }
        checker
    }

    /// Adds the agent in a row to the lists.
    fn enter(&mut self, number: u32) {
        let agent = &self.agents[number as usize];
        let place = self.living.partition_point(|&other| other < number);
        self.living.insert(place, number);
        self.occupant.set(agent.at, number);
        if let Some(target) = agent.target.filter(|_| agent.claimed) {
            self.claimant.set(target, number);
        }
    }

    /// Frees the row of an agent unless its generations are used up.
    fn free_row(&mut self, row: usize, generation: u32) {
        if generation < u32::MAX {
            self.free_rows.insert(row);
        }
    }

    /// Returns the id of the agent in a row.
    fn id(&self, number: u32) -> AgentId {
        AgentId::new(number, self.agents.get(number as usize).map_or(0, |agent| agent.generation))
    }

    fn report_fault(&mut self, agent: Option<u32>, fault: Fault) {
        self.report.violation_count += 1;
        if self.report.violations.len() < CheckReport::MAX_VIOLATIONS {
            let agent = agent.map(|number| self.id(number));
            self.report.violations.push(Violation { tick: self.tick, agent, fault });
        }
    }

    /// Checks one tick: inputs, map edits, moves, targets, arrivals, hash.
    fn tick(&mut self, record: &TickRecord) {
        self.tick += 1;
        for &input in &record.inputs {
            if !self.input(input) {
                self.report_fault(None, Fault::Input(input));
            }
        }
        let has_new_costs = std::mem::take(&mut self.map.has_new_costs);
        if std::mem::take(&mut self.map.changed) {
            self.handle_map_edits();
        } else if has_new_costs {
            for i in 0..self.living.len() {
                self.look_around(self.living[i]);
            }
        }
        self.follow_reviews(record.granted);
        self.carry_out_orders();
        if record.moves.len() != self.living.len() {
            let fault = Fault::Agents { recorded: record.moves.len(), living: self.living.len() };
            self.report_fault(None, fault);
        }
        self.moves(&record.moves, &record.targets);
        self.targets(&record.targets);
        self.arrivals(&record.arrived, ReportedKind::InPlace);
        self.arrivals(&record.settled_short, ReportedKind::Short);
        self.end_arrivals();
        self.groups(&record.groups);
        let computed = self.hash();
        if computed != record.hash {
            self.report_fault(None, Fault::Hash { recorded: record.hash, computed });
        }
        self.report.ticks += 1;
        self.report.agent_steps += self.living.len() as u64;
    }

    fn moves(&mut self, moves: &[Option<Direction>], retargeted: &[TargetRecord]) {
        self.next.clear();
        self.next.extend(self.agents.iter().map(|agent| agent.at));
        let living = std::mem::take(&mut self.living);
        for (&number, &step) in living.iter().zip(moves) {
            if let Some(direction) = step {
                self.step(number, direction, retargeted);
            }
        }
        for &number in &living {
            self.check_swap(number);
            self.check_crossing(number);
        }
        // All agents leave before any enters.
        for &number in &living {
            let at = self.agents[number as usize].at;
            let stays_held = self.next[number as usize] != at && self.is_leaving(number);
            if self.occupant.at(at) == number && !stays_held {
                self.occupant.set(at, NOBODY);
            }
        }
        for &number in &living {
            let to = self.next[number as usize];
            let has_moved = std::mem::replace(&mut self.agents[number as usize].at, to) != to;
            if has_moved {
                self.look_around(number);
            }
            if self.occupant.at(to) == NOBODY {
                self.occupant.set(to, number);
            } else {
                self.report_fault(Some(number), Fault::SharedCell);
            }
        }
        self.living = living;
        self.free_left_cells();
    }

    /// Makes the cells around an agent known to it.
    fn look_around(&mut self, number: u32) {
        if let Some(knowledge) = &mut self.knowledge {
            knowledge.look(&self.map, number, self.agents[number as usize].at);
            // Knowledge changes in most ticks and a check floods the known map, so not every tick has one.
            self.agents[number as usize].target_due |=
                (self.tick + u64::from(number)).is_multiple_of(KNOWN_TARGET_CHECKS);
        }
    }

    /// Returns true if an agent holds its position: it has no goal, or stands at its target.
    fn is_held(&self, number: u32, retargeted: &[TargetRecord]) -> bool {
        let agent = &self.agents[number as usize];
        let is_at_target = || agent.target.is_none_or(|target| target == agent.at);
        // If an order or an edit of this tick gave it another target, the one at the time of its decision is not known: only the
        // last one of the tick is recorded.
        let is_certain = || !retargeted.iter().any(|record| record.agent.0 == number);
        agent.holds && (agent.goal.is_none() || (is_at_target() && is_certain()))
    }

    fn step(&mut self, number: u32, direction: Direction, retargeted: &[TargetRecord]) {
        let agent = &self.agents[number as usize];
        let (profile, from) = (agent.profile, self.map.position(agent.at));
        let to = neighbour(from, direction);
        self.report.steps += 1;
        if !agent.controlled || self.is_held(number, retargeted) || agent.ready > self.tick {
            self.report_fault(Some(number), Fault::NotItsTurn);
        }
        if !self.map.legal(profile, from, to) {
            let pos = |(x, y): Position| Pos::new(x, y);
            self.report_fault(Some(number), Fault::IllegalStep { from: pos(from), to: pos(to) });
        }
        if let Some(cell) = self.map.cell(to) {
            self.next[number as usize] = cell;
            self.start_step(number, cell);
        }
    }

    /// Reports a swap with an agent of a lower number.
    fn check_swap(&mut self, number: u32) {
        let (at, to) = (self.agents[number as usize].at, self.next[number as usize]);
        let other = self.occupant.at(to);
        if other < number
            && at != to
            && self.agents[other as usize].at == to
            && self.next[other as usize] == at
        {
            self.report_fault(Some(number), Fault::Swap(self.id(other)));
        }
    }

    /// Reports a crossing with an agent of a lower number, unless it is allowed.
    fn check_crossing(&mut self, number: u32) {
        if self.crossings == Crossings::Allow {
            return;
        }
        let path = |number: u32| {
            let (from, to) = (self.agents[number as usize].at, self.next[number as usize]);
            (self.map.position(from), self.map.position(to))
        };
        let ((x, y), (to_x, to_y)) = path(number);
        if x == to_x || y == to_y {
            return;
        }
        let corners = [(to_x, y), (x, to_y)];
        for (from, to) in [(corners[0], corners[1]), (corners[1], corners[0])] {
            let other = self.map.cell(from).map_or(NOBODY, |cell| self.occupant.at(cell));
            if other < number && path(other) == (from, to) {
                return self.report_fault(Some(number), Fault::Crossing(self.id(other)));
            }
            if let Some(other) = self.stepping((from, to)) {
                return self.report_fault(Some(number), Fault::Crossing(self.id(other)));
            }
        }
    }

    /// Compares the recorded arrivals of one kind with those that happened.
    fn arrivals(&mut self, recorded: &[AgentRow], kind: ReportedKind) {
        let mut recorded = recorded.iter().map(|agent| agent.0).peekable();
        for i in 0..self.living.len() {
            let number = self.living[i];
            // Recorded arrivals of agents that are not alive, or out of order, are false too.
            while let Some(other) = recorded.next_if(|&other| other < number) {
                self.report_fault(Some(other), Fault::FalseArrival);
            }
            let agent = &self.agents[number as usize];
            let arrives =
                agent.state(self.tick) == kind && agent.arrived != kind && agent.order == CheckedOrder::None;
            match (recorded.next_if_eq(&number).is_some(), arrives) {
                (true, false) => self.report_fault(Some(number), Fault::FalseArrival),
                (false, true) => self.report_fault(Some(number), Fault::MissedArrival),
                _ => {}
            }
        }
        for other in recorded {
            self.report_fault(Some(other), Fault::FalseArrival);
        }
    }

    /// Notes what has been reported about all agents.
    fn end_arrivals(&mut self) {
        for &number in &self.living {
            let agent = &mut self.agents[number as usize];
            agent.arrived = agent.state(self.tick);
        }
    }

    /// Computes the state hash by the definition at [`World::state_hash`](crate::World::state_hash).
    fn hash(&self) -> u64 {
        let agents = self.living.iter().map(|&number| {
            let agent = &self.agents[number as usize];
            let target = agent.target.map_or(0, |target| u64::from(target) + 1);
            let generation = u64::from(agent.generation) << 32;
            finalize(finalize(u64::from(number) << 32 | u64::from(agent.at)) ^ generation ^ target)
        });
        let foreign = (0_u64..).zip(&self.foreign).filter_map(|(row, unit)| {
            let generation = u64::from(unit.generation).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            Some(finalize(!(row << 32 | u64::from(unit.at?)) ^ generation))
        });
        agents
            .chain(foreign)
            .fold(finalize(self.tick) ^ self.map.hash() ^ self.steps_hash(), |hash, fact| hash ^ fact)
    }
}

fn neighbour(from: Position, direction: Direction) -> Position {
    // Clockwise from north, as directions are numbered.
    const STEPS: [Position; 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];
    let (dx, dy) = STEPS[direction as usize];
    (from.0 + dx, from.1 + dy)
}
