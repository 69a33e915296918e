//! What agents do that have found no way, and what is told of them.

use throng_crowd::{AgentId, Moves, Occupant, View};
use throng_grid::Cell;
use throng_search::{Heuristic, OctileDistance};

use super::Whca;

/// Ticks that an agent without a window stays when there is no way nearer to its target.
const PATIENCE: u32 = 16;

impl Whca {
    /// Without work: a step towards the target where nobody minds, otherwise none.
    pub(super) fn improvise(&mut self, view: &View<'_>, agent: AgentId) {
        let (at, pace) = (view.at(agent), view.speed(agent));
        let space = self.plans.space(view, agent, u32::from(pace));
        let free = space.ground.neighbours(at).map(|(_, to)| to).filter(|&to| space.may_step(at, to, 0));
        // Exact distances, where they are known from here on.
        let table = self.tables.current(view, agent).map(|table| &*table);
        let best = if let Some((table, here)) = table.and_then(|table| Some((table, table.known(at)?))) {
            free.filter_map(|to| Some((table.known(to)?, to))).min().filter(|best| best.0 < here)
        } else {
            let mut left = OctileDistance::to_cell(space.ground, space.place);
            free.map(|to| (left.lower(to.0), to)).min().filter(|best| best.0 < left.lower(at.0))
        };
        match best {
            Some((_, to)) => {
                let way = std::iter::once(at).chain(std::iter::repeat_n(to, usize::from(pace)));
                self.plans.adopt(agent, way, false);
            }
            None => self.stay(view, agent),
        }
    }

    /// An agent stays for a window, or as long as nobody comes; who has reserved its cell for the next tick must
    /// plan again, and does so next.
    pub(super) fn stay(&mut self, view: &View<'_>, agent: AgentId) {
        let (at, next) = (view.at(agent), view.tick());
        if let Some(other) = self.plans.timetable.at(at, next).filter(|&other| other != agent) {
            self.plans.cancel(other);
            self.turn.push(other);
        }
        let most = match self.window_of(view, agent) {
            0 => PATIENCE,
            window => window,
        };
        let space = self.plans.space(view, agent, most);
        let times = (1..=most).take_while(|&time| space.is_open(at, time)).count();
        self.plans.adopt(agent, std::iter::repeat_n(at, times + 1), false);
    }

    /// Says where everyone goes, and who is in the way of those who stay.
    pub(super) fn write(&mut self, view: &View<'_>, moves: &mut Moves) {
        for &agent in view.movers() {
            let at = view.at(agent);
            let to = self.plans.cell(agent, view.tick()).unwrap_or(at);
            if to != at {
                moves.go(agent, to);
            } else if let Some(wanted) = self.wanted(view, agent) {
                let taker = self.plans.timetable.at(wanted, view.tick());
                match (taker, view.occupancy().at(wanted)) {
                    (Some(other), _) | (None, Occupant::Agent(other)) => {
                        moves.wait(agent, wanted, Some(other));
                    }
                    (None, Occupant::Foreign) => moves.wait(agent, wanted, None),
                    (None, Occupant::Nobody) => {}
                }
            }
        }
    }

    /// The next cell of an agent's way without the others.
    fn wanted(&mut self, view: &View<'_>, agent: AgentId) -> Option<Cell> {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let target = view.target(agent).filter(|&target| target != at)?;
        let known = self.tables.current(view, agent).and_then(|table| table.next(at));
        let legal = known.filter(|&to| ground.legal_step(at, to).is_some());
        let mut left = OctileDistance::to_cell(ground, target);
        legal.or_else(|| ground.neighbours(at).map(|(_, to)| (left.lower(to.0), to)).min().map(|best| best.1))
    }
}
