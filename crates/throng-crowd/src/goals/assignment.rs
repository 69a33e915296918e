//! Goal assignment: which agent gets which cell around a goal that several agents share.
//!
//! From afar all agents head for the goal itself. An agent that comes near claims one of the final cells of the group
//! (`choice.rs`). On the way agents exchange claims, so that no agent settles in front of others (`exchange.rs`). An
//! agent that makes no progress tests whether it is cut off from its cell. If settled agents of the same goal are in the
//! way, all of them shift by one. If other units are, it claims the cell nearest to the goal on its own side, settles
//! short of the final cells, and tests again from time to time. A settled agent keeps its cell.
//!
//! Assignment depends on positions, goals and the map only, never on the planner; so a recording can be replayed
//! without its planner. Its floods are spread over ticks: what a tick has no work left for is done in the next.

use throng_grid::moves::{STRAIGHT, octile};
use throng_grid::{Cell, Pos};

use super::arrival::Stage;
use super::enclosure::Crossing;
use super::exchange::Patience;
use super::units::UnitsInSight;
use crate::world::known_ground;
use crate::{AgentRow, World};

/// How far outside the final cells, in steps, an agent claims a cell. A larger distance fixes cells before it is known
/// who arrives first and causes more exchanges; a smaller one leaves less time to walk around the crowd.
const CLAIM_DISTANCE: u32 = 8;
/// Ticks without progress after which an agent tests whether it is cut off. The test is repeated after 16, 32, … ticks.
const NO_PROGRESS_TICKS: u32 = 8;
/// Ticks without progress after which settled agents shift for an agent that could walk around them, and an agent gives
/// up a cell that another unit holds.
const DETOUR_TICKS: u32 = 16;
/// Ticks without progress up to which they do so only for an agent beside them, and not for one that waits for others on
/// the move.
const PATIENT_TICKS: u32 = 32;
/// Ticks without progress after which settled agents on the shortest path shift for an agent, although there is a way around: not every
/// planner finds it.
const DIRECT_TICKS: u32 = 256;
/// Ticks without progress after which an agent that other units cut off settles short. Sooner leaves the planner less
/// time to push agents that have arrived elsewhere.
const SHORT_TICKS: u32 = 64;
/// Ticks without progress after which an agent settles short although there is a path: the planner does not find it, or
/// agents that cannot pass each other are on it. At least [`QUEUE_TICKS`] for each agent of its goal.
const GIVE_UP_TICKS: u32 = 256;
/// Ticks that an agent may be on the way to its own cell. After that it settles short: agents with different goals may be
/// in each other's way for ever. At least twice [`QUEUE_TICKS`] for each agent of its goal.
const CLAIMED_TICKS: u32 = 1_024;
/// Ticks in which one agent passes a door: a whole group may stand in line before it.
const QUEUE_TICKS: u32 = 2;
/// Ticks between two tests of an agent that has settled short. Doubles each time it settles short.
const SHORT_PERIOD: u64 = 32;
/// See [`SHORT_PERIOD`].
const MAX_DOUBLINGS: u8 = 8;
/// How often an agent that has arrived may go on in the place of another until it gets another goal, and the largest
/// count of that and of settling short.
pub(crate) const MAX_REASSIGNMENTS: u8 = 64;
/// The cells that floods may expand in a tick for agents without progress and claims, and as many again for agents that have arrived: half a
/// millisecond each. Fewer let agents wait for their cells.
const MAX_EXPANDED: usize = 16_384;

impl World {
    /// Updates claims after the moves of a tick: near agents claim a cell, those nearest to the goal first, agents without
    /// progress look for another one, then agents exchange claims.
    ///
    /// Agents that have arrived have work of their own: one that settles untested in a passage shuts others out, each of which makes a
    /// line of settled agents shift. Agents without progress leave half of the work to claims: a crowd that cannot get on tests
    /// again and again. If the
    /// work does not suffice for all tests, the next tick goes on with the first agent that had to wait; otherwise the agents of
    /// low rows alone would test.
    pub(crate) fn update_assignment(&mut self) {
        (self.enclosure.expanded, self.enclosure.limit) = (0, MAX_EXPANDED / 2);
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        let first = self.agents.living.partition_point(|&agent| agent < self.next_test);
        let mut waiting = None;
        let count = self.agents.living.len();
        for turn in 0..count {
            let agent = self.agents.living[(first + turn) % count];
            let i = agent.index();
            let (Some(goal), Some(target)) = (self.agents.goal[i], self.agents.target[i]) else { continue };
            let arrival = self.agents.arrival[i];
            if !arrival.stage.has_claim()
                && let Some(steps) = self.steps_if_near(agent, goal, target)
            {
                near.push((steps, agent));
            } else if target != self.agents.at[i] {
                if !self.watch_progress(agent, goal, target) {
                    waiting.get_or_insert(agent);
                }
            } else if arrival.short {
                let period = SHORT_PERIOD << arrival.effort.reassignments.min(MAX_DOUBLINGS);
                if (self.tick + u64::from(agent.0)).is_multiple_of(period) {
                    self.go_on(agent, goal);
                }
            }
        }
        self.next_test = waiting.unwrap_or(AgentRow(0));
        self.enclosure.limit = MAX_EXPANDED;
        near.sort_unstable();
        for &(_, agent) in &near {
            if self.has_work_left()
                && let (Some(goal), Some(approach)) =
                    (self.agents.goal[agent.index()], self.agents.target[agent.index()])
            {
                self.claim(agent, goal, approach);
            }
        }
        self.near = near;
        self.enclosure.limit = self.enclosure.expanded + MAX_EXPANDED;
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let arrival = &self.agents.arrival[agent.index()];
            if !arrival.is_answered() && arrival.stage.has_claim() && !arrival.short && self.has_work_left() {
                self.exchange_if_better(agent);
            }
        }
    }

    /// Returns true if floods may go on in this tick.
    fn has_work_left(&self) -> bool {
        self.enclosure.expanded < self.enclosure.limit
    }

    /// Returns the number of steps of an agent to the goal if it is so near that it needs a cell of its own.
    fn steps_if_near(&mut self, agent: AgentRow, goal: Pos, approach: Cell) -> Option<u32> {
        let (at, profile) = (self.agents.at[agent.index()], self.agents.profile[agent.index()]);
        let (here, center) = (self.grid.size().pos(at), self.grid.size().pos(approach));
        let min_steps = here.x.abs_diff(center.x).max(here.y.abs_diff(center.y));
        if self.agents_sent_to(goal) < 2 && self.claims.get(approach).is_none() {
            return (octile(here, center) <= CLAIM_DISTANCE * STRAIGHT).then_some(min_steps);
        }
        if min_steps as usize > CLAIM_DISTANCE as usize + self.agents.living.len() {
            return None;
        }
        let max_steps = self.claim_radius(agent, goal, approach);
        if min_steps > max_steps {
            return None;
        }
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        self.ring_cache.rings(ground, profile, approach).steps(ground, at, max_steps)
    }

    /// Returns true if no other agent has the goal and an agent is so near to it that it needs a cell of its own. The only
    /// agent that had the goal before gives its claim back unless it has settled, because the two are a group now.
    pub(super) fn claims_alone(&mut self, agent: AgentRow, goal: Pos, approach: Cell) -> bool {
        let (at, size) = (self.agents.at[agent.index()], self.grid.size());
        if self.agents_sent_to(goal) < 2 {
            return octile(size.pos(at), size.pos(approach)) <= CLAIM_DISTANCE * STRAIGHT;
        }
        if let Some(owner) = self.claims.agent(approach)
            && self.agents_sent_to(goal) == 2
            && self.agents.goal[owner.index()] == Some(goal)
            && self.agents.arrival[owner.index()].stage == Stage::Claimed
            && self.approach(owner, goal) == Some(approach)
        {
            self.set_target(owner, Some(approach), false);
        }
        false
    }

    /// Returns the number of agents that have this goal.
    pub(super) fn agents_sent_to(&self, goal: Pos) -> u32 {
        self.grid.cell(goal).and_then(|cell| self.goal_counts.get(cell)).unwrap_or(0)
    }

    /// Returns how many steps from the goal agents claim cells: the largest distance of a final cell plus
    /// [`CLAIM_DISTANCE`].
    fn claim_radius(&mut self, agent: AgentRow, goal: Pos, approach: Cell) -> u32 {
        let profile = self.agents.profile[agent.index()];
        let count = self.agents_sent_to(goal) as usize;
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let rings = self.ring_cache.rings(ground, profile, approach);
        let first_free = rings.first_unclaimed(ground, &self.claims);
        let last = first_free.max(count.saturating_sub(1));
        rings.cell(ground, last);
        CLAIM_DISTANCE + rings.ring(last)
    }

    /// Lets an agent claim a cell around `approach`. Without a free cell it loses its target, which is reported.
    pub(super) fn claim(&mut self, agent: AgentRow, goal: Pos, approach: Cell) {
        let target = self.choose_cell(agent, goal, approach);
        self.set_target(agent, target, true);
        if target.is_none() {
            self.pending_reports.push(agent);
        }
    }

    /// Returns the first cell around `approach`, ring by ring, that is neither claimed nor held.
    pub(super) fn first_claimable(&mut self, agent: AgentRow, approach: Cell) -> Option<Cell> {
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let free = |cell: Cell| self.claims.get(cell).is_none() && !units.hold(cell);
        if free(approach) {
            return Some(approach);
        }
        let profile = self.agents.profile[agent.index()];
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let rings = self.ring_cache.rings(ground, profile, approach);
        let first = rings.first_unclaimed(ground, &self.claims);
        (first..).map_while(|index| rings.cell(ground, index)).find(|&cell| free(cell))
    }

    /// Counts ticks without progress, and looks for another cell when there are many. Returns false if no work is left for that.
    fn watch_progress(&mut self, agent: AgentRow, goal: Pos, target: Cell) -> bool {
        let (i, size) = (agent.index(), self.grid.size());
        // A slow agent pauses between its steps; those ticks do not count.
        if !self.agents.controlled[i] || self.agents.ready[i] > self.tick + 1 {
            return true;
        }
        let distance = octile(size.pos(self.agents.at[i]), size.pos(target));
        let claimed_ticks = CLAIMED_TICKS.max(2 * QUEUE_TICKS * self.agents_sent_to(goal));
        let arrival = &mut self.agents.arrival[i];
        let has_claim = arrival.stage.has_claim() && !arrival.short;
        let effort = &mut arrival.effort;
        effort.claimed_ticks = effort.claimed_ticks.saturating_add(u32::from(has_claim));
        if effort.claimed_ticks >= claimed_ticks {
            effort.claimed_ticks = 0;
            if let Some(approach) = self.approach(agent, goal) {
                self.settle_short(agent, approach, false);
            }
            return true;
        }
        if distance < effort.closest {
            (effort.closest, effort.ticks_since_closest) = (distance, 0);
            return true;
        }
        let idle_ticks = effort.ticks_since_closest.saturating_add(1);
        if idle_ticks.is_multiple_of(NO_PROGRESS_TICKS) {
            if !self.has_work_left() {
                // The test is made in a later tick.
                return false;
            }
            self.agents.arrival[i].effort.ticks_since_closest = idle_ticks;
            self.reassign_if_cut_off(agent, goal, target, idle_ticks);
        } else {
            effort.ticks_since_closest = idle_ticks;
        }
        true
    }

    /// Gives an agent another cell if settled agents separate it from the one it is to have, or if a unit holds its
    /// cell.
    fn reassign_if_cut_off(&mut self, agent: AgentRow, goal: Pos, target: Cell, idle_ticks: u32) {
        let arrival = &self.agents.arrival[agent.index()];
        let (has_claim, short) = (arrival.stage.has_claim(), arrival.short);
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let held = has_claim && idle_ticks >= DETOUR_TICKS && units.hold(target);
        // An agent that does not share its goal waits for it.
        let shared = self.grid.size().cell(goal) != Some(target) || self.agents_sent_to(goal) > 1;
        let Some(approach) = self.approach(agent, goal).filter(|_| held || shared) else { return };
        // A cell that an agent settles short on is none that settled agents shift to.
        let keeps = has_claim && !held && !short;
        let wanted = if keeps { Some(target) } else { self.choose_cell(agent, goal, approach) };
        let Some(wanted) = wanted else { return };
        let is_cut_off = self.is_cut_off(agent, wanted);
        // From afar a path may lead away from the goal for long, but not stay in one place.
        let stays = self.agents.arrival[agent.index()].stuck.anchor_ticks >= 2 * GIVE_UP_TICKS;
        let patience = Patience {
            only_beside: !is_cut_off && idle_ticks < PATIENT_TICKS,
            keeps_free_path: !is_cut_off && keeps,
            takes_shortest: !is_cut_off && idle_ticks >= DIRECT_TICKS,
        };
        if !is_cut_off && idle_ticks < DETOUR_TICKS {
            if held {
                self.set_target(agent, Some(wanted), true);
            }
        } else if self.shift_claims(agent, wanted, patience) != Crossing::Found
            && (is_cut_off || has_claim || stays)
            && idle_ticks
                >= if is_cut_off {
                    SHORT_TICKS
                } else {
                    GIVE_UP_TICKS.max(QUEUE_TICKS * self.agents_sent_to(goal))
                }
        {
            self.settle_short(agent, approach, is_cut_off);
        }
    }

    /// Returns true if units that stay where they are separate an agent from a cell.
    fn is_cut_off(&mut self, agent: AgentRow, from: Cell) -> bool {
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        self.enclosure.separates(ground, self.agents.at[agent.index()], from, |cell| units.let_pass(cell))
    }

    fn settle_short(&mut self, agent: AgentRow, approach: Cell, is_cut_off: bool) {
        let units = UnitsInSight::of(agent, &self.agents, &self.occupancy, self.sight(agent));
        let at = self.agents.at[agent.index()];
        let ground = known_ground(&self.grid, self.knowledge.as_deref(), &self.agents, agent);
        let (claims, size) = (&self.claims, self.grid.size());
        let free = |cell: &&Cell| {
            let owner = claims.agent(**cell);
            **cell == at || (is_cut_off && (owner.is_none() || owner == Some(agent)) && !units.hold(**cell))
        };
        let passable = |cell: Cell| units.let_pass(cell);
        let _same_cell = self.enclosure.separates(ground, at, at, passable);
        let around = self.enclosure.own_side(ground, passable).iter();
        let nearest =
            around.filter(free).min_by_key(|&&cell| (octile(size.pos(cell), size.pos(approach)), cell));
        let Some(&cell) = nearest else { return };
        if let Some(owner) = self.claims.agent(cell).filter(|&owner| owner != agent) {
            let goal = self.agents.goal[owner.index()];
            let target = goal.and_then(|goal| self.approach(owner, goal));
            self.set_target(owner, target, false);
        }
        self.set_target(agent, Some(cell), true);
        let arrival = &mut self.agents.arrival[agent.index()];
        arrival.short = true;
        arrival.effort.reassignments = (arrival.effort.reassignments + 1).min(MAX_REASSIGNMENTS);
    }

    /// Lets an agent that has settled short claim a final cell if it can get to one now.
    fn go_on(&mut self, agent: AgentRow, goal: Pos) {
        if !self.has_work_left() {
            return;
        }
        if let Some(approach) = self.approach(agent, goal)
            && let Some(cell) = self.choose_cell(agent, goal, approach)
        {
            if cell == self.agents.at[agent.index()] || !self.is_cut_off(agent, cell) {
                self.set_target(agent, Some(cell), true);
            } else {
                _ = self.shift_claims(agent, cell, Patience::default());
            }
        }
    }
}
