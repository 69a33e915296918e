//! Goal assignment: which agent gets which cell around a goal that several agents share.
//!
//! From afar all agents head for the goal itself. An agent that comes near claims the first cell around the goal, in
//! the order of breadth-first rings, that no agent claims and no unit holds. If it arrives while a cell further inside
//! waits for an agent of the same goal that is farther away from it, the two exchange their claims and the arriving
//! agent walks on, so that no agent settles in front of others. An agent that stands on the cell of another and makes no
//! progress takes it over. An agent that settled agents cut off from its cell claims the cell nearest to the goal on
//! its own side. A settled agent keeps its cell.
//!
//! Assignment depends on positions, goals and the map only, never on the planner; so a recording can be replayed
//! without its planner. It ends: an agent changes its claim by itself at most [`MAX_REASSIGNMENTS`] times per goal.

use throng_grid::moves::{STRAIGHT, octile};
use throng_grid::{Cell, Pos};

use super::arrival::Stage;
use super::units::UnitsInSight;
use crate::world::known_ground;
use crate::{AgentRow, World};

/// How far outside the crowd around a goal, in cells, an agent claims a cell. A larger distance fixes cells before it
/// is known who arrives first and causes more exchanges; a smaller one leaves less time to walk around the crowd.
const CLAIM_DISTANCE: u32 = 8;
/// Ticks without progress after which an agent tests whether it is cut off. The test is repeated after 32, 64, … ticks,
/// because it floods up to a thousand cells.
const NO_PROGRESS_TICKS: u32 = 16;
/// Ticks without progress after which an agent takes over the claim of the cell on which it stands.
const TAKE_OVER_TICKS: u32 = 4;
/// Ticks that an agent may be on the way to its own cell, plus [`SETTLE_TICKS_PER_RING`] for each ring of the crowd.
/// After that it settles where it is: sooner leaves gaps inside the crowd, later lets agents circle around it longer.
const SETTLE_TICKS: u32 = 64;
/// See [`SETTLE_TICKS`]: enough to cross the crowd several times.
const SETTLE_TICKS_PER_RING: u32 = 8;
/// How often an agent may change its claim by itself until it gets another goal.
pub(crate) const MAX_REASSIGNMENTS: u8 = 64;

impl World {
    /// Updates claims after the moves of a tick, in two passes over the agents: near agents claim a cell and agents
    /// without progress look for another one; then agents exchange claims.
    pub(crate) fn update_assignment(&mut self) {
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let i = agent.index();
            let (Some(goal), Some(target)) = (self.agents.goal[i], self.agents.target[i]) else { continue };
            if !self.agents.arrival[i].stage.has_claim() && self.is_near(agent, goal, target) {
                self.claim(agent, target);
            } else if target != self.agents.at[i] {
                self.watch_progress(agent, goal, target);
            }
        }
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let arrival = self.agents.arrival[agent.index()];
            if arrival.reported || !arrival.stage.has_claim() {
                continue;
            }
            if !self.is_in_place(agent) {
                if let Some(owner) = self.owner_to_replace(agent) {
                    self.exchange_claims(agent, owner);
                }
            } else if let Some(owner) = self.owner_further_inside(agent) {
                self.exchange_claims(agent, owner);
                self.agents.arrival[agent.index()].effort.reassignments += 1;
            }
        }
    }

    /// Returns true if an agent is so near to the crowd around its goal that it needs a cell of its own.
    pub(super) fn is_near(&mut self, agent: AgentRow, goal: Pos, approach: Cell) -> bool {
        let (at, profile) = (self.agents.at[agent.index()], self.agents.profile[agent.index()]);
        let (here, center) = (self.grid.size().pos(at), self.grid.size().pos(approach));
        if self.agents_sent_to(goal) < 2 && self.claims.is_free(approach) {
            return octile(here, center) <= CLAIM_DISTANCE * STRAIGHT;
        }
        let min_steps = here.x.abs_diff(center.x).max(here.y.abs_diff(center.y));
        if min_steps as usize > CLAIM_DISTANCE as usize + self.agents.living.len() {
            return false;
        }
        let max_steps = self.claim_radius(agent, goal, approach);
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let rings = self.ring_cache.rings(ground, profile, approach);
        min_steps <= max_steps && rings.steps(ground, at, min_steps, max_steps).is_some()
    }

    /// Returns the number of agents that have this goal.
    fn agents_sent_to(&self, goal: Pos) -> u32 {
        self.grid.cell(goal).map_or(0, |cell| self.goal_counts[cell.index()])
    }

    /// Returns how many steps from the goal agents claim cells: the radius of the crowd around it plus
    /// [`CLAIM_DISTANCE`].
    fn claim_radius(&mut self, agent: AgentRow, goal: Pos, approach: Cell) -> u32 {
        let profile = self.agents.profile[agent.index()];
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let rings = self.ring_cache.rings(ground, profile, approach);
        let first_free = rings.first_unclaimed(ground, &self.claims);
        let filled = rings.ring(first_free);
        // Half the side of the square that all agents of this goal fill.
        let square = self.agents_sent_to(goal).saturating_sub(1).isqrt().div_ceil(2);
        CLAIM_DISTANCE + filled.max(square)
    }

    /// Lets an agent claim a cell around `approach`. Without a free cell it loses its target, which is reported.
    pub(super) fn claim(&mut self, agent: AgentRow, approach: Cell) {
        let target = self.first_claimable(agent, approach);
        self.set_target(agent, target, true);
        if target.is_none() {
            self.pending_reports.push(agent);
        }
    }

    /// Returns the first cell around `approach`, ring by ring, that is neither claimed nor held.
    pub(super) fn first_claimable(&mut self, agent: AgentRow, approach: Cell) -> Option<Cell> {
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let free = |cell: Cell| self.claims.is_free(cell) && !units.hold(cell);
        if free(approach) {
            return Some(approach);
        }
        let profile = self.agents.profile[agent.index()];
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let rings = self.ring_cache.rings(ground, profile, approach);
        let first = rings.first_unclaimed(ground, &self.claims);
        (first..).map_while(|index| rings.cell(ground, index)).find(|&cell| free(cell))
    }

    /// Returns the owner of the cell on which an agent stands if the agent should stay there: it makes no progress, or
    /// the owner has not settled and the cell lies further inside than the agent's own.
    fn owner_to_replace(&mut self, agent: AgentRow) -> Option<AgentRow> {
        let (i, agents) = (agent.index(), &self.agents);
        let (at, own, goal) = (agents.at[i], agents.target[i]?, agents.goal[i]?);
        let owner =
            self.claims.agent(at).filter(|&owner| owner != agent && self.may_exchange(agent, owner))?;
        if agents.arrival[i].effort.ticks_since_closest >= TAKE_OVER_TICKS {
            return Some(owner);
        }
        let waits = self.waits_for_cell(owner, goal);
        let center = self.approach(agent, goal).filter(|_| waits)?;
        let profile = self.agents.profile[i];
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let rings = self.ring_cache.rings(ground, profile, center);
        let mut order = (0..).map_while(|index| rings.cell(ground, index));
        (order.find(|&cell| cell == at || cell == own) == Some(at)).then_some(owner)
    }

    /// Returns the first agent whose cell lies further inside than that of an agent that has arrived, and that is
    /// farther from it. Returns `None` if settled agents shut that cell off.
    fn owner_further_inside(&mut self, agent: AgentRow) -> Option<AgentRow> {
        let i = agent.index();
        let (at, goal, profile) = (self.agents.at[i], self.agents.goal[i]?, self.agents.profile[i]);
        let reassignments = self.agents.arrival[i].effort.reassignments;
        if self.agents_sent_to(goal) < 2 || reassignments >= MAX_REASSIGNMENTS {
            return None;
        }
        let approach = self.approach(agent, goal)?;
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let size = self.grid.size();
        let distance = |from: Cell, to: Cell| octile(size.pos(from), size.pos(to));
        let mut ring_cache = std::mem::take(&mut self.ring_cache);
        let rings = ring_cache.rings(ground, profile, approach);
        let inside = (0..).map_while(|index| rings.cell(ground, index)).take_while(|&cell| cell != at);
        let mut owners = inside.filter_map(|cell| Some((self.claims.agent(cell)?, cell)));
        let found = owners.find(|&(owner, cell)| {
            self.waits_for_cell(owner, goal)
                && distance(self.agents.at[owner.index()], cell) > distance(at, cell)
                && self.may_exchange(agent, owner)
        });
        self.ring_cache = ring_cache;
        let (owner, cell) = found?;
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let passable = |cell: Cell| units.let_pass(cell);
        (!self.enclosure.separates(ground, at, cell, passable)).then_some(owner)
    }

    /// Returns true if an agent has this goal and has not settled.
    fn waits_for_cell(&self, agent: AgentRow, goal: Pos) -> bool {
        let i = agent.index();
        self.agents.arrival[i].stage != Stage::Settled && self.agents.goal[i] == Some(goal)
    }

    /// Returns true if two agents may exchange their claims: both goals are shared with other agents. The two goals may
    /// differ, because crowds with goals close together mix.
    fn may_exchange(&self, agent: AgentRow, owner: AgentRow) -> bool {
        let (i, o, agents) = (agent.index(), owner.index(), &self.agents);
        let shared = |goal: Option<Pos>| goal.is_some_and(|goal| self.agents_sent_to(goal) > 1);
        shared(agents.goal[i])
            && shared(agents.goal[o])
            && agents.profile[i] == agents.profile[o]
            && agents.controlled[i]
            && agents.controlled[o]
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

    /// Exchanges the claims of two agents. The owner inherits the agent's time on the way, so that a cell that cannot
    /// be reached is not passed on forever.
    fn exchange_claims(&mut self, agent: AgentRow, owner: AgentRow) {
        let (outer, inner) = (self.agents.target[agent.index()], self.agents.target[owner.index()]);
        self.release_claim(agent);
        self.set_target(owner, outer, true);
        self.set_target(agent, inner, true);
        let claimed_ticks = self.agents.arrival[agent.index()].effort.claimed_ticks;
        let inherited = &mut self.agents.arrival[owner.index()].effort.claimed_ticks;
        *inherited = claimed_ticks.max(*inherited);
    }

    /// Counts ticks without progress and ticks on the way to a claimed cell, and acts when there are many.
    fn watch_progress(&mut self, agent: AgentRow, goal: Pos, target: Cell) {
        let (i, size) = (agent.index(), self.grid.size());
        // A slow agent pauses between its steps; those ticks do not count.
        if !self.agents.controlled[i] || self.agents.ready[i] > self.tick + 1 {
            return;
        }
        let distance = octile(size.pos(self.agents.at[i]), size.pos(target));
        let arrival = &mut self.agents.arrival[i];
        let effort = &mut arrival.effort;
        effort.claimed_ticks = effort.claimed_ticks.saturating_add(u32::from(arrival.stage.has_claim()));
        if distance < effort.closest {
            (effort.closest, effort.ticks_since_closest) = (distance, 0);
        } else {
            effort.ticks_since_closest = effort.ticks_since_closest.saturating_add(1);
        }
        let (effort, idle_ticks) = (*effort, effort.ticks_since_closest);
        // An agent that does not share its goal waits for it.
        let shared = size.cell(goal) != Some(target) || self.agents_sent_to(goal) > 1;
        if shared
            && effort.claimed_ticks >= SETTLE_TICKS
            && effort.claimed_ticks.is_multiple_of(NO_PROGRESS_TICKS)
        {
            self.settle_nearby(agent, goal);
        } else if idle_ticks >= NO_PROGRESS_TICKS
            && idle_ticks.is_power_of_two()
            && effort.reassignments < MAX_REASSIGNMENTS
        {
            self.reassign_if_cut_off(agent, goal, target, shared);
        }
    }

    /// Gives an agent another cell if settled agents separate it from the one it is to have, or if a unit holds its
    /// cell.
    fn reassign_if_cut_off(&mut self, agent: AgentRow, goal: Pos, target: Cell, shared: bool) {
        let has_claim = self.agents.arrival[agent.index()].stage.has_claim();
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let held = has_claim && units.hold(target);
        let Some(approach) = self.approach(agent, goal).filter(|_| held || shared) else { return };
        let wanted = if has_claim { Some(target) } else { self.first_claimable(agent, approach) };
        if let Some(wanted) = wanted
            && let Some(cell) = self.cell_on_own_side(agent, wanted, approach, held)
        {
            self.set_target(agent, Some(cell), true);
            self.agents.arrival[agent.index()].effort.reassignments += 1;
        }
    }

    /// Lets an agent that has been on the way to its cell for too long claim the nearest free cell that it can get to,
    /// and keep it.
    fn settle_nearby(&mut self, agent: AgentRow, goal: Pos) {
        let at = self.agents.at[agent.index()];
        let Some(approach) = self.approach(agent, goal) else { return };
        let claimed_ticks = self.agents.arrival[agent.index()].effort.claimed_ticks;
        let max_ticks = SETTLE_TICKS + SETTLE_TICKS_PER_RING * self.claim_radius(agent, goal, approach);
        if claimed_ticks < max_ticks {
            return;
        }
        self.agents.arrival[agent.index()].effort.reassignments = MAX_REASSIGNMENTS;
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let claims = &self.claims;
        let _same_cell = self.enclosure.separates(ground, at, at, |_| true);
        let around = self.enclosure.own_side(ground, |cell| units.let_pass(cell));
        let free = |&&cell: &&Cell| {
            let unclaimed = claims.is_free(cell) || claims.agent(cell) == Some(agent);
            unclaimed && !units.hold(cell)
        };
        if let Some(&cell) = around.iter().find(free) {
            self.set_target(agent, Some(cell), true);
        }
    }

    /// Returns the claimable cell nearest to `approach` among those that the agent can get to past settled agents.
    /// Returns `None` if it can get to the `wanted` cell, unless that is `held`.
    fn cell_on_own_side(
        &mut self,
        agent: AgentRow,
        wanted: Cell,
        approach: Cell,
        held: bool,
    ) -> Option<Cell> {
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let passable = |cell: Cell| units.let_pass(cell);
        let (claims, size, at) = (&self.claims, self.grid.size(), self.agents.at[agent.index()]);
        if !self.enclosure.separates(ground, at, wanted, passable) && !held {
            return None;
        }
        let free = |cell: &&Cell| claims.is_free(**cell) && !units.hold(**cell);
        let around = self.enclosure.own_side(ground, passable).iter();
        around.filter(free).min_by_key(|&&cell| (octile(size.pos(cell), size.pos(approach)), cell)).copied()
    }
}
