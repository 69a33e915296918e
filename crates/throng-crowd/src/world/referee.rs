//! The referee: judges the proposals of a planner, so that no planner can make an illegal move or a collision.
//!
//! A proposal is accepted unless it breaks a [`Rule`]: an illegal step, a step out of turn, a vertex conflict, a swap
//! conflict or a forbidden crossing. An agent that takes several ticks for a step holds the cell that it leaves until the
//! last of them, and its step may not be crossed meanwhile. An overruled agent stays, which may overrule others in turn. A contested cell goes to the agent that
//! stands there, otherwise to the agent with the lowest number; of two agents that cross, the one with the lowest number
//! moves. A correct planner is never overruled.

use throng_grid::Cell;
use throng_search::Scratch;

use crate::planner::{Moves, View};
use crate::world::event::Rule;
use crate::world::occupied_next::OccupiedNext;
use crate::{AgentRow, Crossings, Occupant};

/// The decisions of a tick, and scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Referee {
    /// The next position of each agent, by number.
    next: Vec<Cell>,
    occupied_next: Scratch<OccupiedNext>,
    /// The overruled agents, their proposed cells and the rules they break.
    overruled: Vec<(AgentRow, Cell, Rule)>,
    /// Agents to overrule.
    rejected: Vec<(AgentRow, Rule)>,
    /// The number of pairs that crossed each other diagonally, where that is allowed.
    pub(crate) crossings: u64,
}

impl Referee {
    /// Allocates memory for a map with this many cells in advance.
    pub(crate) fn with_capacity(cells: usize) -> Self {
        Self { occupied_next: OccupiedNext::with_capacity(cells).into(), ..Self::default() }
    }

    /// Judges the proposals of a tick. [`Referee::next`] and [`Referee::overruled`] return the result.
    pub(crate) fn judge(&mut self, view: &View<'_>, moves: &Moves) {
        self.overruled.clear();
        self.next.clear();
        self.next.extend_from_slice(&view.agents.at);
        self.occupied_next.begin(view.grid().size().area());
        for &agent in view.agents() {
            let (at, to) = (view.at(agent), moves.proposal(agent).to.unwrap_or(view.at(agent)));
            self.next[agent.index()] = to;
            if to == at {
                continue;
            }
            let rule = if !view.may_step(agent) {
                Some(Rule::NotItsTurn)
            } else if to.index() >= view.grid().size().area()
                || view.ground(agent).legal_step(at, to).is_none()
            {
                Some(Rule::Illegal)
            } else if view.occupancy().at(to) == Occupant::Foreign || stays_held(view, moves, agent, to) {
                Some(Rule::SharedCell)
            } else if swaps(view, moves, agent, to) {
                Some(Rule::Swap)
            } else {
                crosses(view, moves, agent, to).then_some(Rule::Crossing)
            };
            if let Some(rule) = rule {
                self.rejected.push((agent, rule));
            }
        }
        self.overrule_rejected(view);
        for &agent in view.agents() {
            self.take(view, agent);
            self.overrule_rejected(view);
        }
        self.overruled.sort_unstable_by_key(|&(agent, ..)| agent);
        self.count_crossings(view);
    }

    /// Returns the position of an agent after the tick.
    pub(crate) fn next(&self, agent: AgentRow) -> Cell {
        self.next[agent.index()]
    }

    /// Returns the overruled agents, their proposed cells and the rules they break.
    pub(crate) fn overruled(&self) -> &[(AgentRow, Cell, Rule)] {
        &self.overruled
    }

    /// Gives the next cell of an agent to it, unless the agent that has taken the cell has the better right.
    fn take(&mut self, view: &View<'_>, agent: AgentRow) {
        let to = self.next(agent);
        match self.occupied_next.at(to) {
            Some(other) if other == agent => {}
            Some(other) => {
                // An agent that stays in its cell has the better right, then the lower number, which came first.
                let loser = if view.at(agent) == to { other } else { agent };
                if loser == other {
                    self.occupied_next.set(to, agent);
                }
                self.rejected.push((loser, Rule::SharedCell));
            }
            None => self.occupied_next.set(to, agent),
        }
    }

    /// Makes rejected agents stay, then the agents that wanted their cells, and so on.
    fn overrule_rejected(&mut self, view: &View<'_>) {
        while let Some((agent, rule)) = self.rejected.pop() {
            let at = view.at(agent);
            if self.next(agent) == at {
                continue;
            }
            // The wanted cell needs no release: it was not taken, or an agent that stays there has taken it over.
            self.overruled.push((agent, self.next(agent), rule));
            self.next[agent.index()] = at;
            self.take(view, agent);
        }
    }

    fn count_crossings(&mut self, view: &View<'_>) {
        if view.crossings() == Crossings::Forbid {
            return;
        }
        let size = view.grid().size();
        for &agent in view.agents() {
            let Some([side, opposite]) = size.sides(view.at(agent), self.next(agent)) else { continue };
            let crosses = |(from, to): (Cell, Cell)| {
                // Of a pair, the agent with the higher number counts.
                let other = view.standing(from).filter(|&other| other < agent);
                other.is_some_and(|other| self.next(other) == to)
            };
            let does_cross = crosses((side, opposite))
                || crosses((opposite, side))
                || view.step_across([side, opposite]).is_some();
            self.crossings += u64::from(does_cross);
        }
    }
}

/// Returns true if another agent leaves the proposed cell, but not in time: it is not across yet, or proposes a step that
/// lasts several ticks.
fn stays_held(view: &View<'_>, moves: &Moves, agent: AgentRow, to: Cell) -> bool {
    let Some(other) = view.occupancy().agent(to).filter(|&other| other != agent) else { return false };
    view.at(other) != to || moves.to(other).is_some_and(|next| next != to && view.step_ticks(other, next) > 1)
}

/// Returns true if the occupant of the proposed cell proposes to enter the cell of this agent.
fn swaps(view: &View<'_>, moves: &Moves, agent: AgentRow, to: Cell) -> bool {
    view.standing(to).is_some_and(|other| moves.proposal(other).to == Some(view.at(agent)))
}

/// Returns true if an agent with a lower number proposes a step that crosses the proposed step, or an agent makes one, which
/// is forbidden.
fn crosses(view: &View<'_>, moves: &Moves, agent: AgentRow, to: Cell) -> bool {
    let Some([side, opposite]) = view.guarded(view.at(agent), to) else { return false };
    let goes = |(from, to): (Cell, Cell)| {
        let other = view.standing(from).filter(|&other| other < agent);
        other.is_some_and(|other| moves.proposal(other).to == Some(to))
    };
    goes((side, opposite)) || goes((opposite, side)) || view.step_across([side, opposite]).is_some()
}
