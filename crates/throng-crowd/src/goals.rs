//! Where agents go: goals become targets, one cell each.

use throng_grid::{Cell, Pos};

use crate::planner::Change;
use crate::world::Destination;
use crate::{AgentId, Event, Occupant, StuckReason, World};

impl World {
    /// Chooses the cell an agent goes to for a goal: the goal itself, or the nearest cell that it can reach and
    /// nobody else goes to.
    pub(crate) fn retarget(&mut self, agent: AgentId, goal: Pos) -> Destination {
        let target = self.choose(agent, goal);
        self.set_goal(agent, Some(goal), target);
        self.planner.notice(agent, Change::Retasked);
        let goal_cell = self.grid.cell(goal);
        match target {
            None => {
                self.pending.push(Event::Stuck { agent, reason: StuckReason::Walled, by: None });
                Destination::Nowhere
            }
            Some(target) if Some(target) == goal_cell => Destination::Goal,
            Some(target) => {
                let at = self.agents.at[agent.index()];
                if !goal_cell.is_some_and(|cell| self.view_ground(agent).reachable(at, cell)) {
                    self.pending.push(Event::Unreachable { agent, goal, instead: target });
                }
                Destination::Near(target)
            }
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
        self.agents.home[i] = false;
        self.stalled[i] = 0;
    }

    /// Sets an agent down in a cell.
    pub(crate) fn relocate(&mut self, agent: AgentId, to: Cell) {
        self.set_position(agent, to);
        self.agents.home[agent.index()] = false;
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
    /// any more, or goals that can be reached again, are chosen anew.
    pub(crate) fn take_in_map(&mut self) {
        if self.seen == self.grid.revision() {
            return;
        }
        self.seen = self.grid.revision();
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let at = self.agents.at[agent.index()];
            if !self.view_ground(agent).is_free(at) {
                self.displace(agent, at);
            }
            let (goal, target) = (self.agents.goal[agent.index()], self.agents.target[agent.index()]);
            let Some(goal) = goal else { continue };
            let (at, ground) = (self.agents.at[agent.index()], self.view_ground(agent));
            let kept = target.is_some_and(|target| ground.reachable(at, target))
                && (target == self.grid.cell(goal) || self.choose(agent, goal) == target);
            if !kept && (target.is_some() || ground.is_free(at)) {
                self.retarget(agent, goal);
            }
        }
    }

    /// The nearest free cell that nobody holds, whatever part of the map it is in.
    fn displace(&mut self, agent: AgentId, from: Cell) {
        let ground = self.view_ground(agent);
        let (here, size) = (ground.pos(from), self.grid.size());
        let distance = |cell: Cell| {
            let pos = size.pos(cell);
            (pos.x - here.x).pow(2) + (pos.y - here.y).pow(2)
        };
        let free = ground.free_cells().filter(|&cell| self.occupancy.is_free(cell));
        match free.min_by_key(|&cell| (distance(cell), cell)) {
            Some(to) => {
                self.relocate(agent, to);
                self.pending.push(Event::Displaced { agent, from, to });
            }
            None => self.pending.push(Event::Stuck { agent, reason: StuckReason::Walled, by: None }),
        }
    }
}
