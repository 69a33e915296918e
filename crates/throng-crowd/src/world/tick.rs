//! One tick: handle map edits, plan, let the referee judge, commit the moves, update goal assignment, emit events.

use crate::goals::reviews::review_units;
use crate::record::GrantedBudget;
use crate::{Event, Occupant, World};

/// What the planner did in one tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TickReport {
    /// Node expansions.
    pub expansions: u64,
    /// The expansions among them of backward searches, which compute distances to targets.
    pub backwards: u64,
    /// Units of work: the expansions at the planner's price, and the work of the world that counts in the budget.
    pub units: u64,
    /// Rounds of work granted. A tick under [`Budget::Until`](crate::Budget::Until) is repeated by the same number of
    /// [`Budget::Rounds`](crate::Budget::Rounds), any other tick by the same budget. Recordings keep that as
    /// [`TickRecord::granted`](crate::TickRecord::granted).
    pub rounds: u32,
}

impl World {
    /// Handles what happened since the last tick and determines which agents may step. Returns the units of work that
    /// count in the budget.
    pub(crate) fn begin_tick(&mut self, granted: Option<GrantedBudget>, events: &mut Vec<Event>) -> u64 {
        self.assert_not_poisoned();
        self.is_in_tick = true;
        self.tick += 1;
        let charged = self.handle_map_edits(review_units(granted), events);
        self.review_known_targets();
        self.carry_out_orders(events);
        self.report_pending(events);

        let mut movers = std::mem::take(&mut self.movers);
        movers.clear();
        movers.extend(self.agents.living.iter().filter(|&&agent| self.view().may_step(agent)));
        self.movers = movers;
        self.moves.clear(self.agents.at.len());
        charged
    }

    /// Has the proposed moves judged and carried out, and emits the events of the tick.
    pub(crate) fn end_tick(&mut self, granted: GrantedBudget, report: TickReport, events: &mut Vec<Event>) {
        let first_event = events.len();
        events.extend((0..self.moves.notices.len()).map(|number| Event::Notice { number }));
        let mut referee = std::mem::take(&mut self.referee);
        referee.judge(&self.true_view(), &self.moves);
        self.referee = referee;
        self.record_moves();
        self.observe_discoveries(events);
        self.observe_waits(events);
        self.commit_moves(events);
        self.look_after_moves(&events[first_event..]);
        self.update_assignment();
        self.observe_wandering(events);
        self.observe_arrivals(events);
        self.observe_groups(events);
        self.totals.expansions += report.expansions;
        self.record_tick(granted, report.rounds, &events[first_event..]);
        self.is_in_tick = false;
    }

    /// Reports the walls that agents have discovered on their paths.
    fn observe_discoveries(&self, events: &mut Vec<Event>) {
        let discovered =
            |&(agent, cell)| Event::Discovered { agent: self.agents.id(agent), at: self.pos(cell) };
        events.extend(self.moves.discoveries.iter().map(discovered));
    }

    /// Moves the agents as the referee decided.
    fn commit_moves(&mut self, events: &mut Vec<Event>) {
        // All agents leave before any enters, so that agents may follow each other and rotate in a cycle.
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let at = self.agents.at[agent.index()];
            if self.referee.next(agent) != at {
                self.occupancy.set(at, Occupant::Nobody);
            }
            self.release_tail(agent);
        }
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let (from, to) = (self.agents.at[agent.index()], self.referee.next(agent));
            if from == to {
                continue;
            }
            let ticks = self.start_step(agent, to);
            let stuck = &mut self.agents.arrival[agent.index()].stuck;
            (stuck.still_ticks, stuck.wanted) = (0, None);
            let id = self.agents.id(agent);
            events.push(Event::Moved { agent: id, from: self.pos(from), to: self.pos(to), ticks });
            if let Some(by) = self.moves.proposal(agent).pushed_by {
                events.push(Event::Pushed { agent: id, by: self.agents.id(by) });
            }
        }
    }
}
