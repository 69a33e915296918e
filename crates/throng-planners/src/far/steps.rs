//! Walking: an agent goes on with what it has reserved, or reserves its next moves, or waits.

use throng_crowd::{AgentId, Moves, Occupant, StateError, View};
use throng_grid::Cell;

use super::Far;
use super::agent_state::{Blocker, step};

impl Far {
    /// Brings the table up to date with what happened between the ticks: agents that are new or were set down
    /// elsewhere, and reserved moves that cannot be made any more.
    pub(super) fn take_in(&mut self, view: &View<'_>) {
        self.tick = view.tick();
        self.states.resize_with(view.id_limit(), Default::default);
        for &agent in view.agents() {
            let state = &self.states[agent.index()];
            if !state.placed || state.at != view.at(agent) {
                self.stop(view, agent);
            }
        }
        for &agent in view.agents() {
            if self.states[agent.index()].reserved > 0 && !self.can_go_on(view, agent) {
                self.stop(view, agent);
            }
        }
    }

    /// Whether an agent can make the next of its reserved moves.
    fn can_go_on(&self, view: &View<'_>, agent: AgentId) -> bool {
        let state = &self.states[agent.index()];
        let to = step(state.at, state.left()[0], &self.offsets);
        view.may_step(agent)
            && view.ground(agent).legal_step(state.at, to).is_some()
            && view.occupancy().at(to) != Occupant::Foreign
    }

    /// An agent gives back everything and stays where it is. Whoever counted on that cell stops too.
    fn stop(&mut self, view: &View<'_>, agent: AgentId) {
        self.stopping.push(agent);
        while let Some(agent) = self.stopping.pop() {
            self.give_back(agent);
            let at = view.at(agent);
            let state = &mut self.states[agent.index()];
            if !state.placed || state.at != at {
                state.forget_path();
                (state.placed, state.at, state.rest) = (true, at, 0);
            }
            while let Some(other) = self.table.in_the_way_of_holding(agent, at, self.tick) {
                self.give_back(other);
                self.stopping.push(other);
            }
            self.table.hold(at, self.tick, agent);
        }
    }

    /// Takes an agent's reservations out of the table.
    pub(super) fn give_back(&mut self, agent: AgentId) {
        let state = &mut self.states[agent.index()];
        if !state.placed {
            return;
        }
        let mut at = state.at;
        for (tick, &number) in (self.tick..).zip(&state.left()[..state.reserved]) {
            at = step(at, number, &self.offsets);
            self.table.give_back(at, tick, agent);
        }
        self.table.let_go(at, agent);
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
            let (agent, mut at) = (AgentId(number), state.at);
            for (tick, &number) in (self.tick..).zip(&state.left()[..state.reserved]) {
                let to = step(at, number, &self.offsets);
                if self.table.in_the_way(agent, at, to, tick).is_some() {
                    return Err(conflict());
                }
                self.table.take(to, tick, agent);
                at = to;
            }
            let last = self.tick + state.reserved.saturating_sub(1) as u64;
            if self.table.in_the_way_of_holding(agent, at, last).is_some() {
                return Err(conflict());
            }
            self.table.hold(at, last, agent);
        }
        Ok(())
    }

    /// Everyone who can goes. Who reserves first changes with each tick.
    pub(super) fn walk(&mut self, view: &View<'_>, moves: &mut Moves) {
        let movers = view.movers();
        for &agent in movers {
            if self.states[agent.index()].reserved > 0 {
                self.go(agent, moves);
            }
        }
        for i in 0..movers.len() {
            let agent = movers[(i + self.tick as usize) % movers.len()];
            let state = &mut self.states[agent.index()];
            let on_its_way = view.target(agent).is_some() && state.to == view.target(agent);
            if moves.to(agent).is_some() || state.rest > self.tick {
                continue;
            }
            if on_its_way && !state.left().is_empty() {
                self.reserve(view, agent, moves);
            } else {
                (state.blocker, state.waited) = (Blocker::Nothing, 0);
                if view.is_at_target(agent) {
                    state.yielded = 0;
                }
            }
        }
    }

    /// An agent makes the next of its reserved moves.
    fn go(&mut self, agent: AgentId, moves: &mut Moves) {
        let state = &mut self.states[agent.index()];
        state.at = step(state.at, state.path.pop(), &self.offsets);
        state.reserved -= 1;
        (state.waited, state.blocker) = (0, Blocker::Nothing);
        moves.go(agent, state.at);
    }

    /// An agent reserves its next moves, all or none of them, and makes the first.
    fn reserve(&mut self, view: &View<'_>, agent: AgentId, moves: &mut Moves) {
        let state = &self.states[agent.index()];
        // A slow agent would keep cells from others for long, and holds only the next one.
        let depth = if view.speed(agent) > 1 { 1 } else { self.depth };
        let count = state.left().len().min(depth);
        let mut from = state.at;
        for i in 0..count {
            let number = state.left()[i];
            if view.ground(agent).moves(from) & 1 << number == 0 {
                // The map has changed: another path, from the next tick on.
                return self.states[agent.index()].forget_path();
            }
            let to = step(from, number, &self.offsets);
            let blocker = self.blocker(view, agent, (from, to), self.tick + i as u64, i + 1 == count);
            if blocker != Blocker::Nothing {
                return self.wait(agent, to, blocker, moves);
            }
            from = to;
        }
        self.table.let_go(state.at, agent);
        let mut at = state.at;
        for (tick, &number) in (self.tick..).zip(&state.left()[..count]) {
            at = step(at, number, &self.offsets);
            self.table.take(at, tick, agent);
        }
        self.table.hold(at, self.tick + count as u64 - 1, agent);
        self.states[agent.index()].reserved = count;
        self.go(agent, moves);
    }

    /// Who keeps an agent from a move; after the last one that it reserves it must be able to stay.
    fn blocker(
        &self,
        view: &View<'_>,
        agent: AgentId,
        (from, to): (Cell, Cell),
        tick: u64,
        last: bool,
    ) -> Blocker {
        if view.occupancy().at(to) == Occupant::Foreign {
            return Blocker::Foreign;
        }
        let found = self.table.in_the_way(agent, from, to, tick);
        let found =
            found.or_else(|| last.then(|| self.table.in_the_way_of_holding(agent, to, tick)).flatten());
        found.map_or(Blocker::Nothing, Blocker::Agent)
    }

    fn wait(&mut self, agent: AgentId, wanted: Cell, blocker: Blocker, moves: &mut Moves) {
        let state = &mut self.states[agent.index()];
        state.waited = state.waited.saturating_add(1);
        state.blocker = blocker;
        let by = match blocker {
            Blocker::Agent(other) => Some(other),
            Blocker::Foreign | Blocker::Nothing => None,
        };
        moves.wait(agent, wanted, by);
    }
}
