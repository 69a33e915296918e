//! A draft of the moves of a tick, built one agent after the other.
//!
//! Planners that let agents act in turn within a tick keep here which agent is in each cell after the moves so far. A
//! cell that was left earlier in the tick may be entered, so agents can follow each other. A swap is impossible,
//! because the first of the two agents finds the cell of the other occupied. An agent whose step lasts several ticks keeps
//! its cell meanwhile.

use throng_grid::Cell;

use crate::planner::{Moves, View};
use crate::{AgentRow, Occupant};

/// The draft of the moves of one tick.
#[derive(Clone, Debug, Default)]
pub struct MoveDraft {
    tick: u64,
    /// Per cell, the tick in which the draft last changed its occupant, and the new occupant. Zero before the first change:
    /// the allocator hands out zeros without touching the memory.
    cells: Vec<(u64, u32)>,
    /// The tick in which each agent last moved in a draft.
    moved: Vec<u64>,
}

const NOBODY: u32 = u32::MAX;

impl MoveDraft {
    /// Starts the draft of a tick.
    pub fn begin(&mut self, view: &View<'_>) {
        self.tick = view.tick();
        let cells = view.grid().size().area();
        if self.cells.len() != cells {
            self.cells = vec![(0, 0); cells];
        }
        self.moved.resize(view.id_limit(), 0);
    }

    /// Returns the bytes of memory held.
    pub fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<(u64, u32)>() + self.moved.capacity() * size_of::<u64>()
    }

    /// Returns the unit in a cell after the moves drafted so far.
    #[inline]
    pub fn at(&self, view: &View<'_>, cell: Cell) -> Occupant {
        match self.cells[cell.index()] {
            (tick, NOBODY) if tick == self.tick => Occupant::Nobody,
            (tick, agent) if tick == self.tick => Occupant::Agent(AgentRow(agent)),
            _ => view.occupancy().at(cell),
        }
    }

    /// Returns the unit that keeps an agent from stepping to a neighbouring cell: the unit that is there after the moves
    /// drafted so far, or an agent whose drafted move crosses the step where that is forbidden.
    pub fn blocker(&self, view: &View<'_>, agent: AgentRow, to: Cell) -> Occupant {
        let there = self.at(view, to);
        let Some([side, opposite]) = view.guarded(view.at(agent), to).filter(|_| there == Occupant::Nobody)
        else {
            return there;
        };
        let crosses = |(from, to): (Cell, Cell)| match self.at(view, to) {
            Occupant::Agent(other) if view.at(other) == from => Some(Occupant::Agent(other)),
            _ => None,
        };
        let under_way = || view.crosses_step(view.at(agent), to).map(Occupant::Agent);
        crosses((side, opposite))
            .or_else(|| crosses((opposite, side)))
            .or_else(under_way)
            .unwrap_or(Occupant::Nobody)
    }

    /// Returns true if an agent has a move in the draft. It cannot have another.
    #[inline]
    pub fn has_moved(&self, agent: AgentRow) -> bool {
        self.moved[agent.index()] == self.tick
    }

    /// Moves an agent that has not moved to an unoccupied cell.
    pub fn go(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentRow, to: Cell) {
        self.shift(view, agent, to);
        moves.go(agent, to);
    }

    /// Moves an agent that has not moved to an unoccupied cell to make room for another.
    pub fn push(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentRow, to: Cell, by: AgentRow) {
        self.shift(view, agent, to);
        moves.push(agent, to, by);
    }

    fn shift(&mut self, view: &View<'_>, agent: AgentRow, to: Cell) {
        debug_assert!(!self.has_moved(agent), "an agent moves at most once per tick: a bug of the planner");
        debug_assert_eq!(self.at(view, to), Occupant::Nobody, "the cell is occupied: a bug of the planner");
        if view.step_ticks(agent, to) == 1 {
            self.cells[view.at(agent).index()] = (self.tick, NOBODY);
        }
        self.cells[to.index()] = (self.tick, agent.0);
        self.moved[agent.index()] = self.tick;
    }
}
