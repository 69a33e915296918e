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
    /// The number of ticks per step; 0 without a plan. The agent holds the cell that it leaves until the last of them.
    ticks_per_step: u32,
    /// The cell that the agent still holds at the beginning, and the last time at which it does.
    tail: Option<(Cell, u64)>,
}

impl AgentPlan {
    /// Returns the cell that the agent holds at a time besides that of the plan.
    fn tail_at(&self, time: u64) -> Option<Cell> {
        if let Some((cell, until)) = self.tail
            && time <= until
        {
            return Some(cell);
        }
        let index = time.checked_sub(self.start)? as usize;
        let steps = (1..self.ticks_per_step as usize).map_while(|back| index.checked_sub(back));
        let is_step = |&k: &usize| self.cells.get(k + 1).is_some_and(|next| *next != self.cells[k]);
        steps.filter(|&k| k + 1 < self.cells.len()).find(is_step).map(|k| self.cells[k])
    }

    /// Lets the last step end within the plan.
    fn end_last_step(&mut self) {
        let last = self.cells.windows(2).rposition(|pair| pair[0] != pair[1]);
        if let (Some(last), Some(&end)) = (last, self.cells.last()) {
            let length = (last + 1 + self.ticks_per_step as usize).max(self.cells.len());
            self.cells.resize(length, end);
        }
    }

    /// Returns the cells that the agent holds besides those of the plan, and the times after the start at which it does.
    fn tails(&self) -> impl Iterator<Item = (Cell, u64)> {
        let has_any = self.ticks_per_step > 1 || self.tail.is_some();
        let count = if has_any { (self.cells.len() as u64).max(self.tail_ticks() + 1) } else { 0 };
        let later = (self.start + 1..self.start + count.max(1)).zip(self.held_from(1));
        later.filter_map(move |(time, cell)| Some((cell?, time)))
    }

    /// The number of ticks after the start in which the agent holds the cell of `tail`.
    fn tail_ticks(&self) -> u64 {
        self.tail.map_or(0, |(_, until)| until.saturating_sub(self.start))
    }

    /// Returns the cell that the agent holds besides that of the plan at each time from `first` ticks after the start on,
    /// without an end. Each takes constant time, while [`AgentPlan::tail_at`] looks back over a whole step.
    fn held_from(&self, first: usize) -> impl Iterator<Item = Option<Cell>> {
        let is_step = |k: usize| k + 1 < self.cells.len() && self.cells[k] != self.cells[k + 1];
        let duration = self.ticks_per_step as usize;
        // The last step before the first time; one that is over by then has no effect.
        let earliest = first.saturating_sub(duration);
        let mut last = (earliest..first.saturating_sub(1)).rev().find(|&k| is_step(k));
        (first..).map(move |index| {
            if index > 0 && is_step(index - 1) {
                last = Some(index - 1);
            }
            match self.tail {
                Some((cell, until)) if self.start + index as u64 <= until => Some(cell),
                _ => last.filter(|&k| index - k < duration).map(|k| self.cells[k]),
            }
        })
    }
}

/// The plans as they are saved between two ticks, without the cells of times that have passed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SavedPlans {
    now: u64,
    plans: Vec<AgentPlan>,
}

impl Validate for AgentPlan {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { start, cells, rests, ticks_per_step, tail } = self;
        limits.at_most(*ticks_per_step, u16::MAX.into(), "the ticks of a step")?;
        // Otherwise a short plan could hold a cell for as many ticks as the world has had.
        limits.at_most(
            self.tail_ticks(),
            u16::MAX.into(),
            "the ticks in which an agent still holds a cell",
        )?;
        tail.map(|(cell, _)| cell).validate(limits)?;
        limits.coming_tick(tail.map_or(0, |(_, until)| until), u16::MAX.into())?;
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
            if let Some(cell) = self.by_agent[agent.index()].tail_at(now) {
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
            ticks_per_step: view.ticks_per_step(agent),
            view: Some(*view),
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

    /// The ticks that a step of an agent's plan lasts; 0 without a plan.
    pub(super) fn ticks_per_step(&self, agent: AgentRow) -> u32 {
        self.by_agent[agent.index()].ticks_per_step
    }

    /// The cells of an agent's plan after now.
    pub(super) fn ahead_of(&self, agent: AgentRow) -> impl Iterator<Item = Cell> {
        self.by_agent.get(agent.index()).into_iter().flat_map(|plan| {
            let past = (self.now + 1).saturating_sub(plan.start) as usize;
            plan.cells.iter().copied().skip(past)
        })
    }

    /// The cells of each agent's plan after now, in the order of the agents' numbers.
    pub(super) fn ahead(&self) -> impl Iterator<Item = impl Iterator<Item = Cell>> {
        let past = |plan: &AgentPlan| (self.now + 1).saturating_sub(plan.start) as usize;
        self.by_agent.iter().map(move |plan| plan.cells.iter().copied().skip(past(plan)))
    }

    /// Replaces an agent's plan. The first cell is the agent's position now; no other agent may have reserved the rest.
    pub(super) fn adopt(
        &mut self,
        agent: AgentRow,
        cells: impl IntoIterator<Item = Cell>,
        rests: bool,
        ticks_per_step: u32,
    ) {
        self.cancel(agent);
        let plan = &mut self.by_agent[agent.index()];
        plan.cells.extend(cells);
        (plan.start, plan.rests, plan.ticks_per_step) = (self.now, rests, ticks_per_step);
        plan.end_last_step();
        self.reserve(agent);
    }

    /// Replaces the plan of an agent in the middle of a step by one to finish it, at the cost of other plans. An agent that does
    /// not make a step has no plan afterwards.
    pub(super) fn finish_step(&mut self, view: &View<'_>, agent: AgentRow) {
        self.cancel(agent);
        let left = view.ready(agent) - view.tick();
        if left == 0 {
            return;
        }
        let at = view.at(agent);
        let plan = &mut self.by_agent[agent.index()];
        plan.cells.extend(std::iter::repeat_n(at, left as usize + 1));
        (plan.start, plan.ticks_per_step) = (self.now, 1);
        plan.tail = view.tail(agent).map(|tail| (tail, view.ready(agent) - 2));
        for time in self.now + 1..self.now + 1 + left {
            let tail = self.by_agent[agent.index()].tail_at(time);
            for cell in [Some(at), tail].into_iter().flatten() {
                if let Some(other) = self.reservations.at(cell, time).filter(|&other| other != agent) {
                    self.cancel(other);
                }
            }
        }
        self.reserve(agent);
    }

    /// Reserves the cells of an agent's plan after the first one, whose time is now or the next tick.
    fn reserve(&mut self, agent: AgentRow) {
        let plan = &self.by_agent[agent.index()];
        let AgentPlan { start, cells, rests, .. } = plan;
        for (time, &cell) in (*start..).zip(cells).skip(1) {
            self.reservations.reserve(cell, time, agent);
        }
        if let Some(&cell) = cells.last().filter(|_| *rests) {
            self.reservations.rest(cell, *start + cells.len() as u64, agent);
        }
        for (cell, time) in plan.tails() {
            self.reservations.reserve(cell, time, agent);
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
        for (cell, time) in plan.tails() {
            self.reservations.release(cell, time, agent);
        }
        plan.cells.clear();
        (plan.rests, plan.ticks_per_step, plan.tail) = (false, 0, None);
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
            let start = plan.start + past as u64;
            let cell = plan.tail_at(start);
            let times =
                (start..=start + u64::from(u16::MAX)).zip(plan.held_from((start - plan.start) as usize));
            let last =
                times.take_while(|&(_, held)| cell.is_some() && held == cell).last().map(|(time, _)| time);
            AgentPlan {
                start,
                cells: plan.cells[past..].to_vec(),
                rests: plan.rests,
                ticks_per_step: plan.ticks_per_step,
                tail: cell.zip(last),
            }
        };
        SavedPlans { now: self.now, plans: self.by_agent.iter().map(coming).collect() }
    }

    /// Restores saved plans and reserves their cells.
    pub(super) fn restored(saved: SavedPlans) -> Result<Self, StateError> {
        let mut plans = Self { now: saved.now, by_agent: saved.plans, ..Self::default() };
        for number in 0..plans.by_agent.len() {
            let plan = &plans.by_agent[number];
            let is_free = |(time, cell): (u64, Cell)| plans.reservations.at(cell, time).is_none();
            let cells = (plan.start..).zip(plan.cells.iter().copied());
            if !cells.chain(plan.tails().map(|(cell, time)| (time, cell))).all(is_free) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_pcg::Pcg32;
    use throng_grid::Size;

    fn limits(tick: u64) -> Limits {
        Limits { size: Size::new(8, 8).unwrap(), agents: 4, tick, profiles: 1 }
    }

    /// A plan that begins long before the present and holds a cell until now would be reserved for every tick between.
    #[test]
    fn a_plan_that_began_long_ago_holds_no_cell_until_now() {
        for age in [1 << 17, 1 << 26, 1 << 31, 1 << 59] {
            let plan = AgentPlan { start: 0, tail: Some((Cell(3), age)), ..AgentPlan::default() };
            plan.validate(&limits(age)).unwrap_err();
            let recent = AgentPlan { start: age - 10, ..plan };
            recent.validate(&limits(age)).unwrap();
            let saved = SavedPlans { now: age, plans: vec![recent] };
            assert_eq!(Plans::restored(saved).unwrap().by_agent[0].tails().count(), 10);
        }
    }

    /// Against the definition, which looks back over a whole step for each time.
    #[test]
    fn cells_that_are_held_are_those_of_the_definition() {
        let mut random = Pcg32::seed_from_u64(1);
        for _ in 0..2_000 {
            let mut below = |n: u32| random.next_u32() % n;
            let mut plan = AgentPlan { start: 100, ticks_per_step: below(6), ..AgentPlan::default() };
            for _ in 0..below(20) {
                let stays = below(4) > 0;
                let last = plan.cells.last().copied();
                plan.cells.push(last.filter(|_| stays).unwrap_or(Cell(below(9))));
            }
            if below(3) == 0 {
                plan.tail = Some((Cell(20), 98 + u64::from(below(9))));
            }
            for first in 0..25 {
                let held: Vec<_> = plan.held_from(first).take(25).collect();
                let defined: Vec<_> = (0..25).map(|more| plan.tail_at(100 + (first + more) as u64)).collect();
                assert_eq!(held, defined, "{plan:?} from {first}");
            }
        }
    }
}
