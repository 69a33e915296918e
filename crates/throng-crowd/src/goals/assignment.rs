//! Who has which cell around a goal that several agents were sent to.
//!
//! From afar all head for the goal itself. An agent that comes near claims a cell of its own: the first around the
//! goal, ring by ring, that nobody claims and nobody stands on for good. Who arrives while a cell further in still
//! waits for a mate that is farther from it exchanges cells with that mate and walks on, so that nobody settles in
//! front of others; and who stands on a mate's cell and gets no further stays there. Who is cut off from its cell
//! by those who have settled takes the cell nearest to the goal among those around it. An agent that has been home keeps its cell.
//!
//! All of it follows from positions, orders and the map, never from what a planner says; so a recording plays again
//! without its planner. That everyone settles is bounded: an agent changes its cell at most [`MOST_SHIFTS`] times an
//! order by its own doing.

use throng_grid::moves::{STRAIGHT, octile};
use throng_grid::{Cell, Pos, ProfileId};

use crate::world::agents::Agents;
use crate::{AgentId, Occupancy, Occupant, World};

/// So many cells before the crowd around a goal an agent claims a cell.
const NEAR: u32 = 8;
/// Ticks without getting nearer before an agent asks whether it is cut off; then after twice as many, and so on.
const PATIENCE: u32 = 16;
/// Ticks without getting nearer before an agent is content with the cell of a mate on which it stands.
const HURRY: u32 = 4;
/// Ticks that an agent may be on the way to its cell, besides eight for each step of the crowd's radius.
const LONG: u32 = 64;
/// How often an agent changes its cell by its own doing, at most, until it is sent again.
pub(crate) const MOST_SHIFTS: u8 = 64;

impl World {
    /// After the moves of a tick: who is near claims, who is cut off chooses again, who arrives may exchange.
    pub(crate) fn settle(&mut self) {
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let (Some(goal), Some(target)) =
                (self.agents.goal[agent.index()], self.agents.target[agent.index()])
            else {
                continue;
            };
            if !self.agents.claimed[agent.index()] && self.is_near(agent, goal, target) {
                self.claim(agent, target);
            } else if target != self.agents.at[agent.index()] {
                self.watch_progress(agent, goal, target);
            }
        }
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            if self.agents.home[agent.index()] || !self.agents.claimed[agent.index()] {
                continue;
            }
            if !self.has_arrived(agent) {
                if let Some(mate) = self.mate_whose_cell(agent) {
                    self.exchange(agent, mate);
                }
            } else if let Some(mate) = self.mate_further_in(agent) {
                self.exchange(agent, mate);
                self.agents.progress[agent.index()].shifts += 1;
            }
        }
    }

    /// Whether an agent is so near to the crowd around its goal that it needs a cell of its own.
    pub(crate) fn is_near(&mut self, agent: AgentId, goal: Pos, approach: Cell) -> bool {
        let (at, profile) = (self.agents.at[agent.index()], self.agents.profile[agent.index()]);
        let (here, middle) = (self.grid.size().pos(at), self.grid.size().pos(approach));
        if self.sent_to(goal) < 2 && self.targets.is_free(approach) {
            return octile(here, middle) <= NEAR * STRAIGHT;
        }
        let least = here.x.abs_diff(middle.x).max(here.y.abs_diff(middle.y));
        if least as usize > NEAR as usize + self.agents.living.len() {
            return false;
        }
        let most = self.reach(profile, goal, approach);
        let Some(ground) = self.grid.ground_of(profile) else { return false };
        let rings = self.whereabouts.rings(ground, profile, approach);
        least <= most && rings.steps(ground, at, least, most).is_some()
    }

    /// How many were sent to a place.
    fn sent_to(&self, goal: Pos) -> u32 {
        self.grid.cell(goal).map_or(0, |cell| self.sent[cell.index()])
    }

    /// So many steps from the middle a crowd is entered: as far as it fills the ground around it, and a little more.
    fn reach(&mut self, profile: ProfileId, goal: Pos, approach: Cell) -> u32 {
        let Some(ground) = self.grid.ground_of(profile) else { return NEAR };
        let rings = self.whereabouts.rings(ground, profile, approach);
        let first = rings.first_unclaimed(ground, &self.targets);
        let filled = rings.ring(first);
        // Half the side of the square that so many fill.
        let square = self.sent_to(goal).saturating_sub(1).isqrt().div_ceil(2);
        NEAR + filled.max(square)
    }

    /// Has an agent claim a cell around the one that it heads for.
    pub(crate) fn claim(&mut self, agent: AgentId, approach: Cell) {
        let target = self.claimable(agent, approach);
        self.set_target(agent, target, true);
        if target.is_none() {
            self.pending.push(agent);
        }
    }

    /// The first cell around another that an agent may claim.
    pub(crate) fn claimable(&mut self, agent: AgentId, approach: Cell) -> Option<Cell> {
        let free =
            |cell: Cell| self.targets.is_free(cell) && !is_kept(&self.agents, &self.occupancy, cell, agent);
        if free(approach) {
            return Some(approach);
        }
        let profile = self.agents.profile[agent.index()];
        let ground = self.grid.ground_of(profile)?;
        let rings = self.whereabouts.rings(ground, profile, approach);
        let first = rings.first_unclaimed(ground, &self.targets);
        (first..).map_while(|place| rings.cell(ground, place)).find(|&cell| free(cell))
    }

    /// The mate on whose cell an agent stands that has not reached its own, when it had better stay there: the cell lies
    /// further in, or it gets no further.
    fn mate_whose_cell(&mut self, agent: AgentId) -> Option<AgentId> {
        let (i, agents) = (agent.index(), &self.agents);
        let (at, own, goal) = (agents.at[i], agents.target[i]?, agents.goal[i]?);
        let mate = self.targets.agent(at).filter(|&mate| mate != agent && self.may_exchange(agent, mate))?;
        if agents.progress[i].since >= HURRY {
            return Some(mate);
        }
        let waits = !agents.settled[mate.index()] && agents.goal[mate.index()] == Some(goal);
        let middle = self.approach(agent, goal).filter(|_| waits)?;
        let profile = self.agents.profile[i];
        let ground = self.grid.ground_of(profile)?;
        let rings = self.whereabouts.rings(ground, profile, middle);
        let mut order = (0..).map_while(|place| rings.cell(ground, place));
        (order.find(|&cell| cell == at || cell == own) == Some(at)).then_some(mate)
    }

    /// The first mate whose cell lies further in than that of an agent who has come to its own, and who is farther
    /// from it.
    fn mate_further_in(&mut self, agent: AgentId) -> Option<AgentId> {
        let i = agent.index();
        let (at, goal, profile) = (self.agents.at[i], self.agents.goal[i]?, self.agents.profile[i]);
        if self.sent_to(goal) < 2 || self.agents.progress[i].shifts >= MOST_SHIFTS {
            return None;
        }
        let approach = self.approach(agent, goal)?;
        let (ground, size) = (self.grid.ground_of(profile)?, self.grid.size());
        let away = |from: Cell, to: Cell| octile(size.pos(from), size.pos(to));
        let mut whereabouts = std::mem::take(&mut self.whereabouts);
        let rings = whereabouts.rings(ground, profile, approach);
        let further_in = (0..).map_while(|place| rings.cell(ground, place)).take_while(|&cell| cell != at);
        let mut owners = further_in.filter_map(|cell| Some((self.targets.agent(cell)?, cell)));
        let found = owners.find(|&(mate, cell)| {
            !self.agents.settled[mate.index()]
                && self.agents.goal[mate.index()] == Some(goal)
                && away(self.agents.at[mate.index()], cell) > away(at, cell)
                && self.may_exchange(agent, mate)
        });
        self.whereabouts = whereabouts;
        // What those who have settled shut off is nothing to walk on to.
        let (agents, occupancy) = (&self.agents, &self.occupancy);
        let passable = |cell: Cell| is_passable(agents, occupancy, cell);
        let open = |&(_, cell): &(AgentId, Cell)| !self.pockets.are_apart(ground, at, cell, passable);
        { found }.filter(open).map(|(mate, _)| mate)
    }

    /// Whether two agents may take over each other's claims: neither has its goal for itself. Their goals need not be
    /// the same, for crowds with goals close together mingle.
    fn may_exchange(&self, agent: AgentId, mate: AgentId) -> bool {
        let (i, m, agents) = (agent.index(), mate.index(), &self.agents);
        let shared = |goal: Option<Pos>| goal.is_some_and(|goal| self.sent_to(goal) > 1);
        shared(agents.goal[i])
            && shared(agents.goal[m])
            && agents.profile[i] == agents.profile[m]
            && agents.controlled[i]
            && agents.controlled[m]
            && self.view_ground(agent).reachable(agents.at[i], agents.at[m])
    }

    /// Two agents take over each other's claims. The mate goes on waiting where the agent leaves off, so that a cell
    /// that nobody gets to is not handed on for ever.
    fn exchange(&mut self, agent: AgentId, mate: AgentId) {
        let (outer, inner) = (self.agents.target[agent.index()], self.agents.target[mate.index()]);
        self.release(agent);
        self.set_target(mate, outer, true);
        self.set_target(agent, inner, true);
        let unrest = self.agents.progress[agent.index()].unrest;
        let waited = &mut self.agents.progress[mate.index()].unrest;
        *waited = unrest.max(*waited);
    }

    /// Counts how long an agent has not come nearer and not been home, and does something about it when that is long.
    fn watch_progress(&mut self, agent: AgentId, goal: Pos, target: Cell) {
        let (i, size) = (agent.index(), self.grid.size());
        // Slow agents rest between their steps, which is not their fault.
        if !self.agents.controlled[i] || self.agents.ready[i] > self.tick + 1 {
            return;
        }
        let distance = octile(size.pos(self.agents.at[i]), size.pos(target));
        let claimed = self.agents.claimed[i];
        let progress = &mut self.agents.progress[i];
        progress.unrest = progress.unrest.saturating_add(u32::from(claimed));
        if distance < progress.nearest {
            (progress.nearest, progress.since) = (distance, 0);
        } else {
            progress.since = progress.since.saturating_add(1);
        }
        let progress = *progress;
        // An agent that has its goal for itself waits for it.
        let shared = size.cell(goal) != Some(target) || self.sent_to(goal) > 1;
        if shared && progress.unrest >= LONG && progress.unrest.is_multiple_of(PATIENCE) {
            self.be_content(agent, goal);
        } else if progress.since >= PATIENCE
            && progress.since.is_power_of_two()
            && progress.shifts < MOST_SHIFTS
        {
            self.look_elsewhere(agent, goal, target, shared);
        }
    }

    /// One that those who have settled cut off from the cell that it is to have, or whose cell somebody keeps, takes
    /// another.
    fn look_elsewhere(&mut self, agent: AgentId, goal: Pos, target: Cell, shared: bool) {
        let claimed = self.agents.claimed[agent.index()];
        let taken = claimed && is_kept(&self.agents, &self.occupancy, target, agent);
        let Some(approach) = self.approach(agent, goal).filter(|_| taken || shared) else { return };
        let wanted = if claimed { Some(target) } else { self.claimable(agent, approach) };
        if let Some(wanted) = wanted
            && let Some(cell) = self.way_out(agent, wanted, approach, taken)
        {
            self.set_target(agent, Some(cell), true);
            self.agents.progress[agent.index()].shifts += 1;
        }
    }

    /// Who has been about for longer than it takes to cross the crowd several times stays where it is, or as near to
    /// that as it can.
    fn be_content(&mut self, agent: AgentId, goal: Pos) {
        let (at, profile) = (self.agents.at[agent.index()], self.agents.profile[agent.index()]);
        let Some(approach) = self.approach(agent, goal) else { return };
        let unrest = self.agents.progress[agent.index()].unrest;
        if unrest < LONG + 8 * self.reach(profile, goal, approach) {
            return;
        }
        self.agents.progress[agent.index()].shifts = MOST_SHIFTS;
        let Some(ground) = self.grid.ground_of(profile) else { return };
        let (agents, occupancy, targets) = (&self.agents, &self.occupancy, &self.targets);
        let _apart = self.pockets.are_apart(ground, at, at, |_| true);
        let around = self.pockets.around(ground, |cell| is_passable(agents, occupancy, cell)).iter().copied();
        let free = |cell: &Cell| {
            let ours = matches!(targets.at(*cell), Occupant::Nobody) || targets.agent(*cell) == Some(agent);
            ours && !is_kept(agents, occupancy, *cell, agent)
        };
        let cell = { around }.find(free);
        if let Some(cell) = cell {
            self.set_target(agent, Some(cell), true);
        }
    }

    /// The cell nearest to `approach` that an agent can have and get to, when it is cut off from the one it wants or
    /// `must` look for another.
    fn way_out(&mut self, agent: AgentId, wanted: Cell, approach: Cell, must: bool) -> Option<Cell> {
        let (agents, occupancy, targets, size) =
            (&self.agents, &self.occupancy, &self.targets, self.grid.size());
        let ground = self.grid.ground_of(agents.profile[agent.index()])?;
        let passable = |cell: Cell| is_passable(agents, occupancy, cell);
        let at = agents.at[agent.index()];
        if !self.pockets.are_apart(ground, at, wanted, passable) && !must {
            return None;
        }
        let free = |cell: &&Cell| targets.is_free(**cell) && !is_kept(agents, occupancy, **cell, agent);
        let around = self.pockets.around(ground, passable).iter();
        around.filter(free).min_by_key(|&&cell| (octile(size.pos(cell), size.pos(approach)), cell)).copied()
    }
}

/// Whether somebody else stands on a cell who does not mean to leave it: a foreign unit, an agent that the planner does
/// not move, or one without an order.
fn is_kept(agents: &Agents, occupancy: &Occupancy, cell: Cell, agent: AgentId) -> bool {
    match occupancy.at(cell) {
        Occupant::Nobody => false,
        Occupant::Foreign => true,
        Occupant::Agent(other) => {
            other != agent && (!agents.controlled[other.index()] || agents.target[other.index()].is_none())
        }
    }
}

/// Whether nobody who has settled stands on a cell.
fn is_passable(agents: &Agents, occupancy: &Occupancy, cell: Cell) -> bool {
    match occupancy.at(cell) {
        Occupant::Nobody => true,
        Occupant::Foreign => false,
        Occupant::Agent(other) => {
            agents.controlled[other.index()]
                && agents.target[other.index()].is_some_and(|target| target != cell)
        }
    }
}
