//! One tick: intake, plan, referee, commit, observe.

use throng_grid::Cell;

use crate::record::GrantedBudget;
use crate::work::{Budget, Work};
use crate::world::agents::Roaming;
use crate::{AgentId, Event, Occupant, StuckReason, World};

/// An agent that stays within so many cells of a place is not getting on,
const WANDERING_CELLS: u32 = 8;
/// once it has done so for so many times the ticks that it may stand still.
const WANDERING_TIMES: u64 = 8;

/// What a tick did, for whoever counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TickReport {
    /// Expansions of the planner.
    pub expansions: u64,
    /// Those among them that searched backwards from targets, to make distances known.
    pub backwards: u64,
    /// Rounds of work granted to it. A tick by [`Budget::Until`] is repeated with as many [`Budget::Rounds`]; any other
    /// with the same budget. Recordings keep what that was: [`TickRecord::granted`](crate::TickRecord::granted).
    pub rounds: u32,
}

impl World {
    /// Moves everyone by at most one step and appends what happened to `events`.
    ///
    /// Whatever the budget, the moves are legal and nobody collides; with less of it agents find their way later.
    pub fn tick(&mut self, budget: Budget<'_>, events: &mut Vec<Event>) -> TickReport {
        self.intake(events);
        let granted = GrantedBudget::of(&budget);
        let mut work = Work::new(budget);
        let mut moves = std::mem::take(&mut self.moves);
        let mut planner = std::mem::replace(&mut self.planner, Box::new(crate::Stationary));
        planner.plan(&self.view(), &mut work, &mut moves);
        self.planner = planner;
        self.moves = moves;
        let report =
            TickReport { expansions: work.spent(), backwards: work.spent_backwards(), rounds: work.rounds() };
        self.carry_out(granted.unwrap_or(GrantedBudget::Rounds(report.rounds)), report, events);
        report
    }

    /// What was done to the world since the last tick takes effect, and it is settled who may step in this one.
    pub(crate) fn intake(&mut self, events: &mut Vec<Event>) {
        self.tick += 1;
        self.take_in_map(events);
        self.tell_pending(events);

        let mut movers = std::mem::take(&mut self.movers);
        movers.clear();
        let may_step = |agent: &&AgentId| {
            let i = agent.index();
            self.agents.controlled[i] && self.agents.ready[i] <= self.tick
        };
        movers.extend(self.agents.living.iter().filter(may_step));
        self.movers = movers;
        self.moves.clear(self.agents.at.len());
    }

    /// The moves proposed for this tick are judged, done and told.
    pub(crate) fn carry_out(&mut self, granted: GrantedBudget, report: TickReport, events: &mut Vec<Event>) {
        let told = events.len();
        let mut referee = std::mem::take(&mut self.referee);
        referee.judge(&self.view(), &self.moves);
        self.referee = referee;
        self.record_moves();
        self.observe_waits(events);
        self.commit(events);
        self.settle();
        self.observe_wandering(events);
        self.observe_arrivals(events);
        self.totals.expansions += report.expansions;
        self.record_tick(granted, report.rounds, &events[told..]);
    }

    /// The referee's verdict becomes the world's state.
    fn commit(&mut self, events: &mut Vec<Event>) {
        // All leave before any enters, so that agents may follow each other and go round in circles.
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let at = self.agents.at[agent.index()];
            if self.referee.next(agent) != at {
                self.occupancy.set(at, Occupant::Nobody);
            }
        }
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let (from, to) = (self.agents.at[agent.index()], self.referee.next(agent));
            if from == to {
                continue;
            }
            self.set_position(agent, to);
            self.agents.ready[agent.index()] = self.tick + u64::from(self.agents.speed[agent.index()]);
            self.stalled[agent.index()] = 0;
            events.push(Event::Moved { agent, from, to });
            if let Some(by) = self.moves.row(agent).pushed_by {
                events.push(Event::Pushed { agent, by });
            }
        }
    }

    /// Tells who was overruled, who waits for whom, and who has done so for long.
    fn observe_waits(&mut self, events: &mut Vec<Event>) {
        for &(agent, wanted, rule) in self.referee.overruled() {
            events.push(Event::Overruled { agent, wanted, rule });
        }
        self.totals.overruled += self.referee.overruled().len() as u64;
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let (at, row) = (self.agents.at[agent.index()], self.moves.row(agent));
            if self.referee.next(agent) != at {
                continue;
            }
            if let Some((wanted, by)) = row.wanted {
                self.totals.failed_moves += 1;
                self.agents.roaming[agent.index()].behind = by;
                events.push(Event::Waited { agent, wanted, by });
            }
            self.observe_stall(agent, row.wanted, events);
        }
    }

    fn observe_stall(
        &mut self,
        agent: AgentId,
        wanted: Option<(Cell, Option<AgentId>)>,
        events: &mut Vec<Event>,
    ) {
        let i = agent.index();
        let underway = self.agents.target[i].is_some_and(|target| target != self.agents.at[i]);
        if !underway || !self.agents.controlled[i] {
            self.stalled[i] = 0;
            return;
        }
        // An agent that rests from its last step, as slow ones do, is not waiting.
        if self.agents.ready[i] > self.tick {
            return;
        }
        self.stalled[i] = self.stalled[i].saturating_add(1);
        if self.stalled[i] == self.settings.stuck_after {
            let (reason, by) = match wanted {
                None => (StuckReason::NoPathYet, None),
                Some((_, None)) => (StuckReason::BehindForeign, None),
                Some((_, Some(other))) if !self.agents.controlled[other.index()] => {
                    (StuckReason::BehindForeign, Some(other))
                }
                Some((_, Some(other))) if self.has_arrived(other) => {
                    (StuckReason::BehindArrived, Some(other))
                }
                Some((_, by)) => (StuckReason::Crowded, by),
            };
            events.push(Event::Stuck { agent, reason, by });
        }
    }

    /// Tells who has been about one place for long without coming home.
    fn observe_wandering(&mut self, events: &mut Vec<Event>) {
        let (size, patience) = (self.grid.size(), self.settings.stuck_after);
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let i = agent.index();
            let at = self.agents.at[i];
            let underway =
                self.agents.controlled[i] && self.agents.target[i].is_some_and(|target| target != at);
            let roaming = &mut self.agents.roaming[i];
            if !underway {
                *roaming = Roaming::default();
                continue;
            }
            let strayed = |from: Cell| {
                let (a, b) = (size.pos(from), size.pos(at));
                a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) > WANDERING_CELLS
            };
            if roaming.anchor.is_none_or(strayed) {
                (roaming.anchor, roaming.ticks) = (Some(at), 0);
                continue;
            }
            // A slow agent is granted as many steps as a fast one.
            if self.agents.ready[i] > self.tick + 1 {
                continue;
            }
            roaming.ticks = roaming.ticks.saturating_add(1);
            // Who stands still has been told so.
            if u64::from(roaming.ticks) == u64::from(patience) * WANDERING_TIMES && self.stalled[i] < patience
            {
                events.push(Event::Stuck { agent, reason: StuckReason::Wandering, by: roaming.behind });
            }
        }
    }

    /// Tells who has come home and who has left.
    fn observe_arrivals(&mut self, events: &mut Vec<Event>) {
        for i in 0..self.agents.living.len() {
            let agent = self.agents.living[i];
            let home = self.has_arrived(agent);
            self.agents.settled[agent.index()] |= home;
            let was_home = std::mem::replace(&mut self.agents.home[agent.index()], home);
            match (was_home, home) {
                (false, true) => events.push(Event::Arrived { agent }),
                (true, false) => events.push(Event::LeftGoal { agent }),
                _ => {}
            }
        }
    }
}
