//! The only writer of positions judges what a planner proposes.
//!
//! A proposal stands unless it breaks a [`Rule`]: a step that is not legal or not the agent's turn, a cell that
//! somebody else holds or takes, two agents changing places. Who is overruled stays, which may overrule others in
//! turn. A contested cell goes to whoever stands there, else to the lowest number. Planners that do their job are
//! never overruled.

use throng_grid::Cell;

use crate::planner::{Moves, View};
use crate::world::event::Rule;
use crate::world::occupied_next::OccupiedNext;
use crate::{AgentId, Occupant};

/// The referee's scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Referee {
    /// Where each agent will be, by number.
    next: Vec<Cell>,
    taken: OccupiedNext,
    /// Those whose proposal fell, and why.
    overruled: Vec<(AgentId, Cell, Rule)>,
    waiting: Vec<(AgentId, Rule)>,
    /// Pairs that crossed each other diagonally: legal, but worth counting.
    pub(crate) crossings: u64,
}

impl Referee {
    /// Judges the proposals for a tick; [`Referee::next`] and [`Referee::overruled`] hold the verdict.
    pub(crate) fn judge(&mut self, view: &View<'_>, moves: &Moves) {
        self.overruled.clear();
        self.next.clear();
        self.next.extend_from_slice(&view.agents.at);
        self.taken.begin(view.grid().size().area());
        for &agent in view.agents() {
            let (at, to) = (view.at(agent), moves.row(agent).to.unwrap_or(view.at(agent)));
            self.next[agent.index()] = to;
            if to == at {
                continue;
            }
            let rule = if !view.may_step(agent) {
                Some(Rule::NotItsTurn)
            } else if to.index() >= self.taken.len() || view.ground(agent).legal_step(at, to).is_none() {
                Some(Rule::Illegal)
            } else if view.occupancy().at(to) == Occupant::Foreign {
                Some(Rule::SharedCell)
            } else {
                swaps(view, moves, agent, to).then_some(Rule::Swap)
            };
            if let Some(rule) = rule {
                self.waiting.push((agent, rule));
            }
        }
        self.settle(view);
        for &agent in view.agents() {
            self.take(view, agent);
            self.settle(view);
        }
        self.overruled.sort_unstable_by_key(|&(agent, ..)| agent);
        self.count_crossings(view);
    }

    /// Where an agent will be.
    pub(crate) fn next(&self, agent: AgentId) -> Cell {
        self.next[agent.index()]
    }

    /// The overruled, the cells they wanted, and why.
    pub(crate) fn overruled(&self) -> &[(AgentId, Cell, Rule)] {
        &self.overruled
    }

    /// Who will be in a cell.
    pub(crate) fn taker(&self, cell: Cell) -> Option<AgentId> {
        self.taken.at(cell)
    }

    /// An agent takes the cell it goes to, or the one that took it before gives way.
    fn take(&mut self, view: &View<'_>, agent: AgentId) {
        let to = self.next(agent);
        match self.taker(to) {
            Some(other) if other == agent => {}
            Some(other) => {
                // Whoever stays where it stands comes first; otherwise the lower number, which came earlier.
                let loser = if view.at(agent) == to { other } else { agent };
                if loser == other {
                    self.taken.set(to, agent);
                }
                self.waiting.push((loser, Rule::SharedCell));
            }
            None => self.taken.set(to, agent),
        }
    }

    /// Lets everyone who was overruled stay, and everyone who wanted their cells, and so on.
    fn settle(&mut self, view: &View<'_>) {
        while let Some((agent, rule)) = self.waiting.pop() {
            let at = view.at(agent);
            if self.next(agent) == at {
                continue;
            }
            // What it wanted is not free now: it was never taken, or somebody who stays there took it over.
            self.overruled.push((agent, self.next(agent), rule));
            self.next[agent.index()] = at;
            self.take(view, agent);
        }
    }

    fn count_crossings(&mut self, view: &View<'_>) {
        let size = view.grid().size();
        for &agent in view.agents() {
            let (from, to) = (size.pos(view.at(agent)), size.pos(self.next(agent)));
            // Each crossing has one agent that goes right and down, or left and up.
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

fn swaps(view: &View<'_>, moves: &Moves, agent: AgentId, to: Cell) -> bool {
    view.occupancy().agent(to).is_some_and(|other| moves.row(other).to == Some(view.at(agent)))
}
