//! Steps of agents without a path, and the proposals of all agents.

use throng_crowd::{AgentRow, Moves, Occupant, View};
use throng_grid::Cell;
use throng_search::{Heuristic, OctileDistance};

use super::Whca;

/// Most ticks that an agent without a window stays when it has no path. Longer plans block others, shorter ones cost more
/// searches. Not tuned.
const MAX_STAY: u32 = 16;

impl Whca {
    /// Plans one step towards the target into a cell that nobody has reserved, otherwise staying. Costs no work.
    pub(super) fn step_without_search(&mut self, view: &View<'_>, agent: AgentRow) {
        let (at, ticks_per_step) = (view.at(agent), view.ticks_per_step(agent));
        let space = self.plans.space(view, agent, ticks_per_step);
        let free = space.ground.neighbours(at).map(|(_, to)| to).filter(|&to| space.may_step(at, to, 0));
        // Exact distances where the table knows them.
        let table = self.tables.current(view, agent);
        let best = if let Some((table, here)) = table.and_then(|table| Some((table, table.known(at)?))) {
            free.filter_map(|to| Some((table.known(to)?, to))).min().filter(|best| best.0 < here)
        } else {
            let mut octile = OctileDistance::to_cell(space.ground, space.target);
            free.map(|to| (octile.lower(to.0), to)).min().filter(|best| best.0 < octile.lower(at.0))
        };
        match best {
            Some((_, to)) => {
                let cells = std::iter::once(at).chain(std::iter::repeat_n(to, ticks_per_step as usize));
                self.plans.adopt(agent, cells, false, ticks_per_step);
            }
            None => self.stay(view, agent),
        }
    }

    /// Plans to stay for a window, or until the cell is reserved by another agent. An agent that has reserved the cell for
    /// the next tick loses its plan and plans next.
    pub(super) fn stay(&mut self, view: &View<'_>, agent: AgentRow) {
        let (at, next) = (view.at(agent), view.tick());
        if let Some(other) = self.plans.reservations.at(at, next).filter(|&other| other != agent) {
            self.plans.cancel(other);
            self.turn.push(other);
        }
        let max_ticks = match self.window_of(view, agent) {
            0 => MAX_STAY,
            window => window,
        };
        let space = self.plans.space(view, agent, max_ticks);
        let times = (1..=max_ticks).take_while(|&time| space.is_open(at, time)).count();
        self.plans.adopt(agent, std::iter::repeat_n(at, times + 1), false, 1);
    }

    /// Proposes the next cell of every agent, and reports which agent blocks one that stays.
    pub(super) fn propose(&mut self, view: &View<'_>, moves: &mut Moves) {
        for &agent in view.movers() {
            let at = view.at(agent);
            let to = self.plans.cell(agent, view.tick()).unwrap_or(at);
            if to != at {
                moves.go(agent, to);
            } else if let Some(wanted) = self.wanted(view, agent) {
                let reserved_by = self.plans.reservations.at(wanted, view.tick());
                match (reserved_by, view.occupancy().at(wanted)) {
                    (Some(other), _) | (None, Occupant::Agent(other)) => {
                        moves.wait(agent, wanted, Some(other));
                    }
                    (None, Occupant::Foreign) => moves.wait(agent, wanted, None),
                    (None, Occupant::Nobody) => {}
                }
            }
        }
    }

    /// The next cell of an agent's shortest path without the other agents.
    fn wanted(&mut self, view: &View<'_>, agent: AgentRow) -> Option<Cell> {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let target = view.target(agent).filter(|&target| target != at)?;
        let known = self.tables.current(view, agent).and_then(|table| table.next(at));
        let legal = known.filter(|&to| ground.legal_step(at, to).is_some());
        let mut octile = OctileDistance::to_cell(ground, target);
        legal.or_else(|| {
            ground.neighbours(at).map(|(_, to)| (octile.lower(to.0), to)).min().map(|best| best.1)
        })
    }
}
