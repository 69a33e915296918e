//! The moves of FAR: an agent makes its reserved moves, or reserves the next ones, or waits.

use throng_crowd::{AgentRow, Moves, Occupant, StateError, View};
use throng_grid::Cell;
use throng_toolkit::in_turn;

use super::Far;
use super::agent_state::{Blocker, step};

impl Far {
    /// Updates the table after changes between the ticks: new and teleported agents, and reserved moves that are no longer
    /// possible.
    pub(super) fn update(&mut self, view: &View<'_>) {
        self.tick = view.tick();
        self.states.resize_with(view.id_limit(), Default::default);
        for &agent in view.agents() {
            if self.states[agent.index()].tail.is_some() && view.tail(agent).is_none() {
                self.let_go_of_tail(agent);
            }
            let state = &self.states[agent.index()];
            if !state.placed || state.at != view.at(agent) {
                self.stop(view, agent);
            }
        }
        for &agent in view.agents() {
            if self.states[agent.index()].reserved > 0 && !self.can_move(view, agent) {
                self.stop(view, agent);
            }
        }
    }

    /// Returns true if an agent can make the next of its reserved moves.
    fn can_move(&self, view: &View<'_>, agent: AgentRow) -> bool {
        let state = &self.states[agent.index()];
        let to = step(state.at, state.path[0], &self.offsets);
        view.may_step(agent)
            && view.ground(agent).legal_step(state.at, to).is_some()
            && view.occupancy().at(to) != Occupant::Foreign
            && view.crosses_step(state.at, to).is_none()
            && view.step_ticks(agent, to) == 1
    }

    /// Frees the cell that an agent has left, because its step is in its last tick or was ended.
    fn let_go_of_tail(&mut self, agent: AgentRow) {
        if let Some(tail) = self.states[agent.index()].tail.take() {
            self.table.let_go(tail, agent);
        }
    }

    /// Removes an agent's reservations and makes it hold its cell, and the one that it is leaving. Agents that had reserved these
    /// cells are stopped, too.
    fn stop(&mut self, view: &View<'_>, agent: AgentRow) {
        self.stopping.push(agent);
        while let Some(agent) = self.stopping.pop() {
            self.give_back(agent);
            let at = view.at(agent);
            let state = &mut self.states[agent.index()];
            if !state.placed || state.at != at {
                state.forget_path();
                (state.placed, state.at, state.rest) = (true, at, 0);
            }
            state.tail = view.tail(agent);
            for cell in [Some(at), state.tail].into_iter().flatten() {
                while let Some(other) = self.table.hold_conflict(agent, cell, self.tick) {
                    self.give_back(other);
                    self.stopping.push(other);
                }
                self.table.hold(cell, self.tick, agent);
            }
        }
    }

    /// Removes an agent's reservations from the table.
    pub(super) fn give_back(&mut self, agent: AgentRow) {
        self.let_go_of_tail(agent);
        let state = &mut self.states[agent.index()];
        if !state.placed {
            return;
        }
        let mut last = state.at;
        for (tick, cell) in (self.tick..).zip(state.ahead(self.offsets).take(state.reserved)) {
            self.table.give_back(cell, tick, agent);
            last = cell;
        }
        self.table.let_go(last, agent);
        state.reserved = 0;
    }

    /// Enters every agent's reservations into an empty table.
    ///
    /// # Errors
    /// When two agents have reserved the same cell for the same time.
    pub(super) fn reserve_all(&mut self) -> Result<(), StateError> {
        let conflict = || StateError::invalid("two agents have reserved the same cell");
        self.table.clear();
        for (number, state) in (0..).zip(&self.states).filter(|(_, state)| state.placed) {
            let (agent, mut at) = (AgentRow(number), state.at);
            for (tick, to) in (self.tick..).zip(state.ahead(self.offsets).take(state.reserved)) {
                if self.table.move_conflict(agent, at, to, tick).is_some() {
                    return Err(conflict());
                }
                self.table.take(to, tick, agent);
                at = to;
            }
            let last = self.tick + state.reserved.saturating_sub(1) as u64;
            if self.table.hold_conflict(agent, at, last).is_some() {
                return Err(conflict());
            }
            self.table.hold(at, last, agent);
            if let Some(tail) = state.tail {
                if self.table.hold_conflict(agent, tail, self.tick).is_some() {
                    return Err(conflict());
                }
                self.table.hold(tail, self.tick, agent);
            }
        }
        Ok(())
    }

    /// Moves every agent that can move. The agent that reserves first changes with each tick;
    /// agents of a higher priority reserve before all others.
    pub(super) fn walk(&mut self, view: &View<'_>, moves: &mut Moves) {
        let movers = view.movers();
        for &agent in movers {
            if self.states[agent.index()].reserved > 0 {
                self.go(agent, moves);
            }
        }
        in_turn(view, movers, self.tick as usize, |agent| {
            let state = &mut self.states[agent.index()];
            let has_path = view.target(agent).is_some() && state.to == view.target(agent);
            if moves.to(agent).is_some() || state.rest > self.tick {
                return;
            }
            if has_path && !state.path.is_empty() {
                self.reserve(view, agent, moves);
            } else {
                (state.blocker, state.waited) = (Blocker::Nothing, 0);
                if view.is_at_target(agent) {
                    state.yielded = 0;
                }
            }
        });
    }

    /// Makes the next reserved move of an agent.
    fn go(&mut self, agent: AgentRow, moves: &mut Moves) {
        let state = &mut self.states[agent.index()];
        state.at = step(state.at, state.path[0], &self.offsets);
        state.path.pop_front();
        state.reserved -= 1;
        (state.waited, state.blocker) = (0, Blocker::Nothing);
        moves.go(agent, state.at);
    }

    /// Reserves the next moves of an agent, all or none, and makes the first.
    fn reserve(&mut self, view: &View<'_>, agent: AgentRow, moves: &mut Moves) {
        let state = &self.states[agent.index()];
        // A slow agent would block the cells for long, so it reserves only the next one.
        let depth = if view.steps_every_tick(agent) { self.depth } else { 1 };
        let count = state.path.len().min(depth);
        let mut from = state.at;
        for (i, &number) in state.path.iter().take(count).enumerate() {
            if view.ground(agent).moves(from) & 1 << number == 0 {
                // The map has changed. The agent searches for another path from the next tick on.
                return self.states[agent.index()].forget_path();
            }
            let to = step(from, number, &self.offsets);
            let blocker = self.blocker(view, agent, (from, to), self.tick + i as u64, i + 1 == count);
            if blocker != Blocker::Nothing {
                return self.wait(agent, to, blocker, moves);
            }
            from = to;
        }
        let state = &mut self.states[agent.index()];
        if count == 1 && view.step_ticks(agent, from) > 1 {
            state.tail = Some(state.at);
        } else {
            self.table.let_go(state.at, agent);
        }
        let state = &self.states[agent.index()];
        for (tick, cell) in (self.tick..).zip(state.ahead(self.offsets).take(count)) {
            self.table.take(cell, tick, agent);
        }
        self.table.hold(from, self.tick + count as u64 - 1, agent);
        self.states[agent.index()].reserved = count;
        self.go(agent, moves);
    }

    /// Returns what conflicts with a move of an agent. After its last reserved move it must be able to stay.
    fn blocker(
        &self,
        view: &View<'_>,
        agent: AgentRow,
        (from, to): (Cell, Cell),
        tick: u64,
        last: bool,
    ) -> Blocker {
        if view.occupancy().at(to) == Occupant::Foreign {
            return Blocker::Foreign;
        }
        let found = self.table.move_conflict(agent, from, to, tick);
        let found = found.or_else(|| self.crossing(view, (from, to), tick));
        let found = found.or_else(|| view.crosses_step(from, to));
        let found = found.or_else(|| last.then(|| self.table.hold_conflict(agent, to, tick)).flatten());
        found.map_or(Blocker::Nothing, Blocker::Agent)
    }

    /// Returns the agent whose reserved move crosses a move in a tick, where that is forbidden.
    pub(super) fn crossing(&self, view: &View<'_>, (from, to): (Cell, Cell), tick: u64) -> Option<AgentRow> {
        let [side, opposite] = view.guarded(from, to)?;
        // The table does not have the present positions.
        let is_before = |other: AgentRow, cell: Cell| {
            if tick == self.tick {
                view.at(other) == cell
            } else {
                self.table.at(cell, tick - 1) == Some(other)
            }
        };
        let goes = |from, to| self.table.at(to, tick).filter(|&other| is_before(other, from));
        goes(side, opposite).or_else(|| goes(opposite, side))
    }

    fn wait(&mut self, agent: AgentRow, wanted: Cell, blocker: Blocker, moves: &mut Moves) {
        let state = &mut self.states[agent.index()];
        state.waited = state.waited.saturating_add(1);
        state.blocker = blocker;
        let by = if let Blocker::Agent(other) = blocker { Some(other) } else { None };
        moves.wait(agent, wanted, by);
    }
}
