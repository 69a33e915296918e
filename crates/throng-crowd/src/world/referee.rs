//! The referee: judges the proposals of a planner, so that no planner can make an illegal move or a collision.
//!
//! A proposal is accepted unless it breaks a [`Rule`]: an illegal step, a step out of turn, a vertex conflict or a swap
//! conflict. An overruled agent stays, which may overrule others in turn. A contested cell goes to the agent that
//! stands there, otherwise to the agent with the lowest number. A correct planner is never overruled.

use throng_grid::Cell;

use crate::planner::{Moves, View};
use crate::world::event::Rule;
use crate::world::occupied_next::OccupiedNext;
use crate::{AgentRow, Occupant};

/// The decisions of a tick, and scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Referee {
    /// The next position of each agent, by number.
    next: Vec<Cell>,
    occupied_next: OccupiedNext,
    /// The overruled agents, their proposed cells and the rules they break.
    overruled: Vec<(AgentRow, Cell, Rule)>,
    /// Agents to overrule.
    rejected: Vec<(AgentRow, Rule)>,
    /// The number of pairs that crossed each other diagonally, which is legal.
    pub(crate) crossings: u64,
}

impl Referee {
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
            } else if view.occupancy().at(to) == Occupant::Foreign {
                Some(Rule::SharedCell)
            } else {
                swaps(view, moves, agent, to).then_some(Rule::Swap)
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
        let size = view.grid().size();
        for &agent in view.agents() {
            let (from, to) = (size.pos(view.at(agent)), size.pos(self.next(agent)));
            // Exactly one agent of a crossing pair moves right and down, or left and up.
            if to.x == from.x || to.x - from.x != to.y - from.y {
                continue;
            }
            let side = size.cell(throng_grid::Pos::new(to.x, from.y));
            let other_side = size.cell(throng_grid::Pos::new(from.x, to.y));
            let crosses = |from: Option<Cell>, to: Option<Cell>| {
                let other = from.and_then(|cell| view.occupancy().agent(cell));
                other.is_some_and(|other| Some(self.next(other)) == to)
            };
            if crosses(side, other_side) || crosses(other_side, side) {
                self.crossings += 1;
            }
        }
    }
}

/// Returns true if the occupant of the proposed cell proposes to enter the cell of this agent.
fn swaps(view: &View<'_>, moves: &Moves, agent: AgentRow, to: Cell) -> bool {
    view.occupancy().agent(to).is_some_and(|other| moves.proposal(other).to == Some(view.at(agent)))
}
