//! Where agents go: goals become targets. From afar all head for the goal itself; who is near has a cell of its own, as
//! `homes.rs` tells.

pub(crate) mod assignment;
pub(crate) mod enclosure;
pub(crate) mod rings;

use throng_grid::{Cell, Cost, Pos};

use crate::planner::AgentChange;
use crate::world::Destination;
use crate::world::agents::{Progress, Roaming};
use crate::{AgentId, Event, Occupant, StuckReason, World};

impl World {
    /// Gives an agent a goal, new or not, and chooses where it heads for: the goal or the nearest cell to it that it
    /// can reach, or a cell of its own around that when it is near.
    pub(crate) fn retarget(&mut self, agent: AgentId, goal: Pos) -> Destination {
        let i = agent.index();
        self.set_goal(agent, Some(goal));
        self.stalled[i] = 0;
        self.release(agent);
        let approach = self.approach(agent, goal);
        let cut_off = approach.is_none() || approach != self.grid.cell(goal);
        let near = approach.is_some_and(|approach| self.is_near(agent, goal, approach));
        let target = approach.and_then(|cell| if near { self.claimable(agent, cell) } else { Some(cell) });
        self.set_target(agent, target, near);
        self.agents.cut_off[i] = cut_off;
        if cut_off || target.is_none() {
            self.pending.push(agent);
        }
        self.destination(goal, target)
    }

    /// Chooses anew where that is due: the target cannot be reached any more, the goal can be again, or what is
    /// headed for from afar is not the nearest any more. A cell of its own is kept otherwise, so that nobody shuffles
    /// about when a door opens elsewhere.
    pub(crate) fn review_target(&mut self, agent: AgentId) {
        let i = agent.index();
        let (at, target) = (self.agents.at[i], self.agents.target[i]);
        let Some(goal) = self.agents.goal[i] else { return };
        let approach = self.approach(agent, goal);
        let ground = self.view_ground(agent);
        let reaches = |cell: Cell| ground.reachable(at, cell);
        let opened = self.agents.cut_off[i] && approach == self.grid.cell(goal);
        let kept = if self.agents.claimed[i] { target.is_some_and(reaches) } else { target == approach };
        if !kept || opened {
            // Who had nowhere to go and still has not knows it already.
            let nowhere =
                |world: &mut Self| approach.is_none_or(|approach| world.claimable(agent, approach).is_none());
            if target.is_some() || !nowhere(self) {
                self.retarget(agent, goal);
            }
        } else if !self.agents.claimed[i]
            && let Some(approach) = approach
            && self.is_near(agent, goal, approach)
        {
            // It was set down near its goal.
            self.claim(agent, approach);
        }
    }

    /// Answers those who were sent where they cannot go, or cannot go any more.
    pub(crate) fn tell_pending(&mut self, events: &mut Vec<Event>) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.sort_unstable();
        pending.dedup();
        for &agent in pending.iter().filter(|&&agent| self.agents.is_alive(agent)) {
            let i = agent.index();
            let walled = !self.view_ground(agent).is_free(self.agents.at[i]);
            match (self.agents.goal[i], self.agents.target[i]) {
                (Some(goal), Some(instead)) if self.agents.cut_off[i] => {
                    events.push(Event::Unreachable { agent, goal, instead });
                }
                (goal, None) if walled || goal.is_some() => {
                    events.push(Event::Stuck { agent, reason: StuckReason::NoReachableCell, by: None });
                }
                _ => {}
            }
        }
        pending.clear();
        self.pending = pending;
    }

    /// Retargets an agent whose order is new; one that has the order already keeps its way and its arrival.
    pub(crate) fn retask(&mut self, agent: AgentId, goal: Pos) -> Destination {
        let i = agent.index();
        let target = self.agents.target[i];
        if self.agents.goal[i] == Some(goal) && target.is_some() {
            return self.destination(goal, target);
        }
        self.agents.home[i] = false;
        self.retarget(agent, goal)
    }

    fn destination(&self, goal: Pos, target: Option<Cell>) -> Destination {
        match target {
            None => Destination::Nowhere,
            Some(target) if Some(target) == self.grid.cell(goal) => Destination::Goal,
            Some(target) => Destination::Near(target),
        }
    }

    /// The cell to head for from afar: the goal, or the nearest to it that the agent can reach.
    pub(crate) fn approach(&mut self, agent: AgentId, goal: Pos) -> Option<Cell> {
        let (at, profile) = (self.agents.at[agent.index()], self.agents.profile[agent.index()]);
        let ground = self.grid.ground_of(profile)?;
        self.whereabouts.approach(ground, profile, at, goal)
    }

    /// Takes down where an agent was sent, and how many were sent there.
    pub(crate) fn set_goal(&mut self, agent: AgentId, goal: Option<Pos>) {
        let before = std::mem::replace(&mut self.agents.goal[agent.index()], goal);
        if before != goal {
            self.agents.progress[agent.index()] = Progress::default();
            self.agents.roaming[agent.index()] = Roaming::default();
        }
        if let Some(cell) = before.and_then(|before| self.grid.cell(before)) {
            self.sent[cell.index()] -= 1;
        }
        if let Some(cell) = goal.and_then(|goal| self.grid.cell(goal)) {
            self.sent[cell.index()] += 1;
        }
    }

    /// Has an agent head for a cell, which is from now on its own when it is claimed.
    pub(crate) fn set_target(&mut self, agent: AgentId, target: Option<Cell>, claimed: bool) {
        let i = agent.index();
        self.release(agent);
        if claimed && let Some(target) = target {
            self.targets.set(target, Occupant::Agent(agent));
            self.agents.claimed[i] = true;
        }
        let progress = &mut self.agents.progress[i];
        (progress.nearest, progress.since) = (Cost::MAX, 0);
        let before = std::mem::replace(&mut self.agents.target[i], target);
        if before != target {
            let at = self.agents.at[i];
            self.hash ^=
                crate::world::hash::agent(agent, at, before) ^ crate::world::hash::agent(agent, at, target);
            self.stalled[i] = 0;
            self.planner.on_change(agent, AgentChange::Retasked);
        }
        self.agents.settled[i] &= before == target && claimed;
        self.record_target(agent);
    }

    /// Takes back an agent's claim; it still heads for the cell.
    pub(crate) fn release(&mut self, agent: AgentId) {
        if std::mem::take(&mut self.agents.claimed[agent.index()])
            && let Some(cell) = self.agents.target[agent.index()]
        {
            self.targets.set(cell, Occupant::Nobody);
            self.whereabouts.reopen();
        }
    }

    /// The agent has no order any more.
    pub(crate) fn forget_goal(&mut self, agent: AgentId) {
        self.set_goal(agent, None);
        self.set_target(agent, None, false);
        self.agents.home[agent.index()] = false;
        self.stalled[agent.index()] = 0;
    }

    /// Sets an agent down in a cell.
    pub(crate) fn relocate(&mut self, agent: AgentId, to: Cell) {
        self.set_position(agent, to);
        self.stalled[agent.index()] = 0;
        self.planner.on_change(agent, AgentChange::Relocated);
    }

    pub(crate) fn set_position(&mut self, agent: AgentId, to: Cell) {
        let i = agent.index();
        let (from, target) = (self.agents.at[i], self.agents.target[i]);
        if self.occupancy.agent(from) == Some(agent) {
            self.occupancy.set(from, Occupant::Nobody);
        }
        self.occupancy.set(to, Occupant::Agent(agent));
        self.hash ^=
            crate::world::hash::agent(agent, from, target) ^ crate::world::hash::agent(agent, to, target);
        self.agents.at[i] = to;
    }

    /// After the map has changed: agents inside walls are set down beside them, and targets that cannot be reached
    /// any more, or goals that can be reached again, are chosen anew; all in the order of the agents' numbers.
    pub(crate) fn take_in_map(&mut self, events: &mut Vec<Event>) {
        if self.seen == self.grid.revision() {
            return;
        }
        self.seen = self.grid.revision();
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let at = self.agents.at[agent.index()];
            if !self.view_ground(agent).is_free(at) {
                self.displace(agent, at, events);
            }
            self.review_target(agent);
        }
    }

    /// To the nearest free cell that nobody holds, in a straight line and whatever part of the map it is in; ties go
    /// to the lowest cell number.
    fn displace(&mut self, agent: AgentId, from: Cell, events: &mut Vec<Event>) {
        let ground = self.view_ground(agent);
        let room = |cell: Cell| ground.is_free(cell) && self.occupancy.is_free(cell);
        match ground.nearest_where(ground.pos(from), room) {
            Some(to) => {
                self.relocate(agent, to);
                events.push(Event::Displaced { agent, from, to });
            }
            None => self.pending.push(agent),
        }
    }
}
