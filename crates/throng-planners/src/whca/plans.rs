//! The plan of each agent, and the reservation table that makes it known to the others.

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, Occupant, StateError, Validate, View};
use throng_grid::Cell;
use throng_toolkit::{ReservationTable, SpaceTime};

/// The plans of all agents. Every coming cell of every plan is reserved.
#[derive(Clone, Debug, Default)]
pub(super) struct Plans {
    by_agent: Vec<AgentPlan>,
    pub(super) reservations: ReservationTable,
    /// By agent: true if the agent cannot leave its cell in this tick.
    pub(super) fixed: Vec<bool>,
    /// The time of the agents' present positions.
    now: u64,
}

/// Where an agent will be at consecutive times.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct AgentPlan {
    /// The time of the first cell.
    start: u64,
    cells: Vec<Cell>,
    /// True if the agent stays in the last cell for ever. Then `cells` is not empty.
    rests: bool,
}

/// The plans as they are saved between two ticks, without the cells of times that have passed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SavedPlans {
    now: u64,
    plans: Vec<AgentPlan>,
}

impl Validate for AgentPlan {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { start, cells, rests } = self;
        limits.coming_tick(*start, 1)?;
        limits.require(!rests || !cells.is_empty(), "an agent rests in no cell")?;
        cells.validate(limits)
    }
}

impl Validate for SavedPlans {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { now, plans } = self;
        limits.past_tick(*now)?;
        limits.per_agent(plans)
    }
}

impl Plans {
    /// Begins a tick. `now` is the time of the agents' present positions.
    pub(super) fn begin(&mut self, agents: &[AgentRow], id_limit: usize, now: u64) {
        self.now = now;
        if self.by_agent.len() < id_limit {
            self.by_agent.resize_with(id_limit, AgentPlan::default);
        }
        self.fixed.clear();
        self.fixed.resize(id_limit, false);
        for &agent in agents {
            if let Some(cell) = self.cell(agent, now) {
                self.reservations.release(cell, now, agent);
            }
        }
    }

    /// The space-time in which an agent plans. An agent without a target prefers its own cell.
    pub(super) fn space<'a>(&'a self, view: &View<'a>, agent: AgentRow, depth: u32) -> SpaceTime<'a> {
        let (at, target) = (view.at(agent), view.target(agent));
        SpaceTime {
            ground: view.ground(agent),
            occupancy: view.occupancy(),
            fixed: &self.fixed,
            reservations: &self.reservations,
            crossings: view.crossings(),
            agent,
            ticks_per_step: u32::from(view.speed(agent)),
            target: target.unwrap_or(at),
            target_is_blocked: target.is_some_and(|target| target != at && is_blocked_for_good(view, target)),
            now: self.now,
            depth,
        }
    }

    /// The cell in which an agent's plan has it at a time that has not passed.
    pub(super) fn cell(&self, agent: AgentRow, time: u64) -> Option<Cell> {
        let plan = self.by_agent.get(agent.index())?;
        let cell = plan.cells.get(time.checked_sub(plan.start)? as usize);
        cell.or(plan.cells.last().filter(|_| plan.rests)).copied()
    }

    /// The number of times after now for which an agent has a plan.
    pub(super) fn remaining(&self, agent: AgentRow) -> u64 {
        let plan = &self.by_agent[agent.index()];
        match plan.cells.len() as u64 {
            0 => 0,
            _ if plan.rests => u64::MAX,
            planned => (plan.start + planned - 1).saturating_sub(self.now),
        }
    }

    /// The cells of each agent's plan after now, in the order of the agents' numbers.
    pub(super) fn ahead(&self) -> impl Iterator<Item = impl Iterator<Item = Cell>> {
        let past = |plan: &AgentPlan| (self.now + 1).saturating_sub(plan.start) as usize;
        self.by_agent.iter().map(move |plan| plan.cells.iter().copied().skip(past(plan)))
    }

    /// Replaces an agent's plan. The first cell is the agent's position now; no other agent may have reserved the rest.
    pub(super) fn adopt(&mut self, agent: AgentRow, cells: impl IntoIterator<Item = Cell>, rests: bool) {
        self.cancel(agent);
        let plan = &mut self.by_agent[agent.index()];
        plan.cells.extend(cells);
        (plan.start, plan.rests) = (self.now, rests);
        self.reserve(agent);
    }

    /// Reserves the cells of an agent's plan after the first one, whose time is now or the next tick.
    fn reserve(&mut self, agent: AgentRow) {
        let AgentPlan { start, cells, rests } = &self.by_agent[agent.index()];
        for (time, &cell) in (*start..).zip(cells).skip(1) {
            self.reservations.reserve(cell, time, agent);
        }
        if let Some(&cell) = cells.last().filter(|_| *rests) {
            self.reservations.rest(cell, *start + cells.len() as u64, agent);
        }
    }

    /// Drops an agent's plan and its reservations.
    pub(super) fn cancel(&mut self, agent: AgentRow) {
        let Some(plan) = self.by_agent.get_mut(agent.index()) else { return };
        for (time, &cell) in (plan.start..).zip(&plan.cells) {
            self.reservations.release(cell, time, agent);
        }
        if let Some(&cell) = plan.cells.last().filter(|_| plan.rests) {
            self.reservations.end_rest(cell, agent);
        }
        plan.cells.clear();
        plan.rests = false;
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let cells: usize = self.by_agent.iter().map(|plan| plan.cells.capacity()).sum();
        let plans = cells * size_of::<Cell>() + self.by_agent.capacity() * size_of::<AgentPlan>();
        plans + self.fixed.capacity() + self.reservations.memory_bytes()
    }

    /// The plans without what has passed.
    pub(super) fn saved(&self) -> SavedPlans {
        let coming = |plan: &AgentPlan| {
            let past = ((self.now + 1).saturating_sub(plan.start) as usize).min(plan.cells.len());
            // An agent that rests keeps the last cell, however long ago it came there.
            let past = if plan.rests { past.min(plan.cells.len() - 1) } else { past };
            AgentPlan {
                start: plan.start + past as u64,
                cells: plan.cells[past..].to_vec(),
                rests: plan.rests,
            }
        };
        SavedPlans { now: self.now, plans: self.by_agent.iter().map(coming).collect() }
    }

    /// Restores saved plans and reserves their cells.
    pub(super) fn restored(saved: SavedPlans) -> Result<Self, StateError> {
        let mut plans = Self { now: saved.now, by_agent: saved.plans, ..Self::default() };
        for number in 0..plans.by_agent.len() {
            let AgentPlan { start, cells, .. } = &plans.by_agent[number];
            let is_free = |(time, &cell): (u64, &Cell)| plans.reservations.at(cell, time).is_none();
            if !(*start..).zip(cells).all(is_free) {
                return Err(StateError::invalid("two plans collide"));
            }
            plans.reserve(AgentRow(number as u32));
        }
        Ok(plans)
    }
}

/// Returns true if a cell is occupied by a unit that has no reason to leave it.
fn is_blocked_for_good(view: &View<'_>, cell: Cell) -> bool {
    match view.occupancy().at(cell) {
        Occupant::Nobody => false,
        Occupant::Foreign => true,
        Occupant::Agent(other) => {
            !view.is_controlled(other) || view.target(other).is_none() || view.is_at_target(other)
        }
    }
}
