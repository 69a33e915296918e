//! Exchange of claims: agents with the same goal are interchangeable, so any of them may take the cell of another.
//!
//! An agent that stands on the cell of another that is still on the way takes it, and one that arrives while another has
//! to pass it goes on in its place, if that lowers the sum of the squares of the distances left. Squares, because of two
//! agents in line the one in front then gets the farther cell, and neither has to pass the other. So each exchange
//! lowers a sum that no step raises, and exchanges end.
//!
//! An agent that arrives where it closes off cells that are to be filled goes on to one of them (`passages.rs`).
//!
//! An agent that settled agents of its goal separate from its cell takes the cell of the nearest of them, which takes the
//! cell of the next, up to the last, which takes the free cell. Of all lines of settled agents they are those on the path on which
//! steps and settled agents together cost least, so that few leave their cells. Agents that are about to enter cells on that path
//! move up too; so a second late agent has those go on that still shift for the first.
//!
//! K. Okumura, X. Défago, *Solving Simultaneous Target Assignment and Path Planning Efficiently with Time-Independent
//! Execution*, Artificial Intelligence 321, 2023, for the exchange of targets with agents in the way.

use throng_grid::{Cell, Pos};

use super::arrival::Stage;
use super::enclosure::{Crossing, Entry};
use super::units::UnitsInSight;
use crate::world::known_ground;
use crate::{AgentRow, World};

/// How many rings around the final cells are looked at for estimates of distances.
const MARGIN: u32 = 8;
/// Ticks without progress after which an agent takes the cell on which it stands from an agent with another goal.
const TAKE_OVER_TICKS: u32 = 12;
/// The same for agents with one goal, whatever the distances are.
const SAME_GOAL_TICKS: u32 = 24;
/// How often an agent that has arrived relieves another until it gets another goal. Distances are estimates, and where a wall makes
/// them wrong, two agents in a narrow passage give the same cell to each other. With 64 some of 2,000 agents arrived a thousand ticks
/// after all others; with 8 more are shut out later.
const MAX_RELIEVED: u8 = 12;
/// The steps that a path may be longer for each settled agent that it crosses less. With 0 agents leave their cells 1.4 times as often,
/// with 2 late agents arrive later.
const STEPS_PER_SETTLED: u32 = 1;
/// How many steps from its cell an agent that is about to enter it may be to move up with settled ones.
const ENTERING_STEPS: u32 = 2;

/// What is required before settled agents shift for an agent. Nothing for one that is cut off.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patience {
    /// The first of them is beside the agent: it waits for no others on the move.
    pub(super) only_beside: bool,
    /// The agent keeps its claim if the cheapest path crosses none.
    pub(super) keeps_free_path: bool,
    /// The shortest path is taken, however many it crosses.
    pub(super) takes_shortest: bool,
}

impl World {
    /// Lets an agent that stands on the cell of another take it, or one that arrives go on in the place of another,
    /// where that lowers the sum of squares.
    pub(super) fn exchange_if_better(&mut self, agent: AgentRow) {
        if !self.is_in_place(agent)
            && let Some(owner) = self.owner_to_replace(agent)
        {
            self.exchange_claims(agent, owner);
        }
        if !self.is_in_place(agent) || self.leave_passage(agent) {
            return;
        }
        if let Some(owner) = self.owner_to_relieve(agent) {
            self.exchange_claims(agent, owner);
            self.agents.arrival[agent.index()].effort.reassignments += 1;
        }
    }

    /// Returns the owner of the cell on which an agent stands if the agent should take it.
    fn owner_to_replace(&mut self, agent: AgentRow) -> Option<AgentRow> {
        let i = agent.index();
        let (at, own, goal) = (self.agents.at[i], self.agents.target[i]?, self.agents.goal[i]?);
        let owner = self.claims.agent(at).filter(|&owner| owner != agent)?;
        let is_same_goal = self.agents.goal[owner.index()] == Some(goal);
        let take_over_ticks = if is_same_goal { SAME_GOAL_TICKS } else { TAKE_OVER_TICKS };
        if self.agents.arrival[i].effort.ticks_since_closest >= take_over_ticks {
            let is_possible = !self.agents.arrival[owner.index()].short && self.may_shift(agent, owner);
            let may_have = |world: &mut Self, agent: AgentRow, cell: Cell, other: AgentRow| {
                world.agents.goal[agent.index()] == world.agents.goal[other.index()]
                    || world.is_final(agent, cell)
            };
            let takes = is_possible && may_have(self, agent, at, owner) && may_have(self, owner, own, agent);
            return takes.then_some(owner);
        }
        if !self.is_coming(owner, goal) || !self.may_exchange(agent, owner) {
            return None;
        }
        let approach = self.approach(agent, goal)?;
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let count = self.agents_sent_to(goal) as usize;
        let rings = self.ring_cache.rings(ground, self.agents.profile[i], approach);
        let last = rings.reach(ground, count, MARGIN);
        let size = self.grid.size();
        let place = |cell: Cell| Place::new(size.pos(cell), rings.known_steps(cell), last);
        let (at, own, other) = (place(at), place(own), place(self.agents.at[owner.index()]));
        (other.squared_steps(own) < at.squared_steps(own) + other.squared_steps(at)).then_some(owner)
    }

    /// Returns the agent whose claim an agent that has just arrived should take over, leaving its own to it.
    fn owner_to_relieve(&mut self, agent: AgentRow) -> Option<AgentRow> {
        let i = agent.index();
        let (at, goal, profile) = (self.agents.at[i], self.agents.goal[i]?, self.agents.profile[i]);
        let count = self.agents_sent_to(goal);
        if count < 2 || self.agents.arrival[i].effort.reassignments >= MAX_RELIEVED {
            return None;
        }
        let approach = self.approach(agent, goal)?;
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let size = self.grid.size();
        let mut ring_cache = std::mem::take(&mut self.ring_cache);
        let rings = ring_cache.rings(ground, profile, approach);
        let last = rings.reach(ground, count as usize, MARGIN);
        let place = |cell: Cell, steps: Option<u32>| Place::new(size.pos(cell), steps, last);
        let here = place(at, rings.known_steps(at));
        let mut best: Option<(u64, AgentRow, Cell)> = None;
        let mut seen = 0;
        for index in 0..4 * count as usize {
            let Some(cell) = rings.cell(ground, index).filter(|_| seen < count) else { break };
            let Some(owner) = self.claims.agent(cell) else { continue };
            if self.agents.goal[owner.index()] != Some(goal) {
                continue;
            }
            seen += 1;
            if owner == agent || !self.is_coming(owner, goal) {
                continue;
            }
            let other = self.agents.at[owner.index()];
            let (wanted, other) =
                (place(cell, Some(rings.ring(index))), place(other, rings.known_steps(other)));
            let (before, after) =
                (other.squared_steps(wanted), other.squared_steps(here) + here.squared_steps(wanted));
            if after < before
                && best.is_none_or(|(gain, ..)| before - after > gain)
                && self.may_exchange(agent, owner)
            {
                best = Some((before - after, owner, cell));
            }
        }
        self.ring_cache = ring_cache;
        let (_, owner, cell) = best?;
        self.enclosure.expanded += seen as usize / 8;
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        (!self.enclosure.separates(ground, at, cell, |cell| units.let_pass(cell))).then_some(owner)
    }

    /// Returns true if an agent has this goal and is still on the way to its own cell.
    pub(super) fn is_coming(&self, agent: AgentRow, goal: Pos) -> bool {
        let arrival = &self.agents.arrival[agent.index()];
        arrival.stage == Stage::Claimed && !arrival.short && self.agents.goal[agent.index()] == Some(goal)
    }

    /// Returns true if two agents may exchange their claims.
    pub(super) fn may_exchange(&self, agent: AgentRow, owner: AgentRow) -> bool {
        let (i, o, agents) = (agent.index(), owner.index(), &self.agents);
        agents.goal[i] == agents.goal[o] && self.may_shift(agent, owner)
    }

    /// Returns true if two agents whose goals are shared with others may take cells of each other.
    fn may_shift(&self, agent: AgentRow, owner: AgentRow) -> bool {
        let (i, o, agents) = (agent.index(), owner.index(), &self.agents);
        let is_shared = |goal: Option<Pos>| goal.is_some_and(|goal| self.agents_sent_to(goal) > 1);
        is_shared(agents.goal[o])
            && agents.profile[i] == agents.profile[o]
            && agents.controlled[i]
            && agents.is_movable(owner)
            && self.view_ground(agent).reachable(agents.at[i], agents.at[o])
            && self.know_targets_of_each_other(agent, owner)
    }

    /// Returns true if each of two agents can reach the other's target as far as it knows. Agents that know the same map
    /// can, if they can reach each other.
    fn know_targets_of_each_other(&self, a: AgentRow, b: AgentRow) -> bool {
        let can_take = |agent: AgentRow, other: AgentRow| {
            let (at, target) = (self.agents.at[agent.index()], self.agents.target[other.index()]);
            target.is_none_or(|target| self.view_ground(agent).reachable(at, target))
        };
        self.knowledge.is_none() || (can_take(a, b) && can_take(b, a))
    }

    /// Exchanges the claims of two agents.
    pub(super) fn exchange_claims(&mut self, agent: AgentRow, owner: AgentRow) {
        let (outer, inner) = (self.agents.target[agent.index()], self.agents.target[owner.index()]);
        self.release_claim(agent);
        self.set_target(owner, outer, true);
        self.set_target(agent, inner, true);
    }

    /// Gives an agent the cell of the first settled agent on the cheapest path to `wanted`, which gets the cell of the next one,
    /// and so on; the last gets `wanted`. Nothing changes if other units are in the way as well, or if the agent is to be more patient.
    pub(super) fn shift_claims(&mut self, agent: AgentRow, wanted: Cell, patience: Patience) -> Crossing {
        let at = self.agents.at[agent.index()];
        let mut enclosure = std::mem::take(&mut self.enclosure);
        let mut crossed = std::mem::take(&mut self.crossed);
        crossed.clear();
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let entry = |cell: Cell| self.entry(agent, units, cell);
        let weight = if patience.takes_shortest { 0 } else { STEPS_PER_SETTLED };
        let count = self.agents.goal[agent.index()].map_or(0, |goal| self.agents_sent_to(goal));
        let mut found = enclosure.crossing(ground, (at, wanted), (weight, count), entry, &mut crossed);
        if found == Crossing::Unknown && weight > 0 {
            found = enclosure.crossing(ground, (at, wanted), (0, count), entry, &mut crossed);
        }
        if !crossed.iter().any(|&cell| entry(cell) == Entry::Settled) {
            crossed.clear();
        }
        let beside = |cell: &Cell| ground.neighbours(at).any(|(_, next)| next == *cell);
        let waits = (patience.keeps_free_path && crossed.is_empty())
            || (patience.only_beside && !crossed.first().is_some_and(beside));
        if found == Crossing::Found && !waits {
            if self.are_final(agent, wanted, &crossed) {
                self.move_up(agent, wanted, &crossed);
            } else {
                found = Crossing::Unknown;
            }
        }
        (self.enclosure, self.crossed) = (enclosure, crossed);
        found
    }

    /// Returns what a path of an agent that crosses settled agents finds in a cell.
    fn entry(&self, agent: AgentRow, units: UnitsInSight<'_>, cell: Cell) -> Entry {
        let lets_pass = units.let_pass(cell);
        let owner = self.claims.agent(cell).filter(|&owner| owner != agent);
        if let Some(owner) = owner.filter(|owner| !self.agents.arrival[owner.index()].short) {
            let (from, to) = (self.pos(self.agents.at[owner.index()]), self.pos(cell));
            let steps = from.x.abs_diff(to.x).max(from.y.abs_diff(to.y));
            let is_entering = lets_pass && steps <= ENTERING_STEPS && self.may_exchange(agent, owner);
            if is_entering || (steps == 0 && self.may_shift(agent, owner)) {
                return if steps == 0 { Entry::Settled } else { Entry::Claimed };
            }
        }
        if lets_pass { Entry::Free } else { Entry::Closed }
    }

    /// Gives an agent the first of some claimed cells, the owner of each the next one, and the last of them `wanted`.
    fn move_up(&mut self, agent: AgentRow, wanted: Cell, crossed: &[Cell]) {
        self.release_claim(agent);
        let mut free = wanted;
        for &cell in crossed.iter().rev() {
            if let Some(owner) = self.claims.agent(cell) {
                self.set_target(owner, Some(free), true);
                free = cell;
            }
        }
        self.set_target(agent, Some(free), true);
    }

    /// Returns true if agents that shift by one get cells that are final ones of their groups. Crowds with goals close
    /// together mix.
    fn are_final(&mut self, agent: AgentRow, wanted: Cell, crossed: &[Cell]) -> bool {
        let mut last = agent;
        for place in 0..=crossed.len() {
            let cell = crossed.get(place).copied().unwrap_or(wanted);
            let owner = crossed.get(place).map_or(Some(agent), |&cell| self.claims.agent(cell));
            let Some(owner) = owner else { return false };
            let is_same = self.agents.goal[last.index()] == self.agents.goal[owner.index()];
            if !is_same && !self.is_final(last, cell) {
                return false;
            }
            last = owner;
        }
        true
    }
}

/// A cell around a goal.
#[derive(Clone, Copy)]
struct Place {
    pos: Pos,
    /// Its steps to the goal; `None` if they are unknown, or more than those of the cells looked at.
    steps: Option<u32>,
}

impl Place {
    fn new(pos: Pos, steps: Option<u32>, last: u32) -> Self {
        Self { pos, steps: steps.filter(|&steps| steps <= last) }
    }

    /// Returns the square of an estimate of the number of steps to another cell: at least the larger of the differences of columns and
    /// rows, and of the steps to the goal.
    fn squared_steps(self, other: Self) -> u64 {
        let straight = self.pos.x.abs_diff(other.pos.x).max(self.pos.y.abs_diff(other.pos.y));
        let by_goal = match (self.steps, other.steps) {
            (Some(one), Some(other)) => one.abs_diff(other),
            _ => 0,
        };
        u64::from(straight.max(by_goal)).pow(2)
    }
}
