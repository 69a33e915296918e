//! A joint move drafted one agent after the other.
//!
//! Planners that let agents act in turn within a tick keep the draft here: who stands where after the moves so far.
//! A cell that was left earlier in the tick may be entered, so agents follow each other; two can never change places,
//! because the first of them finds the other's cell held.

use throng_grid::Cell;

use crate::planner::{Moves, View};
use crate::{AgentId, Occupant};

/// The draft of a tick's moves.
#[derive(Clone, Debug, Default)]
pub struct MoveDraft {
    tick: u64,
    /// Cells whose occupant changed in the draft, stamped by the tick.
    cells: Vec<(u64, u32)>,
    /// The tick in which each agent last moved in a draft.
    moved: Vec<u64>,
}

const NOBODY: u32 = u32::MAX;

impl MoveDraft {
    /// Begins the draft of a tick.
    pub fn begin(&mut self, view: &View<'_>) {
        self.tick = view.tick();
        self.cells.resize(view.grid().size().area(), (0, NOBODY));
        self.moved.resize(view.id_limit(), 0);
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<(u64, u32)>() + self.moved.capacity() * size_of::<u64>()
    }

    /// Who holds a cell after the moves drafted so far.
    #[inline]
    pub fn at(&self, view: &View<'_>, cell: Cell) -> Occupant {
        match self.cells[cell.index()] {
            (tick, NOBODY) if tick == self.tick => Occupant::Nobody,
            (tick, agent) if tick == self.tick => Occupant::Agent(AgentId(agent)),
            _ => view.occupancy().at(cell),
        }
    }

    /// Whether an agent has a move in the draft; it cannot have another.
    #[inline]
    pub fn has_moved(&self, agent: AgentId) -> bool {
        self.moved[agent.index()] == self.tick
    }

    /// An agent that has not moved steps to a cell that nobody holds.
    pub fn go(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentId, to: Cell) {
        self.shift(view, agent, to);
        moves.go(agent, to);
    }

    /// An agent that has not moved steps aside for another, to a cell that nobody holds.
    pub fn push(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentId, to: Cell, by: AgentId) {
        self.shift(view, agent, to);
        moves.push(agent, to, by);
    }

    fn shift(&mut self, view: &View<'_>, agent: AgentId, to: Cell) {
        debug_assert!(!self.has_moved(agent), "an agent moves once a tick");
        debug_assert_eq!(self.at(view, to), Occupant::Nobody, "the cell is held");
        self.cells[view.at(agent).index()] = (self.tick, NOBODY);
        self.cells[to.index()] = (self.tick, agent.0);
        self.moved[agent.index()] = self.tick;
    }
}
