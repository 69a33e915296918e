//! The steps of a tick: agents follow their paths in the order of their numbers, or wait for the agent ahead.

use throng_crowd::{AgentRow, Moves, Occupant, View};
use throng_grid::Cell;
use throng_toolkit::in_turn;

use super::Repair;
use super::tuning::{MAX_AGITATION, REFUSALS_BEFORE_ASIDE};

impl Repair {
    /// Moves each agent along its path if the next cell is free.
    pub(super) fn step_agents(&mut self, view: &View<'_>, moves: &mut Moves) {
        self.draft.begin(view);
        in_turn(view, view.movers(), 0, |id| {
            let agent = &mut self.agents[id.index()];
            let Some(next) = agent.next(view.at(id)) else {
                if let Some(cell) = agent.blocked_by.filter(|&cell| !view.occupancy().is_free(cell)) {
                    moves.wait(id, cell, view.occupancy().agent(cell));
                }
                return;
            };
            match self.draft.blocker(view, id, next) {
                Occupant::Nobody => {
                    agent.path.pop();
                    self.draft.go(view, moves, id, next);
                    // The path is free again before the agent's turn to plan has come.
                    if self.options.has_detours() {
                        (agent.replan_since, agent.failures) = (None, 0);
                    }
                    agent.replan_since = agent.replan_since.filter(|_| agent.failures > 0);
                }
                Occupant::Agent(other) => self.wait(view, moves, (id, next), Some(other)),
                Occupant::Foreign => self.wait(view, moves, (id, next), None),
            }
        });
    }

    /// Makes an agent wait before an occupied cell and plan again, or step aside before its occupied target. `other` is the
    /// agent in the cell; `None` for a foreign unit.
    fn wait(
        &mut self,
        view: &View<'_>,
        moves: &mut Moves,
        (id, next): (AgentRow, Cell),
        other: Option<AgentRow>,
    ) {
        if view.target(id) == Some(next) && other.is_some() {
            let agent = &mut self.agents[id.index()];
            agent.refusals = agent.refusals.saturating_add(1);
            let is_time = agent.refusals >= REFUSALS_BEFORE_ASIDE && agent.refusals.is_power_of_two();
            if is_time && self.step_aside(view, moves, id) {
                return;
            }
        }
        moves.wait(id, next, other);
        let skips = self.options.sectors.is_some_and(|sectors| sectors.skip);
        let leaves_node = skips && self.leaves_node(view, id, next);
        let agent = &mut self.agents[id.index()];
        agent.replan_since.get_or_insert(view.tick() + 1);
        if self.options.agitation {
            agent.agitation = (agent.agitation + 1).min(MAX_AGITATION);
        }
        if skips {
            agent.skip = leaves_node;
        }
    }

    /// Moves an agent to a free neighbour of its cell, because the agent on its target may want that cell: two agents on
    /// each other's targets would wait forever. Returns false if no neighbour is free.
    fn step_aside(&mut self, view: &View<'_>, moves: &mut Moves, id: AgentRow) -> bool {
        let mut neighbours = view.ground(id).neighbours(view.at(id)).map(|(_, cell)| cell);
        let Some(cell) = neighbours.find(|&cell| self.draft.blocker(view, id, cell) == Occupant::Nobody)
        else {
            return false;
        };
        self.agents[id.index()].path.clear();
        self.draft.go(view, moves, id, cell);
        true
    }

    /// Returns true if a step leads to another node of the abstract graph.
    fn leaves_node(&self, view: &View<'_>, id: AgentRow, next: Cell) -> bool {
        let (ground, at) = (view.ground(id), view.at(id));
        let sectors = self.sectors.get(usize::from(view.profile(id).0)).and_then(Option::as_ref);
        sectors.is_some_and(|sectors| sectors.node_of(ground, at) != sectors.node_of(ground, next))
    }
}
