//! Stuck agents: reports agents that wait for long, and agents that move for long without leaving a neighbourhood.

use throng_grid::Cell;

use crate::goals::arrival::StuckWatch;
use crate::{AgentRow, Event, Occupant, StuckReason, Unit, World};

/// An agent wanders if it stays within this Chebyshev distance of a cell, in cells, for [`WANDERING_FACTOR`] times the
/// ticks after which a standing agent is stuck. A smaller radius misses agents that circle a crowd; a smaller factor
/// reports agents that only wait their turn in one.
const WANDERING_RADIUS: u32 = 8;
/// See [`WANDERING_RADIUS`].
const WANDERING_FACTOR: u64 = 8;

impl World {
    /// Emits the events of overruled and waiting agents, and reports agents that have stood still for long.
    pub(super) fn observe_waits(&mut self, events: &mut Vec<Event>) {
        for &(agent, wanted, rule) in self.referee.overruled() {
            let wanted = self.is_on_map(wanted).then(|| self.pos(wanted));
            events.push(Event::Overruled { agent: self.agents.id(agent), wanted, rule });
        }
        self.totals.overruled += self.referee.overruled().len() as u64;
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            if self.referee.next(agent) != self.agents.at[agent.index()] {
                continue;
            }
            let wanted = self.moves.proposal(agent).wanted.filter(|&(cell, _)| self.is_on_map(cell));
            self.agents.arrival[agent.index()].stuck.wanted = wanted.map(|(cell, _)| cell);
            if let Some((wanted, by)) = wanted {
                let by = self.unit_in_the_way(wanted, by);
                self.totals.failed_moves += 1;
                self.agents.arrival[agent.index()].stuck.blocker = by;
                let wanted = self.pos(wanted);
                events.push(Event::Waited { agent: self.agents.id(agent), wanted, by });
            }
            self.observe_standing(agent, wanted, events);
        }
    }

    fn observe_standing(
        &mut self,
        agent: AgentRow,
        wanted: Option<(Cell, Option<AgentRow>)>,
        events: &mut Vec<Event>,
    ) {
        let i = agent.index();
        let under_way = self.is_under_way(agent);
        let stuck = &mut self.agents.arrival[i].stuck;
        if !under_way {
            stuck.still_ticks = 0;
            return;
        }
        // A slow agent pauses between its steps; those ticks do not count.
        if self.agents.ready[i] > self.tick {
            return;
        }
        stuck.still_ticks = stuck.still_ticks.saturating_add(1);
        if stuck.still_ticks == self.settings.stuck_after {
            let by = wanted.and_then(|(cell, by)| self.unit_in_the_way(cell, by));
            let reason = self.reason_to_stand(wanted.map(|(cell, _)| cell), by);
            events.push(Event::Stuck { agent: self.agents.id(agent), reason, by });
        }
    }

    /// Returns why an agent stands still, given the cell that it wants and the unit for which it waits.
    pub(super) fn reason_to_stand(&self, wanted: Option<Cell>, by: Option<Unit>) -> StuckReason {
        let row = by.and_then(Unit::agent).and_then(|other| self.agents.row(other).ok());
        match (wanted, row) {
            (None, _) => StuckReason::NoPathYet,
            (Some(_), None) => StuckReason::BehindForeign,
            (Some(_), Some(other)) if !self.agents.controlled[other.index()] => StuckReason::BehindForeign,
            (Some(_), Some(other)) if self.is_in_place(other) => StuckReason::BehindArrived,
            (Some(_), Some(_)) => StuckReason::Crowded,
        }
    }

    /// Returns true if an agent that is under way has stood still for so long that it was reported stuck.
    pub(super) fn stands_for_long(&self, agent: AgentRow) -> bool {
        let limit = self.settings.stuck_after;
        limit > 0 && self.agents.arrival[agent.index()].stuck.still_ticks >= limit
    }

    /// Returns true if an agent that is under way has moved within one neighbourhood for so long that it was reported stuck.
    pub(super) fn wanders(&self, agent: AgentRow) -> bool {
        let limit = u64::from(self.settings.stuck_after) * WANDERING_FACTOR;
        limit > 0 && u64::from(self.agents.arrival[agent.index()].stuck.anchor_ticks) >= limit
    }

    /// Returns the unit for which an agent waits: the agent that the planner names, or the foreign unit in the wanted
    /// cell.
    fn unit_in_the_way(&self, wanted: Cell, by: Option<AgentRow>) -> Option<Unit> {
        match by {
            Some(agent) => Some(Unit::Agent(self.agents.id(agent))),
            None if self.occupancy.at(wanted) == Occupant::Foreign => self.unit_at(wanted),
            None => None,
        }
    }

    /// Reports agents that have moved within one neighbourhood for long.
    pub(super) fn observe_wandering(&mut self, events: &mut Vec<Event>) {
        let (size, stuck_after) = (self.grid.size(), self.settings.stuck_after);
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let i = agent.index();
            let (at, under_way) = (self.agents.at[i], self.is_under_way(agent));
            let stuck = &mut self.agents.arrival[i].stuck;
            if !under_way {
                *stuck = StuckWatch { still_ticks: stuck.still_ticks, ..StuckWatch::default() };
                continue;
            }
            let is_far = |from: Cell| {
                let (a, b) = (size.pos(from), size.pos(at));
                a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) > WANDERING_RADIUS
            };
            if stuck.anchor.is_none_or(is_far) {
                (stuck.anchor, stuck.anchor_ticks) = (Some(at), 0);
                continue;
            }
            // Only ticks count in which the agent may step, so that slow agents are granted as many steps.
            if self.agents.ready[i] > self.tick + 1 {
                continue;
            }
            stuck.anchor_ticks = stuck.anchor_ticks.saturating_add(1);
            // An agent that stands still has been reported already.
            if u64::from(stuck.anchor_ticks) == u64::from(stuck_after) * WANDERING_FACTOR
                && stuck.still_ticks < stuck_after
            {
                let by = stuck.blocker.filter(|&unit| self.is_present(unit));
                let agent = self.agents.id(agent);
                events.push(Event::Stuck { agent, reason: StuckReason::Wandering, by });
            }
        }
    }

    fn is_on_map(&self, cell: Cell) -> bool {
        cell.index() < self.grid.size().area()
    }

    /// Returns true if a unit has not been removed.
    pub(super) fn is_present(&self, unit: Unit) -> bool {
        match unit {
            Unit::Agent(agent) => self.agents.row(agent).is_ok(),
            Unit::Foreign(unit) => self.foreign_position(unit).is_ok(),
        }
    }

    /// Returns true if the planner moves an agent and the agent is not at its target.
    pub(super) fn is_under_way(&self, agent: AgentRow) -> bool {
        let i = agent.index();
        self.agents.controlled[i] && self.agents.target[i].is_some_and(|target| target != self.agents.at[i])
    }
}
