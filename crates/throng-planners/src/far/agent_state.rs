//! The state of one agent under FAR.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate};
use throng_grid::{Cell, Direction};

use super::MAX_DEPTH;
use super::deadlock::MAX_ASIDES;
use super::path_queue::RETRY;

/// What keeps an agent waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) enum Blocker {
    /// Nothing: the agent moves, has no target, or no path yet.
    #[default]
    Nothing,
    /// A foreign unit.
    Foreign,
    /// An agent that stands in a cell of the path, or will pass it.
    Agent(AgentRow),
}

/// An agent's path and reservations, and how it came to wait.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct FarAgent {
    /// Whether the agent is on the map, as far as known, and its reservations are in the table.
    pub(super) placed: bool,
    /// The cell of the agent before the coming tick.
    pub(super) at: Cell,
    /// The cell that it still holds because its step away from there is not done.
    pub(super) tail: Option<Cell>,
    /// The moves of the path from the agent's cell, as numbers of directions. Empty without one.
    pub(super) path: VecDeque<u8>,
    /// The end of the path; `None` without one.
    pub(super) to: Option<Cell>,
    /// The number of coming moves that are reserved.
    pub(super) reserved: usize,
    /// Until this tick the agent stays where it stepped aside, or does not search for a path.
    pub(super) rest: u64,
    /// The cell that the agent left to step aside. It is not sent back there.
    pub(super) before: Cell,
    /// How many times the agent has stepped aside again without having rested.
    pub(super) asides: u32,
    /// How many times the agent has stepped aside on its way. Each time it waits longer before it does so again.
    pub(super) yielded: u32,
    /// Consecutive ticks in which the agent could not reserve its next moves.
    pub(super) waited: u32,
    pub(super) blocker: Blocker,
    /// Whether the next path avoids the units around the agent that never give way.
    pub(super) detour: bool,
}

impl FarAgent {
    /// Forgets the path. Reserved moves are part of it and must have been given back.
    pub(super) fn forget_path(&mut self) {
        debug_assert_eq!(self.reserved, 0, "reserved moves are part of the path");
        self.path.clear();
        self.to = None;
        self.waited = 0;
        self.blocker = Blocker::Nothing;
    }

    /// Returns the cells that the agent will enter, in order. `offsets` are those of the grid.
    pub(super) fn ahead(&self, offsets: [i32; 8]) -> impl Iterator<Item = Cell> + '_ {
        self.path.iter().scan(self.at, move |at, &number| {
            *at = step(*at, number, &offsets);
            Some(*at)
        })
    }

    /// Returns the end of the path, or `None` if it leaves the map.
    fn end(&self, limits: &Limits) -> Option<Cell> {
        let mut pos = limits.size.pos(self.at);
        for &number in &self.path {
            pos = pos + Direction::from_number(number);
            if number > 7 || !limits.size.contains(pos) {
                return None;
            }
        }
        limits.size.cell(pos)
    }
}

impl Validate for FarAgent {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self {
            placed,
            at,
            tail,
            path,
            to,
            reserved,
            rest,
            before,
            asides,
            yielded,
            waited,
            blocker,
            detour: _,
        } = self;
        [*at, *before].validate(limits)?;
        tail.validate(limits)?;
        let length = path.len() as u64;
        limits.at_most_cells(length, "the length of a path")?;
        limits.require(self.end(limits) == Some(to.unwrap_or(*at)), "a path does not lead to its end")?;
        limits.at_most(*reserved as u64, length, "the number of reserved moves")?;
        limits.coming_tick(*rest, RETRY.max(MAX_DEPTH))?;
        limits.at_most(*asides, MAX_ASIDES.into(), "how many times an agent stepped aside in a row")?;
        limits.at_most(*yielded, limits.tick, "how many times an agent stepped aside")?;
        limits.at_most(*waited, limits.tick, "how many ticks an agent waited")?;
        if let Blocker::Agent(agent) = blocker {
            agent.validate(limits)?;
        }
        let moves = *waited == 0 && *blocker == Blocker::Nothing;
        limits.require(*reserved == 0 || moves, "an agent with reserved moves waits")?;
        limits.require(*reserved == 0 || *placed, "an agent that is not on the map has reserved moves")
    }
}

/// Returns the cell one step away. The step must stay on the map.
#[inline]
pub(super) fn step(cell: Cell, number: u8, offsets: &[i32; 8]) -> Cell {
    Cell(cell.0.wrapping_add_signed(offsets[Direction::from_number(number) as usize]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::Size;

    /// Such an agent would forget its path and keep the number of reserved moves, and then make a move that it does not have.
    #[test]
    fn an_agent_that_is_not_on_the_map_reserves_nothing() {
        let limits = Limits { size: Size::new(4, 4).unwrap(), agents: 1, tick: 5, profiles: 1 };
        let state = FarAgent {
            placed: true,
            path: VecDeque::from([Direction::East.number()]),
            to: Some(Cell(1)),
            reserved: 1,
            ..FarAgent::default()
        };
        state.validate(&limits).unwrap();
        FarAgent { placed: false, ..state }.validate(&limits).unwrap_err();
    }
}
