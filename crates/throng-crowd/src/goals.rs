//! Where agents go: goals become targets, one cell each.

use throng_grid::{Cell, Pos};

use crate::planner::Change;
use crate::world::Destination;
use crate::{AgentId, Event, Occupant, StuckReason, World};

impl World {
    /// Chooses the cell an agent goes to for a goal: the goal itself, or the nearest cell that it can reach and
    /// nobody else goes to.
    pub(crate) fn retarget(&mut self, agent: AgentId, goal: Pos) -> Destination {
        let (target, goal_cell) = (self.choose(agent, goal), self.grid.cell(goal));
        let at = self.agents.at[agent.index()];
        let cut_off = !goal_cell.is_some_and(|cell| self.view_ground(agent).reachable(at, cell));
        self.set_goal(agent, Some(goal), target);
        self.agents.cut_off[agent.index()] = cut_off;
        self.planner.notice(agent, Change::Retasked);
        if cut_off || target.is_none() {
            self.pending.push(agent);
        }
        self.destination(goal, target)
    }

    /// Chooses anew where that is due: the target cannot be reached any more, or the goal can be again. A target that
    /// was taken because others go to the goal is kept, so that nobody shuffles about when a door opens elsewhere.
    pub(crate) fn review_target(&mut self, agent: AgentId) {
        let i = agent.index();
        let (at, target, ground) = (self.agents.at[i], self.agents.target[i], self.view_ground(agent));
        let Some(goal) = self.agents.goal[i] else { return };
        let reaches = |cell: Cell| ground.reachable(at, cell);
        let opened = self.agents.cut_off[i] && self.grid.cell(goal).is_some_and(reaches);
        if target.is_some_and(reaches) && !opened {
            return;
        }
        // Who had nowhere to go and still has not knows it already.
        if target.is_some() || self.choose(agent, goal).is_some() {
            self.retarget(agent, goal);
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
                    events.push(Event::Stuck { agent, reason: StuckReason::Walled, by: None });
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
        if self.agents.goal[i] == Some(goal) && target.is_some() && self.choose(agent, goal) == target {
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

    fn choose(&self, agent: AgentId, goal: Pos) -> Option<Cell> {
        let at = self.agents.at[agent.index()];
        let ours_or_nobodys = |cell: Cell| {
            matches!(self.targets.at(cell), Occupant::Nobody) || self.targets.agent(cell) == Some(agent)
        };
        self.view_ground(agent).nearest_reachable_where(at, goal, ours_or_nobodys)
    }

    pub(crate) fn set_goal(&mut self, agent: AgentId, goal: Option<Pos>, target: Option<Cell>) {
        let i = agent.index();
        let (at, before) = (self.agents.at[i], self.agents.target[i]);
        if let Some(before) = before {
            self.targets.set(before, Occupant::Nobody);
        }
        if let Some(target) = target {
            self.targets.set(target, Occupant::Agent(agent));
        }
        self.hash ^= crate::hash::agent(agent, at, before) ^ crate::hash::agent(agent, at, target);
        self.agents.goal[i] = goal;
        self.agents.target[i] = target;
        self.stalled[i] = 0;
    }

    /// Sets an agent down in a cell.
    pub(crate) fn relocate(&mut self, agent: AgentId, to: Cell) {
        self.set_position(agent, to);
        self.stalled[agent.index()] = 0;
        self.planner.notice(agent, Change::Relocated);
    }

    pub(crate) fn set_position(&mut self, agent: AgentId, to: Cell) {
        let i = agent.index();
        let (from, target) = (self.agents.at[i], self.agents.target[i]);
        if self.occupancy.agent(from) == Some(agent) {
            self.occupancy.set(from, Occupant::Nobody);
        }
        self.occupancy.set(to, Occupant::Agent(agent));
        self.hash ^= crate::hash::agent(agent, from, target) ^ crate::hash::agent(agent, to, target);
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
